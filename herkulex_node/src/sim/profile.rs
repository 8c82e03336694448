//! The path from one goal to the next within the playtime.

/// A trapezoid of velocity; a rectangle when `ramp` is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Profile {
    /// Where it starts, rad.
    pub from: f64,
    /// Where it ends, rad.
    pub to: f64,
    /// The playtime of the goal, s.
    pub duration: f64,
    /// Time to accelerate, and again to brake, s; at most half of the playtime.
    pub ramp: f64,
    /// Time since the start, s.
    pub elapsed: f64,
}

impl Profile {
    /// A profile that stands still at an angle, rad.
    pub fn at(angle: f64) -> Profile {
        Profile { from: angle, to: angle, ..Profile::default() }
    }

    /// The share of the way that is done, 0 … 1: with T = duration and a = ramp, the speed rises to 1/(T − a), stays, falls.
    fn done(&self) -> f64 {
        let (t, whole, ramp) = (self.elapsed, self.duration, self.ramp.min(self.duration / 2.0));
        if t >= whole {
            return 1.0;
        }
        let speed = 1.0 / (whole - ramp);
        if t < ramp {
            speed * t * t / (2.0 * ramp)
        } else if t <= whole - ramp {
            speed * (t - ramp / 2.0)
        } else {
            1.0 - speed * (whole - t) * (whole - t) / (2.0 * ramp)
        }
    }

    /// Where it wants to be now, rad.
    pub fn angle(&self) -> f64 {
        self.from + (self.to - self.from) * self.done()
    }

    /// Whether it still goes somewhere.
    pub fn is_under_way(&self) -> bool {
        self.elapsed < self.duration && self.from != self.to
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rectangle_is_a_straight_line() {
        for elapsed in [0.0, 0.1, 0.25, 0.4, 0.5, 0.7] {
            let p = Profile { from: 1.0, to: 3.0, duration: 0.5, ramp: 0.0, elapsed };
            assert!((p.angle() - (1.0 + 2.0 * (elapsed / 0.5f64).min(1.0))).abs() < 1e-12);
        }
    }

    #[test]
    fn a_trapezoid_is_half_way_at_half_time_smooth_and_symmetric() {
        let at = |elapsed| Profile { from: 0.0, to: 1.0, duration: 1.0, ramp: 0.25, elapsed }.angle();
        assert!((at(0.5) - 0.5).abs() < 1e-12 && at(0.0) == 0.0 && at(1.0) == 1.0);
        let mut last = 0.0;
        for i in 1..=1000 {
            let t = i as f64 / 1000.0;
            assert!((at(t) + at(1.0 - t) - 1.0).abs() < 1e-12);
            assert!(at(t) >= last && at(t) - last < 1.0 / (1.0 - 0.25) / 1000.0 + 1e-9);
            last = at(t);
        }
    }
}
