//! `servo_inv_param`: goals from the inverted models of the servos.

use super::goals::GoalMaker;
use crate::desired::Desired;
use crate::inverse::ServoInverse;
use crate::model::ServoModel;
use crate::params::{InverseParams, changed_models, model_values, models, timing};
use node_lib::param_lib::ParamError;
use node_lib::r2r::gait_msgs::msg::{JointAccelState, ServoModel as ServoModelMsg};
use node_lib::r2r::sensor_msgs::msg::BatteryState;
use node_lib::{About, Log, Node, OwnParams, Setup, Throttle, input, output, qos};

static BATTERY: Throttle = Throttle::seconds(5);
static MODEL: Throttle = Throttle::seconds(1);
static STRANGER: Throttle = Throttle::seconds(1);

/// Goals by models of the servos, with their topics and log.
pub struct ParamNode {
    goals: GoalMaker,
    params: InverseParams,
    own_params: OwnParams,
    log: Log,
}

impl Node for ParamNode {
    type Params = InverseParams;
    const ABOUT: About = About {
        name: "servo_inv_param",
        purpose: "Turns desired states into goals that make the servos follow them, by the inverted model\n\
                  kp (q_ref - q) V = alpha0 q'' + alpha1 q' + alpha2 sign(q') + alpha3 torque, then the lead on q_ref.",
        endpoints: &[
            input("joints_accel", "gait_msgs/JointAccelState", "desired states"),
            input("servo_model", "gait_msgs/ServoModel", "a model that replaces or adds one"),
            input("battery_state", "sensor_msgs/BatteryState", "supply of the servos"),
            input("sync", "gait_msgs/SyncStep", "the start of each cycle, if there is one"),
            input("joint_readings", "sensor_msgs/JointState", "measured positions, for the diagnostics"),
            input("robot_description", "std_msgs/String", "URDF, unless a parameter"),
            output("goals", "gait_msgs/ServoGoal", "goals of the servos"),
        ],
    };

    fn build(setup: &mut Setup<Self>, params: InverseParams) -> anyhow::Result<Self> {
        let models = models(&params.default_servo_model, &params.servo_models)?;
        let mut inverse = ServoInverse::new((&params).into(), models);
        inverse.set_timing(timing(&params.joints));
        let goals =
            GoalMaker::open(setup, inverse, params.tracking_window, |node: &mut Self| &mut node.goals)?;
        setup.on("battery_state", qos::NEWEST, |node: &mut Self, battery: &BatteryState| {
            if let Err(e) = node.goals.inverse.battery(f64::from(battery.voltage)) {
                node.log.warn_throttled(&BATTERY, || e);
            }
        })?;
        setup.on("joints_accel", qos::NEWEST, Self::take)?;
        // After the goals: a new model waits for the next cycle.
        setup.on("servo_model", qos::EVENTS, Self::take_model)?;
        setup.on_params(Self::change);
        setup.diagnostics(|node, report| {
            node.goals.report(report);
            report.value("voltage, V", node.goals.inverse.voltage());
        });
        let log = setup.log();
        let (models, ahead) = (params.servo_models.0.len(), params.lead + params.delay);
        log.info(format!("{models} servo models, goals lie {ahead} s ahead"));
        let robot = params.robot.0.clone();
        let mut node = ParamNode { goals, params, own_params: setup.own_params(), log };
        GoalMaker::follow_robot(setup, &mut node, &robot, |node| &mut node.goals)?;
        Ok(node)
    }
}

impl ParamNode {
    fn take(&mut self, joints: &JointAccelState) {
        let desired = Desired {
            name: &joints.name,
            position: &joints.position,
            velocity: &joints.velocity,
            acceleration: &joints.acceleration,
            effort: &joints.effort,
        };
        self.goals.take("joints_accel", &joints.header, desired);
    }

    fn take_model(&mut self, message: &ServoModelMsg) {
        let ServoModelMsg { name, kp, kgear, alpha } = message;
        let (kp, kgear) = (*kp, *kgear);
        let alpha = <[f64; 4]>::try_from(alpha.as_slice()).unwrap_or([f64::NAN; 4]);
        let model = ServoModel { kp, kgear, alpha };
        match self.goals.inverse.put_model(name, model) {
            Ok(()) => {
                let joints = self.goals.inverse.joints();
                if !joints.is_empty() && !joints.contains(name) {
                    self.log.warn_throttled(&STRANGER, || {
                        format!("servo model for a joint that is not there: \"{name}\"")
                    });
                }
                self.log.info(format!(
                    "servo model of \"{name}\" from the next cycle on: kp {kp}, kgear {kgear}, alpha {alpha:?}"
                ));
                self.own_params.set(model_values(name, &model));
            }
            Err(e) => self.log.error_throttled(&MODEL, || format!("servo_model refused: {e}")),
        }
    }

    fn change(&mut self, params: &InverseParams) -> Result<(), ParamError> {
        let unfit = |e| ParamError::unfit("servo_models", format!("{e}"));
        for (joint, model) in changed_models(&params.servo_models, &self.params.servo_models) {
            self.goals.inverse.put_model(joint, model).map_err(unfit)?;
        }
        if params.default_servo_model != self.params.default_servo_model {
            self.goals.inverse.put_default_model((&params.default_servo_model.0).into()).map_err(unfit)?;
        }
        self.goals.inverse.set(params.into());
        self.goals.tracking.set_window(params.tracking_window);
        self.goals.inverse.set_timing(timing(&params.joints));
        self.params = params.clone();
        Ok(())
    }
}
