//! `agregator_node`: one complete pose from many partial sources.

use crate::{
    Agregator, AgregatorParams, CycleTime, JointArrays, LimbArrays, Note, PublishOn, Refusal, SupportArrays,
    SyncRelation, Taken,
};
use node_lib::r2r::gait_msgs::msg::{JointLimbState, SupportState, SyncStep};
use node_lib::r2r::sensor_msgs::msg::JointState;
use node_lib::r2r::std_msgs::msg::Header;
use node_lib::{About, Level, Log, Port, Report, RosClock, Setup, Throttle, qos};
use param_lib::ParamError;
use robot_model_lib::RobotModel;
use std::process::ExitCode;
use std::time::{Duration, Instant};

mod outputs;
use outputs::Outputs;

const ABOUT: About = About {
    name: "agregator_node",
    purpose: "Merges partial joint states of many sources into one complete pose per control cycle.",
    ports: &[
        Port { name: "sync", kind: "gait_msgs/SyncStep", role: "in", doc: "a cycle ends, the next begins" },
        Port { name: "joints_in", kind: "sensor_msgs/JointState", role: "in", doc: "some joints" },
        Port { name: "limbs_joints_in", kind: "gait_msgs/JointLimbState", role: "in", doc: "some limbs" },
        Port { name: "support_in", kind: "gait_msgs/SupportState", role: "in", doc: "some supports" },
        Port {
            name: "joints",
            kind: "sensor_msgs/JointState",
            role: "out",
            doc: "the complete pose, sorted",
        },
        Port { name: "limbs_joints", kind: "gait_msgs/JointLimbState", role: "out", doc: "the same by limb" },
        Port {
            name: "joints_accel",
            kind: "gait_msgs/JointAccelState",
            role: "out",
            doc: "with acceleration",
        },
        Port { name: "support", kind: "gait_msgs/SupportState", role: "out", doc: "known supports" },
        Port {
            name: "/robot_description",
            kind: "std_msgs/String",
            role: "in",
            doc: "URDF, unless a parameter",
        },
    ],
};

static OTHER_CYCLE: Throttle = Throttle::seconds(2);
static UNKNOWN: Throttle = Throttle::seconds(2);
static LIMITS: Throttle = Throttle::seconds(2);
static REFUSED: Throttle = Throttle::seconds(1);
static UNSENT: Throttle = Throttle::seconds(5);

/// What is counted between two diagnostics.
#[derive(Default)]
struct Counts {
    received: [u32; 4],
    other_cycle: u64,
    out_of_limits: u64,
    unknown: u64,
    refused: u64,
}

const TOPICS: [&str; 4] = ["joints_in", "limbs_joints_in", "support_in", "sync"];

struct Node {
    agregator: Option<Agregator>,
    params: AgregatorParams,
    outputs: Outputs,
    clock: RosClock,
    log: Log,
    counts: Counts,
    counted_since: Instant,
}

/// Runs the node until it is told to end.
pub fn run() -> ExitCode {
    node_lib::run(ABOUT, build)
}

fn build(setup: &mut Setup<Node, AgregatorParams>, params: AgregatorParams) -> anyhow::Result<Node> {
    // First, so that of what comes together the sync counts first.
    setup.on("sync", qos::EVENTS, Node::sync)?;
    setup.on("joints_in", qos::EVENTS, Node::joints)?;
    setup.on("limbs_joints_in", qos::EVENTS, Node::limbs)?;
    setup.on("support_in", qos::EVENTS, Node::support)?;
    setup.on_params(Node::set_params);
    setup.every(Duration::from_secs(5), Node::tell_missing);
    setup.diagnostics(Node::report);
    let mut node = Node {
        agregator: None,
        outputs: Outputs::open(setup)?,
        clock: setup.clock(),
        log: setup.log(),
        counts: Counts::default(),
        counted_since: Instant::now(),
        params,
    };
    let robot = node.params.robot.0.clone();
    setup.robot(&mut node, &robot, Node::load)?;
    Ok(node)
}

impl Node {
    fn load(&mut self, model: RobotModel) -> anyhow::Result<()> {
        self.outputs.fit(&model);
        self.agregator = Some(Agregator::new(model, self.params.clone())?);
        Ok(())
    }

    fn set_params(&mut self, params: &AgregatorParams) -> Result<(), ParamError> {
        if let Some(agregator) = &mut self.agregator {
            agregator
                .set_params(params.clone())
                .map_err(|e| ParamError::unfit("diff_method", e.to_string()))?;
        }
        self.params = params.clone();
        Ok(())
    }

    fn sync(&mut self, step: SyncStep) {
        self.counts.received[3] += 1;
        let Some(agregator) = &mut self.agregator else { return };
        let (log, counts) = (&self.log, &mut self.counts);
        let mut note = |note: Note<'_>| tell(log, counts, 3, note);
        let start_ns = RosClock::ns(&step.header.stamp);
        if agregator.sync(step.cycle, start_ns, step.period, &mut note) == SyncRelation::Old {
            return;
        }
        if self.params.publish_on != PublishOn::Message {
            self.publish(step.header.clone());
        }
        let Some(agregator) = &mut self.agregator else { return };
        let (log, counts) = (&self.log, &mut self.counts);
        let began = agregator.begin_cycle(&mut |note| tell(log, counts, 3, note));
        if began && self.params.publish_on != PublishOn::Sync {
            self.publish(step.header);
        }
    }

    fn joints(&mut self, msg: JointState) {
        let time = CycleTime::new(RosClock::ns(&msg.header.stamp), 0);
        let arrays = JointArrays {
            name: &msg.name,
            position: &msg.position,
            velocity: &msg.velocity,
            effort: &msg.effort,
        };
        self.take(0, msg.header, |agregator, note| agregator.joints(time, arrays, note));
    }

    fn limbs(&mut self, msg: JointLimbState) {
        let time = CycleTime::new(RosClock::ns(&msg.header.stamp), msg.cycle);
        let limbs = msg.limbs.iter().map(|limb| LimbArrays {
            chain: &limb.name,
            position: &limb.position,
            velocity: &limb.velocity,
            effort: &limb.effort,
        });
        self.take(1, msg.header, |agregator, note| agregator.limbs(time, limbs, note));
    }

    fn support(&mut self, msg: SupportState) {
        let time = CycleTime::new(RosClock::ns(&msg.header.stamp), msg.cycle);
        let arrays = SupportArrays { chain: &msg.name, contact: &msg.contact, support: &msg.support };
        self.take(2, msg.header, |agregator, note| agregator.support(time, arrays, note));
    }

    /// What all messages have in common: count, apply, tell what was wrong, publish.
    fn take(
        &mut self,
        topic: usize,
        header: Header,
        apply: impl FnOnce(&mut Agregator, &mut dyn FnMut(Note<'_>)) -> Result<Taken, Refusal>,
    ) {
        self.counts.received[topic] += 1;
        let Some(agregator) = &mut self.agregator else { return };
        let (log, counts) = (&self.log, &mut self.counts);
        let taken = apply(agregator, &mut |note| tell(log, counts, topic, note));
        match taken {
            Ok(Taken::Applied) if self.params.publish_on != PublishOn::Sync => {
                let stamp = if RosClock::ns(&header.stamp) == 0 { self.clock.now() } else { header.stamp };
                self.publish(Header { stamp, frame_id: String::new() });
            }
            Ok(_) => {}
            Err(refusal) => {
                self.counts.refused += 1;
                self.log
                    .error_throttled(&REFUSED, || format!("{}: message refused: {refusal}", TOPICS[topic]));
            }
        }
    }

    fn publish(&mut self, header: Header) {
        let Some(agregator) = &self.agregator else { return };
        if let Err(e) = self.outputs.publish(agregator, header) {
            self.log.error_throttled(&UNSENT, || format!("could not publish: {e}"));
        }
    }

    fn tell_missing(&mut self) {
        let Some(agregator) = &self.agregator else {
            self.log.warn("waiting for /robot_description (or give the parameter robot_description)");
            return;
        };
        let missing: Vec<&str> = agregator.missing().collect();
        if !missing.is_empty() {
            self.log.warn(format!("no output yet: no position for {}", missing.join(", ")));
        }
    }

    fn report(&mut self, report: &mut Report) {
        let seconds = self.counted_since.elapsed().as_secs_f64().max(1e-3);
        self.counted_since = Instant::now();
        for (topic, received) in TOPICS.iter().zip(&mut self.counts.received) {
            report.value(&format!("{topic}, Hz"), format!("{:.1}", f64::from(*received) / seconds));
            *received = 0;
        }
        let counts = &self.counts;
        report.value("messages of another cycle", counts.other_cycle);
        report.value("out of limits", counts.out_of_limits);
        report.value("unknown names", counts.unknown);
        report.value("refused messages", counts.refused);
        let missing = self.agregator.as_ref().map(|a| a.missing().collect::<Vec<_>>().join(", "));
        match missing {
            None => report.say(Level::Error, "no robot description"),
            Some(missing) if missing.is_empty() => report.value("joints without a position", "none"),
            Some(missing) => report
                .say(Level::Warn, "joints without a position")
                .value("joints without a position", missing),
        };
    }
}

/// Counts a note and tells it; each kind is held back on its own, so that a frequent one does not hide the others.
fn tell(log: &Log, counts: &mut Counts, topic: usize, note: Note<'_>) {
    let (count, throttle) = match note {
        Note::OtherCycle { .. } => (&mut counts.other_cycle, &OTHER_CYCLE),
        Note::OutOfLimits { .. } | Note::TooFast { .. } | Note::SupportOutOfRange { .. } => {
            (&mut counts.out_of_limits, &LIMITS)
        }
        _ => (&mut counts.unknown, &UNKNOWN),
    };
    *count += 1;
    log.warn_throttled(throttle, || format!("{}: {note}", TOPICS[topic]));
}
