//! The last word before a pose goes out: no joint leaves its limits, none moves faster than it can.

use robot_model_lib::Limits;

/// Rounding is no excess.
const SLACK: f64 = 1.0 + 1e-9;

/// A joint that was asked for too much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Excess {
    /// Its index.
    pub joint: usize,
    /// The speed that was asked for, rad/s.
    pub speed: f64,
}

/// Keeps joints within their limits from cycle to cycle.
#[derive(Clone, Debug)]
pub struct Guard {
    limits: Vec<Limits>,
    before: Vec<f64>,
}

impl Guard {
    /// Starts at a pose.
    pub fn new(limits: Vec<Limits>, pose: &[f64]) -> Guard {
        Guard { limits, before: pose.to_vec() }
    }

    /// Goes on from a pose.
    pub fn start(&mut self, pose: &[f64]) {
        self.before.copy_from_slice(pose);
    }

    /// The limits of the joints.
    pub fn limits(&self) -> &[Limits] {
        &self.limits
    }

    /// The speed that a joint may have.
    pub fn speed(limits: &Limits) -> f64 {
        if limits.velocity > 0.0 { limits.velocity } else { f64::INFINITY }
    }

    /// Brings a pose within reach of the one before it, and says which joints had to be held back. Their velocity is what
    /// they really do. A joint that starts outside its limits comes back as it is told, and goes no further out.
    pub fn pass(&mut self, q: &mut [f64], qd: &mut [f64], period: f64, mut held: impl FnMut(Excess)) {
        for (joint, limits) in self.limits.iter().enumerate() {
            let (before, speed) = (self.before[joint], Guard::speed(limits));
            let wanted = if q[joint].is_finite() {
                q[joint].clamp(limits.lower.min(before), limits.upper.max(before))
            } else {
                before
            };
            let way = wanted - before;
            if way.abs() > speed * period * SLACK {
                held(Excess { joint, speed: way.abs() / period });
                q[joint] = before + (speed * period).copysign(way);
                qd[joint] = speed.copysign(way);
            } else {
                if wanted != q[joint] || !qd[joint].is_finite() {
                    qd[joint] = way / period;
                }
                q[joint] = wanted;
                qd[joint] = qd[joint].max(-speed).min(speed);
            }
            self.before[joint] = q[joint];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn whatever_is_asked_no_joint_jumps_or_leaves_its_limits(
            asked in prop::collection::vec(prop_oneof![8 => -3.0..3.0_f64, 1 => Just(f64::NAN), 1 => Just(f64::INFINITY)], 1..100)
        ) {
            let limits = Limits { lower: -1.0, upper: 1.2, velocity: 5.0, effort: 1.0 };
            let mut guard = Guard::new(vec![limits], &[0.3]);
            let mut before = 0.3;
            for wanted in asked {
                let (mut q, mut qd, mut excess) = ([wanted], [wanted], None);
                guard.pass(&mut q, &mut qd, 0.01, |e| excess = Some(e));
                prop_assert!(limits.contains(q[0]) && (q[0] - before).abs() <= 0.05 + 1e-9);
                prop_assert!(qd[0].abs() <= 5.0);
                if limits.contains(wanted) && (wanted - before).abs() < 0.05 {
                    prop_assert_eq!((q[0], excess), (wanted, None));
                }
                before = q[0];
            }
        }
    }

    #[test]
    fn a_joint_outside_its_limits_comes_back_as_it_is_told_and_goes_no_further_out() {
        let limits = Limits { lower: -1.0, upper: 1.0, velocity: 2.0, effort: 1.0 };
        let mut guard = Guard::new(vec![limits], &[1.5]);
        // Asked, given: where it is, a little back, out again, back at its top speed, inside.
        for (asked, given) in
            [(1.5, 1.5), (1.49, 1.49), (1.6, 1.49), (0.0, 1.29), (1.1, 1.1), (0.95, 0.95), (1.1, 1.0)]
        {
            let (mut q, mut qd) = ([asked], [0.0]);
            guard.pass(&mut q, &mut qd, 0.1, |_| ());
            assert!((q[0] - given).abs() < 1e-12, "{asked}: {}", q[0]);
        }
    }
}
