//! The thread that owns the nodes: it gives them what has come, in the order of the pipeline, and the beat.

use crate::beat::{BeatClock, Next, Tick};
use crate::bus::Flush;
use crate::outside::Outside;
use crate::stop::Stop;
use crate::time::system_ns;
use rustix::thread::set_current_timer_slack;
use rustix::time::ClockId;
use std::num::NonZeroU64;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// How long it sleeps at the most; the end is noticed that much later.
const LONGEST_SLEEP: Duration = Duration::from_millis(50);
/// It wakes this long before a beat, or this part of a period, takes what has come so far, and stays awake: a processor that
/// was asleep, with cold caches, would lose more than that after the beat.
const EARLY: Duration = Duration::from_micros(200);
const EARLY_PART: u32 = 50;
/// A message that is answered by another, and so on, is followed this far within a cycle.
const PASSES: usize = 8;

/// Takes what has come on one topic; gives whether there was anything.
pub(crate) type Input<S> = Box<dyn FnMut(&mut S) -> bool>;
/// Something that another thread wants done with the state.
pub(crate) type Job<S> = Box<dyn FnOnce(&mut S) + Send>;
/// What a node does at the start of a cycle.
pub(crate) type OnBeat<S> = Box<dyn FnMut(&mut S, &Tick)>;

/// What a node does on its own thread before it runs.
pub(crate) type OnStart<S> = Box<dyn FnOnce(&mut S)>;

/// Wakes the executor from other threads.
#[derive(Clone, Default)]
pub(crate) struct Waker(Arc<Sleeper>);

#[derive(Default)]
struct Sleeper {
    thread: OnceLock<Thread>,
    /// Messages wait for the next beat.
    is_paced: AtomicBool,
}

impl Waker {
    /// There is work that does not wait for a beat.
    pub(crate) fn wake(&self) {
        if let Some(thread) = self.0.thread.get() {
            thread.unpark();
        }
    }

    /// A message has come.
    pub(crate) fn wake_for_message(&self) {
        if !self.0.is_paced.load(Ordering::Relaxed) {
            self.wake();
        }
    }
}

pub(crate) struct Timer<S> {
    pub(crate) period: Duration,
    pub(crate) due: Instant,
    pub(crate) run: Box<dyn FnMut(&mut S)>,
}

/// One node with everything that acts on its state.
pub(crate) struct Seat<S> {
    pub(crate) state: S,
    pub(crate) inputs: Vec<Input<S>>,
    pub(crate) jobs: rtrb::Consumer<Job<S>>,
    pub(crate) timers: Vec<Timer<S>>,
    pub(crate) on_beat: Option<OnBeat<S>>,
    pub(crate) on_start: Option<OnStart<S>>,
}

/// A node of any type.
pub(crate) trait Seated {
    /// The thread is there.
    fn start(&mut self);
    /// Gives the node what has come for it; says whether there was anything.
    fn take_inputs(&mut self) -> bool;
    /// A cycle begins.
    fn beat(&mut self, tick: &Tick);
    /// What is not of the cycle: services, parameters, timers. Gives the time until the next timer.
    fn keep_house(&mut self, now: Instant) -> Duration;
}

impl<S> Seated for Seat<S> {
    fn start(&mut self) {
        if let Some(on_start) = self.on_start.take() {
            on_start(&mut self.state);
        }
    }

    fn take_inputs(&mut self) -> bool {
        let mut any = false;
        for input in &mut self.inputs {
            any |= input(&mut self.state);
        }
        any
    }

    fn beat(&mut self, tick: &Tick) {
        if let Some(on_beat) = &mut self.on_beat {
            on_beat(&mut self.state, tick);
        }
    }

    fn keep_house(&mut self, now: Instant) -> Duration {
        while let Ok(job) = self.jobs.pop() {
            job(&mut self.state);
        }
        let mut next = LONGEST_SLEEP;
        for timer in &mut self.timers {
            if timer.due <= now {
                timer.due = now + timer.period;
                (timer.run)(&mut self.state);
            }
            next = next.min(timer.due.saturating_duration_since(now));
        }
        next
    }
}

/// The nodes of a process, in the order of the pipeline.
pub(crate) struct Executor {
    pub(crate) seats: Vec<Box<dyn Seated>>,
    pub(crate) topics: Vec<Rc<dyn Flush>>,
    pub(crate) beat: Option<BeatClock>,
    pub(crate) outside: Outside,
    pub(crate) waker: Waker,
    pub(crate) stop: Stop,
}

impl Executor {
    /// Runs the nodes on this thread until the end.
    pub(crate) fn run(mut self) {
        let _ = self.waker.0.thread.set(std::thread::current());
        self.seats.iter_mut().for_each(|seat| seat.start());
        // The kernel may delay an ordinary thread's wake-up by 50 µs to save power; a beat asks for none. Best effort.
        let _ = set_current_timer_slack(NonZeroU64::new(1));
        // Between two beats what is not of the cycle is done once, and again whenever somebody wakes this thread.
        let mut house_is_kept = false;
        let (mut kept, mut is_awake) = (Instant::now(), false);
        while !self.stop.is_stopped() {
            // Messages wait for the beat of the system's clock, which comes; that of a simulation may not.
            let is_paced = self.beat.as_ref().is_some_and(|beat| !beat.is_simulated());
            self.waker.0.is_paced.store(is_paced, Ordering::Relaxed);
            match self.beat.as_mut().map(BeatClock::next) {
                Some(Next::Cycle(tick)) => {
                    let began = system_ns(ClockId::Monotonic);
                    self.cycle(Some(&tick));
                    let worked = system_ns(ClockId::Monotonic) - began;
                    self.beat.iter_mut().for_each(|beat| beat.worked(worked));
                    (house_is_kept, is_awake) = (false, false);
                    // Cycles that leave no time must not starve the services that could end them.
                    if kept.elapsed() > LONGEST_SLEEP {
                        self.keep_house();
                        kept = Instant::now();
                    }
                }
                Some(Next::Wait(time)) if is_paced && time <= self.early() => {
                    if !std::mem::replace(&mut is_awake, true) {
                        self.pass();
                    }
                    std::hint::spin_loop();
                }
                Some(Next::Wait(_)) if !house_is_kept => {
                    if !is_paced {
                        self.cycle(None);
                    }
                    self.keep_house();
                    kept = Instant::now();
                    house_is_kept = true;
                }
                Some(Next::Wait(time)) => {
                    let early = if is_paced { self.early() } else { Duration::ZERO };
                    std::thread::park_timeout(time.saturating_sub(early).min(LONGEST_SLEEP));
                    house_is_kept = false;
                }
                None => {
                    self.cycle(None);
                    let sleep = self.keep_house();
                    std::thread::park_timeout(sleep);
                }
            }
        }
    }

    /// How long before a beat it wakes.
    fn early(&self) -> Duration {
        self.beat.as_ref().map_or(Duration::ZERO, |beat| EARLY.min(beat.period() / EARLY_PART))
    }

    /// One chain of calls, from the beat to what comes of it; then the outside gets everything at once.
    fn cycle(&mut self, tick: Option<&Tick>) {
        if let Some(tick) = tick {
            // What has come since the last cycle is of that one: it counts before the beat that ends it.
            self.pass();
            self.seats.iter_mut().for_each(|seat| seat.beat(tick));
        }
        for _ in 0..PASSES {
            if !self.pass() {
                break;
            }
        }
        let mut any = false;
        for topic in &self.topics {
            any |= topic.flush();
        }
        if any {
            self.outside.wake();
        }
    }

    /// Gives every node what has come for it; says whether there was anything.
    fn pass(&mut self) -> bool {
        self.seats.iter_mut().fold(false, |any, seat| seat.take_inputs() | any)
    }

    fn keep_house(&mut self) -> Duration {
        let now = Instant::now();
        let next = self.seats.iter_mut().map(|seat| seat.keep_house(now)).min();
        next.unwrap_or(LONGEST_SLEEP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::beat::BeatControl;
    use crate::time::RosClock;

    #[test]
    fn cycles_that_take_longer_than_their_period_do_not_starve_the_services() {
        let (mut post, jobs) = rtrb::RingBuffer::new(4);
        let stop = Stop::default();
        let control = BeatControl::new(0.0005);
        let seat = Seat {
            state: 0,
            inputs: vec![],
            jobs,
            timers: vec![],
            on_beat: Some(Box::new(|cycles, _: &Tick| {
                *cycles += 1;
                std::thread::sleep(Duration::from_millis(2));
            })),
            on_start: None,
        };
        let end = stop.clone();
        let (seen, answer) = std::sync::mpsc::channel();
        let job: Job<i32> = Box::new(move |cycles| {
            let _ = seen.send(*cycles);
            end.stop();
        });
        assert!(post.push(job).is_ok());
        // Should nobody ever do the job, this ends the test, which then fails.
        let late = stop.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_secs(30));
            late.stop();
        });
        let beat = BeatClock::new(control, RosClock::default());
        let (outside, _lines) = Outside::new();
        let seats: Vec<Box<dyn Seated>> = vec![Box::new(seat)];
        Executor { seats, topics: vec![], beat: Some(beat), outside, waker: Waker::default(), stop }.run();
        assert!(answer.try_recv().is_ok(), "the job was not done");
    }
}
