//! A servo that obeys the model equation, written for the tests alone.
#![allow(dead_code)]

use servo_inv_node::ident::{Profile, Settings};
use servo_inv_node::model::ServoModel;

/// How servos are identified here, unless a test says otherwise.
pub const SETTINGS: Settings = Settings {
    forgetting: 0.995,
    min_velocity: 0.1,
    window: 0.16,
    min_samples: 50,
    goal_delay: 0.0,
    find_delay: false,
    goal_profile: Profile::Ramp,
    apply_kgear: true,
    measured_kgear: false,
    min_voltage: 1.0,
    max_voltage: 60.0,
};

/// alpha0·q̈ = kp·(q_ref − q)·V − alpha1·q̇ − alpha2·sign(q̇) − alpha3·torque, with a trajectory generator that takes q_ref
/// to its goal at a constant speed within the playtime.
pub struct Servo {
    model: ServoModel,
    voltage: f64,
    at: f64,
    position: f64,
    velocity: f64,
    ramp: (f64, f64, f64, f64),
    waiting: Vec<(f64, f64, f64)>,
}

impl Servo {
    pub fn new(model: ServoModel, voltage: f64, position: f64) -> Servo {
        let ramp = (0.0, position, position, 0.0);
        Servo { model, voltage, at: 0.0, position, velocity: 0.0, ramp, waiting: vec![] }
    }

    pub fn position(&self) -> f64 {
        self.position
    }

    pub fn goal(&mut self, at: f64, target: f64, playtime: f64) {
        self.waiting.push((at, target / self.model.kgear, playtime));
    }

    fn reference(&self) -> f64 {
        let (begin, from, to, duration) = self.ramp;
        let part = if duration > 0.0 { ((self.at - begin) / duration).min(1.0) } else { 1.0 };
        from + (to - from) * part
    }

    /// Implicit Euler with Coulomb friction as a velocity cone: exact about standstill, stable at any step.
    pub fn advance(&mut self, step: f64, torque: f64) {
        while let Some(&(at, target, playtime)) = self.waiting.first().filter(|g| g.0 <= self.at + 1e-12) {
            self.ramp = (at, self.reference(), target, playtime);
            self.waiting.remove(0);
        }
        let [inertia, viscous, coulomb, load] = self.model.alpha;
        let stiffness = self.model.kp * self.voltage;
        self.at += step;
        let push = stiffness * (self.reference() - self.position) - load * torque;
        let momentum = inertia * self.velocity + step * push;
        let rest = (momentum.abs() - step * coulomb).max(0.0).copysign(momentum);
        self.velocity = rest / (inertia + step * viscous + step * step * stiffness);
        self.position += step * self.velocity;
    }
}

/// Noise that is the same in each run (xorshift64*, Box–Muller).
pub struct Noise(u64);

impl Noise {
    pub fn new(seed: u64) -> Noise {
        Noise(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Even, 0 … 1.
    pub fn even(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Normal, standard deviation 1.
    pub fn gauss(&mut self) -> f64 {
        (-2.0 * (1.0 - self.even()).ln()).sqrt() * (std::f64::consts::TAU * self.even()).cos()
    }
}
