//! Figures of the bus and of each servo.

use super::Ns;

/// What a servo has been through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServoStatistics {
    /// How many requests were answered.
    pub ok: u64,
    /// Requests not answered.
    pub timeouts: u64,
    /// Broken packets heard while it was to answer.
    pub checksums: u64,
    /// From the end of the request to the answer: the last, the sum and the worst, ns.
    pub latency: Ns,
    /// Sum over all answers.
    pub latency_sum: Ns,
    /// The longest time to an answer, ns.
    pub latency_max: Ns,
    /// How many positions were read.
    pub positions: u64,
    /// Between the last two positions, ns.
    pub poll: Ns,
    /// The longest between two positions, ns.
    pub poll_max: Ns,
}

impl ServoStatistics {
    pub(super) fn answered(&mut self, latency: Ns) {
        self.ok += 1;
        self.latency = latency;
        self.latency_sum += latency;
        self.latency_max = self.latency_max.max(latency);
    }

    pub(super) fn polled(&mut self, interval: Ns) {
        self.positions += 1;
        self.poll = interval;
        self.poll_max = self.poll_max.max(interval);
    }

    /// Mean time to an answer, s.
    pub fn mean_latency(&self) -> f64 {
        self.latency_sum as f64 * 1e-9 / self.ok.max(1) as f64
    }
}

/// What the bus did since the last look.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BusWindow {
    /// How many control cycles were begun.
    pub cycles: u64,
    /// How many jog packets were sent.
    pub jogs: u64,
    /// Time on the wire for jogs, s.
    pub jog_time: f64,
    /// How many requests were sent.
    pub reads: u64,
    /// Time in which something was sent or awaited, s; what overlaps counts once.
    pub busy: f64,
    /// Messages of goals.
    pub goals: u64,
    /// Messages of goals that were overtaken by newer ones before they could be sent.
    pub overtaken: u64,
    /// Goals that were too old when they came, by their stamps.
    pub stale: u64,
    /// Readings that nobody took.
    pub untaken: u64,
    /// Packets that answered nothing that was asked: late, twice, or not ours.
    pub unmatched: u64,
    /// Packets that the host heard of itself.
    pub echoes: u64,
    /// Bytes that belonged to no packet.
    pub skipped: u64,
    /// Length of the window, s.
    pub time: f64,
}

impl BusWindow {
    /// Share of the time in which the bus was busy.
    pub fn utilisation(&self) -> f64 {
        self.busy / self.time.max(1e-9)
    }

    /// Time for reads beside the jogs, s.
    pub fn read_time(&self) -> f64 {
        (self.busy - self.jog_time).max(0.0)
    }

    /// Time in which nothing was sent or awaited, s.
    pub fn slack(&self) -> f64 {
        (self.time - self.busy).max(0.0)
    }
}
