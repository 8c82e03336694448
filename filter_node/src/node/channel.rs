//! What the shell keeps for each chain: its name in the log, its figures, and where wrenches go.

use super::messages::axes;
use crate::{ChainParams, Dropped, WrenchSample};
use node_lib::r2r::geometry_msgs::msg::WrenchStamped;
use node_lib::{Level, Log, Port, Report, RosClock, Throttle};
use std::fmt::Display;
use std::time::Instant;

/// A chain whose input comes at a rate this much off is said to be off.
const RATE_TOLERANCE: f64 = 0.2;

/// Figures of the last second.
#[derive(Default)]
struct Lately {
    received: u32,
    dropped: u32,
    in_node: Span,
    age: Span,
}

/// Mean and longest of some times.
#[derive(Default)]
struct Span {
    count: u32,
    sum_ns: i64,
    longest_ns: i64,
}

impl Span {
    fn add(&mut self, ns: i64) {
        self.count += 1;
        self.sum_ns = self.sum_ns.saturating_add(ns);
        self.longest_ns = self.longest_ns.max(ns);
    }

    fn mean_ms(&self) -> f64 {
        self.sum_ns as f64 / 1e6 / f64::from(self.count.max(1))
    }

    fn longest_ms(&self) -> f64 {
        self.longest_ns as f64 / 1e6
    }
}

/// One chain as the shell sees it.
pub struct Channel {
    /// Where filtered wrenches go; other messages are published where they are filtered.
    pub wrenches: Option<Port<WrenchStamped>>,
    /// How many listen to the output.
    pub listeners: Box<dyn Fn() -> usize>,
    /// `sampling_frequency`, Hz; 0 when it is not said.
    pub frequency: f64,
    name: String,
    log: Log,
    received: u64,
    /// Messages that went out.
    pub sent: u64,
    dropped: u64,
    lately: Lately,
    since: Instant,
    refused: Throttle,
    no_transform: Throttle,
}

impl Channel {
    /// Of a chain.
    pub fn new(chain: &ChainParams, log: Log) -> Self {
        let (name, kind, input, output) = (&chain.name, chain.kind.word(), &chain.input, &chain.output);
        log.info(format!("chain \"{name}\": {kind} from \"{input}\" to \"{output}\""));
        Channel {
            wrenches: None,
            listeners: Box::new(|| 0),
            frequency: chain.sampling_frequency,
            name: name.clone(),
            log,
            received: 0,
            sent: 0,
            dropped: 0,
            lately: Lately::default(),
            since: Instant::now(),
            refused: Throttle::seconds(2),
            no_transform: Throttle::seconds(2),
        }
    }

    /// A message came.
    pub fn received(&mut self) {
        self.received += 1;
        self.lately.received += 1;
    }

    /// A filtered wrench goes out.
    pub fn send_wrench(&mut self, sample: WrenchSample) {
        let Some(port) = &mut self.wrenches else { return };
        port.send(|message| {
            message.header.stamp = RosClock::stamp(sample.stamp);
            message.header.frame_id = sample.frame;
            message.wrench.force = axes(sample.wrench.force());
            message.wrench.torque = axes(sample.wrench.torque());
        });
        self.sent += 1;
    }

    /// A message cannot be filtered.
    pub fn refuse(&mut self, reason: impl Display) {
        self.count_dropped();
        self.log
            .warn_throttled(&self.refused, || format!("chain \"{}\": message dropped: {reason}", self.name));
    }

    /// A wrench is dropped.
    pub fn drop_wrench(&mut self, dropped: &Dropped) {
        if let Dropped::Transform(_) = dropped {
            self.count_dropped();
            let text = || format!("chain \"{}\": message dropped: {dropped}", self.name);
            self.log.warn_throttled(&self.no_transform, text);
        } else {
            self.refuse(dropped);
        }
    }

    /// The filter of one joint broke down.
    pub fn broken(&mut self, joint: &str, reason: impl Display) {
        let text = || format!("chain \"{}\": joint \"{joint}\" left out: {reason}", self.name);
        self.log.warn_throttled(&self.refused, text);
    }

    /// Says so when time was set back.
    pub fn jumped(&mut self, jumped: bool) {
        if jumped {
            self.log.warn(format!("chain \"{}\": the stamps were set back: it begins anew", self.name));
        }
    }

    /// A message was in the node for so long, and its stamp was so old when it left, ns.
    pub fn took(&mut self, in_node: i64, age: Option<i64>) {
        self.lately.in_node.add(in_node);
        if let Some(age) = age {
            self.lately.age.add(age);
        }
    }

    /// The figures since the last report.
    pub fn report(&mut self, report: &mut Report, waiting: usize) {
        let seconds = self.since.elapsed().as_secs_f64().max(1e-3);
        self.since = Instant::now();
        let lately = std::mem::take(&mut self.lately);
        let rate = f64::from(lately.received) / seconds;
        let mut figure = |what: &str, value: String| {
            report.value(&format!("{}: {what}", self.name), value);
        };
        figure("received", self.received.to_string());
        figure("sent", self.sent.to_string());
        figure("dropped", self.dropped.to_string());
        figure("listeners", (self.listeners)().to_string());
        figure("waiting", waiting.to_string());
        figure("input, Hz", format!("{rate:.1}"));
        for (what, span) in [("in the node", &lately.in_node), ("from stamp to output", &lately.age)] {
            figure(&format!("{what}, mean ms"), format!("{:.3}", span.mean_ms()));
            figure(&format!("{what}, longest ms"), format!("{:.3}", span.longest_ms()));
        }
        if lately.dropped > 0 {
            report.say(Level::Warn, format!("chain \"{}\" drops messages", self.name));
        }
        let off = (rate - self.frequency).abs() > RATE_TOLERANCE * self.frequency;
        if self.frequency > 0.0 && lately.received > 1 && off {
            let wanted = self.frequency;
            report.say(
                Level::Warn,
                format!("chain \"{}\" gets {rate:.0} Hz, sampling_frequency is {wanted}", self.name),
            );
        }
    }

    fn count_dropped(&mut self) {
        self.dropped += 1;
        self.lately.dropped += 1;
    }
}
