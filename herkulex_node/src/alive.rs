//! Which joints somebody commands, and which are only predicted by whoever makes the pose.

/// What is said of the joints counts for goals this much older or newer, ns; without it every goal counts.
const VALID: i64 = 500_000_000;

/// What is known, by servo.
#[derive(Clone, Debug)]
pub struct Alive {
    joints: Vec<String>,
    /// The names of the last message, and for each servo its place in it.
    names: Vec<String>,
    places: Vec<Option<usize>>,
    flags: Vec<bool>,
    stamp_ns: Option<i64>,
}

impl Alive {
    /// For the joints of the servos, in order.
    pub fn new(joints: Vec<String>) -> Alive {
        let places = vec![None; joints.len()];
        Alive { flags: vec![true; joints.len()], joints, names: vec![], places, stamp_ns: None }
    }

    /// Takes a message: a joint without a position (NaN) is only predicted. Joints that it does not name are commanded by
    /// somebody else.
    pub fn take(&mut self, stamp_ns: i64, names: &[String], positions: &[f64]) {
        if self.names != names {
            self.names = names.to_vec();
            let sorted: std::collections::HashMap<&str, usize> =
                names.iter().enumerate().map(|(i, name)| (name.as_str(), i)).collect();
            self.places = self.joints.iter().map(|joint| sorted.get(joint.as_str()).copied()).collect();
        }
        for (flag, place) in self.flags.iter_mut().zip(&self.places) {
            let position = place.map_or(0.0, |place| positions.get(place).copied().unwrap_or(f64::NAN));
            *flag = !position.is_nan();
        }
        self.stamp_ns = Some(stamp_ns);
    }

    /// For goals of a time: by servo whether they are commanded; empty when nothing is known of that time.
    pub fn at(&self, stamp_ns: i64) -> &[bool] {
        let known = self.stamp_ns.is_some_and(|ns| ns.saturating_sub(stamp_ns).saturating_abs() <= VALID);
        if known { &self.flags } else { &[] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| name.to_string()).collect()
    }

    #[test]
    fn joints_without_a_position_are_predicted_and_those_not_named_are_not() {
        let mut alive = Alive::new(names(&["a", "b", "c", "d"]));
        assert_eq!(alive.at(0), [false; 0]);
        alive.take(1_000, &names(&["c", "b", "x", "d"]), &[1.0, f64::NAN, 2.0]);
        assert_eq!(alive.at(1_000), [true, false, true, false], "d has no position either");
        alive.take(2_000, &names(&["c", "b", "x", "d"]), &[f64::NAN, 1.0, 2.0, 3.0]);
        assert_eq!(alive.at(2_000), [true, true, false, true]);
    }

    #[test]
    fn what_was_said_long_ago_counts_no_longer() {
        let mut alive = Alive::new(names(&["a"]));
        alive.take(10 * VALID, &names(&["a"]), &[f64::NAN]);
        assert_eq!(alive.at(11 * VALID), [false]);
        assert!(alive.at(11 * VALID + 1).is_empty() && alive.at(i64::MIN).is_empty());
    }
}
