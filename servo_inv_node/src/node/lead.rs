//! `servo_inv_lead`: goals ahead of the trajectory, for servos that track their goals.

use super::goals::GoalMaker;
use crate::desired::Desired;
use crate::inverse::ServoInverse;
use crate::params::{LeadParams, timing};
use node_lib::r2r::sensor_msgs::msg::JointState;
use node_lib::{About, Node, Setup, input, output, qos};

/// Goals by lead alone, with their topics and log.
pub struct LeadNode {
    goals: GoalMaker,
}

impl Node for LeadNode {
    type Params = LeadParams;
    const ABOUT: About = About {
        name: "servo_inv_lead",
        purpose: "Turns desired positions into goals that lie ahead by the delay of the servos:\n\
                  target = q + (q - q_prev) (lead + delay) / period, playtime = lead + period unless fixed.",
        endpoints: &[
            input("joints", "sensor_msgs/JointState", "desired positions"),
            input("sync", "gait_msgs/SyncStep", "the start of each cycle, if there is one"),
            input("joint_readings", "sensor_msgs/JointState", "measured positions, for the diagnostics"),
            input("robot_description", "std_msgs/String", "URDF, unless a parameter"),
            output("goals", "gait_msgs/ServoGoal", "goals of the servos"),
        ],
    };

    fn build(setup: &mut Setup<Self>, params: LeadParams) -> anyhow::Result<Self> {
        let mut inverse = ServoInverse::ideal((&params).into())?;
        inverse.set_timing(timing(&params.joints));
        let goals =
            GoalMaker::open(setup, inverse, params.tracking_window, |node: &mut Self| &mut node.goals)?;
        setup.on("joints", qos::NEWEST, |node: &mut Self, joints: &JointState| {
            let desired = Desired {
                name: &joints.name,
                position: &joints.position,
                velocity: &joints.velocity,
                effort: &joints.effort,
                ..Desired::default()
            };
            node.goals.take("joints", &joints.header, desired);
        })?;
        setup.on_params(|node, params| {
            node.goals.inverse.set(params.into());
            node.goals.tracking.set_window(params.tracking_window);
            node.goals.inverse.set_timing(timing(&params.joints));
            Ok(())
        });
        setup.diagnostics(|node, report| node.goals.report(report));
        setup.log().info(format!("goals lie {} s ahead", params.lead + params.delay));
        let mut node = LeadNode { goals };
        GoalMaker::follow_robot(setup, &mut node, &params.robot.0, |node| &mut node.goals)?;
        Ok(node)
    }
}
