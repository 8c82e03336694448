//! `servo_inv_param`: goals from the inverted models of the servos.

use node_lib::param_lib::ParamError;
use node_lib::r2r::gait_msgs::msg::{JointAccelState, ServoGoal, ServoModel as ServoModelMsg, SyncStep};
use node_lib::r2r::sensor_msgs::msg::BatteryState;
use node_lib::{About, Log, Port, RosClock, Setup, Throttle, qos};
use crate::desired::Desired;
use crate::inverse::ServoInverse;
use crate::model::ServoModel;
use crate::params::{InverseParams, changed_models, models};
use super::goal_port::{GoalPort, time_ns};
use std::process::ExitCode;

const ABOUT: About = About {
    name: "servo_inv_param",
    purpose: "Turns desired states into goals that make the servos follow them, by the inverted model\n\
              kp (q_ref - q) V = alpha0 q'' + alpha1 q' + alpha2 sign(q') + alpha3 torque, then the lead on q_ref.",
    ports: &[
        Port { name: "joints_accel", kind: "gait_msgs/JointAccelState", role: "in", doc: "desired states" },
        Port {
            name: "servo_model",
            kind: "gait_msgs/ServoModel",
            role: "in",
            doc: "a model that replaces or adds one",
        },
        Port {
            name: "battery_state",
            kind: "sensor_msgs/BatteryState",
            role: "in",
            doc: "supply of the servos",
        },
        Port {
            name: "sync",
            kind: "gait_msgs/SyncStep",
            role: "in",
            doc: "the start of each cycle, if there is one",
        },
        Port { name: "goals", kind: "gait_msgs/ServoGoal", role: "out", doc: "goals of the servos" },
    ],
};

static BATTERY: Throttle = Throttle::seconds(5);

struct Param {
    inverse: ServoInverse,
    params: InverseParams,
    goals: GoalPort,
    log: Log,
    clock: RosClock,
}

/// Runs the node until it is told to end.
pub fn run() -> ExitCode {
    node_lib::run(ABOUT, build)
}

fn build(setup: &mut Setup<Param, InverseParams>, params: InverseParams) -> anyhow::Result<Param> {
    let publisher = setup.publisher::<ServoGoal>("goals", qos::EVENTS)?;
    // First sync: when both have come, a message of the new cycle must not count to the old one.
    setup.on("sync", qos::EVENTS, |node: &mut Param, step: SyncStep| {
        node.inverse.sync(time_ns(&step.header.stamp, &node.clock), step.period);
    })?;
    setup.on("battery_state", qos::NEWEST, |node, battery: BatteryState| {
        if let Err(e) = node.inverse.battery(f64::from(battery.voltage)) {
            node.log.warn_throttled(&BATTERY, || e);
        }
    })?;
    setup.on("joints_accel", qos::EVENTS, Param::take)?;
    // After the goals: a new model waits for the next cycle.
    setup.on("servo_model", qos::EVENTS, Param::take_model)?;
    setup.on_params(Param::change);
    setup.diagnostics(|node, report| {
        node.goals.report(report);
        report.value("voltage, V", node.inverse.voltage());
    });
    let log = setup.log();
    let models = models(&params.default_servo_model, &params.servo_models)?;
    log.info(format!("{} servo models, goals lead by {} s", params.servo_models.0.len(), params.lead));
    let inverse = ServoInverse::new((&params).into(), models);
    let goals = GoalPort::new(publisher, log.clone());
    Ok(Param { inverse, params, goals, log, clock: setup.clock() })
}

impl Param {
    fn take(&mut self, joints: JointAccelState) {
        let at_ns = time_ns(&joints.header.stamp, &self.clock);
        let desired = Desired {
            name: &joints.name,
            position: &joints.position,
            velocity: &joints.velocity,
            acceleration: &joints.acceleration,
            effort: &joints.effort,
        };
        let goals = self.inverse.step(desired, at_ns);
        self.goals.send("joints_accel", joints.header, &joints.name, goals);
    }

    fn take_model(&mut self, message: ServoModelMsg) {
        let ServoModelMsg { name, kp, kgear, alpha } = message;
        let alpha = <[f64; 4]>::try_from(alpha).unwrap_or([f64::NAN; 4]);
        let joints = self.inverse.joints();
        if !joints.is_empty() && !joints.contains(&name) {
            self.log.warn(format!("servo model for a joint that is not there: \"{name}\""));
        }
        match self.inverse.put_model(&name, ServoModel { kp, kgear, alpha }) {
            Ok(()) => self.log.info(format!(
                "servo model of \"{name}\" from the next cycle on: kp {kp}, kgear {kgear}, alpha {alpha:?}"
            )),
            Err(e) => self.log.error(format!("servo_model refused: {e}")),
        }
    }

    fn change(&mut self, params: &InverseParams) -> Result<(), ParamError> {
        let unfit = |e| ParamError::unfit("servo_models", format!("{e}"));
        for (joint, model) in changed_models(&params.servo_models, &self.params.servo_models) {
            self.inverse.put_model(joint, model).map_err(unfit)?;
        }
        if params.default_servo_model != self.params.default_servo_model {
            self.inverse.put_default_model((&params.default_servo_model.0).into()).map_err(unfit)?;
        }
        self.inverse.set(params.into());
        self.params = params.clone();
        Ok(())
    }
}
