//! `sync_node`: publishes the control cycle.

use crate::sync::SyncParams;
use node_lib::r2r::gait_msgs::msg::SyncStep;
use node_lib::{About, CycleClock, CycleCount, Level, Log, Port, RosClock, Setup, Throttle, qos};
use std::process::ExitCode;
use std::time::Duration;

const ABOUT: About = About {
    name: "sync_node",
    purpose: "Gives the control cycle its beat: one SyncStep per period, from a thread on the system's absolute timer,\n\
              or on /clock with use_sim_time.",
    ports: &[Port { name: "sync", kind: "gait_msgs/SyncStep", role: "out", doc: "the start of each cycle" }],
};

static OVERRUN: Throttle = Throttle::seconds(5);
static UNSENT: Throttle = Throttle::seconds(5);

struct Sync {
    clock: CycleClock,
    log: Log,
    reported: CycleCount,
}

/// Runs the node until it is told to end.
pub fn run() -> ExitCode {
    node_lib::run(ABOUT, build)
}

fn build(setup: &mut Setup<Sync, SyncParams>, params: SyncParams) -> anyhow::Result<Sync> {
    let publisher = setup.publisher::<SyncStep>("sync", qos::EVENTS)?;
    let log = setup.log();
    let beat_log = log.clone();
    let mut step = SyncStep::default();
    let clock = CycleClock::start(params.period, setup.clock(), move |cycle| {
        step.header.stamp = RosClock::stamp(cycle.start_ns);
        step.cycle = cycle.number;
        step.period = cycle.period;
        if let Err(e) = publisher.publish(&step) {
            beat_log.error_throttled(&UNSENT, || format!("cycle {} was not sent: {e}", cycle.number));
        }
    })?;
    setup.on_params(|sync, params| {
        sync.clock.set_period(params.period);
        Ok(())
    });
    setup.every(Duration::from_secs(1), Sync::watch);
    setup.diagnostics(|sync, report| {
        let count = sync.clock.count();
        report.value("cycles", count.cycles).value("overruns", count.overruns);
        report.value("latest start, µs", count.worst_late_ns / 1000);
        if count.overruns > 0 {
            report.say(Level::Warn, format!("{} cycles fell out since the start", count.overruns));
        }
    });
    log.info(format!("one cycle every {} s", params.period));
    Ok(Sync { clock, log, reported: CycleCount::default() })
}

impl Sync {
    /// Warns of cycles that fell out since the last look.
    fn watch(&mut self) {
        let count = self.clock.count();
        let missed = count.overruns - self.reported.overruns;
        if missed > 0 {
            self.log.warn_throttled(&OVERRUN, || {
                format!("{missed} cycles fell out: the machine is too slow for this period, or is busy")
            });
        }
        self.reported = count;
    }
}
