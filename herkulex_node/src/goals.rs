//! From a message of goals to points for the bus.

use crate::bus::{GoalPoint, Ns};

/// Why a message is refused as a whole.
#[derive(Clone, Debug, PartialEq)]
pub enum BadGoals {
    /// An array that is neither empty nor as long as the names.
    Length {
        /// Which.
        array: &'static str,
        /// Its length.
        found: usize,
        /// That of the names.
        names: usize,
    },
    /// A joint is named twice.
    Twice(String),
    /// Not finite and not NaN.
    Infinite(String),
}

impl std::fmt::Display for BadGoals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BadGoals::Length { array, found, names } => {
                write!(f, "{array} has {found} elements for {names} names")
            }
            BadGoals::Twice(name) => write!(f, "joint \"{name}\" is named twice"),
            BadGoals::Infinite(name) => write!(f, "joint \"{name}\": infinite value"),
        }
    }
}
impl std::error::Error for BadGoals {}

/// Finds the servos of a message's joints. Messages of one source name the same joints every time, so the names of the last
/// message are kept with what was found.
#[derive(Clone, Debug, Default)]
pub struct GoalReader {
    joints: Vec<String>,
    names: Vec<String>,
    servos: Vec<Option<usize>>,
}

impl GoalReader {
    /// For the joints of the servos, in order.
    pub fn new(joints: Vec<String>) -> GoalReader {
        GoalReader { joints, ..GoalReader::default() }
    }

    /// The points of a message with its stamp in ns (0 for none), or why it is refused. NaN is "absent for this joint"; a playtime that is missing or NaN is
    /// the default's. Joints that have no servo are left out: see [`GoalReader::unknown`].
    pub fn read<'a>(
        &'a mut self,
        names: &[String],
        positions: &'a [f64],
        playtimes: &'a [f64],
        stamp: Ns,
    ) -> Result<impl Iterator<Item = GoalPoint> + 'a, BadGoals> {
        self.check(names, positions, playtimes)?;
        let servos = self.servos.iter().enumerate();
        Ok(servos.filter_map(move |(k, servo)| {
            let playtime = playtimes.get(k).copied().unwrap_or(f64::NAN);
            Some(GoalPoint { servo: (*servo)?, position: *positions.get(k)?, playtime, stamp, alive: true })
        }))
    }

    fn check(&mut self, names: &[String], positions: &[f64], playtimes: &[f64]) -> Result<(), BadGoals> {
        let arrays = [("target_pos", positions, false), ("playtime", playtimes, true)];
        for (array, values, may_be_empty) in arrays {
            if values.len() != names.len() && !(may_be_empty && values.is_empty()) {
                return Err(BadGoals::Length { array, found: values.len(), names: names.len() });
            }
            if let Some(k) = values.iter().position(|v| v.is_infinite()) {
                return Err(BadGoals::Infinite(names[k].clone()));
            }
        }
        if self.names != names {
            if let Some((_, twice)) = names.iter().enumerate().find(|(k, n)| names[..*k].contains(n)) {
                return Err(BadGoals::Twice(twice.clone()));
            }
            self.servos = names.iter().map(|n| self.joints.iter().position(|j| j == n)).collect();
            self.names = names.to_vec();
        }
        Ok(())
    }

    /// Joints of the last message that have no servo.
    pub fn unknown(&self) -> impl Iterator<Item = &str> {
        self.names
            .iter()
            .zip(&self.servos)
            .filter(|(_, servo)| servo.is_none())
            .map(|(name, _)| name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|s| s.to_string()).collect()
    }

    #[test]
    fn joints_are_found_by_name_in_any_order() {
        let mut reader = GoalReader::new(names(&["a", "b", "c"]));
        let points: Vec<_> =
            reader.read(&names(&["c", "x", "a"]), &[3.0, 9.0, 1.0], &[0.3, 0.9, 0.1], 7).unwrap().collect();
        assert_eq!(points[0], GoalPoint { servo: 2, position: 3.0, playtime: 0.3, stamp: 7, alive: true });
        assert_eq!(points[1], GoalPoint { servo: 0, position: 1.0, playtime: 0.1, stamp: 7, alive: true });
        assert_eq!(reader.unknown().collect::<Vec<_>>(), ["x"]);
    }

    #[test]
    fn malformed_messages_are_refused_whole() {
        let mut reader = GoalReader::new(names(&["a", "b"]));
        let mut why =
            |n: &[&str], p: &[f64], t: &[f64]| reader.read(&names(n), p, t, 0).err().map(|e| e.to_string());
        assert_eq!(why(&["a"], &[1.0, 2.0], &[]).unwrap(), "target_pos has 2 elements for 1 names");
        assert_eq!(why(&["a"], &[1.0], &[1.0, 2.0]).unwrap(), "playtime has 2 elements for 1 names");
        assert_eq!(why(&["a", "a"], &[1.0, 2.0], &[]).unwrap(), "joint \"a\" is named twice");
        assert_eq!(why(&["a"], &[f64::INFINITY], &[]).unwrap(), "joint \"a\": infinite value");
        assert_eq!(why(&["a"], &[f64::NAN], &[]), None);
    }
}
