//! The first pose, wherever the joints are.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::{PERIOD, params, pony};
use gait_node::{Activity, Source, Walker};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Joints outside their limits come back as slowly as all others rise, and are named.
    #[test]
    fn joints_outside_their_limits_come_back_with_rise_speed(outside in prop::collection::vec((0..30_usize, 0.01..0.5_f64, any::<bool>()), 1..4)) {
        let model = pony();
        let names: Vec<String> = model.joints().iter().map(|joint| joint.name.clone()).collect();
        let mut pose: Vec<f64> = model.joints().iter().map(|joint| joint.limits.clamp(0.0)).collect();
        for (joint, by, up) in outside {
            let (joint, limits) = (joint % names.len(), model.joints()[joint % names.len()].limits);
            pose[joint] = if up { limits.upper + by } else { limits.lower - by };
        }
        let mut walker = Walker::new(model.clone(), params(), PERIOD).unwrap();
        walker.pose(Source::Measured, &names, &pose).unwrap();
        let mut notes = vec![];
        while !walker.step(PERIOD, 1.0, &mut |note| notes.push(note.to_string())) {}
        for (name, (joint, at)) in names.iter().zip(model.joints().iter().zip(&pose)) {
            let named = notes.iter().any(|note| note.starts_with(&format!("{name} is at ")));
            prop_assert_eq!(named, !joint.limits.contains(*at), "{}: {:?}", name, notes);
        }
        let (mut before, rise_speed) = (pose, params().rise_speed);
        while walker.activity() != Activity::Standing {
            for ((before, q), joint) in before.iter_mut().zip(walker.positions()).zip(model.joints()) {
                prop_assert!((q - *before).abs() <= rise_speed * PERIOD + 1e-12, "{}: {} → {}", joint.name, before, q);
                prop_assert!(joint.limits.contains(*q) || (joint.limits.clamp(*q) - q).abs() <= (joint.limits.clamp(*before) - *before).abs());
                *before = *q;
            }
            walker.step(PERIOD, 1.0, &mut |note| panic!("{note}"));
        }
        prop_assert!(walker.positions().iter().zip(model.joints()).all(|(q, joint)| joint.limits.contains(*q)));
    }
}
