//! The filter node: topics, parameters and transforms around the core.

mod channel;
mod messages;

use crate::tf::{TfBuffer, Transform};
use crate::{ChainParams, ChainType, FilterParams, Pipeline, Pushed, Reliability, WrenchSample, set_all};
use channel::Channel;
use filters_lib::Wrench;
use messages::{Sampled, vector};
use node_lib::r2r::geometry_msgs::msg::{
    PoseStamped, TransformStamped, TwistStamped, Vector3Stamped, WrenchStamped,
};
use node_lib::r2r::sensor_msgs::msg::{Imu, JointState};
use node_lib::r2r::std_msgs::msg::Float64;
use node_lib::r2r::std_srvs::srv::Trigger;
use node_lib::r2r::tf2_msgs::msg::TFMessage;
use node_lib::r2r::{QosProfile, WrappedTypesupport};
use node_lib::{About, Log, Node, Port, Report, RosClock, Setup, Throttle, input, output, service};
use param_lib::ParamError;
use std::time::{Duration, Instant};

/// A second of messages at 1 kHz fits while the machine is busy elsewhere.
const DEEP: QosProfile = QosProfile::default().reliable().keep_last(1000);
const FIXED: QosProfile = QosProfile::default().reliable().transient_local().keep_last(100);
/// How often messages that wait in vain are looked after.
const LOOK: Duration = Duration::from_millis(10);
/// The system's clock may be corrected by less than this without anything beginning anew.
const CORRECTION_NS: i64 = 100_000_000;

static BAD_FRAME: Throttle = Throttle::seconds(2);
static NEW_PARENT: Throttle = Throttle::seconds(2);

/// All chains with their topics, transforms and log.
pub struct FilterNode {
    params: FilterParams,
    pipelines: Vec<Pipeline>,
    channels: Vec<Channel>,
    frames: TfBuffer,
    log: Log,
    clock: RosClock,
    newest_ns: i64,
    start: Instant,
}

impl Node for FilterNode {
    type Params = FilterParams;
    const ABOUT: About = About {
        name: "filter_node",
        purpose: "Chains of filters between topics: smoothing, limiting, gravity compensation with frames from tf2.",
        endpoints: &[
            input("<chain>.input", "<chain>.type", "what is filtered"),
            output("<chain>.output", "<chain>.type", "the result"),
            input("/tf", "tf2_msgs/TFMessage", "moving frames"),
            input("/tf_static", "tf2_msgs/TFMessage", "fixed frames"),
            service("~/reset", "std_srvs/Trigger", "all chains begin anew"),
        ],
    };

    fn build(setup: &mut Setup<Self>, params: FilterParams) -> anyhow::Result<Self> {
        let (mut pipelines, mut channels) = (vec![], vec![]);
        for chain in &params.chains {
            let pipeline = Pipeline::build(chain, &params).map_err(|faults| {
                ParamError::Several(faults.into_iter().map(|fault| chain.blame(fault)).collect())
            })?;
            pipelines.push(pipeline);
            channels.push(Channel::new(chain, setup.log()));
        }
        // Transforms first: of what comes together they are known when the wrench is dealt with.
        if pipelines
            .iter()
            .any(|pipeline| matches!(pipeline, Pipeline::Wrench(wrench) if wrench.needs_frames()))
        {
            setup.on("/tf_static", FIXED, |node: &mut Self, message| node.transforms(message, true))?;
            setup.on("/tf", DEEP, |node: &mut Self, message| node.transforms(message, false))?;
            setup.every(LOOK, Self::look_after_waiting);
        }
        for (index, chain) in params.chains.iter().enumerate() {
            open(setup, index, chain, &mut channels[index])?;
        }
        setup.service::<Trigger::Service>("~/reset", |node, _| node.reset())?;
        setup.on_params(Self::set_params);
        setup.diagnostics(Self::report);
        Ok(FilterNode {
            frames: TfBuffer::new((params.tf_history * 1e9) as i64),
            params,
            pipelines,
            channels,
            log: setup.log(),
            clock: setup.clock(),
            newest_ns: 0,
            start: Instant::now(),
        })
    }
}

/// Opens the two topics of a chain.
fn open(
    setup: &mut Setup<FilterNode>,
    index: usize,
    chain: &ChainParams,
    channel: &mut Channel,
) -> anyhow::Result<()> {
    match chain.kind {
        ChainType::Float64 => pass(setup, chain, channel, move |node, message: &Float64, port| {
            node.sample(index, message, port);
        }),
        ChainType::Vector3 => pass(setup, chain, channel, move |node, message: &Vector3Stamped, port| {
            node.sample(index, message, port);
        }),
        ChainType::Twist => pass(setup, chain, channel, move |node, message: &TwistStamped, port| {
            node.sample(index, message, port);
        }),
        ChainType::Pose => pass(setup, chain, channel, move |node, message: &PoseStamped, port| {
            node.sample(index, message, port);
        }),
        ChainType::Imu => {
            pass(setup, chain, channel, move |node, message, port| node.imu(index, message, port))
        }
        ChainType::JointState => {
            pass(setup, chain, channel, move |node, message, port| node.joints(index, message, port))
        }
        ChainType::Wrench => {
            let port = setup.port(&chain.output, DEEP)?;
            channel.listeners = port.listeners();
            channel.wrenches = Some(port);
            setup.on(&chain.input, qos(chain), move |node: &mut FilterNode, message| {
                node.wrench(index, message);
            })
        }
    }
}

/// Every message of the input goes to `take`, with the way to the output.
fn pass<M: WrappedTypesupport + PartialEq + Send + 'static>(
    setup: &mut Setup<FilterNode>,
    chain: &ChainParams,
    channel: &mut Channel,
    mut take: impl FnMut(&mut FilterNode, &M, &mut Port<M>) + 'static,
) -> anyhow::Result<()> {
    let mut port = setup.port(&chain.output, DEEP)?;
    channel.listeners = port.listeners();
    setup.on(&chain.input, qos(chain), move |node: &mut FilterNode, message| take(node, message, &mut port))
}

fn qos(chain: &ChainParams) -> QosProfile {
    match chain.reliability {
        Reliability::Reliable => DEEP,
        Reliability::BestEffort => DEEP.best_effort(),
    }
}

impl FilterNode {
    fn set_params(&mut self, params: &FilterParams) -> Result<(), ParamError> {
        set_all(&mut self.pipelines, &self.params, params)?;
        for (channel, chain) in self.channels.iter_mut().zip(&params.chains) {
            channel.frequency = chain.sampling_frequency;
        }
        self.params = params.clone();
        Ok(())
    }

    /// A message with one sample in it.
    fn sample<M: Sampled>(&mut self, index: usize, message: &M, port: &mut Port<M>) {
        let (came, channel, stamp) = (self.received(index), &mut self.channels[index], message.stamp());
        let Some(chain) = M::chain(&mut self.pipelines[index]) else { return };
        match message.sample().and_then(|sample| chain.take_at(stamp, &sample)) {
            Ok((filtered, jumped)) => {
                channel.jumped(jumped);
                port.send(|sent| message.with(filtered, sent));
                channel.sent += 1;
            }
            Err(reason) => channel.refuse(reason),
        }
        self.finished(index, came, stamp);
    }

    fn imu(&mut self, index: usize, message: &Imu, port: &mut Port<Imu>) {
        let (came, channel) = (self.received(index), &mut self.channels[index]);
        let Pipeline::Imu(chain) = &mut self.pipelines[index] else { return };
        let stamp = RosClock::ns(&message.header.stamp);
        let filtered = messages::imu_sample(message).and_then(|mut sample| {
            let jumped = chain.take(stamp, &mut sample)?;
            Ok((sample, jumped))
        });
        match filtered {
            Ok((sample, jumped)) => {
                channel.jumped(jumped);
                port.send(|sent| messages::put_imu(message, &sample, sent));
                channel.sent += 1;
            }
            Err(reason) => channel.refuse(reason),
        }
        self.finished(index, came, stamp);
    }

    fn joints(&mut self, index: usize, message: &JointState, port: &mut Port<JointState>) {
        let (came, channel) = (self.received(index), &mut self.channels[index]);
        let Pipeline::Joints(chains) = &mut self.pipelines[index] else { return };
        let mut filtered = message.clone();
        let JointState { header, name, position, velocity, effort } = &mut filtered;
        let stamp = RosClock::ns(&header.stamp);
        let broken = |joint: &str, reason| channel.broken(joint, reason);
        match chains.take(stamp, name, [position, velocity, effort], broken) {
            Ok(jumped) => {
                channel.jumped(jumped);
                port.send(|sent| *sent = filtered);
                channel.sent += 1;
            }
            Err(reason) => channel.refuse(reason),
        }
        self.finished(index, came, stamp);
    }

    fn wrench(&mut self, index: usize, message: &WrenchStamped) {
        let (arrived, channel) = (self.received(index), &mut self.channels[index]);
        let Pipeline::Wrench(chain) = &mut self.pipelines[index] else { return };
        let WrenchStamped { header, wrench } = message;
        let stamp = RosClock::ns(&header.stamp);
        let pushed = chain.push(WrenchSample {
            stamp,
            frame: header.frame_id.clone(),
            wrench: Wrench::new(vector(&wrench.force), vector(&wrench.torque)),
            arrived,
        });
        match pushed {
            Ok(Pushed { jumped, dropped }) => {
                channel.jumped(jumped);
                if jumped {
                    self.frames.rewind(stamp);
                }
                for _ in 0..dropped {
                    channel.refuse("too many wait for a transform, or time was set back");
                }
            }
            Err(dropped) => channel.drop_wrench(&dropped),
        }
        self.send_wrenches(index);
    }

    /// Sends what need not wait any longer.
    fn send_wrenches(&mut self, index: usize) {
        let (now, start) = (self.now(), self.start);
        let (Pipeline::Wrench(chain), channel) = (&mut self.pipelines[index], &mut self.channels[index])
        else {
            return;
        };
        while let Some(outcome) = chain.next(&self.frames, now) {
            match outcome {
                Ok(sample) => {
                    let (arrived, stamp) = (sample.arrived, sample.stamp);
                    channel.send_wrench(sample);
                    channel.took(start.elapsed().as_nanos() as i64 - arrived, age(&self.clock, stamp));
                }
                Err(dropped) => channel.drop_wrench(&dropped),
            }
        }
    }

    fn look_after_waiting(&mut self) {
        self.watch_clock();
        for index in 0..self.pipelines.len() {
            if matches!(&self.pipelines[index], Pipeline::Wrench(wrench) if wrench.waiting() > 0) {
                self.send_wrenches(index);
            }
        }
    }

    fn transforms(&mut self, message: &TFMessage, fixed: bool) {
        self.watch_clock();
        for transform in &message.transforms {
            match self.frames.insert(&in_core(transform), fixed) {
                Ok(None) => {}
                Ok(Some(former)) => self.log.warn_throttled(&NEW_PARENT, || {
                    let (child, parent) = (&transform.child_frame_id, &transform.header.frame_id);
                    format!("frame \"{child}\" hung on \"{former}\" and now hangs on \"{parent}\"")
                }),
                Err(fault) => self.log.warn_throttled(&BAD_FRAME, || format!("transform refused: {fault}")),
            }
        }
        self.look_after_waiting();
    }

    /// When ROS time is set back, as by a bag that begins again, so is everything.
    fn watch_clock(&mut self) {
        let now = self.clock.now_ns();
        if now < self.newest_ns.saturating_sub(CORRECTION_NS) {
            self.log.warn("time was set back: all chains and moving frames begin anew");
            self.frames.clear();
            self.pipelines.iter_mut().for_each(Pipeline::restart);
        }
        self.newest_ns = now;
    }

    fn reset(&mut self) -> Trigger::Response {
        self.pipelines.iter_mut().for_each(Pipeline::restart);
        self.log.info("reset: all chains begin anew");
        Trigger::Response { success: true, message: "all chains begin anew with their next message".into() }
    }

    fn now(&self) -> i64 {
        self.start.elapsed().as_nanos() as i64
    }

    /// A message came; when it came.
    fn received(&mut self, index: usize) -> i64 {
        self.watch_clock();
        self.channels[index].received();
        self.now()
    }

    /// A message that came then, with this stamp, has been dealt with.
    fn finished(&mut self, index: usize, came: i64, stamp: i64) {
        let took = self.now() - came;
        self.channels[index].took(took, age(&self.clock, stamp));
    }

    fn report(&mut self, report: &mut Report) {
        for (channel, pipeline) in self.channels.iter_mut().zip(&self.pipelines) {
            let waiting = if let Pipeline::Wrench(wrench) = pipeline { wrench.waiting() } else { 0 };
            channel.report(report, waiting);
        }
        report.value("frames", self.frames.len());
    }
}

/// How old a stamp is, if there is one.
fn age(clock: &RosClock, stamp: i64) -> Option<i64> {
    (stamp != 0).then(|| clock.now_ns().saturating_sub(stamp))
}

fn in_core(message: &TransformStamped) -> Transform<'_> {
    let (translation, rotation) = (&message.transform.translation, &message.transform.rotation);
    Transform {
        parent: &message.header.frame_id,
        child: &message.child_frame_id,
        stamp: RosClock::ns(&message.header.stamp),
        translation: [translation.x, translation.y, translation.z],
        rotation: [rotation.x, rotation.y, rotation.z, rotation.w],
    }
}
