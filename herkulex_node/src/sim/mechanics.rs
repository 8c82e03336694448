//! The servo as a mechanism: the model that `servo_inv_param` inverts.

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

impl Default for Mechanics {
    /// About a DRS-0101 without a load at 7.4 V: 60 rad/s of bandwidth, 6.3 rad/s at full drive, a dead band of 0.002 rad.
    fn default() -> Self {
        Mechanics { kp: 480.0, alpha: [1.0, 110.0, 7.0, 1.0], max_drive: 94.0 }
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
