//! Head, ears and tail: what a pony says with the joints that it does not walk on.

use crate::guard::Guard;
use crate::params::GestureParams;
use filters_lib::{
    Filter, Limit, Motion, SecondOrderGains, SecondOrderInput, TransientSecondLimited,
    TransientSecondLimitedParams,
};
use robot_model_lib::Limits;
use std::f64::consts::TAU;

/// Time constant with which a joint goes to where it shall be, s.
const TIME: f64 = 0.12;
/// A joint reaches its top speed within this time, s.
const RISE: f64 = 0.15;
/// The share of its top speed that a gesture uses.
const SHARE: f64 = 0.8;
/// The top speed of a joint whose limits name none, rad/s.
const UNLIMITED: f64 = 5.0;

/// How a joint follows what the robot does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gesture {
    /// Where it rests, rad.
    pub centre: f64,
    /// How far it swings to both sides while walking, rad.
    pub swing: f64,
    /// Swings per step of the gait.
    pub beats: f64,
    /// How far it turns with the body, rad per rad/s.
    pub turn: f64,
}

impl From<&GestureParams> for Gesture {
    fn from(params: &GestureParams) -> Gesture {
        let &GestureParams { centre, swing, beats, turn } = params;
        Gesture { centre, swing, beats: beats as f64, turn }
    }
}

/// A joint with its gesture.
#[derive(Clone, Debug)]
struct Part {
    joint: usize,
    gesture: Gesture,
    limits: Limits,
    motion: Motion<f64>,
    law: TransientSecondLimited<f64>,
}

/// All joints that are no legs.
#[derive(Clone, Debug)]
pub struct Gestures {
    parts: Vec<Part>,
}

impl Gestures {
    /// For joints with their limits.
    pub fn new(
        joints: impl Iterator<Item = (usize, Limits)>,
        period: f64,
    ) -> Result<Gestures, filters_lib::Error> {
        let part = |(joint, limits): (usize, Limits)| {
            Ok(Part {
                joint,
                gesture: Gesture::default(),
                limits,
                motion: Motion { x: limits.clamp(0.0), v: 0.0 },
                law: TransientSecondLimited::new(law(&limits, period))?,
            })
        };
        Ok(Gestures { parts: joints.map(part).collect::<Result<_, _>>()? })
    }

    /// Gives each joint its gesture.
    pub fn set(&mut self, gesture: impl Fn(usize) -> Gesture) {
        self.parts.iter_mut().for_each(|part| part.gesture = gesture(part.joint));
    }

    /// Where the joints rest.
    pub fn rest(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.parts.iter().map(|part| (part.joint, part.limits.clamp(part.gesture.centre)))
    }

    /// Goes on from a pose.
    pub fn start(&mut self, q: &[f64], qd: &[f64]) {
        self.parts.iter_mut().for_each(|part| part.motion = Motion { x: q[part.joint], v: qd[part.joint] });
    }

    /// One cycle: `phase` of the gait while it steps, `turn` of the body, rad/s.
    pub fn step(
        &mut self,
        phase: Option<f64>,
        turn: f64,
        period: f64,
        q: &mut [f64],
        qd: &mut [f64],
    ) -> Result<(), filters_lib::Error> {
        for part in &mut self.parts {
            if part.law.params().period != period {
                part.law.set_params(law(&part.limits, period))?;
            }
            let Gesture { centre, swing, beats, turn: gain } = part.gesture;
            let beat = phase.map_or(0.0, |phase| swing * (TAU * beats * phase).sin());
            let wanted = part.limits.clamp(centre + gain * turn + beat);
            let Motion { x, v } = part.motion;
            part.motion = part.law.output(&SecondOrderInput { x, v, xr: wanted, vr: 0.0, ar: 0.0 })?;
            (q[part.joint], qd[part.joint]) = (part.motion.x, part.motion.v);
        }
        Ok(())
    }
}

fn law(limits: &Limits, period: f64) -> TransientSecondLimitedParams {
    let top = SHARE * Guard::speed(limits).min(UNLIMITED);
    TransientSecondLimitedParams {
        period,
        gains: SecondOrderGains::critical(TIME),
        acceleration: Limit::from(top / RISE),
        velocity: Limit::from(top),
    }
}
