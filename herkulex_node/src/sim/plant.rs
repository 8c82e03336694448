//! What the servos of a bus move.

use super::servo::SimServo;

/// Torque in, angle and speed out, for all shafts of a bus at once: limbs act on each other.
pub trait Plant {
    /// Lets `dt` seconds pass, which end at `now` (ns on the bus's clock). Reads of each servo [`SimServo::motor_torque`],
    /// [`SimServo::damping_factor`], [`SimServo::is_blocked`] and its load, and says with [`SimServo::place`] where its shaft is then.
    fn step(&mut self, servos: &mut [SimServo], now: u64, dt: f64);
}

/// Servos on a desk: each shaft turns its own inertia against friction and its load, and knows of no other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FreeShafts;

impl Plant for FreeShafts {
    fn step(&mut self, servos: &mut [SimServo], _: u64, dt: f64) {
        servos.iter_mut().for_each(|servo| servo.turn_freely(dt));
    }
}
