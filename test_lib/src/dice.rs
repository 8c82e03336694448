use robot_model_lib::RobotModel;
use std::f64::consts::{PI, TAU};

/// Random numbers that are the same in every run, of a seed (Steele, Lea, Flood 2014: SplitMix64).
#[derive(Clone, Debug)]
pub struct Dice(pub u64);

impl Dice {
    /// Any 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From 0 to below 1, evenly.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// From `low` to below `high`, evenly.
    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// From 0 to below `limit`; 0 when that is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.bits() % limit.max(1) as u64) as usize
    }

    /// From `low` to `high`, both included.
    pub fn count(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// Normally distributed about 0 (Box and Muller).
    pub fn normal(&mut self, sigma: f64) -> f64 {
        let (u, v) = (1.0 - self.unit(), self.unit());
        sigma * (-2.0 * u.ln()).sqrt() * (TAU * v).cos()
    }

    /// Each within ±`reach`.
    pub fn numbers<const N: usize>(&mut self, reach: f64) -> [f64; N] {
        std::array::from_fn(|_| self.within(-reach, reach))
    }

    /// Positions of a robot's joints within their limits, or within ±π where there are none.
    pub fn pose(&mut self, model: &RobotModel) -> Vec<f64> {
        let limits = model.joints().iter().map(|joint| joint.limits);
        limits.map(|limits| self.within(limits.lower.max(-PI), limits.upper.min(PI))).collect()
    }
}
