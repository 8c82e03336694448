//! What the two nodes that send goals do alike: the cycle, the topic `goals`, the log.

use crate::bounds::Bound;
use crate::desired::Desired;
use crate::inverse::ServoInverse;
use crate::notice::Notice;
use crate::tracking::Tracking;
use node_lib::r2r::gait_msgs::msg::{ServoGoal, SyncStep};
use node_lib::r2r::sensor_msgs::msg::JointState;
use node_lib::r2r::std_msgs::msg::Header;
use node_lib::{Level, Log, Node, Port, Report, RosClock, Setup, Throttle, fill, fill_names, qos};
use robot_model_lib::{RobotParams, fixed};

static REFUSED: Throttle = Throttle::seconds(1);
static JOINTS: Throttle = Throttle::seconds(1);
static DEFAULT: Throttle = Throttle::seconds(1);
static SURPLUS: Throttle = Throttle::seconds(1);
static JUMP: Throttle = Throttle::seconds(1);
static SILENCE: Throttle = Throttle::seconds(1);
static HELD: Throttle = Throttle::seconds(5);

/// The core with its topics.
pub struct GoalMaker {
    pub inverse: ServoInverse,
    pub tracking: Tracking,
    port: Port<ServoGoal>,
    joints: usize,
    syncs: u64,
    sent: u64,
    refused: u64,
    clock: RosClock,
    log: Log,
}

impl GoalMaker {
    /// Opens `goals`, `sync` and `joint_readings`; `maker` finds it in the node's state.
    pub fn open<N: Node>(
        setup: &mut Setup<N>,
        inverse: ServoInverse,
        tracking_window: f64,
        maker: fn(&mut N) -> &mut GoalMaker,
    ) -> anyhow::Result<GoalMaker> {
        // First of the topics: when both have come, a pose is best known by the grid of its own cycle.
        setup.on("sync", qos::NEWEST, move |node, step: &SyncStep| {
            let maker = maker(node);
            maker.syncs += 1;
            maker.inverse.sync(step.cycle, maker.clock.ns_or_now(&step.header.stamp), step.period);
        })?;
        setup.on("joint_readings", qos::EVENTS, move |node, readings: &JointState| {
            let maker = maker(node);
            let at_ns = maker.clock.ns_or_now(&readings.header.stamp);
            for (name, position) in readings.name.iter().zip(&readings.position) {
                maker.tracking.measured(at_ns, name, *position);
            }
        })?;
        let port = setup.port("goals", qos::EVENTS)?;
        Ok(GoalMaker {
            inverse,
            tracking: Tracking::new(tracking_window),
            port,
            joints: 0,
            syncs: 0,
            sent: 0,
            refused: 0,
            clock: setup.clock(),
            log: setup.log(),
        })
    }

    /// Takes the robot whose limits and speeds goals keep to, when it is known.
    pub fn follow_robot<N: Node>(
        setup: &mut Setup<N>,
        node: &mut N,
        robot: &RobotParams,
        maker: fn(&mut N) -> &mut GoalMaker,
    ) -> anyhow::Result<()> {
        if robot.robot_description.is_empty() {
            setup
                .log()
                .warn("no robot_description: until one comes goals are not held within limits and speeds");
        }
        setup.robot(node, robot, move |node, model| {
            let limits = model.joints().iter().map(|joint| (joint.name.clone(), joint.limits)).collect();
            maker(node).inverse.set_limits(limits);
            Ok(())
        })
    }

    /// Sends the goals that a message of `topic` leads to, or says why it was refused.
    pub fn take(&mut self, topic: &str, header: &Header, desired: Desired<'_>) {
        let (names, position) = (desired.name, desired.position);
        let at_ns = self.clock.ns_or_now(&header.stamp);
        let goals = match self.inverse.step(desired, at_ns) {
            Ok(Some(goals)) => goals,
            // Old: its time is over.
            Ok(None) => return,
            Err(refusal) => {
                self.refused += 1;
                return self.log.error_throttled(&REFUSED, || format!("{topic} refused: {refusal}"));
            }
        };
        for notice in goals.notices {
            tell(&self.log, notice, names);
        }
        self.port.send(|message| {
            message.header.clone_from(header);
            fill_names(&mut message.name, names.iter().map(String::as_str));
            fill(&mut message.target_pos, goals.target);
            fill(&mut message.playtime, goals.playtime);
        });
        // After the goals: nobody waits for figures.
        self.tracking.commanded(at_ns, names, position);
        self.joints = names.len();
        self.sent += 1;
    }

    /// What `/diagnostics` should show.
    pub fn report(&self, report: &mut Report) {
        report.value("joints", self.joints).value("syncs", self.syncs).value("goals sent", self.sent);
        report.value("messages refused", self.refused).value("old poses skipped", self.inverse.skipped());
        self.report_tracking(report);
        if self.refused > 0 {
            report.say(Level::Warn, format!("{} messages refused since the start", self.refused));
        }
    }
}

impl GoalMaker {
    /// Measured against commanded positions: nothing when nobody measures.
    fn report_tracking(&self, report: &mut Report) {
        let all = self.tracking.summary();
        if all.measured == 0 {
            return;
        }
        let lag = |lag: Option<f64>| lag.map_or("none".to_owned(), |lag| fixed(1e3 * lag, 1));
        let name = |joint: usize| self.tracking.joints().get(joint).map_or("?", String::as_str);
        report.value("joints measured", all.measured).value("joints moving", all.moving);
        report.value("tracking, RMS of moving joints, deg", format!("{:.2}", all.rms.to_degrees()));
        report.value("tracking, median lag, ms", lag(all.median_lag));
        if let Some((joint, figure)) = all.worst {
            let worst = format!("{} {:.2}", name(joint), figure.rms.to_degrees());
            report.value("tracking, worst joint, deg", worst);
        }
        for joint in 0..self.tracking.joints().len() {
            if let Some(figure) = self.tracking.figure(joint) {
                let text = format!("{:.2} deg, lag {} ms", figure.rms.to_degrees(), lag(figure.lag));
                report.value(&format!("tracking, {}", name(joint)), text);
            }
        }
    }
}

/// Each kind of notice is held back on its own, so that a frequent one does not hide the others.
fn tell(log: &Log, notice: &Notice, names: &[String]) {
    let throttle = match notice {
        Notice::JointsChanged { .. } => &JOINTS,
        Notice::DefaultModel { .. } => &DEFAULT,
        Notice::SurplusModel { .. } => &SURPLUS,
        Notice::Jump { .. } => &JUMP,
        Notice::Silence { .. } => &SILENCE,
        Notice::Held { .. } => &HELD,
    };
    let name = |joint: &usize| names.get(*joint).map_or("?", String::as_str);
    log.warn_throttled(throttle, || match notice {
        Notice::Jump { joint, by } => {
            format!("joint \"{}\" was asked to jump by {by:.3} in a cycle: its goal has no lead", name(joint))
        }
        Notice::Held { joint, wanted, goal, bound } => {
            let beyond = match bound {
                Bound::Position => "lies beyond its limit",
                Bound::Speed => "is farther than it can go",
            };
            format!("joint \"{}\": the goal {wanted:.3} {beyond} and becomes {goal:.3}", name(joint))
        }
        other => other.to_string(),
    });
}
