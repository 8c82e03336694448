//! Whether the robot has fallen.

use crate::Truth;

/// What counts as a fall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FallRules {
    /// A base that leans more than this has fallen, rad.
    pub tilt: f64,
    /// So has one of which something else than a foot lies on the ground for this long, s.
    pub lying: f64,
}

/// Watches for falls.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fall {
    down_for: f64,
    fallen: bool,
}

impl Fall {
    /// Whether it lies.
    pub fn is_fallen(&self) -> bool {
        self.fallen
    }

    /// `dt` seconds later; `Some` when it has just fallen (true) or is up again (false).
    pub fn update(&mut self, truth: &Truth, rules: &FallRules, dt: f64) -> Option<bool> {
        self.down_for = if truth.body_touches { self.down_for + dt } else { 0.0 };
        let fallen = truth.tilt() > rules.tilt || (truth.body_touches && self.down_for >= rules.lying);
        let changed = fallen != self.fallen;
        self.fallen = fallen;
        changed.then_some(fallen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_stands_has_not_fallen_even_if_the_first_touch_counts() {
        let rules = FallRules { tilt: 0.8, lying: 0.0 };
        let (mut fall, standing) = (Fall::default(), Truth::default());
        let lying = Truth { body_touches: true, ..Truth::default() };
        assert_eq!(fall.update(&standing, &rules, 0.01), None);
        assert_eq!(fall.update(&lying, &rules, 0.01), Some(true));
        assert_eq!(fall.update(&standing, &rules, 0.01), Some(false));
    }
}
