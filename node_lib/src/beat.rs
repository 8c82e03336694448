//! When the next cycle begins: on the system's clocks, or on `/clock` in simulation.

use crate::time::{RosClock, system_ns};
use cycle_lib::{Beat, STALL, period_ns};
use rustix::time::ClockId;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What is known of a cycle when it begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tick {
    /// 1, 2, …; a cycle that fell out has none.
    pub number: u32,
    /// Its start, ns of ROS time: on the grid, free of the thread's own lateness.
    pub start_ns: i64,
    /// Its duration, s.
    pub period: f64,
    /// How late the thread woke for it, ns.
    pub late_ns: i64,
    /// Cycles that fell out before it.
    pub missed: u32,
    /// How long the work of the cycle before took, ns.
    pub worked_ns: i64,
    /// The wall clock was stepped by so much, ns: the grid has moved with it.
    pub stepped_ns: Option<i64>,
}

/// Changes the period of a running beat.
#[derive(Clone, Debug)]
pub struct BeatControl(Arc<AtomicU64>);

impl BeatControl {
    pub(crate) fn new(period: f64) -> BeatControl {
        BeatControl(Arc::new(AtomicU64::new(period.to_bits())))
    }

    /// Changes the period from the next cycle on, s.
    pub fn set_period(&self, period: f64) {
        self.0.store(period.to_bits(), Ordering::Relaxed);
    }

    fn period(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }
}

/// Follows the clock from beat to beat.
#[derive(Debug)]
pub(crate) struct BeatClock {
    control: BeatControl,
    clock: RosClock,
    beat: Option<Beat>,
    simulated: bool,
    last_ns: i64,
    number: u32,
    worked_ns: i64,
}

/// What to do now.
#[derive(Debug, PartialEq)]
pub(crate) enum Next {
    Wait(Duration),
    Cycle(Tick),
}

/// In simulation it is `/clock` that wakes; this is only for the end.
const SIMULATED_WAIT: Duration = Duration::from_millis(50);
/// Two clocks are read at one time when reading them took no longer, ns.
const TOGETHER: i64 = 20_000;

impl BeatClock {
    pub(crate) fn new(control: BeatControl, clock: RosClock) -> BeatClock {
        BeatClock { control, clock, beat: None, simulated: false, last_ns: 0, number: 0, worked_ns: 0 }
    }

    /// Whether it goes by `/clock`.
    pub(crate) fn is_simulated(&self) -> bool {
        self.clock.is_simulated()
    }

    /// Duration of a cycle.
    pub(crate) fn period(&self) -> Duration {
        Duration::from_nanos(self.period_ns().unsigned_abs())
    }

    /// The work of a cycle is done.
    pub(crate) fn worked(&mut self, ns: i64) {
        self.worked_ns = ns;
    }

    pub(crate) fn next(&mut self) -> Next {
        if self.simulated != self.clock.is_simulated() {
            self.simulated = !self.simulated;
            self.beat = None;
        }
        if self.simulated { self.next_simulated() } else { self.next_real() }
    }

    fn period_ns(&self) -> i64 {
        period_ns(self.control.period()).unwrap_or(10_000_000)
    }

    fn next_real(&mut self) -> Next {
        let period_ns = self.period_ns();
        let mut beat = match self.beat {
            Some(beat) => beat,
            None => {
                let [before, wall, _] = both_clocks();
                Beat::start(before, wall, period_ns)
            }
        };
        beat.set_period(period_ns);
        let now = system_ns(ClockId::Monotonic);
        let wait = beat.due_ns() - now;
        let mut stepped = None;
        if wait <= 0 {
            let [before, wall, after] = both_clocks();
            if after - before < TOGETHER {
                stepped = beat.follow_step(before, wall, TOGETHER);
            }
        }
        self.beat = Some(beat);
        if wait > 0 { Next::Wait(Duration::from_nanos(wait as u64)) } else { self.cycle(now, stepped) }
    }

    fn next_simulated(&mut self) -> Next {
        let now = self.clock.now_ns();
        let went_back = now < self.last_ns;
        self.last_ns = now;
        // Time 0 means that no clock has been heard yet.
        if now == 0 {
            return Next::Wait(SIMULATED_WAIT);
        }
        let period_ns = self.period_ns();
        let mut beat = match self.beat.filter(|_| !went_back) {
            Some(beat) => beat,
            None => {
                // Everybody is to begin anew: the count says so.
                self.number = 0;
                Beat::start_at(now, period_ns)
            }
        };
        beat.set_period(period_ns);
        self.beat = Some(beat);
        if now < beat.due_ns() { Next::Wait(SIMULATED_WAIT) } else { self.cycle(now, None) }
    }

    /// The newest beat that is due; those before it fell out.
    fn cycle(&mut self, now_ns: i64, stepped_ns: Option<i64>) -> Next {
        let Some(beat) = &mut self.beat else { return Next::Wait(SIMULATED_WAIT) };
        // A simulation's clock may tick more coarsely than the beat: what is due comes one after another, as it would have.
        let is_behind = now_ns.saturating_sub(beat.due_ns()) / beat.period_ns().max(1) <= STALL;
        let missed = if self.simulated && is_behind { 0 } else { beat.catch_up(now_ns) };
        let missed = u32::try_from(missed).unwrap_or(u32::MAX);
        // 0 means "absent" in messages, so it is left out when the count wraps.
        self.number = self.number.checked_add(1).unwrap_or(1);
        let tick = Tick {
            number: self.number,
            start_ns: beat.stamp_ns(),
            period: beat.period_ns() as f64 * 1e-9,
            late_ns: now_ns - beat.due_ns(),
            missed,
            worked_ns: self.worked_ns,
            stepped_ns,
        };
        beat.advance();
        Next::Cycle(tick)
    }
}

/// The monotonic clock, the wall clock, the monotonic clock again.
fn both_clocks() -> [i64; 3] {
    [ClockId::Monotonic, ClockId::Realtime, ClockId::Monotonic].map(system_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_of_the_real_beat_lie_on_their_grid_exactly() {
        let mut beat = BeatClock::new(BeatControl::new(0.001), RosClock::default());
        let mut ticks: Vec<Tick> = vec![];
        while ticks.len() < 200 {
            match beat.next() {
                Next::Wait(time) => std::thread::sleep(time),
                Next::Cycle(tick) => ticks.push(tick),
            }
        }
        for pair in ticks.windows(2) {
            let cycles = i64::from(pair[1].missed) + 1;
            assert_eq!(pair[1].start_ns - pair[0].start_ns, cycles * 1_000_000);
            assert_eq!(pair[1].number, pair[0].number + 1);
        }
        assert_eq!(ticks[0].start_ns % 1_000_000, 0);
    }

    #[test]
    fn in_simulation_the_beat_follows_the_clock_and_starts_anew_when_it_jumps_back() {
        let clock = RosClock::default();
        clock.simulate(true);
        let mut beat = BeatClock::new(BeatControl::new(1.0), clock.clone());
        assert_eq!(beat.next(), Next::Wait(SIMULATED_WAIT), "no beat before the first clock");
        let mut at = |s: i64| {
            clock.set_simulated(&RosClock::stamp(s * 1_000_000_000));
            let mut ticks = vec![];
            while let Next::Cycle(tick) = beat.next() {
                ticks.push((tick.number, tick.start_ns / 1_000_000_000, tick.missed));
            }
            ticks
        };
        assert_eq!([100, 101].map(&mut at), [vec![(1, 100, 0)], vec![(2, 101, 0)]]);
        assert_eq!(at(104), [(3, 102, 0), (4, 103, 0), (5, 104, 0)], "a coarse clock");
        assert_eq!(at(120), [(6, 120, 15)], "a clock that stood");
        assert_eq!([7, 8].map(&mut at), [vec![(1, 7, 0)], vec![(2, 8, 0)]], "a loop");
    }
}
