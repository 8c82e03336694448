//! `servo_ident`: finds the alphas of servos from what goals did to positions.

use crate::desired::Refusal;
use crate::ident::{IdentError, Identification, Outcome};
use crate::model::ServoModel;
use crate::params::{IdentParams, models, servos_file, storable};
use crate::save::save;
use node_lib::r2r::gait_msgs::msg::{JointAccelState, ServoGoal, ServoModel as ServoModelMsg};
use node_lib::r2r::sensor_msgs::msg::{BatteryState, JointState};
use node_lib::r2r::std_srvs::srv::Trigger;
use node_lib::{About, Log, Node, Port, RosClock, Setup, Throttle, input, output, qos, service};

static GOALS: Throttle = Throttle::seconds(1);
static EFFORTS: Throttle = Throttle::seconds(1);
static POSITIONS: Throttle = Throttle::seconds(1);
static BATTERY: Throttle = Throttle::seconds(5);

/// An order for one joint; the text says what became of it.
type Order = fn(&mut IdentNode, &str) -> Result<String, IdentError>;

const ORDERS: [(&str, Order); 3] =
    [("start", IdentNode::start), ("stop", IdentNode::stop), ("abort", IdentNode::abort)];

/// Identification of servos with its topics, services and log.
pub struct IdentNode {
    core: Identification,
    save_file: String,
    models: Port<ServoModelMsg>,
    log: Log,
    clock: RosClock,
}

impl Node for IdentNode {
    type Params = IdentParams;
    const ABOUT: About = About {
        name: "servo_ident",
        purpose: "Identifies alpha0 … alpha3 of servos while they move, by recursive least squares with forgetting on\n\
                  kp (q_ref - q) V = alpha0 q'' + alpha1 q' + alpha2 sign(q') + alpha3 torque, and tells servo_inv_param.",
        endpoints: &[
            input("joints_accel", "gait_msgs/JointAccelState", "desired torques"),
            input("joint_readings", "sensor_msgs/JointState", "measured positions, each with its own time"),
            input("goals", "gait_msgs/ServoGoal", "goals of the servos"),
            input("battery_state", "sensor_msgs/BatteryState", "supply of the servos"),
            output("servo_model", "gait_msgs/ServoModel", "a model, when its servo was stopped"),
            service("~/start", "std_srvs/Trigger", "begins with all joints"),
            service("~/stop", "std_srvs/Trigger", "ends, publishes the models, reports errors"),
            service("~/abort", "std_srvs/Trigger", "ends and forgets"),
            service("~/save", "std_srvs/Trigger", "writes all models to save_file"),
            service("~/JOINT/start", "std_srvs/Trigger", "the same for one joint; stop, abort too"),
        ],
    };

    fn build(setup: &mut Setup<Self>, params: IdentParams) -> anyhow::Result<Self> {
        setup.on("battery_state", qos::NEWEST, |node: &mut Self, battery: &BatteryState| {
            if let Err(e) = node.core.battery(f64::from(battery.voltage)) {
                node.log.warn_throttled(&BATTERY, || e);
            }
        })?;
        setup.on("goals", qos::EVENTS, |node: &mut Self, m: &ServoGoal| {
            let at_s = node.seconds(&m.header.stamp);
            let taken = node.core.goals(at_s, &m.name, &m.target_pos, &m.playtime);
            node.refuse("goals", &GOALS, taken);
        })?;
        setup.on("joints_accel", qos::EVENTS, |node: &mut Self, m: &JointAccelState| {
            let at_s = node.seconds(&m.header.stamp);
            let taken = node.core.efforts(at_s, &m.name, &m.effort);
            node.refuse("joints_accel", &EFFORTS, taken);
        })?;
        setup.on("joint_readings", qos::EVENTS, |node: &mut Self, m: &JointState| {
            let at_s = node.seconds(&m.header.stamp);
            let taken = node.core.positions(at_s, &m.name, &m.position);
            node.refuse("joint_readings", &POSITIONS, taken);
        })?;
        offer_services(setup, &params)?;
        setup.on_params(|node, params| {
            node.core.set(params.into(), params.battery_voltage);
            node.save_file.clone_from(&params.save_file);
            Ok(())
        });
        setup.diagnostics(|node, report| {
            for servo in node.core.servos() {
                if let Some(session) = &servo.session {
                    report.value(
                        &servo.joint,
                        format!("{} windows, alpha {}", session.used(), short(session.alpha())),
                    );
                }
            }
        });
        // What is wrong with a declared model is said now rather than when it is needed.
        models(&params.default_servo_model, &params.servo_models)?;
        let default = ServoModel::from(&params.default_servo_model.0);
        let known = params.servo_models.0.iter().map(|(joint, p)| (joint.clone(), p.into())).collect();
        let core =
            Identification::new((&params).into(), &params.joints, default, known, params.battery_voltage);
        Ok(IdentNode {
            core,
            save_file: params.save_file,
            models: setup.port("servo_model", qos::EVENTS)?,
            log: setup.log(),
            clock: setup.clock(),
        })
    }
}

fn offer_services(setup: &mut Setup<IdentNode>, params: &IdentParams) -> anyhow::Result<()> {
    for (word, order) in ORDERS {
        let all = move |node: &mut IdentNode, _| answer(node.all(order));
        setup.service::<Trigger::Service>(&format!("~/{word}"), all)?;
        for joint in &params.joints {
            let name = joint.clone();
            let one = move |node: &mut IdentNode, _| answer(order(node, &name));
            if let Err(e) = setup.service::<Trigger::Service>(&format!("~/{joint}/{word}"), one) {
                setup
                    .log()
                    .warn(format!("{e:#}: \"{joint}\" can only be identified together with the others"));
            }
        }
    }
    setup.service::<Trigger::Service>("~/save", |node, _| answer(node.save()))
}

fn answer<E: std::fmt::Display>(result: Result<String, E>) -> Trigger::Response {
    let success = result.is_ok();
    Trigger::Response { success, message: result.unwrap_or_else(|e| e.to_string()) }
}

impl IdentNode {
    fn seconds(&self, stamp: &node_lib::r2r::builtin_interfaces::msg::Time) -> f64 {
        self.clock.ns_or_now(stamp) as f64 * 1e-9
    }

    fn refuse(&self, topic: &str, throttle: &Throttle, taken: Result<(), Refusal>) {
        if let Err(refusal) = taken {
            self.log.error_throttled(throttle, || format!("{topic} refused: {refusal}"));
        }
    }

    /// Gives an order to every servo; one that cannot obey does not keep the others from it.
    fn all(&mut self, order: Order) -> Result<String, String> {
        let joints: Vec<String> = self.core.servos().iter().map(|s| s.joint.clone()).collect();
        if joints.is_empty() {
            return Err(IdentError::NoServo.to_string());
        }
        let results: Vec<_> = joints.iter().map(|joint| order(self, joint)).collect();
        let failed = results.iter().any(Result::is_err);
        let lines: Vec<String> = results.into_iter().map(|r| r.unwrap_or_else(|e| e.to_string())).collect();
        if failed { Err(lines.join("\n")) } else { Ok(lines.join("\n")) }
    }

    fn start(&mut self, joint: &str) -> Result<String, IdentError> {
        self.core.start(joint)?;
        Ok(self.say(format!("joint \"{joint}\": started")))
    }

    fn abort(&mut self, joint: &str) -> Result<String, IdentError> {
        self.core.abort(joint)?;
        Ok(self.say(format!("joint \"{joint}\": aborted")))
    }

    fn stop(&mut self, joint: &str) -> Result<String, IdentError> {
        let outcome = self.core.stop(joint)?;
        let ServoModel { kp, kgear, alpha } = outcome.model;
        let message = ServoModelMsg { name: joint.into(), kp, kgear, alpha: alpha.to_vec() };
        self.models.send(|sent| *sent = message);
        Ok(self.say(describe(joint, &outcome)))
    }

    fn say(&self, text: String) -> String {
        self.log.info(&text);
        text
    }

    fn save(&mut self) -> Result<String, String> {
        let servos = self.core.saved();
        if servos.is_empty() {
            return Err(self.say("no servo was identified yet: there is nothing to save".into()));
        }
        let (servos, left_out) = storable(servos);
        let left_out = left_out.iter().map(|reason| format!("; left out: {reason}")).collect::<String>();
        if servos.is_empty() {
            return Err(self.say(format!("no servo can be saved{left_out}")));
        }
        let file = servos_file(&servos).map_err(|e| e.to_string())?;
        save(self.save_file.as_ref(), &file).map_err(|e| e.to_string())?;
        let saved = format!("{} servo models written to \"{}\"", servos.len(), self.save_file);
        Ok(self.say(saved + &left_out))
    }
}

fn short(alpha: [f64; 4]) -> String {
    format!("[{:.3}, {:.3}, {:.3}, {:.3}]", alpha[0], alpha[1], alpha[2], alpha[3])
}

fn describe(joint: &str, outcome: &Outcome) -> String {
    let mut text = format!(
        "joint \"{joint}\": alpha {} from {} windows of motion; position error {:.6} rad before, {:.6} after",
        short(outcome.model.alpha),
        outcome.samples,
        outcome.position_error_before,
        outcome.position_error_after
    );
    if let (Some(before), Some(after)) = (outcome.torque_error_before, outcome.torque_error_after) {
        text.push_str(&format!("; torque error {before:.6} N m before, {after:.6} after"));
    }
    match outcome.delay {
        Some((delay, deviation)) => {
            let (delay, deviation) = (1e3 * delay, 1e3 * deviation);
            text.push_str(&format!("; pure delay {delay:.1} ms (deviation {deviation:.1})"));
        }
        None => text.push_str("; the pure delay was not shown by the motion"),
    }
    text.push_str(&format!(
        ", the model is for {:.1} ms; best lead + delay: {:.1} ms with the model, {:.1} ms without",
        1e3 * outcome.goal_delay,
        1e3 * outcome.ahead_of_model,
        1e3 * outcome.ahead_alone
    ));
    for (which, why) in
        [(outcome.unseen, "not shown by the motion, kept"), (outcome.clamped, "would come out negative, 0")]
    {
        let alphas: Vec<_> = (0..4).filter(|i| which[*i]).map(|i| format!("alpha{i}")).collect();
        if !alphas.is_empty() {
            text.push_str(&format!("; {} {why}", alphas.join(" ")));
        }
    }
    text
}
