//! The newest pose and the one before it, each of a cycle of its own: what speed is taken from.

use crate::desired::Point;
use cycle_lib::{Cycles, Lateness};

/// One joint's desired state and the q_ref that the model makes of it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted {
    pub point: Point,
    pub reference: f64,
    /// How fast q_ref and the velocity were found to change, by which the goal was led; none for a pose that was not led.
    pub rates: Option<[f64; 2]>,
}

/// What a pose is to those before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Relation {
    /// Of a cycle after the newest pose's, or nothing is known yet.
    Newer,
    /// Of the cycle of the newest pose, which it replaces.
    Again,
    /// Of a cycle before: its time is over.
    Older,
    /// The source was away for so long, or time went back so far, that the two have nothing to do with each other.
    Apart {
        /// From the newest pose to this one, s, without what fell out of the beat.
        seconds: f64,
    },
}

/// Poses of two cycles.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    pub latest: Vec<Wanted>,
    pub previous: Vec<Wanted>,
    latest_index: Option<i64>,
    previous_index: Option<i64>,
    lateness: Lateness,
}

impl History {
    /// Room for so many joints; nothing is known of them.
    pub fn resize(&mut self, joints: usize) {
        for poses in [&mut self.latest, &mut self.previous] {
            poses.clear();
            poses.resize(joints, Wanted::default());
        }
        self.forget();
    }

    pub fn forget(&mut self) {
        self.latest_index = None;
        self.previous_index = None;
        self.lateness = Lateness::default();
    }

    /// Cycles from the previous pose to the newest: (from, to).
    pub fn interval(&self) -> Option<(i64, i64)> {
        Some((self.previous_index?, self.latest_index?))
    }

    /// Stamp of the newest pose, ns.
    pub fn stamp_ns(&self) -> Option<i64> {
        self.lateness.newest_ns()
    }

    /// The clock of stamps was set by so much, ns.
    pub fn move_clock(&mut self, by_ns: i64) {
        if let Some(newest_ns) = self.stamp_ns().filter(|_| by_ns != 0) {
            self.lateness.advance(newest_ns.saturating_add(by_ns));
        }
    }

    /// Time that fell out of the beat since the newest pose, before a cycle, s.
    pub fn away(&self, index: i64, cycles: &Cycles) -> f64 {
        self.latest_index.map_or(0.0, |latest| cycles.away(latest, index))
    }

    /// What a pose of this cycle and stamp is; `timeout` (s) is the longest silence. While the beat was away nobody was silent.
    pub fn relate(&mut self, index: i64, stamp_ns: i64, cycles: &Cycles, timeout: f64) -> Relation {
        let (Some(latest), Some(newest_ns)) = (self.latest_index, self.stamp_ns()) else {
            return Relation::Newer;
        };
        let seconds = stamp_ns.saturating_sub(newest_ns) as f64 / 1e9 - self.away(index, cycles);
        match index {
            _ if seconds > timeout => Relation::Apart { seconds },
            _ if index > latest => Relation::Newer,
            _ if index == latest => Relation::Again,
            _ if self.lateness.went_back(stamp_ns, (cycles.period() * 1e9) as i64) => {
                Relation::Apart { seconds }
            }
            _ => Relation::Older,
        }
    }

    /// The newest pose is now of this cycle; one of an earlier cycle becomes the previous one.
    pub fn advance(&mut self, index: i64, stamp_ns: i64) {
        if let Some(latest) = self.latest_index.filter(|latest| *latest < index) {
            std::mem::swap(&mut self.previous, &mut self.latest);
            self.previous_index = Some(latest);
        }
        self.latest_index = Some(index);
        self.lateness.advance(stamp_ns);
    }

    /// The place for a pose of an older cycle, if no other lies between it and the newest: whatever else comes of the
    /// newest cycle is compared with it.
    pub fn insert_older(&mut self, index: i64) -> Option<&mut [Wanted]> {
        let is_nearest = index < self.latest_index? && self.previous_index.is_none_or(|p| p <= index);
        is_nearest.then(|| {
            self.previous_index = Some(index);
            self.previous.as_mut_slice()
        })
    }

    /// Counts from another start: the newest pose is of cycle `index`, the previous one as many cycles before as it was, and these
    /// last `longer` times as long as was thought.
    pub fn renumber(&mut self, index: i64, longer: f64) {
        if let (Some(previous), Some(latest)) = (self.previous_index, self.latest_index) {
            let cycles = (latest.saturating_sub(previous) as f64 / longer).round().max(1.0);
            self.previous_index = Some(index.saturating_sub(cycles as i64));
        }
        self.latest_index = self.latest_index.map(|_| index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pose_is_compared_with_the_one_before_it() {
        let (mut history, cycles) = (History::default(), Cycles::new(0.01));
        assert_eq!(history.relate(5, 50, &cycles, 1.0), Relation::Newer);
        history.advance(5, 50);
        assert_eq!(history.interval(), None);
        history.advance(8, 80);
        assert_eq!(history.interval(), Some((5, 8)));
        assert_eq!(history.relate(8, 81, &cycles, 1.0), Relation::Again);
        history.advance(8, 81);
        assert_eq!(history.interval(), Some((5, 8)));
        assert_eq!(history.relate(7, 70, &cycles, 1.0), Relation::Older);
        assert!(history.insert_older(7).is_some());
        assert_eq!(history.interval(), Some((7, 8)));
        assert!(history.insert_older(6).is_none());
        assert!(history.insert_older(8).is_none());
    }

    #[test]
    fn silence_and_time_that_went_back_part_two_poses() {
        let (mut history, cycles) = (History::default(), Cycles::new(0.01));
        history.advance(500, 5_000_000_000);
        let mut at = |ms: i64| history.relate(ms / 10, ms * 1_000_000, &cycles, 1.0);
        assert_eq!([6_000, 4_500].map(&mut at), [Relation::Newer, Relation::Older]);
        assert_eq!(at(6_001), Relation::Apart { seconds: 1.001 });
        assert_eq!(at(4_499), Relation::Apart { seconds: -0.501 });
        for extreme in [i64::MIN, i64::MAX] {
            assert!(matches!(history.relate(extreme, extreme, &cycles, 1.0), Relation::Apart { .. }));
        }
    }

    #[test]
    fn a_beat_that_was_away_is_no_silence() {
        let at = |ms: i64| ms * 1_000_000;
        // The same stamps: the number says whether the beat was away or `sync`s were lost.
        let relate = |number| {
            let (mut history, mut cycles) = (History::default(), Cycles::new(0.01));
            cycles.sync(7, at(5_000), 0.01);
            history.advance(cycles.current(), at(5_000));
            cycles.sync(number, at(8_000), 0.01);
            history.relate(cycles.current(), at(8_000), &cycles, 1.0)
        };
        assert_eq!(relate(8), Relation::Newer);
        assert!(matches!(relate(307), Relation::Apart { seconds } if seconds == 3.0));
    }
}
