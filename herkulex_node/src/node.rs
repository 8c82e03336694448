//! `herkulex_node`: goals to servos, measurements back.

mod figures;
mod news;
mod states;

use crate::alive::Alive;
use crate::bridge::Bridge;
use crate::bus::{Command, Order};
use crate::goals::GoalReader;
use crate::health::Health;
use crate::params::BridgeParams;
use figures::Figures;
use news::{Asked, Feed, News, Waiting};
use node_lib::r2r::QosProfile;
use node_lib::r2r::gait_msgs::msg::{ServoGoal, TorqueState};
use node_lib::r2r::sensor_msgs::msg::{BatteryState, JointState};
use node_lib::r2r::std_srvs::srv::Trigger;
use node_lib::{
    About, Level, Log, Node, Port, Realtime, Report, RosClock, Setup, Throttle, fill_names, input, oneshot,
    output, qos, service,
};
use states::States;
use std::collections::HashMap;
use std::sync::mpsc;

static REFUSED: Throttle = Throttle::seconds(2);
static STRANGERS: Throttle = Throttle::seconds(10);

/// Services, what they order, and whether each joint has one of its own.
const SERVICES: [(&str, Command, bool); 8] = [
    ("torque_on", Command::TorqueOn, true),
    ("torque_off", Command::TorqueOff, true),
    ("brake", Command::Brake, true),
    ("stop", Command::Stop, false),
    ("clear_stop", Command::ClearStop, false),
    ("clear_errors", Command::ClearErrors, true),
    ("reboot", Command::Reboot, true),
    ("scan", Command::Scan, false),
];

/// The node. The bridge has a thread of its own, which goes by the speed of the line.
pub struct HerkulexNode {
    bridge: Bridge,
    reader: GoalReader,
    alive: Alive,
    states: States,
    battery_state: Port<BatteryState>,
    torque: Port<TorqueState>,
    /// Why the port is closed, when it is.
    closed: Option<String>,
    health: Option<Box<Health>>,
    /// Who waits for orders that are under way; the bridge's end answers them.
    asked: mpsc::Sender<Asked>,
    orders: u64,
    clock: RosClock,
    log: Log,
}

impl Node for HerkulexNode {
    type Params = BridgeParams;
    const ABOUT: About = About {
        name: "herkulex_node",
        purpose: "Bridge to a bus of HerkuleX servos: one broadcast jog per cycle, reads in the time that is left, a watchdog on\n\
                  old goals. Reconnects by itself.",
        endpoints: &[
            input("goals", "gait_msgs/ServoGoal", "where the joints shall go"),
            input(
                "commanded",
                "sensor_msgs/JointState",
                "NaN for joints that are only predicted: their goals feed no watchdog",
            ),
            output(
                "joint_states",
                "sensor_msgs/JointState",
                "where they were at one moment, the newest at which all are known; every cycle",
            ),
            output(
                "joint_readings",
                "sensor_msgs/JointState",
                "each position once, stamped with when its servo was read",
            ),
            output("battery_state", "sensor_msgs/BatteryState", "the servos' voltage"),
            output(
                "torque",
                "gait_msgs/TorqueState",
                "which servos have torque and follow goals; latched, when it changes and once a second",
            ),
            output("/diagnostics", "diagnostic_msgs/DiagnosticArray", "one status per servo"),
            output("~/statistics", "diagnostic_msgs/DiagnosticArray", "figures of the bus"),
            service("~/torque_on", "std_srvs/Trigger", "torque, where the servos are"),
            service("~/torque_off", "std_srvs/Trigger", "servos turn freely"),
            service("~/brake", "std_srvs/Trigger", "servos resist"),
            service("~/stop", "std_srvs/Trigger", "emergency: all servos free at once, until ~/clear_stop"),
            service(
                "~/clear_stop",
                "std_srvs/Trigger",
                "ends the stop; torque stays off until it is ordered on",
            ),
            service("~/clear_errors", "std_srvs/Trigger", "errors are forgotten"),
            service("~/reboot", "std_srvs/Trigger", "servos start anew"),
            service("~/scan", "std_srvs/Trigger", "which ids answer"),
            service("~/JOINT/…", "std_srvs/Trigger", "the same for one joint, but stop and scan"),
        ],
    };

    fn build(setup: &mut Setup<Self>, params: BridgeParams) -> anyhow::Result<Self> {
        let config = params.config();
        let joints: Vec<String> = config.bus.servos.iter().map(|s| s.name.clone()).collect();
        let log = setup.log();
        if joints.is_empty() {
            log.warn("no servos: give parameters servos.<joint>.id, or a parameter file");
        }
        match &config.orders {
            Some(file) => {
                log.info(format!("orders that wait for their servos are kept in {}", file.path().display()))
            }
            None => log.warn("no place to keep orders over a restart: set state_directory, ROS_HOME or HOME"),
        }
        let budget = config.bus.budget();
        let summary =
            format!("{} servos at {} baud on {}: {budget}", joints.len(), config.bus.baud, config.port);
        if budget.fits() {
            log.info(summary)
        } else {
            log.warn(summary)
        }

        // First: which goals are alive is known when they come.
        setup.on("commanded", qos::NEWEST, Self::commanded)?;
        setup.on_any("goals", qos::EVENTS, Self::goals)?;
        let inbox = setup.inbox(4096, Self::take);
        let figures = Figures {
            joints: joints.clone(),
            name: setup.full_name().trim_start_matches('/').into(),
            clock: setup.clock(),
            diagnostics: setup.background("/diagnostics", QosProfile::default())?,
            statistics: setup.background("~/statistics", QosProfile::default())?,
        };
        let servos = config.bus.servos.iter().map(|s| format!("{} (id {})", s.name, s.id)).collect();
        let (asked, waiting) = mpsc::channel();
        let mut feed = Feed {
            inbox,
            figures,
            servos,
            log: log.clone(),
            realtime: Realtime { priority: params.realtime_priority as u8, ..Realtime::default() },
            asked: waiting,
            pending: HashMap::new(),
            together: Default::default(),
            ready: Default::default(),
            ready_is_told: false,
            closed: None,
        };
        let bridge = Bridge::start_with(config, move |notice| feed.tell(notice))?;
        setup.on_params(|node, params| {
            node.bridge.tune(params.tuning());
            Ok(())
        });
        offer(setup, &joints, params.joint_services)?;
        setup.diagnostics(Self::report);
        Ok(HerkulexNode {
            bridge,
            reader: GoalReader::new(joints.clone()),
            alive: Alive::new(joints.clone()),
            states: States::new(
                joints,
                setup.port("joint_states", qos::NEWEST)?,
                setup.port("joint_readings", qos::EVENTS)?,
            ),
            battery_state: setup.port("battery_state", qos::NEWEST)?,
            torque: setup.port("torque", qos::LATCHED)?,
            closed: None,
            health: None,
            asked,
            orders: 0,
            clock: setup.clock(),
            log,
        })
    }
}

/// The services for all servos, and for each.
fn offer(setup: &mut Setup<HerkulexNode>, joints: &[String], each: bool) -> anyhow::Result<()> {
    let mut service = |name: String, command: Command, servos: Vec<usize>| {
        let service = name.clone();
        setup.pending_service::<Trigger::Service>(&name, move |node, _| {
            node.order(&service, command, servos.clone())
        })
    };
    for (name, command, per_joint) in SERVICES {
        let all = if command == Command::Scan { vec![] } else { (0..joints.len()).collect() };
        service(format!("~/{name}"), command, all)?;
        for (i, joint) in joints.iter().enumerate().filter(|_| each && per_joint) {
            service(format!("~/{joint}/{name}"), command, vec![i])?;
        }
    }
    Ok(())
}

impl HerkulexNode {
    /// Joints of the message that have no position are only predicted; others are commanded, also those it does not name.
    fn commanded(&mut self, message: &JointState) {
        self.alive.take(self.clock.ns_or_now(&message.header.stamp), &message.name, &message.position);
    }

    fn goals(&mut self, message: &ServoGoal) {
        self.bridge.alive(self.alive.at(self.clock.ns_or_now(&message.header.stamp)));
        let stamp = RosClock::ns(&message.header.stamp).max(0) as u64;
        match self.reader.read(&message.name, &message.target_pos, &message.playtime, stamp) {
            Ok(points) => {
                self.bridge.goals(self.clock.now_ns().max(0) as u64, points);
            }
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

    fn order(
        &mut self,
        service: &str,
        command: Command,
        servos: Vec<usize>,
    ) -> oneshot::Receiver<Trigger::Response> {
        let (answer, answered) = oneshot::channel();
        let waiting = Waiting { service: service.into(), answer };
        self.orders += 1;
        // Before the order itself, so that its outcome finds who waits for it.
        let _ = self.asked.send((self.orders, waiting));
        self.bridge.order(Order { request_id: self.orders, command, servos });
        answered
    }

    fn take(&mut self, news: News) {
        match news {
            News::Opened => self.closed = None,
            News::Closed(why) => self.closed = Some(why),
            News::Reading(reading) => {
                let age = self.bridge.now().saturating_sub(reading.measured.at);
                self.states.reading(&reading, self.clock.now_ns() - age as i64);
            }
            News::Cycle => self.states.cycle(self.clock.now_ns()),
            News::Battery(volts) => {
                let stamp = self.clock.now();
                self.battery_state.send(|message| {
                    *message = battery(volts);
                    message.header.stamp = stamp;
                });
            }
            News::Torque(on) => {
                let (stamp, joints) = (self.clock.now(), self.reader.joints());
                self.torque.send(|message| {
                    message.header.stamp = stamp;
                    fill_names(&mut message.name, joints.iter().map(String::as_str));
                    message.torque = on;
                });
            }
            News::Health(health) => self.health = Some(health),
        }
    }

    fn report(&mut self, report: &mut Report) {
        if let Some(why) = &self.closed {
            report.say(Level::Error, format!("port closed: {why}"));
        }
        report.value("port open", self.closed.is_none());
        if let Some(health) = &self.health {
            let problems: Vec<&str> = health.problems().map(|s| s.text.as_str()).collect();
            if !problems.is_empty() {
                report.say(Level::Warn, problems.join("; "));
            }
            if health.stopped {
                report.say(Level::Error, "stopped: ~/clear_stop ends it".to_string());
            }
            report.value("stopped", health.stopped);
            report.value("watchdog", health.watch_text());
            if health.window.stale > 0 {
                report.say(
                    Level::Warn,
                    format!("{} goals came too late, by their stamps", health.window.stale),
                );
            }
            let oldest = health.servos.iter().filter_map(|s| s.age).fold(0.0, f64::max);
            report.value("oldest position, ms", format!("{:.1}", oldest * 1e3));
            report.value("goal messages lost", self.bridge.unsent());
            report.value("budget", &health.budget);
            report.value("servos with problems", problems.len());
        }
    }
}

fn battery(volts: f64) -> BatteryState {
    let unknown = f32::NAN;
    BatteryState {
        voltage: volts as f32,
        temperature: unknown,
        current: unknown,
        charge: unknown,
        capacity: unknown,
        design_capacity: unknown,
        percentage: unknown,
        present: true,
        power_supply_status: BatteryState::POWER_SUPPLY_STATUS_DISCHARGING as u8,
        ..BatteryState::default()
    }
}
