//! The pony and its gait, as config/ has them, and the hexapod.

#![allow(dead_code, clippy::unwrap_used, clippy::panic)]

use gait_node::{Activity, GaitParams, MotionLimits, MotionRules, Note, Walker};
use robot_model_lib::RobotModel;
pub use test_lib::{hexapod, pony, quadruped, shipped};

pub const PERIOD: f64 = 0.01;

pub fn params() -> GaitParams {
    shipped("gait.yaml", "/gait_node")
}

/// All example robots, each with all gaits of its own file and those of config/gaits.yaml that have as many legs.
pub fn robots() -> [(RobotModel, GaitParams); 3] {
    let own = [(pony(), "gait.yaml"), (hexapod(), "hexapod/gait.yaml"), (quadruped(), "quadruped/gait.yaml")];
    own.map(|(model, file)| {
        let mut params = GaitParams { wait_for_pose: false, ..shipped(file, "/gait_node") };
        let legs = model.chains().iter().filter(|chain| chain.default_contact.is_some()).count();
        let more = shipped::<GaitParams>("gaits.yaml", "/gait_node").gaits.0;
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
