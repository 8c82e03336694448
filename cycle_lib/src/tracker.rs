//! The grid as `sync` messages give it.

use crate::grid::{Grid, period_ns};
use crate::lateness::Lateness;

/// What a `sync` is to those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncRelation {
    /// A cycle begins.
    Next {
        /// Cycles since the last `sync`: 1, or more when some were lost or fell out.
        passed: i64,
        /// Those of them that fell out of the beat: nobody made anything of them, and the robot's time stood still.
        fell_out: i64,
    },
    /// The cycle has begun already: a repeated `sync`, one that was overtaken by a later one, or one too soon after the last, as
    /// those of a second `sync_node` are.
    Old,
    /// Time went back, as it does when a recording starts again: everything begins anew.
    Back,
}

/// Cycles counted along a grid whose anchor has this index.
#[derive(Clone, Copy, Debug)]
struct Numbered {
    grid: Grid,
    anchor_index: i64,
}

impl Numbered {
    fn index(&self, stamp_ns: i64) -> i64 {
        self.anchor_index.saturating_add(self.grid.index(stamp_ns))
    }

    /// Whether enough of a period has passed for another cycle to begin.
    fn is_due(&self, stamp_ns: i64) -> bool {
        let soonest = self.grid.period_ns() / 10 * SOONEST;
        stamp_ns >= self.grid.anchor_ns().saturating_add(soonest)
    }
}

/// Cycles that fell out of the beat between two that were.
#[derive(Clone, Copy, Debug)]
struct Fall {
    /// Indices of the last `sync` before it and of the first after it.
    between: (i64, i64),
    cycles: i64,
}

/// When more cycles than this fall out it was a stall: nobody moves on through them, and everybody goes on from where the robot
/// was. Up to so many the robot is taken to have gone on.
pub const STALL: i64 = 8;

/// A `sync` that comes sooner after the last than this part of a period, in tenths, begins no cycle: with a second `sync_node` at
/// any offset cycles would else be twice as many. A beat that follows its clock is early by a quarter at the most.
const SOONEST: i64 = 7;

/// So many grids are remembered: messages that are late by fewer cycles have the index that they were made for, and steps the
/// duration that they had, though the period has changed since.
const REMEMBERED: usize = 4;

/// So many falls are remembered: as long as one lies between two poses, it is no time of theirs.
const FALLS: usize = 8;

/// Follows `sync`: any one gives the grid, the others confirm or move it.
#[derive(Clone, Copy, Debug)]
pub struct Cycles {
    /// Those of the last `sync`s, the newest first.
    grids: [Option<Numbered>; REMEMBERED],
    /// The newest first.
    falls: [Option<Fall>; FALLS],
    lateness: Lateness,
    /// Number of the last `sync`.
    number: u32,
    moved_ns: i64,
    /// Used where `sync` does not give one, ns.
    default_period_ns: i64,
}

impl Cycles {
    /// `period` (s) is used until a `sync` gives another, and where one gives nonsense.
    pub fn new(period: f64) -> Cycles {
        Cycles {
            grids: [None; REMEMBERED],
            falls: [None; FALLS],
            lateness: Lateness::default(),
            number: 0,
            moved_ns: 0,
            default_period_ns: period_ns(period).unwrap_or(10_000_000),
        }
    }

    /// Changes the period for the time without `sync`.
    pub fn set_default_period(&mut self, period: f64) {
        self.default_period_ns = period_ns(period).unwrap_or(self.default_period_ns);
    }

    /// A `sync` came. Its number counts the cycles that were: where its stamp has gone on further, the beat was away; where its stamp has
    /// gone back, or on by less than a period, the clock was set ([`Cycles::moved_ns`]).
    pub fn sync(&mut self, number: u32, stamp_ns: i64, period: f64) -> SyncRelation {
        let period_ns = period_ns(period).unwrap_or(self.default_period_ns);
        let mut moved_ns = 0;
        let (relation, index) = match self.grids[0] {
            None => (SyncRelation::Next { passed: 1, fell_out: 0 }, 1),
            Some(now) => match now.grid.nearest(stamp_ns) {
                passed @ 1.. if now.is_due(stamp_ns) => {
                    // Where the period changed, nobody knows how many cycles there should have been.
                    let is_steady = period_ns == now.grid.period_ns();
                    let fell_out = if is_steady { passed - self.counted(number, passed) } else { 0 };
                    let index = now.anchor_index.saturating_add(passed);
                    if fell_out > 0 {
                        self.falls.rotate_right(1);
                        self.falls[0] = Some(Fall { between: (now.anchor_index, index), cycles: fell_out });
                    }
                    (SyncRelation::Next { passed, fell_out }, index)
                }
                _ if self.is_next(number) => {
                    let expected = now.grid.anchor_ns().saturating_add(now.grid.period_ns());
                    moved_ns = stamp_ns.saturating_sub(expected);
                    (SyncRelation::Next { passed: 1, fell_out: 0 }, now.anchor_index.saturating_add(1))
                }
                // Newer, but too soon after the last one; time did not go back.
                _ if stamp_ns >= now.grid.anchor_ns() => return SyncRelation::Old,
                _ if self.lateness.went_back(stamp_ns, now.grid.period_ns()) => {
                    (SyncRelation::Back, now.anchor_index.saturating_add(1))
                }
                _ => return SyncRelation::Old,
            },
        };
        (self.number, self.moved_ns) = (number, moved_ns);
        self.lateness.advance(stamp_ns);
        if relation == SyncRelation::Back {
            (self.grids, self.falls) = ([None; REMEMBERED], [None; FALLS]);
        }
        for numbered in self.grids.iter_mut().flatten().filter(|_| moved_ns != 0) {
            let Numbered { grid, .. } = numbered;
            *grid = Grid::new(grid.anchor_ns().saturating_add(moved_ns), grid.period_ns());
        }
        self.grids.rotate_right(1);
        self.grids[0] = Some(Numbered { grid: Grid::new(stamp_ns, period_ns), anchor_index: index });
        relation
    }

    /// By how much the last `sync` moved the grid against the count of its beat, ns: the clock was set back. Stamps that are kept
    /// are to be moved with it.
    pub fn moved_ns(&self) -> i64 {
        self.moved_ns
    }

    /// Whether a beat that counts has this number after the last one.
    fn is_next(&self, number: u32) -> bool {
        self.number != 0 && number != 0 && self.numbers_since(number) == 1
    }

    /// How many of the cycles since the last `sync` were counted.
    fn counted(&self, number: u32, cycles: i64) -> i64 {
        match self.numbers_since(number) {
            // Whoever beats does not count.
            _ if number == 0 => cycles,
            since @ 1.. if since <= cycles => since,
            // It counts anew, or somebody else beats.
            _ => 1,
        }
    }

    /// From the number of the last `sync` to this one. 0 is no number: the count goes from the largest to 1.
    fn numbers_since(&self, number: u32) -> i64 {
        (i64::from(number) - i64::from(self.number)).rem_euclid(i64::from(u32::MAX))
    }

    /// Index of the cycle that the last `sync` began; 0 before the first.
    pub fn current(&self) -> i64 {
        self.grids[0].map_or(0, |now| now.anchor_index)
    }

    /// Index of the cycle that a stamp was made for; before the first `sync` every stamp is of the present cycle.
    pub fn index(&self, stamp_ns: i64) -> i64 {
        let mut index = 0;
        let mut below = i64::MAX;
        for numbered in self.grids.iter().flatten() {
            index = numbered.index(stamp_ns).min(below);
            if index >= numbered.anchor_index {
                break;
            }
            below = numbered.anchor_index.saturating_sub(1);
        }
        index
    }

    /// The robot's time from the start of one cycle to that of another, s: a past cycle is as long as it was then. Cycles that fell out
    /// between the two are no time; one of which something came, from whoever follows the clock, has not fallen out for him.
    pub fn span(&self, from: i64, to: i64) -> f64 {
        let (clock, away) = self.between(from, to);
        seconds(clock - away)
    }

    /// Time that fell out of the beat between two cycles, s: what a clock shows of it beside [`Cycles::span`].
    pub fn away(&self, from: i64, to: i64) -> f64 {
        seconds(self.between(from, to).1)
    }

    /// What a clock shows between the starts of two cycles, and what of it fell out of the beat, ns.
    fn between(&self, from: i64, to: i64) -> (i128, i128) {
        let (mut clock, mut away, mut below) = (0, 0, i64::MAX);
        let mut add = |since: i64, below: i64, period_ns: i64| {
            let cycles = i128::from(to.clamp(since, below)) - i128::from(from.clamp(since, below));
            let is_between = |fall: &&Fall| from <= fall.between.0 && to >= fall.between.1;
            let is_here = |fall: &&Fall| (since..below).contains(&fall.between.0);
            let falls = self.falls.iter().flatten().filter(is_between).filter(is_here);
            clock += cycles * i128::from(period_ns);
            away += falls.map(|fall| i128::from(fall.cycles)).sum::<i128>() * i128::from(period_ns);
        };
        let mut period_ns = self.period_ns();
        for numbered in self.grids.iter().flatten() {
            period_ns = numbered.grid.period_ns();
            add(numbered.anchor_index, below, period_ns);
            below = numbered.anchor_index;
        }
        add(i64::MIN, below, period_ns);
        (clock, away)
    }

    /// Whether a cycle lies beyond the one that the next `sync` of a beat that counts should begin: by its stamp some are missing before
    /// it, and only that `sync` will tell whether they fell out.
    pub fn is_beyond_next(&self, index: i64) -> bool {
        self.number != 0 && index > self.current().saturating_add(1)
    }

    /// Whether there has been a `sync`.
    pub fn is_synced(&self) -> bool {
        self.grids[0].is_some()
    }

    /// Start of the present cycle, ns.
    pub fn start_ns(&self) -> Option<i64> {
        self.grids[0].map(|now| now.grid.anchor_ns())
    }

    /// Duration of a cycle, s.
    pub fn period(&self) -> f64 {
        seconds(self.period_ns().into())
    }

    fn period_ns(&self) -> i64 {
        self.grids[0].map_or(self.default_period_ns, |now| now.grid.period_ns())
    }
}

fn seconds(ns: i128) -> f64 {
    ns as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    #[test]
    fn cycles_that_fall_out_have_an_index_and_no_number_and_are_no_time() {
        let mut cycles = Cycles::new(0.01);
        let mut sync = |(number, ms): (u32, i64)| match cycles.sync(number, ms * MS, 0.01) {
            SyncRelation::Next { passed, fell_out } => {
                (passed, fell_out, cycles.current(), cycles.span(2, cycles.current()))
            }
            relation => panic!("{relation:?}"),
        };
        assert_eq!(sync((u32::MAX - 1, 0)), (1, 0, 1, -0.01));
        assert_eq!(sync((u32::MAX, 10)), (1, 0, 2, 0.0));
        // Two fell out; then one was lost; then another counts, from the start.
        assert_eq!(sync((1, 40)), (3, 2, 5, 0.01));
        assert_eq!(sync((3, 60)), (2, 0, 7, 0.03));
        assert_eq!(sync((1, 90)), (3, 2, 10, 0.04));
        // Whoever gave something in between has not stood still.
        assert_eq!([(2, 3), (3, 5), (2, 5)].map(|(from, to)| cycles.span(from, to)), [0.01, 0.02, 0.01]);
        // Begun anew after its first; then one was lost while the period changed, which did not fall out.
        assert_eq!(cycles.sync(1, 150 * MS, 0.01), SyncRelation::Next { passed: 6, fell_out: 5 });
        assert_eq!(cycles.sync(3, 190 * MS, 0.02), SyncRelation::Next { passed: 4, fell_out: 0 });
    }

    #[test]
    fn a_beat_that_does_not_count_has_lost_cycles_and_none_that_fell_out() {
        let mut cycles = Cycles::new(0.5);
        let passed = [0, 10, 20, 41, 50].map(|ms| cycles.sync(0, ms * MS, 0.01));
        assert_eq!(passed, [1, 1, 1, 2, 1].map(|passed| SyncRelation::Next { passed, fell_out: 0 }));
        assert_eq!((cycles.current(), cycles.period()), (6, 0.01));
    }

    #[test]
    fn late_and_repeated_syncs_change_nothing_and_time_that_goes_back_begins_anew() {
        let mut cycles = Cycles::new(0.01);
        cycles.sync(0, 5000 * MS, 0.01);
        cycles.sync(0, 5010 * MS, 0.01);
        assert_eq!([5010, 5000, 4600].map(|ms| cycles.sync(0, ms * MS, 0.01)), [SyncRelation::Old; 3]);
        assert_eq!(cycles.current(), 2);
        assert_eq!(cycles.sync(0, 100 * MS, 0.01), SyncRelation::Back);
        assert_eq!((cycles.current(), cycles.index(111 * MS)), (3, 4));
    }

    #[test]
    fn another_period_moves_the_grid_and_indices_go_on() {
        let mut cycles = Cycles::new(0.01);
        cycles.sync(0, 0, 0.01);
        cycles.sync(0, 10 * MS, 0.02);
        assert_eq!((cycles.current(), cycles.index(29 * MS), cycles.index(30 * MS)), (2, 2, 3));
        assert_eq!(cycles.sync(0, 30 * MS, 0.02), SyncRelation::Next { passed: 1, fell_out: 0 });
    }

    #[test]
    fn a_period_that_cannot_be_leaves_the_default() {
        for bad in [0.0, -1.0, f64::NAN, 5e-324, 1e9] {
            let mut cycles = Cycles::new(0.01);
            cycles.sync(0, 7, bad);
            assert_eq!(cycles.period(), 0.01);
        }
    }

    #[test]
    fn without_a_sync_everything_is_of_the_present_cycle() {
        let cycles = Cycles::new(0.01);
        assert_eq!([0, 5, i64::MIN, i64::MAX].map(|ns| cycles.index(ns)), [0; 4]);
    }

    #[test]
    fn a_late_stamp_has_the_index_it_was_made_for_though_the_period_changed() {
        let mut cycles = Cycles::new(0.01);
        for (ms, period) in [(0, 0.02), (20, 0.02), (40, 0.01)] {
            cycles.sync(0, ms * MS, period);
        }
        assert_eq!([0, 19, 20, 39, 40, 50].map(|ms| cycles.index(ms * MS)), [1, 1, 2, 2, 3, 4]);
        assert_eq!(
            [(1, 2), (2, 3), (3, 4), (8, 9), (1, 5)].map(|(from, to)| cycles.span(from, to)),
            [0.02, 0.02, 0.01, 0.01, 0.06]
        );
    }
}
