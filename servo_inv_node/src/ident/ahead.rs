//! How far ahead goals would have to lie for a servo not to be late.

/// The time by which the setpoint is behind goals that come every `period` (s) with this playtime (s), if the motion is even.
/// With the longer playtime each goal restarts the way to it and only its first cycle is played; with the shorter one the
/// setpoint waits for the next goal, half of the time that is left.
pub fn ramp_lag(playtime: f64, period: f64) -> f64 {
    0.5 * (playtime + playtime.max(period))
}

/// Goals that are this much slower than positions do not move them.
const STILL: f64 = 0.1;

/// How far positions q are behind the trajectory g of the goals.
///
/// Goals that are ahead by A move a linear servo by A·q̇ more. It is then not late, by least squares on the wanted velocity,
/// when Σ (g − q − A·q̇)·ġ = 0 over all of the motion, turning points included: bus, ramps and servo in one.
#[derive(Clone, Debug, Default)]
pub struct Behind {
    behind: f64,
    velocity: f64,
    goal_squares: f64,
    squares: f64,
}

impl Behind {
    /// A moment: g − q, q̇ and ġ.
    pub fn add(&mut self, behind: f64, velocity: f64, goal_velocity: f64) {
        self.behind += behind * goal_velocity;
        self.velocity += velocity * goal_velocity;
        self.goal_squares += goal_velocity * goal_velocity;
        self.squares += velocity * velocity;
    }

    /// Correlation of the velocities of goals and positions, −1 … 1: the cosine of the phase between them for a sine. None when
    /// goals hardly move beside positions: somebody else moves the joint.
    pub fn correlation(&self) -> Option<f64> {
        let product = (self.goal_squares * self.squares).sqrt();
        (product > 0.0 && self.goal_squares > STILL * STILL * self.squares).then(|| self.velocity / product)
    }

    /// A, s; 0 when nothing moved.
    pub fn seconds(&self) -> f64 {
        if self.velocity > 0.0 { self.behind / self.velocity } else { 0.0 }
    }
}

/// How goals come.
#[derive(Clone, Debug, Default)]
pub struct Pace {
    last_s: Option<f64>,
    count: u64,
    playtime: f64,
    interval: f64,
}

impl Pace {
    /// A goal; after a pause (s) it does not count.
    pub fn add(&mut self, at_s: f64, playtime: f64, pause: f64) {
        let interval = self.last_s.replace(at_s).map(|last| at_s - last);
        if let Some(interval) = interval.filter(|interval| *interval > 0.0 && *interval < pause) {
            self.count += 1;
            self.interval += interval;
            self.playtime += playtime;
        }
    }

    /// The mean playtime, s.
    pub fn playtime(&self) -> f64 {
        self.playtime / self.count.max(1) as f64
    }

    /// The mean lag of the setpoint behind the goals, s.
    pub fn ramp_lag(&self) -> f64 {
        ramp_lag(self.playtime(), self.interval / self.count.max(1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A servo of second order under a sine: q = H·s with H = 1/(1 − aω² + jωτ). Led goals (1 + jωA)·H have no part left
    /// in quadrature when A = τ/(1 − aω²).
    #[test]
    fn a_servo_with_inertia_needs_more_the_faster_it_goes() {
        let (lag, inertia): (f64, f64) = (0.045, 0.00176);
        for omega in [1.0, 5.0, 15.0_f64] {
            let (re, im) = (1.0 - inertia * omega * omega, omega * lag);
            let (gain, phase) = (1.0 / re.hypot(im), im.atan2(re));
            let mut behind = Behind::default();
            for k in 0..10_000 {
                let angle = f64::from(k) * std::f64::consts::TAU / 10_000.0;
                let q = gain * (angle - phase).sin();
                let velocity = gain * omega * (angle - phase).cos();
                behind.add(angle.sin() - q, velocity, omega * angle.cos());
            }
            assert!((behind.seconds() - lag / re).abs() < 1e-9, "{omega}: {}", behind.seconds());
        }
    }
}
