//! From a message of goals to points for the bus.

use crate::bus::{GoalPoint, Ns};
use robot_model_lib::{Field, JointReader, MessageError};

/// Finds the servos of a message's joints; a source that is known costs no search and no allocation.
#[derive(Clone, Debug, Default)]
pub struct GoalReader {
    joints: Vec<String>,
    reader: JointReader<Option<usize>>,
    source: usize,
}

impl GoalReader {
    /// For the joints of the servos, in order.
    pub fn new(joints: Vec<String>) -> GoalReader {
        GoalReader { joints, ..GoalReader::default() }
    }

    /// The joints of the servos, in order.
    pub fn joints(&self) -> &[String] {
        &self.joints
    }

    /// The points of a message with its stamp in ns (0 for none), or why it is refused. NaN is "absent for this joint"; a
    /// playtime that is missing or NaN is the default's. Joints that have no servo are left out: see [`GoalReader::unknown`].
    pub fn read<'a>(
        &'a mut self,
        names: &[String],
        positions: &'a [f64],
        playtimes: &'a [f64],
        stamp: Ns,
    ) -> Result<impl Iterator<Item = GoalPoint> + 'a, MessageError> {
        let fields = [
            Field::new("target_pos", positions).or_nan(),
            Field::new("playtime", playtimes).or_empty().or_nan(),
        ];
        let joints = &self.joints;
        self.source = self.reader.read(names, &fields, |name| joints.iter().position(|j| j == name))?;
        let servos = self.reader.found(self.source).iter().enumerate();
        Ok(servos.filter_map(move |(k, servo)| {
            let playtime = playtimes.get(k).copied().unwrap_or(f64::NAN);
            Some(GoalPoint { servo: (*servo)?, position: *positions.get(k)?, playtime, stamp, alive: true })
        }))
    }

    /// Joints of the last message that have no servo.
    pub fn unknown(&self) -> impl Iterator<Item = &str> {
        let (names, found) = (self.reader.names(self.source), self.reader.found(self.source));
        names.iter().zip(found).filter(|(_, servo)| servo.is_none()).map(|(name, _)| name.as_str())
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
        assert_eq!(why(&["a", "a"], &[1.0, 2.0], &[]).unwrap(), "\"a\" stands twice in the message");
        assert_eq!(why(&["a"], &[f64::INFINITY], &[]).unwrap(), "target_pos of joint \"a\" is inf");
        assert_eq!(why(&["a"], &[f64::NAN], &[]), None);
    }
}
