//! `herkulex_node`: goals to servos, measurements back.

use crate::bridge::{Bridge, Notice};
use crate::bus::{Event, Order, What};
use crate::goals::GoalReader;
use crate::params::BridgeParams;
use node_lib::r2r::gait_msgs::msg::ServoGoal;
use node_lib::r2r::std_srvs::srv::Trigger;
use node_lib::{About, Level, Log, Port, Setup, Throttle, qos};
use std::collections::HashMap;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

mod publish;

use publish::{Publisher, Shared};

const ABOUT: About = About {
    name: "herkulex_node",
    purpose: "Bridge to a bus of HerkuleX servos: one broadcast jog per cycle, reads in the time that is left, a watchdog on\n\
              old goals. Reconnects by itself.",
    ports: &[
        Port { name: "goals", kind: "gait_msgs/ServoGoal", role: "in", doc: "where the joints shall go" },
        Port {
            name: "joint_states",
            kind: "sensor_msgs/JointState",
            role: "out",
            doc: "where they are, every cycle",
        },
        Port {
            name: "battery_state",
            kind: "sensor_msgs/BatteryState",
            role: "out",
            doc: "the servos' voltage",
        },
        Port {
            name: "/diagnostics",
            kind: "diagnostic_msgs/DiagnosticArray",
            role: "out",
            doc: "one status per servo",
        },
        Port {
            name: "~/statistics",
            kind: "diagnostic_msgs/DiagnosticArray",
            role: "out",
            doc: "figures of the bus",
        },
        Port {
            name: "~/torque_on",
            kind: "std_srvs/Trigger",
            role: "service",
            doc: "torque, where the servos are",
        },
        Port { name: "~/torque_off", kind: "std_srvs/Trigger", role: "service", doc: "servos turn freely" },
        Port { name: "~/brake", kind: "std_srvs/Trigger", role: "service", doc: "servos resist" },
        Port {
            name: "~/clear_errors",
            kind: "std_srvs/Trigger",
            role: "service",
            doc: "errors are forgotten",
        },
        Port { name: "~/reboot", kind: "std_srvs/Trigger", role: "service", doc: "servos start anew" },
        Port { name: "~/scan", kind: "std_srvs/Trigger", role: "service", doc: "which ids answer" },
        Port {
            name: "~/JOINT/…",
            kind: "std_srvs/Trigger",
            role: "service",
            doc: "the same for one joint, but scan",
        },
    ],
};

static REFUSED: Throttle = Throttle::seconds(2);
static STRANGERS: Throttle = Throttle::seconds(10);
static CLOSED: Throttle = Throttle::seconds(5);
static SERVO: Throttle = Throttle::seconds(1);

const SERVICES: [(&str, What); 6] = [
    ("torque_on", What::TorqueOn),
    ("torque_off", What::TorqueOff),
    ("brake", What::Brake),
    ("clear_errors", What::ClearErrors),
    ("reboot", What::Reboot),
    ("scan", What::Scan),
];

struct Node {
    bridge: Bridge,
    reader: GoalReader,
    shared: Arc<Mutex<Shared>>,
    tickets: u64,
    log: Log,
    _publisher: Publisher,
}

impl Node {
    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn goals(&mut self, message: &ServoGoal) {
        match self.reader.read(&message.name, &message.target_pos, &message.playtime) {
            Ok(points) => self.bridge.goals(points),
            Err(e) => return self.log.error_throttled(&REFUSED, || format!("goals refused: {e}")),
        }
        if self.reader.unknown().next().is_some() {
            self.log.warn_throttled(&STRANGERS, || {
                format!(
                    "goals for joints without a servo: {}",
                    self.reader.unknown().collect::<Vec<_>>().join(", ")
                )
            });
        }
    }

    fn order(&mut self, what: What, servos: Vec<usize>) -> u64 {
        self.tickets += 1;
        self.bridge.order(Order { ticket: self.tickets, what, servos });
        self.tickets
    }

    fn outcome(&mut self, ticket: u64) -> Option<Trigger::Response> {
        let result = self.shared().outcomes.remove(&ticket)?;
        let success = result.is_ok();
        Some(Trigger::Response { success, message: result.unwrap_or_else(|e| e) })
    }
}

/// Runs the node until it is told to end.
pub fn run() -> ExitCode {
    node_lib::run(ABOUT, build)
}

fn build(setup: &mut Setup<Node, BridgeParams>, params: BridgeParams) -> anyhow::Result<Node> {
    let config = params.config();
    let joints: Vec<String> = config.bus.servos.iter().map(|s| s.name.clone()).collect();
    let log = setup.log();
    if joints.is_empty() {
        log.warn("no servos: give parameters servos.<joint>.id, or a parameter file");
    }
    let budget = config.bus.budget();
    let summary = format!("{} servos at {} baud on {}: {budget}", joints.len(), config.bus.baud, config.port);
    if budget.fits() {
        log.info(summary)
    } else {
        log.warn(summary)
    }

    let shared = Arc::new(Mutex::new(Shared::default()));
    let publisher = Publisher::start(setup, &joints)?;
    let mut feed = publisher.feed(shared.clone());
    let notices = (log.clone(), shared.clone());
    let bridge = Bridge::start(config, move |notice| match notice {
        Notice::Cycle(bus, now) => feed.cycle(bus, now),
        notice => tell(&notices.0, &notices.1, notice),
    })?;

    setup.on("goals", qos::EVENTS, |node: &mut Node, message: ServoGoal| node.goals(&message))?;
    setup.on_params(|node, params| {
        node.bridge.tune(params.tuning());
        Ok(())
    });
    offer(setup, &joints, params.joint_services)?;
    setup.diagnostics(|node, report| {
        let shared = node.shared();
        if let Some(why) = &shared.closed {
            report.say(Level::Error, format!("port closed: {why}"));
        }
        report.value("port open", shared.closed.is_none());
        if let Some(health) = &shared.health {
            let problems: Vec<&str> = health.problems().map(|s| s.text.as_str()).collect();
            if !problems.is_empty() {
                report.say(Level::Warn, problems.join("; "));
            }
            report.value("watchdog", format!("{:?}", health.watch).to_lowercase());
            report.value("budget", &health.budget);
            report.value("servos with problems", problems.len());
        }
    });
    Ok(Node { bridge, reader: GoalReader::new(joints), shared, tickets: 0, log, _publisher: publisher })
}

/// The services for all servos, and for each.
fn offer(setup: &mut Setup<Node, BridgeParams>, joints: &[String], each: bool) -> anyhow::Result<()> {
    let mut service = |name: String, what: What, servos: Vec<usize>| {
        setup.slow_service::<Trigger::Service, u64>(
            &name,
            move |node, _| node.order(what, servos.clone()),
            |node, ticket| node.outcome(*ticket),
        )
    };
    for (name, what) in SERVICES {
        let all = if what == What::Scan { vec![] } else { (0..joints.len()).collect() };
        service(format!("~/{name}"), what, all)?;
        for (i, joint) in joints.iter().enumerate().filter(|_| each && what != What::Scan) {
            service(format!("~/{joint}/{name}"), what, vec![i])?;
        }
    }
    Ok(())
}

/// Log and state for what the bridge says.
fn tell(log: &Log, shared: &Mutex<Shared>, notice: Notice<'_>) {
    let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
    match notice {
        Notice::Opened { low_latency } => {
            shared.closed = None;
            let latency = if low_latency { ", low latency" } else { "" };
            log.info(format!("port open{latency}"));
        }
        Notice::Closed(why) => {
            log.error_throttled(&CLOSED, || format!("port closed: {why}; trying again"));
            shared.closed = Some(why.to_string());
        }
        Notice::Outcome(outcome) => drop(shared.outcomes.insert(outcome.ticket, outcome.result)),
        Notice::Event(event, bus) => {
            let who = |i: usize| format!("{} (id {})", bus.servos()[i].name(), bus.servos()[i].id());
            match event {
                Event::Ready(i) => log.info(format!("{} has torque", who(i))),
                Event::Fault(i, status) => log.warn_throttled(&SERVO, || format!("{}: {status}", who(i))),
                Event::Restarted(i) => log.warn(format!("{} lost its torque without an error", who(i))),
                Event::Lost(i) => log.error(format!("{} does not answer", who(i))),
                Event::Back(i) => log.info(format!("{} answers again", who(i))),
                Event::Unseeded(i) => log.warn(format!("{} does not show its goal before torque", who(i))),
                Event::Hold => log.warn("no goals: holding"),
                Event::Release => log.warn("no goals for too long: torque released"),
                Event::Follow => log.info("following goals"),
            }
        }
        Notice::Cycle(..) => {}
    }
}

type Outcomes = HashMap<u64, Result<String, String>>;
