//! `sync_node`: publishes the control cycle.

use crate::sync::{CycleFigures, SyncParams};
use node_lib::r2r::QosProfile;
use node_lib::r2r::diagnostic_msgs::msg::{DiagnosticArray, DiagnosticStatus, KeyValue};
use node_lib::r2r::gait_msgs::msg::SyncStep;
use node_lib::{
    About, BeatControl, Level, Log, Node, Port, Realtime, Report, RosClock, Setup, Throttle, Tick, output,
    qos,
};
use std::time::Duration;

static OVERRUN: Throttle = Throttle::seconds(5);

/// The node that begins the cycles: of its process, and over DDS of everybody who listens.
pub struct SyncNode {
    sync: Port<SyncStep>,
    statistics: Port<DiagnosticArray>,
    beat: BeatControl,
    figures: CycleFigures,
    /// The figures of the last second.
    window: Vec<(&'static str, String)>,
    reported_overruns: u64,
    name: String,
    clock: RosClock,
    log: Log,
}

impl Node for SyncNode {
    type Params = SyncParams;
    const ABOUT: About = About {
        name: "sync_node",
        purpose: "Gives the control cycle its beat: one SyncStep per period, from a thread on the system's absolute timer,\n\
                  or on /clock with use_sim_time.",
        endpoints: &[
            output("sync", "gait_msgs/SyncStep", "the start of each cycle"),
            output(
                "~/statistics",
                "diagnostic_msgs/DiagnosticArray",
                "wake-up error and work per cycle, overruns",
            ),
        ],
    };

    fn build(setup: &mut Setup<Self>, params: SyncParams) -> anyhow::Result<Self> {
        let beat = setup.on_beat(params.period, Self::beat);
        setup.on_params(|node, params| {
            node.beat.set_period(params.period);
            Ok(())
        });
        setup.every(Duration::from_secs(1), Self::tell_figures);
        setup.diagnostics(Self::report);
        let realtime = Realtime {
            priority: params.realtime_priority as u8,
            processor: usize::try_from(params.cpu).ok(),
            lock_memory: params.lock_memory,
        };
        setup.on_start(move |node| realtime.apply(&node.log));
        setup.log().info(format!("one cycle every {} s", params.period));
        Ok(SyncNode {
            sync: setup.port("sync", qos::EVENTS)?,
            statistics: setup.port("~/statistics", QosProfile::default())?,
            beat,
            figures: CycleFigures::default(),
            window: vec![],
            reported_overruns: 0,
            name: setup.full_name().trim_start_matches('/').into(),
            clock: setup.clock(),
            log: setup.log(),
        })
    }
}

impl SyncNode {
    fn beat(&mut self, tick: &Tick) {
        self.sync.send(|step| {
            step.header.stamp = RosClock::stamp(tick.start_ns);
            step.cycle = tick.number;
            step.period = tick.period;
        });
        self.figures.record(tick.late_ns, tick.missed, tick.worked_ns);
        // A clock that is slewed moves the grid by little at a time, and nobody need know.
        if let Some(ns) = tick.stepped_ns.filter(|ns| ns.abs() >= 1_000_000) {
            self.log.warn(format!(
                "the clock was set by {:+.3} s: the cycle goes on from there",
                ns as f64 * 1e-9
            ));
        }
    }

    /// Publishes the figures of the last second, and warns of cycles that fell out in it.
    fn tell_figures(&mut self) {
        let missed = self.figures.overruns - self.reported_overruns;
        if missed > 0 {
            self.log.warn_throttled(&OVERRUN, || {
                format!("{missed} cycles fell out: the machine is too slow for this period, or is busy")
            });
        }
        self.reported_overruns = self.figures.overruns;
        let value = |(key, value): (&str, String)| KeyValue { key: key.into(), value };
        self.window = self.figures.close_window();
        let values = self.window.iter().cloned().map(value).collect();
        let status =
            DiagnosticStatus { name: format!("{}: cycle", self.name), values, ..DiagnosticStatus::default() };
        let stamp = self.clock.now();
        self.statistics.send(|array| {
            array.header.stamp = stamp;
            array.status = vec![status];
        });
    }

    fn report(&mut self, report: &mut Report) {
        for (name, value) in &self.window {
            report.value(name, value);
        }
        let overruns = self.figures.overruns;
        if overruns > 0 {
            report.say(Level::Warn, format!("{overruns} cycles fell out since the start"));
        }
    }
}
