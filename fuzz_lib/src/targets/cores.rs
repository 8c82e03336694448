//! The cores of the nodes: sequences of messages, decoded from bytes.

use agregator_node::{Agregator, AgregatorParams, CycleTime, JointArrays, LimbArrays, SupportArrays};
use dynamics_node::{DynamicsParams, InverseDynamics, PoseArrays};
use gait_node::{BodyPose, GaitParams, Source, Velocity, Walker};
use odometry_node::{Body, Estimator, Feed, OdometryParams, numbers};
use servo_inv_node::desired::Desired;
use servo_inv_node::inverse::ServoInverse;
use servo_inv_node::model::{Models, ServoModel};
use servo_inv_node::params::InverseParams;

use super::robot::{assert_finite, chain_names, joint_names, params, pony};
use super::{Give, Target, filter};
use crate::{Choices, corpus};

/// A core is made anew after so many inputs: long enough to be spoilt by them, short enough to find out by which.
const LIFE: u64 = 32;

pub(crate) const TARGETS: [Target; 6] = [
    Target { name: "agregator", words: &[], corpus: messages, build: agregator },
    Target { name: "servo_inv", words: &[], corpus: messages, build: servo_inv },
    Target { name: "odometry", words: &[], corpus: messages, build: odometry },
    Target { name: "gait", words: &[], corpus: messages, build: gait },
    Target { name: "dynamics", words: &[], corpus: messages, build: dynamics },
    Target { name: "filter", words: &[], corpus: messages, build: filter::build },
];

fn messages() -> anyhow::Result<Vec<Vec<u8>>> {
    corpus("messages", &[])
}

/// Gives each input to a core that is made anew now and then.
pub(crate) fn living<C: 'static>(
    make: impl Fn() -> anyhow::Result<C> + 'static,
    mut give: impl FnMut(&mut C, &mut Choices<'_>) + 'static,
) -> anyhow::Result<Give> {
    let (mut core, mut age) = (make()?, 0);
    Ok(Box::new(move |input| {
        if age % LIFE == 0
            && let Ok(fresh) = make()
        {
            core = fresh;
        }
        age += 1;
        let mut choices = Choices::new(input);
        while !choices.is_over() {
            give(&mut core, &mut choices);
        }
    }))
}

fn agregator() -> anyhow::Result<Give> {
    let model = pony()?;
    let (joints, chains) = (joint_names(&model), chain_names(&model));
    let params: AgregatorParams = params("/agregator_node", include_str!("../../../config/agregator.yaml"))?;
    let mut last = 1_000_000_000;
    let make = move || Ok(Agregator::new(model.clone(), params.clone())?);
    living(make, move |core, choices| {
        let note = &mut |note: agregator_node::Note<'_>| drop(note.to_string());
        let time = match choices.byte() {
            0..128 => CycleTime::Absent,
            128..192 => CycleTime::Number(u32::from(choices.byte())),
            _ => CycleTime::Stamp(choices.stamp(last)),
        };
        match choices.byte() % 8 {
            0..=2 => {
                let name = choices.names(&joints);
                let [position, velocity, effort] = [(); 3].map(|()| choices.array(name.len()));
                let arrays =
                    JointArrays { name: &name, position: &position, velocity: &velocity, effort: &effort };
                let _ = core.joints(time, arrays, note);
            }
            3 => {
                let limbs: Vec<_> = choices
                    .names(&chains)
                    .into_iter()
                    .map(|chain| (chain, choices.array(6), choices.array(6)))
                    .collect();
                let limbs = limbs.iter().map(|(chain, position, velocity)| LimbArrays {
                    chain,
                    position,
                    velocity,
                    effort: &[],
                });
                let _ = core.limbs(time, limbs, note);
            }
            4 => {
                let (chain, support) = (choices.names(&chains), choices.array(chains.len()));
                let _ = core.support(
                    time,
                    SupportArrays { chain: &chain, contact: &[], support: &support },
                    note,
                );
            }
            5 => {
                let (name, position) = (choices.names(&joints), choices.array(joints.len()));
                let _ = core.take_measured(&name, &position, note);
            }
            _ => {
                last = choices.stamp(last).clamp(0, 1 << 60);
                core.sync(choices.byte().into(), last, choices.period(), note);
                core.begin_cycle(note);
            }
        }
        if let Some(pose) = core.pose() {
            assert_finite("position", pose.position);
            assert_finite("velocity", pose.velocity);
            assert_finite("acceleration", pose.acceleration);
            assert!(!pose.effort.iter().any(|effort| effort.is_infinite()));
        }
    })
}

fn servo_inv() -> anyhow::Result<Give> {
    let model = pony()?;
    let joints = joint_names(&model);
    let limits: Vec<_> = model.joints().iter().map(|joint| (joint.name.clone(), joint.limits)).collect();
    let params: InverseParams = params("/servo_inv_param", include_str!("../../../config/servo_inv.yaml"))?;
    let mut last = 1_000_000_000;
    let bounds = limits.clone();
    let make = move || {
        let mut core = ServoInverse::new(
            (&params).into(),
            Models::new(ServoModel::from(&params.default_servo_model.0), vec![])?,
        );
        core.set_limits(limits.clone());
        Ok(core)
    };
    living(make, move |core, choices| match choices.byte() % 8 {
        0..=3 => {
            let name = choices.names(&joints);
            let [position, velocity, acceleration, effort] = [(); 4].map(|()| choices.array(name.len()));
            let desired = Desired {
                name: &name,
                position: &position,
                velocity: &velocity,
                acceleration: &acceleration,
                effort: &effort,
            };
            let Ok(Some(goals)) = core.step(desired, choices.stamp(last)) else { return };
            assert_finite("target", goals.target);
            assert_finite("playtime", goals.playtime);
            let targets = goals.target.to_vec();
            for (name, target) in core.joints().iter().zip(targets) {
                if let Some((_, limits)) = bounds.iter().find(|(joint, _)| joint == name) {
                    assert!(
                        target >= limits.lower - 1e-9 && target <= limits.upper + 1e-9,
                        "{name}: {target}"
                    );
                }
            }
        }
        4 => drop(core.battery(8.0 + choices.number())),
        5 => {
            let alpha = [(); 4].map(|()| choices.number());
            let model = ServoModel { kp: 10.0 * choices.number(), kgear: 1.0, alpha };
            let name = choices.names(&joints).into_iter().next().unwrap_or_default();
            // Models that turn goals over have goals of their own: only refusals are of interest here.
            if model.kp < 0.0 || choices.rarely() {
                let _ = core.put_model(&name, model);
            }
        }
        _ => {
            last = choices.stamp(last).clamp(0, 1 << 60);
            core.sync(choices.byte().into(), last, choices.period());
        }
    })
}

fn odometry() -> anyhow::Result<Give> {
    let model = pony()?;
    let (joints, chains) = (joint_names(&model), chain_names(&model));
    let params: OdometryParams = params("/odometry_node", include_str!("../../../config/odometry.yaml"))?;
    let own = params.clone();
    let mut last = 1_000_000_000;
    let make = move || {
        let method = |method| anyhow::Ok(Feed::new(&model, &OdometryParams { method, ..params.clone() })?);
        anyhow::Ok((method(Estimator::Fit)?, method(Estimator::Filter)?))
    };
    living(make, move |(fit, filter), choices| {
        let which = if choices.byte().is_multiple_of(2) { fit } else { filter };
        match choices.byte() % 10 {
            8 | 9 => {
                let [gyro, accel] = [(); 2].map(|()| [(); 3].map(|()| choices.number()));
                let frame = if choices.rarely() { "nowhere" } else { "" };
                let _ = which.imu(choices.stamp(last), frame, gyro, accel);
            }
            0..=3 => {
                let name = choices.names(&joints);
                let [position, velocity] = [(); 2].map(|()| choices.array(name.len()));
                let stamp = choices.stamp(last);
                let Ok(estimate) = which.joints(stamp, &name, &position, &velocity) else { return };
                last = stamp.clamp(0, 1 << 60);
                assert_finite("pose", &numbers(&estimate.pose));
                assert_finite("twist", estimate.twist.0.as_slice());
                assert_finite("covariance of the pose", estimate.pose_covariance.as_slice());
                assert_finite("covariance of the twist", estimate.twist_covariance.as_slice());
            }
            4 | 5 => {
                let (name, support) = (choices.names(&chains), choices.array(chains.len()));
                let contact: &[String] = &[];
                let _ = which.support(choices.stamp(last), &name, contact, &support);
            }
            6 => {
                let pose = [(); 7].map(|()| choices.number());
                let pose =
                    if choices.rarely() { pose } else { [pose[0], pose[1], pose[2], 0.0, 0.0, 0.0, 1.0] };
                let twist = [(); 6].map(|()| choices.number());
                if let Ok(body) = Body::told("odom", &["base_link"], &[pose], &[twist], &own) {
                    which.body(choices.stamp(last), body);
                }
            }
            _ => which.sync(choices.byte().into(), choices.stamp(last), choices.period()),
        }
    })
}

fn gait() -> anyhow::Result<Give> {
    let model = pony()?;
    let joints = joint_names(&model);
    let params: GaitParams = params("/gait_node", include_str!("../../../config/gait.yaml"))?;
    let make =
        move || Ok(Walker::new(model.clone(), GaitParams { wait_for_pose: false, ..params.clone() }, 0.01)?);
    living(make, move |core, choices| {
        match choices.byte() % 16 {
            0 => drop(core.command(Velocity {
                forward: choices.number(),
                left: choices.number(),
                turn: choices.number(),
            })),
            1 => {
                let [x, y, z, roll, pitch, yaw] = [(); 6].map(|()| choices.number());
                core.lean(BodyPose { x, y, z, roll, pitch, yaw });
            }
            2 => {
                let (name, position) = (choices.names(&joints), choices.array(joints.len()));
                let source = if choices.rarely() { Source::Commanded } else { Source::Measured };
                let _ = core.pose(source, &name, &position);
            }
            3 => {
                let name = choices.names(&joints);
                let on: Vec<bool> = name.iter().map(|_| choices.byte() < 250).collect();
                core.torque(&name, &on);
            }
            4 => core.battery(8.0 + choices.number()),
            5 => core.stand(),
            6 => drop(core.sit()),
            7 => drop(core.halt()),
            8 => drop(core.resume()),
            _ => {
                let (period, periods) = (choices.period(), 1.0 + f64::from(choices.byte() / 250));
                for _ in 0..1 + choices.byte() % 16 {
                    core.step(period, periods, &mut |note| drop(note.to_string()));
                }
            }
        }
        assert_finite("position", core.positions());
        assert_finite("velocity", core.velocities());
        for (q, joint) in core.positions().iter().zip(core.model().joints()) {
            assert!(joint.limits.contains(*q), "{}: {q}", joint.name);
        }
    })
}

fn dynamics() -> anyhow::Result<Give> {
    let model = pony()?;
    let (joints, chains) = (joint_names(&model), chain_names(&model));
    let params: DynamicsParams = params("/dynamics_node", include_str!("../../../config/dynamics.yaml"))?;
    let mut last = 1_000_000_000;
    let make = move || Ok(InverseDynamics::new(model.clone(), &params)?);
    living(make, move |core, choices| match choices.byte() % 8 {
        0..=3 => {
            let name = choices.names(&joints);
            let [position, velocity, acceleration, effort] = [(); 4].map(|()| choices.array(name.len()));
            let pose = PoseArrays {
                name: &name,
                position: &position,
                velocity: &velocity,
                acceleration: &acceleration,
                effort: &effort,
            };
            last = choices.stamp(last).clamp(0, 1 << 60);
            let Ok(efforts) = core.efforts(last, &pose) else { return };
            // NaN is "absent", as the message had it.
            assert!(!efforts.iter().any(|effort| effort.is_infinite()), "{efforts:?}");
        }
        4 | 5 => {
            let (name, support) = (choices.names(&chains), choices.array(chains.len()));
            let contact: &[String] = &[];
            let _ = core.support(choices.stamp(last), &name, contact, &support);
        }
        _ => {
            let turn = [(); 4].map(|()| choices.number());
            let turn = if choices.rarely() { turn } else { [0.0, 0.0, 0.0, 1.0] };
            let _ = core.body(choices.stamp(last), &["base_link"], [turn].into_iter());
        }
    })
}
