//! What the messages of one cycle give a joint, and whose word counts when several give the same.

use crate::input::Input;
use crate::note::Note;
use crate::params::Priority;
use crate::time::CycleTime;

/// The topics that give joints something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    Joints,
    Limbs,
}

/// Where a message comes from, as far as it can be told: ROS messages do not name who sent them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub topic: Topic,
    /// Which list of names it has, of those that come on the topic.
    pub names: usize,
    pub time: CycleTime,
}

impl Origin {
    /// Whether the other message is of another source. One source may speak several times in a cycle, but has one list of
    /// names, and does not make two messages at one time.
    fn is_other(&self, other: &Origin) -> bool {
        let made_at_once = self.time == other.time && !self.time.is_absent();
        (self.topic, self.names) != (other.topic, other.names) || made_at_once
    }
}

/// A field that two sources gave different values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Conflict {
    pub field: &'static str,
    pub values: [f64; 2],
}

impl Conflict {
    pub fn note(self, joint: &str) -> Note<'_> {
        Note::Claimed { joint, field: self.field, values: self.values }
    }
}

/// What one joint was given in a cycle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given {
    /// Of each field the last value.
    last: Input,
    /// The same of each topic alone.
    joints: Input,
    limbs: Input,
    /// Who gave each field of `last`.
    origins: [Option<Origin>; 3],
}

impl Given {
    pub const NONE: Given =
        Given { last: Input::NONE, joints: Input::NONE, limbs: Input::NONE, origins: [None; 3] };

    /// Whether nobody gave anything.
    pub fn is_none(&self) -> bool {
        self.last.is_none()
    }

    /// Takes over what a message gives. Where another source gave the same field another value, and `priority` does not
    /// say which one counts, the first such field is the answer.
    pub fn merge(&mut self, input: Input, origin: Origin, priority: Priority) -> Option<Conflict> {
        let mut conflict = None;
        let fields = ["position", "velocity", "effort"];
        let (old, new) = (self.last.fields(), input.fields());
        for (i, from) in self.origins.iter_mut().enumerate().filter(|(i, _)| !new[*i].is_nan()) {
            let before = from.replace(origin);
            let is_settled = |before: &Origin| priority != Priority::Last && before.topic != origin.topic;
            let differs = before.is_some_and(|before| origin.is_other(&before) && !is_settled(&before));
            if differs && old[i] != new[i] && conflict.is_none() {
                conflict = Some(Conflict { field: fields[i], values: [old[i], new[i]] });
            }
        }
        self.last.merge(input);
        match origin.topic {
            Topic::Joints => self.joints.merge(input),
            Topic::Limbs => self.limbs.merge(input),
        }
        conflict
    }

    /// What counts, for a joint whose position is known or not.
    pub fn input(&self, priority: Priority, is_known: bool) -> Input {
        let (first, second) = match priority {
            Priority::Last => return self.last,
            Priority::JointsIn => (self.joints, self.limbs),
            Priority::LimbsJointsIn => (self.limbs, self.joints),
        };
        // A motion is of one source: one's position and another's velocity are none. An effort may come from elsewhere.
        let mut input = if first.is_motion() { first } else { second };
        input.effort = if first.effort.is_nan() { second.effort } else { first.effort };
        if !is_known && input.position.is_nan() {
            input.position = second.position;
        }
        input
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAN: f64 = f64::NAN;

    fn origin(topic: Topic, names: usize, ns: i64) -> Origin {
        Origin { topic, names, time: CycleTime::new(ns, 0) }
    }

    fn input(position: f64, velocity: f64, effort: f64) -> Input {
        Input { position, velocity, effort }
    }

    #[test]
    fn two_sources_are_told_from_one_that_speaks_twice() {
        let first = origin(Topic::Joints, 3, 7);
        for (second, is_other) in [
            (origin(Topic::Joints, 3, 8), false),
            (origin(Topic::Joints, 3, 0), false),
            (origin(Topic::Joints, 3, 7), true),
            (origin(Topic::Joints, 4, 8), true),
            (origin(Topic::Limbs, 3, 8), true),
        ] {
            for (value, differs) in [(0.1, false), (0.2, true)] {
                let mut given = Given::NONE;
                assert_eq!(given.merge(input(0.1, NAN, NAN), first, Priority::Last), None);
                let found = given.merge(input(value, 1.0, NAN), second, Priority::Last);
                let expected = Conflict { field: "position", values: [0.1, 0.2] };
                assert_eq!(found, (is_other && differs).then_some(expected), "{second:?}");
            }
        }
        // Unstamped twice is a source that speaks twice.
        let mut given = Given::NONE;
        let unstamped = origin(Topic::Limbs, 0, 0);
        assert_eq!(given.merge(input(0.1, NAN, NAN), unstamped, Priority::Last), None);
        assert_eq!(given.merge(input(0.2, NAN, NAN), unstamped, Priority::Last), None);
    }

    #[test]
    fn with_a_priority_the_order_of_topics_does_not_matter() {
        let (joints, limbs) = (origin(Topic::Joints, 0, 1), origin(Topic::Limbs, 0, 1));
        for turned in [false, true] {
            let mut parts = [(input(0.1, NAN, NAN), joints), (input(0.2, 2.0, 1.5), limbs)];
            if turned {
                parts.reverse();
            }
            for (priority, position, velocity) in
                [(Priority::JointsIn, 0.1, NAN), (Priority::LimbsJointsIn, 0.2, 2.0)]
            {
                let mut given = Given::NONE;
                for (input, origin) in parts {
                    assert_eq!(given.merge(input, origin, priority), None, "it is settled");
                }
                let found = given.input(priority, true).fields().map(f64::to_bits);
                assert_eq!(found, [position, velocity, 1.5].map(f64::to_bits));
            }
        }
        // A velocity says nothing of a joint that is nowhere: then the position counts, whoever gives it.
        let mut given = Given::NONE;
        given.merge(input(NAN, 1.0, NAN), joints, Priority::JointsIn);
        given.merge(input(0.2, 2.0, NAN), limbs, Priority::JointsIn);
        assert_eq!(given.input(Priority::JointsIn, false).position, 0.2);
        assert!(given.input(Priority::JointsIn, true).position.is_nan());
    }
}
