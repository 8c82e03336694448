//! The beat of the control cycle: a thread on absolute `clock_nanosleep`, or on `/clock` in simulation.

use crate::stop::Stop;
use crate::time::{RosClock, STOP_CHECK, system_ns};
use rustix::thread::{clock_nanosleep_absolute, set_current_timer_slack};
use rustix::time::{ClockId, Timespec};
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;

/// One beat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cycle {
    /// 1, 2, …
    pub number: u32,
    /// When it was to start, ns of ROS time: free of the thread's own lateness.
    pub start_ns: i64,
    /// Its length, s.
    pub period: f64,
}

/// What the beat has been through since it started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CycleCount {
    /// Cycles begun.
    pub cycles: u64,
    /// Cycles that fell out because the machine was away for longer than a period.
    pub overruns: u64,
    /// The latest start so far, ns behind its time.
    pub worst_late_ns: u64,
}

/// A running beat; dropping it ends the thread.
#[derive(Debug)]
pub struct CycleClock {
    shared: Arc<Shared>,
    stop: Stop,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    period_bits: AtomicU64,
    cycles: AtomicU64,
    overruns: AtomicU64,
    worst_late_ns: AtomicU64,
}

impl Shared {
    fn period(&self) -> f64 {
        f64::from_bits(self.period_bits.load(Ordering::Relaxed))
    }

    /// The time of the next beat after one that was due at `due_ns` and noticed at `now_ns`. Beats stay on their grid;
    /// those that are already over are counted and left out.
    fn next_due(&self, due_ns: i64, now_ns: i64) -> i64 {
        let period_ns = ((self.period() * 1e9).round() as i64).max(1);
        let next = due_ns + period_ns;
        let missed = (now_ns - next).div_euclid(period_ns).max(0);
        self.overruns.fetch_add(missed as u64, Ordering::Relaxed);
        next + missed * period_ns
    }
}

impl CycleClock {
    /// Starts the beat; `beat` runs on its thread at the start of every cycle. `period` in seconds, positive.
    pub fn start(
        period: f64,
        clock: RosClock,
        beat: impl FnMut(Cycle) + Send + 'static,
    ) -> std::io::Result<CycleClock> {
        let shared = Arc::new(Shared { period_bits: AtomicU64::new(period.to_bits()), ..Shared::default() });
        let stop = Stop::default();
        let thread = std::thread::Builder::new().name("cycle".into()).spawn({
            let (shared, stop) = (shared.clone(), stop.clone());
            move || run(&shared, &clock, &stop, beat)
        })?;
        Ok(CycleClock { shared, stop, thread: Some(thread) })
    }

    /// Changes the period from the next cycle on, s.
    pub fn set_period(&self, period: f64) {
        self.shared.period_bits.store(period.to_bits(), Ordering::Relaxed);
    }

    /// What it has been through.
    pub fn count(&self) -> CycleCount {
        CycleCount {
            cycles: self.shared.cycles.load(Ordering::Relaxed),
            overruns: self.shared.overruns.load(Ordering::Relaxed),
            worst_late_ns: self.shared.worst_late_ns.load(Ordering::Relaxed),
        }
    }
}

impl Drop for CycleClock {
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            // It panics only if the caller's beat does, and then there is nothing left to end.
            let _ = thread.join();
        }
    }
}

fn run(shared: &Shared, clock: &RosClock, stop: &Stop, mut beat: impl FnMut(Cycle)) {
    // The kernel may delay an ordinary thread's wake-up by 50 µs to save power; a beat asks for none. Best effort.
    let _ = set_current_timer_slack(NonZeroU64::new(1));
    let mut number = 0u32;
    while !stop.is_stopped() {
        let mut emit = |start_ns: i64, late_ns: i64| {
            // 0 means "absent" in messages, so it is left out when the count wraps.
            number = number.checked_add(1).unwrap_or(1);
            shared.cycles.fetch_add(1, Ordering::Relaxed);
            shared.worst_late_ns.fetch_max(late_ns.max(0) as u64, Ordering::Relaxed);
            beat(Cycle { number, start_ns, period: shared.period() });
        };
        if clock.is_simulated() {
            run_simulated(shared, clock, stop, &mut emit);
        } else {
            run_real(shared, clock, stop, &mut emit);
        }
    }
}

/// Beats on the monotonic clock, until the clock becomes a simulated one.
fn run_real(shared: &Shared, clock: &RosClock, stop: &Stop, emit: &mut impl FnMut(i64, i64)) {
    let mut due = system_ns(ClockId::Monotonic);
    while !stop.is_stopped() && !clock.is_simulated() {
        let now = system_ns(ClockId::Monotonic);
        if now < due {
            // Long waits in slices, so that a slow beat does not delay the end.
            let until = due.min(now + STOP_CHECK.as_nanos() as i64);
            let _ = clock_nanosleep_absolute(
                ClockId::Monotonic,
                &Timespec { tv_sec: until / 1_000_000_000, tv_nsec: until % 1_000_000_000 },
            );
            continue;
        }
        let late = now - due;
        emit(system_ns(ClockId::Realtime) - late, late);
        due = shared.next_due(due, system_ns(ClockId::Monotonic));
    }
}

/// Beats on `/clock`, until the clock becomes the system's.
fn run_simulated(shared: &Shared, clock: &RosClock, stop: &Stop, emit: &mut impl FnMut(i64, i64)) {
    // Time 0 means that no clock has been heard yet.
    clock.wait_simulated(0, 1, stop);
    let mut due = clock.now_ns();
    let mut last = due;
    while !stop.is_stopped() && clock.is_simulated() {
        let now = clock.now_ns();
        if now < last {
            // A looped bag or a reset simulation: begin anew from there.
            due = now;
        } else if now < due {
            clock.wait_simulated(now, due, stop);
            last = now;
            continue;
        }
        emit(due, now - due);
        due = shared.next_due(due, now);
        last = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

    fn shared(period: f64) -> Shared {
        Shared { period_bits: AtomicU64::new(period.to_bits()), ..Shared::default() }
    }

    #[test]
    fn a_beat_on_time_is_followed_one_period_later() {
        let s = shared(0.001);
        assert_eq!((s.next_due(5_000_000, 5_000_100), s.overruns.into_inner()), (6_000_000, 0));
    }

    #[test]
    fn missed_beats_are_counted_and_the_grid_is_kept() {
        let s = shared(0.001);
        assert_eq!((s.next_due(5_000_000, 9_300_000), s.overruns.into_inner()), (9_000_000, 3));
    }

    #[test]
    fn cycles_count_from_one_without_gaps_and_end_on_drop() {
        let (tx, rx) = mpsc::channel();
        let clock = CycleClock::start(0.001, RosClock::default(), move |c| {
            let _ = tx.send(c);
        })
        .unwrap();
        let cycles: Vec<Cycle> = rx.iter().take(50).collect();
        assert!(cycles.iter().enumerate().all(|(i, c)| c.number as usize == i + 1 && c.period == 0.001));
        assert!(clock.count().cycles >= 50);
        drop(clock);
        while rx.recv_timeout(Duration::from_secs(5)).is_ok() {}
    }

    #[test]
    fn in_simulation_the_beat_follows_the_clock_and_starts_anew_when_it_jumps_back() {
        let clock = RosClock::default();
        clock.simulate(true);
        let (tx, rx) = mpsc::channel();
        let _beat = CycleClock::start(1.0, clock.clone(), move |c| {
            let _ = tx.send(c.start_ns / 1_000_000_000);
        })
        .unwrap();
        let next = || rx.recv_timeout(Duration::from_secs(20)).unwrap();
        let set = |s: i64| clock.set_simulated(&RosClock::stamp(s * 1_000_000_000));
        assert!(rx.recv_timeout(Duration::from_millis(50)).is_err(), "no beat before the first clock");
        set(100);
        assert_eq!(next(), 100);
        set(101);
        assert_eq!(next(), 101);
        set(7);
        assert_eq!(next(), 7);
        set(8);
        assert_eq!(next(), 8);
    }
}
