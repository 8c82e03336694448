//! Whether the robot rests: its joints have stayed where they are for some time.

/// How far a joint may be from where it was, rad or m: more than a step of a coarse encoder (0.33°), less than any gait moves it.
const STEP: f64 = 0.006;
/// For how long, s: longer than any joint of a gait turns round.
const SETTLED: f64 = 0.4;

/// The posture that has not been left, and for how long.
#[derive(Debug, Clone)]
pub(crate) struct Rest {
    q: Vec<f64>,
    time: f64,
}

impl Rest {
    /// For so many joints.
    pub(crate) fn new(joints: usize) -> Self {
        Self { q: vec![0.0; joints], time: 0.0 }
    }

    /// The joints a time `dt` (s) after the last.
    pub(crate) fn watch(&mut self, q: &[f64], dt: f64) {
        self.time += dt;
        if self.q.iter().zip(q).any(|(was, is)| (was - is).abs() > STEP) {
            self.q.copy_from_slice(q);
            self.time = 0.0;
        }
    }

    pub(crate) fn is_resting(&self) -> bool {
        self.time >= SETTLED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_that_creep_away_do_not_rest_and_steps_of_an_encoder_are_none() {
        let mut rest = Rest::new(2);
        for cycle in 0..200 {
            rest.watch(&[1.0, 0.003 * f64::from(cycle % 2)], 0.01);
            // It is in the posture from the first cycle on; sums of times are rounded.
            assert!(cycle == 40 || rest.is_resting() == (cycle > 40), "cycle {cycle}");
        }
        for cycle in 0..1000 {
            // 0.02 rad/s: slower than a gait's slowest joint is for half a second.
            rest.watch(&[1.0 + 0.0002 * f64::from(cycle), 0.0], 0.01);
            assert!(cycle < 50 || !rest.is_resting(), "cycle {cycle}");
        }
    }
}
