//! `herkulex_node`: goals to servos, measurements back.

mod figures;
mod news;

use crate::bridge::{Bridge, Notice};
use crate::bus::{Order, What};
use crate::goals::GoalReader;
use crate::health::Health;
use crate::params::BridgeParams;
use figures::Figures;
use news::{Feed, News, Readings};
use node_lib::r2r::QosProfile;
use node_lib::r2r::gait_msgs::msg::ServoGoal;
use node_lib::r2r::sensor_msgs::msg::{BatteryState, JointState};
use node_lib::r2r::std_srvs::srv::Trigger;
use node_lib::{
    About, Level, Log, Node, Port, Report, RosClock, Setup, Throttle, fill_names, input, oneshot, output,
    qos, service,
};
use std::collections::HashMap;

static REFUSED: Throttle = Throttle::seconds(2);
static STRANGERS: Throttle = Throttle::seconds(10);

const SERVICES: [(&str, What); 6] = [
    ("torque_on", What::TorqueOn),
    ("torque_off", What::TorqueOff),
    ("brake", What::Brake),
    ("clear_errors", What::ClearErrors),
    ("reboot", What::Reboot),
    ("scan", What::Scan),
];

/// The node. The bridge has a thread of its own, which goes by the speed of the line.
pub struct HerkulexNode {
    bridge: Bridge,
    reader: GoalReader,
    joints: Vec<String>,
    joint_states: Port<JointState>,
    battery_state: Port<BatteryState>,
    /// Why the port is closed, when it is.
    closed: Option<String>,
    health: Option<Box<Health>>,
    /// Orders that are under way, and who waits for them.
    pending: HashMap<u64, oneshot::Sender<Trigger::Response>>,
    orders: u64,
    used: rtrb::Producer<Box<Readings>>,
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
            output("joint_states", "sensor_msgs/JointState", "where they are, every cycle"),
            output("battery_state", "sensor_msgs/BatteryState", "the servos' voltage"),
            output("/diagnostics", "diagnostic_msgs/DiagnosticArray", "one status per servo"),
            output("~/statistics", "diagnostic_msgs/DiagnosticArray", "figures of the bus"),
            service("~/torque_on", "std_srvs/Trigger", "torque, where the servos are"),
            service("~/torque_off", "std_srvs/Trigger", "servos turn freely"),
            service("~/brake", "std_srvs/Trigger", "servos resist"),
            service("~/clear_errors", "std_srvs/Trigger", "errors are forgotten"),
            service("~/reboot", "std_srvs/Trigger", "servos start anew"),
            service("~/scan", "std_srvs/Trigger", "which ids answer"),
            service("~/JOINT/…", "std_srvs/Trigger", "the same for one joint, but scan"),
        ],
    };

    fn build(setup: &mut Setup<Self>, params: BridgeParams) -> anyhow::Result<Self> {
        let config = params.config();
        let joints: Vec<String> = config.bus.servos.iter().map(|s| s.name.clone()).collect();
        let log = setup.log();
        if joints.is_empty() {
            log.warn("no servos: give parameters servos.<joint>.id, or a parameter file");
        }
        let budget = config.bus.budget();
        let summary =
            format!("{} servos at {} baud on {}: {budget}", joints.len(), config.bus.baud, config.port);
        if budget.fits() {
            log.info(summary)
        } else {
            log.warn(summary)
        }

        setup.on_any("goals", qos::EVENTS, Self::goals)?;
        let inbox = setup.inbox(256, Self::hear);
        let figures = Figures {
            joints: joints.clone(),
            name: setup.full_name().trim_start_matches('/').into(),
            clock: setup.clock(),
            diagnostics: setup.background("/diagnostics", QosProfile::default())?,
            statistics: setup.background("~/statistics", QosProfile::default())?,
        };
        let (mut feed, used) = Feed::new(inbox, figures, joints.len(), log.clone());
        let bridge = Bridge::start(config, move |notice| match notice {
            Notice::Cycle(bus, now) => feed.cycle(bus, now),
            notice => feed.tell(notice),
        })?;
        setup.on_params(|node, params| {
            node.bridge.tune(params.tuning());
            Ok(())
        });
        offer(setup, &joints, params.joint_services)?;
        setup.diagnostics(Self::report);
        Ok(HerkulexNode {
            bridge,
            reader: GoalReader::new(joints.clone()),
            joint_states: setup.port("joint_states", qos::NEWEST)?,
            battery_state: setup.port("battery_state", qos::NEWEST)?,
            joints,
            closed: None,
            health: None,
            pending: HashMap::new(),
            orders: 0,
            used,
            clock: setup.clock(),
            log,
        })
    }
}

/// The services for all servos, and for each.
fn offer(setup: &mut Setup<HerkulexNode>, joints: &[String], each: bool) -> anyhow::Result<()> {
    let mut service = |name: String, what: What, servos: Vec<usize>| {
        setup.pending_service::<Trigger::Service>(&name, move |node, _| node.order(what, servos.clone()))
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

impl HerkulexNode {
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

    fn order(&mut self, what: What, servos: Vec<usize>) -> oneshot::Receiver<Trigger::Response> {
        let (answer, answered) = oneshot::channel();
        self.orders += 1;
        self.pending.insert(self.orders, answer);
        self.bridge.order(Order { ticket: self.orders, what, servos });
        answered
    }

    fn hear(&mut self, news: News) {
        match news {
            News::Opened => self.closed = None,
            News::Closed(why) => self.closed = Some(why),
            News::Outcome(outcome) => {
                if let Some(answer) = self.pending.remove(&outcome.ticket) {
                    let success = outcome.result.is_ok();
                    let message = outcome.result.unwrap_or_else(|e| e);
                    // Whoever asked may have gone.
                    let _ = answer.send(Trigger::Response { success, message });
                }
            }
            News::Joints(readings) => {
                if readings.is_empty() {
                    let _ = self.used.push(readings);
                    return;
                }
                let (stamp, names) = (self.clock.now(), &self.joints);
                self.joint_states.send(|state| {
                    state.header.stamp = stamp;
                    fill_names(&mut state.name, readings.iter().map(|r| names[r.servo].as_str()));
                    state.position.clear();
                    state.position.extend(readings.iter().map(|r| r.position));
                    state.velocity.clear();
                    state.velocity.extend(readings.iter().map(|r| r.velocity));
                });
                let _ = self.used.push(readings);
            }
            News::Battery(volts) => {
                let stamp = self.clock.now();
                self.battery_state.send(|message| {
                    *message = battery(volts);
                    message.header.stamp = stamp;
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
            report.value("watchdog", format!("{:?}", health.watch).to_lowercase());
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
