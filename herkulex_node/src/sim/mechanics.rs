//! The servo as a mechanism: the model that `servo_inv_param` inverts.

use crate::codec::{Model, Motor};

/// kp·(q_ref − q)·V = alpha0·q̈ + alpha1·q̇ + alpha2·sign(q̇) + alpha3·torque, with the drive kp·(q_ref − q) limited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mechanics {
    /// Gain of the regulator, 1/rad, with the Kp register as from the factory.
    pub kp: f64,
    /// Inertia, damping, dry friction, load.
    pub alpha: [f64; 4],
    /// The most that the regulator drives the motor with.
    pub max_drive: f64,
}

impl Mechanics {
    /// A servo of this model: speed and torque at full drive as the data sheet has them (a DRS-0201's where there is none), a
    /// regulator of about 60 rad/s, a dead band of 0.002 rad.
    pub fn of(model: Model) -> Mechanics {
        let (inertia, dry) = (1.0, 7.0);
        let Motor { stall, free_speed, volts } = model.motor().unwrap_or(Motor::DRS_0201);
        let max_drive = 94.0;
        let full = max_drive * volts;
        Mechanics { kp: 480.0, alpha: [inertia, (full - dry) / free_speed, dry, full / stall], max_drive }
    }
}

/// Angle and velocity of the shaft.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Shaft {
    pub angle: f64,
    pub velocity: f64,
}

impl Mechanics {
    /// One step of `dt` seconds under a drive. Damping is taken at the end of the step and dry friction never turns the
    /// motion round, so any step length is stable.
    pub(super) fn step(&self, shaft: &mut Shaft, drive: f64, volts: f64, damping: f64, load: f64, dt: f64) {
        let [inertia, viscous, dry, per_torque] = self.alpha;
        let push = drive * volts - per_torque * load;
        let free = shaft.velocity + push * dt / inertia;
        let slowed = (free.abs() - dry * dt / inertia).max(0.0).copysign(free);
        shaft.velocity = slowed / (1.0 + viscous * damping * dt / inertia);
        shaft.angle += shaft.velocity * dt;
    }
}

/// The battery that all servos hang on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Supply {
    /// Without a load, V.
    pub volts: f64,
    /// Of battery and cables, Ω.
    pub resistance: f64,
    /// Of one servo at full drive, A.
    pub current: f64,
}

impl Default for Supply {
    fn default() -> Self {
        Supply { volts: 7.4, resistance: 0.02, current: 0.45 }
    }
}

impl Supply {
    /// What is left at the servos when they draw `drives` times a full drive's current.
    pub fn under_load(&self, drives: f64) -> f64 {
        (self.volts - self.resistance * self.current * drives).max(0.0)
    }
}
