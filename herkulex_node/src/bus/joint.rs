//! Between a joint's angle and a servo's counts.

use crate::codec::Scale;

/// How a joint hangs on its servo: servo angle = direction·gear·(joint angle) + offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// The servo's counts.
    pub scale: Scale,
    /// The servo's angle from its middle when the joint is at 0, rad.
    pub offset: f64,
    /// Turns of the servo per turn of the joint, with the sign of the direction; not 0.
    pub gear: f64,
    /// The joint's limits, rad.
    pub limits: (f64, f64),
    /// The servo's limits, counts.
    pub counts: (u16, u16),
}

impl Joint {
    /// The goal for an angle: limited as an angle, rounded, limited as signed counts. What is out of range goes to the near
    /// limit, on whichever side it is. `None` for what is no number.
    pub fn to_counts(&self, angle: f64) -> Option<u16> {
        Some(self.nearest_counts(self.limit(angle)?))
    }

    /// The angle within the joint's limits and the servo's; `None` for what is no number.
    pub fn limit(&self, angle: f64) -> Option<f64> {
        let (a, b) = (self.to_angle(self.counts.0), self.to_angle(self.counts.1));
        let (low, high) = (self.limits.0.max(a.min(b)), self.limits.1.min(a.max(b)));
        (!angle.is_nan()).then(|| angle.max(low).min(high.max(low)))
    }

    /// The goal for an angle without the joint's limits, for a servo that stands outside of them.
    pub fn nearest_counts(&self, angle: f64) -> u16 {
        let counts = self.scale.counts(self.gear * angle + self.offset).round();
        // Within u16 by the servo's limits; a cast from f64 saturates, and takes no number as 0.
        counts.max(f64::from(self.counts.0)).min(f64::from(self.counts.1)) as u16
    }

    /// The angle at a position register's value.
    pub fn to_angle(&self, register: u16) -> f64 {
        (self.scale.angle(f64::from(self.scale.position(register))) - self.offset) / self.gear
    }

    /// The joint's velocity for a value of the servo's differential position, rad/s.
    pub fn to_velocity(&self, register: i16) -> f64 {
        f64::from(register) * self.scale.velocity.to_radians() / self.gear
    }

    /// The joint's angle for one count.
    pub fn quantum(&self) -> f64 {
        (self.scale.radians() / self.gear).abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Model;

    fn joint(model: Model, gear: f64, offset: f64) -> Joint {
        let scale = model.scale();
        Joint { scale, offset, gear, limits: (-1.0, 1.5), counts: model.position_limits() }
    }

    #[test]
    fn out_of_range_goes_to_the_near_limit_on_both_sides_and_in_both_directions() {
        for model in Model::ALL {
            for gear in [1.0, -1.0, 2.5, -0.5] {
                let j = joint(model, gear, 0.1);
                let (low, high) = (j.to_counts(-1.0), j.to_counts(1.5));
                for far in [1.6, 4.0, 1e3, 1e9, 1e300, f64::INFINITY] {
                    assert_eq!(
                        (j.to_counts(-far), j.to_counts(far)),
                        (low, high),
                        "{model:?} gear {gear} {far}"
                    );
                }
                assert_ne!(low, high);
            }
        }
        // The trap itself: below count 0 is the low limit, not the high one.
        let wide = Joint { limits: (-10.0, 10.0), ..joint(Model::Drs0101, 1.0, 0.0) };
        assert_eq!((wide.to_counts(-3.5), wide.to_counts(3.5)), (Some(21), Some(1002)));
        let turned = Joint { gear: -1.0, ..wide };
        assert_eq!((turned.to_counts(-3.5), turned.to_counts(3.5)), (Some(1002), Some(21)));
    }

    #[test]
    fn angles_come_back_within_half_a_count_rounded_not_cut() {
        for model in Model::ALL {
            let j = joint(model, -1.7, 0.2);
            for i in -1000..=1500 {
                let angle = f64::from(i) / 1000.0;
                let Some(counts) = j.to_counts(angle) else { panic!("{angle}") };
                if (j.counts.0 + 1..j.counts.1).contains(&counts) {
                    let back = j.to_angle(counts | !j.scale.mask);
                    assert!((back - angle).abs() <= j.quantum() / 2.0 + 1e-12, "{model:?} {angle} {back}");
                }
            }
        }
    }

    #[test]
    fn no_number_is_no_goal() {
        assert_eq!(joint(Model::Drs0101, 1.0, 0.0).to_counts(f64::NAN), None);
    }
}
