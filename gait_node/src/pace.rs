//! The body's velocity, on its way to what is commanded.

use crate::gait_speed::UNITS;
use crate::ground::Velocity;
use crate::note::Note;
use crate::params::GaitParams;
use crate::stride::Stride;
use filters_lib::{Filter, RateLimiter, RateLimiterParams};
use nalgebra::{Isometry2, Point2, Vector2};

/// Faster than anything with legs, m/s and rad/s.
const FAST: f64 = 1e3;

/// So much of a margin is that margin.
const MOST: f64 = 0.9;

/// A command that is more than the gait can walk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slowed {
    /// The share of it that is walked.
    pub share: f64,
    /// The joint that can do no more; none when the stride would be too long.
    pub joint: Option<usize>,
}

/// What a gait can walk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GaitLimits {
    /// Straight ahead or back, m/s.
    pub forward: f64,
    /// Straight to a side, m/s.
    pub left: f64,
    /// On the spot, rad/s.
    pub turn: f64,
    /// How high it lifts its feet, m.
    pub lift: f64,
    /// How far its weight stays inside the polygon of the feet that stand, m, when the body sways; below zero where no sway keeps it there.
    pub margin: Option<f64>,
}

impl GaitLimits {
    /// Of steps as these.
    pub fn of(stride: &Stride) -> GaitLimits {
        // More than any gait can: what is left of it is all it can.
        let most = |velocity: Velocity| {
            FAST * slowed(&velocity.scaled(FAST), stride).map_or(1.0, |slowed| slowed.share)
        };
        let [forward, left, turn] = UNITS.map(most);
        GaitLimits { forward, left, turn, lift: stride.lift, margin: None }
    }

    /// What is less than parameters ask for.
    pub fn notes<'a>(self, params: &'a GaitParams) -> impl Iterator<Item = Note<'a>> {
        let (gait, lift) = (params.gait.as_str(), self.lift);
        let lift = (lift < params.lift).then_some(Note::LowLift { gait, lift, wanted: params.lift });
        let wanted = params.sway_margin;
        let sway = self.margin.filter(|margin| *margin < MOST * wanted);
        lift.into_iter().chain(sway.map(|margin| Note::LessSway { gait, margin, wanted }))
    }
}

/// The velocity of the body: continuous, its rate limited.
#[derive(Clone, Debug)]
pub struct Pace {
    velocity: Velocity,
    slowed: Option<Slowed>,
    linear: RateLimiter<Vector2<f64>>,
    turn: RateLimiter<f64>,
}

impl Pace {
    /// At rest.
    pub fn new(stride: &Stride, period: f64) -> Result<Pace, filters_lib::Error> {
        Ok(Pace {
            velocity: Velocity::ZERO,
            slowed: None,
            linear: RateLimiter::new(limits(stride.acceleration, period), &Vector2::zeros())?,
            turn: RateLimiter::new(limits(stride.turn_acceleration, period), &0.0)?,
        })
    }

    /// At rest, from now on.
    pub fn rest(&mut self) {
        // They take every finite number.
        let _ = self.linear.start(&Vector2::zeros());
        let _ = self.turn.start(&0.0);
        (self.velocity, self.slowed) = (Velocity::ZERO, None);
    }

    /// What it is.
    pub fn velocity(&self) -> Velocity {
        self.velocity
    }

    /// What became of the last command, when it was more than the gait can walk.
    pub fn slowed(&self) -> Option<Slowed> {
        self.slowed
    }

    /// As much of a command as the gait can walk.
    pub fn bound(&mut self, command: Velocity, stride: &Stride) -> Velocity {
        self.slowed = slowed(&command, stride);
        self.slowed.map_or(command, |slowed| command.scaled(slowed.share))
    }

    /// Whether a gait can walk with the velocity as it is.
    pub fn fits(&self, stride: &Stride) -> bool {
        // What was scaled down to be just right is right.
        slowed(&self.velocity.scaled(1.0 - 1e-9), stride).is_none()
    }

    /// Goes to the command as fast as it may.
    pub fn follow(
        &mut self,
        command: Velocity,
        stride: &Stride,
        period: f64,
    ) -> Result<(), filters_lib::Error> {
        self.linear.set_params(limits(stride.acceleration, period))?;
        self.turn.set_params(limits(stride.turn_acceleration, period))?;
        let linear = self.linear.update(&Vector2::new(command.forward, command.left))?;
        self.velocity =
            Velocity { forward: linear.x, left: linear.y, turn: self.turn.update(&command.turn)? };
        Ok(())
    }
}

/// How much of a command a gait can walk, with strides and joint speeds that it may have; nothing when all of it.
fn slowed(command: &Velocity, stride: &Stride) -> Option<Slowed> {
    let by_stride = stride.longest / way(command, stride);
    let (share, joint) = stride.speed.share(command);
    let (share, joint) = if share < by_stride { (share, Some(joint)) } else { (by_stride, None) };
    (share < 1.0).then_some(Slowed { share, joint })
}

/// The longest way of a foot while it stands that a gait can walk in the direction of a velocity, m.
pub fn longest_stride(direction: &Velocity, stride: &Stride) -> f64 {
    let by_joints = way(direction, stride) * stride.speed.share(direction).0;
    // Not a number: there is no direction, or no joint in the way.
    by_joints.min(stride.longest)
}

/// The way of a foot while it stands, where it is the longest, m.
fn way(velocity: &Velocity, stride: &Stride) -> f64 {
    fastest(velocity, stride) * stride.pattern.stance_time()
}

/// The speed of the body above the foot where it is the highest, m/s.
pub fn fastest(velocity: &Velocity, stride: &Stride) -> f64 {
    let at = |home: &Isometry2<f64>| velocity.at(&Point2::from(home.translation.vector)).norm();
    stride.homes.iter().map(at).fold(0.0, f64::max)
}

fn limits(acceleration: f64, period: f64) -> RateLimiterParams {
    RateLimiterParams {
        period,
        min_first_derivative: -acceleration,
        max_first_derivative: acceleration,
        ..RateLimiterParams::default()
    }
}
