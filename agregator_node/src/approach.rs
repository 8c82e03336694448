//! The way from where a joint is shown to where its sources want it, within its speed and acceleration.
//!
//! Each cycle takes the joint to a place between the one where it is shown and the one that is wanted, so that it never
//! goes past what a source says. It gains speed with the acceleration limit at most, and brakes with it in time for a place
//! that stays, or that moves at a steady rate. When a source stops or turns faster than that, the joint stops with it:
//! going past would be worse. What a source wants within these bounds is shown as it is, to the last bit.

use crate::bounds::Bounds;
use crate::joint::{JointBuffer, Motion};
use filters_lib::braking_speed;

/// Rounding is no excess: this part of the way that the acceleration limit allows in a cycle, and of the numbers themselves.
const ROUNDING: f64 = 1e-9;

/// Where a joint is shown when a cycle begins, and where it was wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Approach {
    /// What was shown at the end of the cycle before; its position is NaN while the joint was nowhere yet.
    shown: Motion,
    /// How fast the shown position moved in that cycle.
    speed: f64,
    /// The position that was wanted then, and how fast it moved.
    wanted: f64,
    rate: f64,
}

impl Approach {
    /// Of a joint that was shown nowhere yet.
    pub const NOWHERE: Approach = Approach {
        shown: Motion { position: f64::NAN, velocity: 0.0, acceleration: 0.0 },
        ..Approach::rest(f64::NAN)
    };

    /// Of a joint that stands at `position`.
    pub const fn rest(position: f64) -> Approach {
        let shown = Motion { position, velocity: 0.0, acceleration: 0.0 };
        Approach { shown, speed: 0.0, wanted: position, rate: 0.0 }
    }

    /// The speed that it takes to be at `position` when the cycle ends; NaN for a joint that was nowhere yet.
    pub fn speed_to(&self, position: f64, period: f64) -> f64 {
        (position - self.shown.position).abs() / period
    }

    /// What is shown of the motion that is wanted of a joint.
    pub fn step(&self, joint: &JointBuffer, period: f64) -> Motion {
        let (wanted, bounds) = (joint.motion(), &joint.bounds);
        if self.shown.position.is_nan() {
            return wanted;
        }
        let position = self.position(wanted.position, joint.cycles(), bounds, period);
        if joint.velocity_is_given() {
            // What it takes to catch up is no part of the motion: whoever looks ahead from it would go too far, and back again.
            return Motion { position, ..wanted };
        }
        let is_there = position == wanted.position;
        if is_there && self.shown.position == self.wanted {
            return wanted;
        }
        let speed = (position - self.shown.position) / period;
        let velocity = if is_there { wanted.velocity } else { bounds.velocity(speed) };
        let acceleration = bounds.acceleration((velocity - self.shown.velocity) / period);
        Motion { position, velocity, acceleration }
    }

    /// The cycle ends with this shown, and that position wanted.
    pub fn end_cycle(&mut self, shown: Motion, wanted: f64, period: f64) {
        if self.shown.position.is_nan() {
            *self = Approach::rest(shown.position);
            (self.shown, self.wanted) = (shown, wanted);
            return;
        }
        let rate = (wanted - self.wanted) / period;
        let speed = (shown.position - self.shown.position) / period;
        *self = Approach { shown, speed, wanted, rate };
    }

    /// Nothing was shown for a while: the joint stands where it was shown last.
    pub fn stall(&mut self) {
        self.shown = Motion { position: self.shown.position, velocity: 0.0, acceleration: 0.0 };
        (self.speed, self.rate) = (0.0, 0.0);
    }

    fn position(&self, wanted: f64, cycles: u32, bounds: &Bounds, period: f64) -> f64 {
        let (from, gain) = (self.shown.position, bounds.acceleration * period);
        let steady = self.steady_rate(wanted, period);
        // Where it would have to be now to go on with the wanted position at its rate.
        let gap = wanted - steady * period - from;
        let planned = steady + braking_speed(gap.abs(), bounds.acceleration, period).copysign(gap);
        // When there is time it is taken.
        let even = (wanted - from).abs() / (f64::from(cycles) * period);
        let planned = if cycles > 1 { planned.max(-even).min(even) } else { planned };
        let speed = bounds.velocity(planned.max(self.speed - gain).min(self.speed + gain));
        let reached = from + speed * period;
        let rounding = ROUNDING * gain * period + 4.0 * f64::EPSILON * (wanted.abs() + from.abs());
        if (reached - wanted).abs() <= rounding {
            return wanted;
        }
        reached.max(from.min(wanted)).min(from.max(wanted))
    }

    /// The smaller of the last two rates of the wanted position, if they have one direction: a jump is no rate.
    fn steady_rate(&self, wanted: f64, period: f64) -> f64 {
        let now = (wanted - self.wanted) / period;
        if self.rate * now > 0.0 { self.rate.abs().min(now.abs()).copysign(now) } else { 0.0 }
    }
}
