//! The pony and its gait, as config/ has them, and the hexapod.

#![allow(dead_code, clippy::unwrap_used, clippy::panic)]

use gait_node::{Activity, GaitParams, MotionLimits, MotionRules, Note, Walker};
use param_lib::{Overrides, Params, Table};
use robot_model_lib::{RobotModel, RobotParams};

pub const PERIOD: f64 = 0.01;

pub fn pony() -> RobotModel {
    let config =
        RobotParams::from_file_text(include_str!("../../../config/robot.yaml")).unwrap().config().unwrap();
    RobotModel::from_urdf(include_str!("../../../config/pony.urdf"), &config).unwrap()
}

pub fn params() -> GaitParams {
    params_of(include_str!("../../../config/gait.yaml"))
}

/// Six legs of three joints on point feet.
pub fn hexapod() -> RobotModel {
    let config = include_str!("../../../config/hexapod/robot.yaml");
    let config = RobotParams::from_file_text(config).unwrap().config().unwrap();
    RobotModel::from_urdf(include_str!("../../../config/hexapod.urdf"), &config).unwrap()
}

/// Four legs of three joints on point feet.
pub fn quadruped() -> RobotModel {
    let config = include_str!("../../../config/quadruped/robot.yaml");
    let config = RobotParams::from_file_text(config).unwrap().config().unwrap();
    RobotModel::from_urdf(include_str!("../../../config/quadruped.urdf"), &config).unwrap()
}

fn params_of(text: &str) -> GaitParams {
    let overrides = Overrides::from_text(text).unwrap().for_node("/gait_node");
    let specs = GaitParams::specs_for(&overrides).unwrap();
    GaitParams::read(&Table::declare_all(specs, &overrides).unwrap()).unwrap()
}

/// All example robots, each with all gaits of its own file and those of config/gaits.yaml that have as many legs.
pub fn robots() -> [(RobotModel, GaitParams); 3] {
    let own = [
        (pony(), include_str!("../../../config/gait.yaml")),
        (hexapod(), include_str!("../../../config/hexapod/gait.yaml")),
        (quadruped(), include_str!("../../../config/quadruped/gait.yaml")),
    ];
    own.map(|(model, text)| {
        let mut params = GaitParams { wait_for_pose: false, ..params_of(text) };
        let legs = model.chains().iter().filter(|chain| chain.default_contact.is_some()).count();
        let more = params_of(include_str!("../../../config/gaits.yaml")).gaits.0;
        params.gaits.0.extend(more.into_iter().filter(|(_, gait)| gait.phases.len() == legs));
        params.gaits.0.sort_by(|a, b| a.0.cmp(&b.0));
        params.gaits.0.dedup_by(|a, b| a.0 == b.0);
        (model, params)
    })
}

/// Stands.
pub fn robot_standing(model: &RobotModel, params: &GaitParams) -> Walker {
    let mut walker = Walker::new(model.clone(), params.clone(), PERIOD).unwrap();
    while walker.activity() != Activity::Standing {
        checked_step(&mut walker, &mut |note| panic!("{note}"));
    }
    walker
}

/// A command that is too fast is walked slower, a step that is too long takes longer; nothing else may be said.
pub fn only_slowed(note: Note<'_>) {
    assert!(matches!(note, Note::Slowed { .. } | Note::LongSwing { .. }), "{note}");
}

/// Motions as config/ has them, but for this.
pub fn rules(limits: MotionLimits) -> MotionRules {
    MotionRules { limits, ..MotionRules::from(&params()) }
}

/// Stands.
pub fn standing(params: GaitParams) -> Walker {
    let mut walker = Walker::new(pony(), GaitParams { wait_for_pose: false, ..params }, PERIOD).unwrap();
    for _ in 0..2000 {
        assert!(walker.step(PERIOD, 1.0, &mut |note| panic!("{note}")));
        if walker.activity() == Activity::Standing {
            return walker;
        }
    }
    panic!("it does not stand up")
}

/// One cycle, with everything that holds in every cycle.
pub fn checked_step(walker: &mut Walker, note: &mut dyn FnMut(Note<'_>)) {
    let before = walker.positions().to_vec();
    assert!(walker.step(PERIOD, 1.0, note));
    let pose = walker.positions().iter().zip(walker.velocities()).zip(&before);
    for (((q, qd), before), joint) in pose.zip(walker.model().joints()) {
        let limits = joint.limits;
        assert!(limits.contains(*q), "{}: {q}", joint.name);
        assert!(
            (q - before).abs() <= limits.velocity * PERIOD * (1.0 + 1e-6),
            "{}: {before} → {q}",
            joint.name
        );
        assert!(qd.abs() <= limits.velocity, "{}: {qd} rad/s", joint.name);
    }
}
