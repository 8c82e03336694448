//! The body's velocity, on its way to what is commanded.

use crate::ground::Velocity;
use crate::stepper::Stride;
use filters_lib::{Filter, RateLimiter, RateLimiterParams};
use nalgebra::{Isometry2, Point2, Vector2};

/// The velocity of the body: continuous, its rate limited.
#[derive(Clone, Debug)]
pub struct Pace {
    velocity: Velocity,
    linear: RateLimiter<Vector2<f64>>,
    turn: RateLimiter<f64>,
}

impl Pace {
    /// At rest.
    pub fn new(stride: &Stride, period: f64) -> Result<Pace, filters_lib::Error> {
        Ok(Pace {
            velocity: Velocity::ZERO,
            linear: RateLimiter::new(limits(stride.acceleration, period), &Vector2::zeros())?,
            turn: RateLimiter::new(limits(stride.turn_acceleration, period), &0.0)?,
        })
    }

    /// At rest, from now on.
    pub fn rest(&mut self) {
        // They take every finite number.
        let _ = self.linear.start(&Vector2::zeros());
        let _ = self.turn.start(&0.0);
        self.velocity = Velocity::ZERO;
    }

    /// What it is.
    pub fn velocity(&self) -> Velocity {
        self.velocity
    }

    /// Goes to the command as fast as it may; one that would take a stride beyond the longest is scaled down to it.
    pub fn follow(
        &mut self,
        command: Velocity,
        stride: &Stride,
        period: f64,
    ) -> Result<(), filters_lib::Error> {
        self.linear.set_params(limits(stride.acceleration, period))?;
        self.turn.set_params(limits(stride.turn_acceleration, period))?;
        let way_of = |home: &Isometry2<f64>| {
            let point = Point2::from(home.translation.vector);
            command.at(&point).norm() * stride.pattern.stance_time()
        };
        let way = stride.homes.iter().map(way_of).fold(0.0, f64::max);
        let command = if way > stride.longest { command.scaled(stride.longest / way) } else { command };
        let linear = self.linear.update(&Vector2::new(command.forward, command.left))?;
        self.velocity =
            Velocity { forward: linear.x, left: linear.y, turn: self.turn.update(&command.turn)? };
        Ok(())
    }
}

fn limits(acceleration: f64, period: f64) -> RateLimiterParams {
    RateLimiterParams {
        period,
        min_first_derivative: -acceleration,
        max_first_derivative: acceleration,
        ..RateLimiterParams::default()
    }
}
