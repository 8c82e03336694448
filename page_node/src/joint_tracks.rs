//! What is known of every joint: where it is wanted, where it is, how hard it pulls, whether it holds.

use crate::heard::{Heard, STALE};
use std::collections::HashMap;

/// Joints that are kept at the most: whoever makes up names does not fill the memory.
const MOST: usize = 1000;

/// One of the values that a joint has at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Track {
    /// Where it is wanted (`joints`).
    Commanded,
    /// What its servo was told (`goals`).
    Goal,
    /// Where its servo says it is (`joint_states`).
    Measured,
    /// Where it is, in simulation (`truth/joint_states`).
    True,
    /// How hard its servo says it pulls, N·m (`joint_states`).
    Load,
}

const TRACKS: usize = 5;

/// The joints, by the places that they got when they were first named.
#[derive(Clone, Debug, Default)]
pub struct JointTracks {
    names: Vec<String>,
    /// Counts changes of the names.
    revision: u64,
    index: HashMap<String, usize>,
    tracks: [Option<Heard<Vec<f64>>>; TRACKS],
    torque: Option<Heard<Vec<Option<bool>>>>,
}

impl JointTracks {
    /// The joints, in the order of the lists; they get more until another robot comes.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Of the names: another number, other names.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Another robot: nothing is known of it.
    pub fn forget(&mut self) {
        *self = JointTracks { revision: self.revision + 1, ..JointTracks::default() };
    }

    /// Its place in the lists; none when there are too many.
    fn place(&mut self, name: &str) -> Option<usize> {
        if let Some(&index) = self.index.get(name) {
            return Some(index);
        }
        if self.names.len() == MOST {
            return None;
        }
        self.names.push(name.into());
        self.revision += 1;
        self.index.insert(name.into(), self.names.len() - 1);
        Some(self.names.len() - 1)
    }

    /// Values of some joints; those that are not named keep theirs, NaN changes nothing.
    pub fn take(&mut self, track: Track, names: &[String], values: &[f64], now: f64) {
        for (name, value) in names.iter().zip(values).filter(|(_, value)| value.is_finite()) {
            let Some(joint) = self.place(name) else { continue };
            let heard = self.tracks[track as usize].get_or_insert_with(|| Heard { at: now, value: vec![] });
            if heard.value.len() <= joint {
                heard.value.resize(joint + 1, f64::NAN);
            }
            (heard.value[joint], heard.at) = (*value, now);
        }
    }

    /// Which servos have torque; it is said once a second.
    pub fn torque(&mut self, names: &[String], torque: &[bool], now: f64) {
        let mut value = vec![None; self.names.len()];
        for (name, on) in names.iter().zip(torque) {
            let Some(joint) = self.place(name) else { continue };
            value.resize(self.names.len(), None);
            value[joint] = Some(*on);
        }
        // Twice as long as others: so that a beat of a second is no silence.
        self.torque = Heard::new(now + STALE, value);
    }

    /// The values of a track, unless they are old.
    pub(crate) fn of(&self, track: Track, now: f64) -> Option<&[f64]> {
        Heard::fresh(&self.tracks[track as usize], now).map(Vec::as_slice)
    }

    /// Which servos have torque, unless that is old.
    pub(crate) fn holding(&self, now: f64) -> Option<&[Option<bool>]> {
        Heard::fresh(&self.torque, now).map(Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|n| n.to_string()).collect()
    }

    #[test]
    fn joints_keep_their_places_however_messages_name_them() {
        let mut joints = JointTracks::default();
        joints.take(Track::Commanded, &names(&["a", "b"]), &[0.1, 0.2], 0.0);
        joints.take(Track::Measured, &names(&["c", "a"]), &[3.0, f64::NAN], 0.0);
        joints.take(Track::Measured, &names(&["b"]), &[2.0], 0.1);
        assert_eq!(joints.names(), names(&["a", "b", "c"]));
        assert_eq!(joints.of(Track::Commanded, 0.1), Some([0.1, 0.2].as_slice()));
        let measured = joints.of(Track::Measured, 0.1).unwrap();
        assert!(measured[0].is_nan() && measured[1..] == [2.0, 3.0], "what nobody measured is unknown");
    }

    #[test]
    fn another_robot_has_other_names_though_as_many() {
        let mut joints = JointTracks::default();
        joints.take(Track::Commanded, &names(&["a", "b"]), &[0.1, 0.2], 0.0);
        let before = joints.revision();
        joints.forget();
        joints.take(Track::Commanded, &names(&["c", "d"]), &[0.3, 0.4], 0.0);
        assert_eq!(joints.names(), names(&["c", "d"]));
        assert_ne!(
            joints.revision(),
            before,
            "browsers would take the values of the new joints for those of the old"
        );
    }

    #[test]
    fn names_that_somebody_makes_up_do_not_fill_the_memory() {
        let mut joints = JointTracks::default();
        for k in 0..3 * MOST {
            joints.take(Track::Measured, &[format!("joint {k}")], &[1.0], 0.0);
            joints.torque(&[format!("servo {k}")], &[true], 0.0);
        }
        assert_eq!(joints.names().len(), MOST);
        assert!(joints.of(Track::Measured, 0.0).unwrap().len() <= MOST);
    }
}
