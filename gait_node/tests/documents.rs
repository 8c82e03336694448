//! What people read must be what the nodes declare.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use gait_node::sync::SyncParams;
use gait_node::{GaitParams, Motion, MotionLimits, read_motion};

#[test]
fn the_config_files_are_those_that_the_parameters_print() {
    param_lib::assert_config_is_current::<SyncParams>("sync_node", include_str!("../../config/sync.yaml"));
    param_lib::assert_config_is_current::<GaitParams>("gait_node", include_str!("../../config/gait.yaml"));
}

#[test]
fn the_readme_shows_the_parameters_as_declared() {
    let readme = include_str!("../README.md");
    param_lib::assert_readme_is_current::<SyncParams>("sync_node", readme);
    param_lib::assert_readme_is_current::<GaitParams>("gait_node", readme);
}

#[test]
fn the_example_motions_fit_the_pony() {
    for text in [include_str!("../../config/motions/bow.yaml"), include_str!("../../config/motions/nod.json")]
    {
        let rules = common::rules(MotionLimits::Refuse);
        Motion::new(&read_motion(text).unwrap(), &common::pony(), &rules).unwrap();
    }
}
