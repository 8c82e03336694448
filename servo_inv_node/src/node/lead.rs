//! `servo_inv_lead`: goals ahead of the trajectory, for servos that track their goals.

use node_lib::r2r::gait_msgs::msg::{ServoGoal, SyncStep};
use node_lib::r2r::sensor_msgs::msg::JointState;
use node_lib::{About, Port, RosClock, Setup, qos};
use crate::desired::Desired;
use crate::inverse::ServoInverse;
use crate::params::LeadParams;
use super::goal_port::{GoalPort, time_ns};
use std::process::ExitCode;

const ABOUT: About = About {
    name: "servo_inv_lead",
    purpose: "Turns desired positions into goals that lie ahead by the delay of the servos:\n\
              target = q + (q - q_prev) lead / period, playtime = lead + period.",
    ports: &[
        Port { name: "joints", kind: "sensor_msgs/JointState", role: "in", doc: "desired positions" },
        Port {
            name: "sync",
            kind: "gait_msgs/SyncStep",
            role: "in",
            doc: "the start of each cycle, if there is one",
        },
        Port { name: "goals", kind: "gait_msgs/ServoGoal", role: "out", doc: "goals of the servos" },
    ],
};

struct Lead {
    inverse: ServoInverse,
    goals: GoalPort,
    clock: RosClock,
}

/// Runs the node until it is told to end.
pub fn run() -> ExitCode {
    node_lib::run(ABOUT, build)
}

fn build(setup: &mut Setup<Lead, LeadParams>, params: LeadParams) -> anyhow::Result<Lead> {
    let publisher = setup.publisher::<ServoGoal>("goals", qos::EVENTS)?;
    // First sync: when both have come, a message of the new cycle must not count to the old one.
    setup.on("sync", qos::EVENTS, |node: &mut Lead, step: SyncStep| {
        node.inverse.sync(time_ns(&step.header.stamp, &node.clock), step.period);
    })?;
    setup.on("joints", qos::EVENTS, Lead::take)?;
    setup.on_params(|node, params| {
        node.inverse.set(params.into());
        Ok(())
    });
    setup.diagnostics(|node, report| node.goals.report(report));
    let log = setup.log();
    log.info(format!("goals lead by {} s", params.lead));
    let inverse = ServoInverse::ideal((&params).into())?;
    Ok(Lead { inverse, goals: GoalPort::new(publisher, log), clock: setup.clock() })
}

impl Lead {
    fn take(&mut self, joints: JointState) {
        let at_ns = time_ns(&joints.header.stamp, &self.clock);
        let desired = Desired {
            name: &joints.name,
            position: &joints.position,
            velocity: &joints.velocity,
            effort: &joints.effort,
            ..Desired::default()
        };
        let goals = self.inverse.step(desired, at_ns);
        self.goals.send("joints", joints.header, &joints.name, goals);
    }
}
