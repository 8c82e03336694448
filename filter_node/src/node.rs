//! The filter node: topics, parameters and transforms around the core.

mod lane;

use crate::tf::{TfBuffer, Transform};
use crate::{ChainParams, ChainType, FilterParams, Line, Reliability, WrenchSample, set_all};
use filters_lib::{BodyTwist, Wrench};
use lane::Lane;
use nalgebra::Vector3;
use node_lib::r2r::QosProfile;
use node_lib::r2r::geometry_msgs::msg::{TransformStamped, TwistStamped, Vector3 as Axes, WrenchStamped};
use node_lib::r2r::sensor_msgs::msg::JointState;
use node_lib::r2r::std_msgs::msg::Float64;
use node_lib::r2r::std_srvs::srv::Trigger;
use node_lib::r2r::tf2_msgs::msg::TFMessage;
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

/// The node.
pub struct FilterNode {
    params: FilterParams,
    lines: Vec<Line>,
    lanes: Vec<Lane>,
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
        let (mut lines, mut lanes) = (vec![], vec![]);
        for chain in &params.lines {
            let line = Line::build(chain, &params).map_err(|faults| {
                ParamError::Several(faults.into_iter().map(|fault| chain.blame(fault)).collect())
            })?;
            lines.push(line);
            lanes.push(Lane::new(chain, setup.log()));
        }
        // Transforms first: of what comes together they are known when the wrench is dealt with.
        if lines.iter().any(|line| matches!(line, Line::Wrench(wrench) if wrench.needs_frames())) {
            setup.on("/tf_static", FIXED, |node: &mut Self, message| node.transforms(message, true))?;
            setup.on("/tf", DEEP, |node: &mut Self, message| node.transforms(message, false))?;
            setup.every(LOOK, Self::look_after_waiting);
        }
        for (index, chain) in params.lines.iter().enumerate() {
            open(setup, index, chain, &mut lanes[index])?;
        }
        setup.service::<Trigger::Service>("~/reset", |node, _| node.reset())?;
        setup.on_params(Self::set_params);
        setup.diagnostics(Self::report);
        Ok(FilterNode {
            frames: TfBuffer::new((params.tf_history * 1e9) as i64),
            params,
            lines,
            lanes,
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
    lane: &mut Lane,
) -> anyhow::Result<()> {
    let qos = match chain.reliability {
        Reliability::Reliable => DEEP,
        Reliability::BestEffort => DEEP.best_effort(),
    };
    let (input, output) = (&chain.input, &chain.output);
    match chain.kind {
        ChainType::Float64 => {
            let mut port = setup.port(output, DEEP)?;
            lane.listeners = port.listeners();
            setup.on(input, qos, move |node: &mut FilterNode, message| node.number(index, message, &mut port))
        }
        ChainType::Twist => {
            let mut port = setup.port(output, DEEP)?;
            lane.listeners = port.listeners();
            setup.on(input, qos, move |node: &mut FilterNode, message| node.twist(index, message, &mut port))
        }
        ChainType::JointState => {
            let mut port = setup.port(output, DEEP)?;
            lane.listeners = port.listeners();
            setup.on(input, qos, move |node: &mut FilterNode, message| node.joints(index, message, &mut port))
        }
        ChainType::Wrench => {
            let port = setup.port(output, DEEP)?;
            lane.listeners = port.listeners();
            lane.wrenches = Some(port);
            setup.on(input, qos, move |node: &mut FilterNode, message| node.wrench(index, message))
        }
    }
}

impl FilterNode {
    fn set_params(&mut self, params: &FilterParams) -> Result<(), ParamError> {
        set_all(&mut self.lines, &self.params, params)?;
        for (lane, chain) in self.lanes.iter_mut().zip(&params.lines) {
            lane.frequency = chain.sampling_frequency;
        }
        self.params = params.clone();
        Ok(())
    }

    fn number(&mut self, index: usize, message: &Float64, port: &mut Port<Float64>) {
        let (came, lane) = (self.received(index), &mut self.lanes[index]);
        let Line::Number(chain) = &mut self.lines[index] else { return };
        match chain.take(&message.data) {
            Ok(filtered) => {
                port.send(|sent| sent.data = *filtered);
                lane.sent += 1;
            }
            Err(reason) => lane.refuse(reason),
        }
        self.finished(index, came, 0);
    }

    fn twist(&mut self, index: usize, message: &TwistStamped, port: &mut Port<TwistStamped>) {
        let (came, lane) = (self.received(index), &mut self.lanes[index]);
        let Line::Twist(chain) = &mut self.lines[index] else { return };
        let stamp = RosClock::ns(&message.header.stamp);
        lane.jumped(chain.at(stamp));
        let twist = &message.twist;
        match chain.take(&BodyTwist::new(vector(&twist.linear), vector(&twist.angular))) {
            Ok(filtered) => {
                port.send(|sent| {
                    sent.header.clone_from(&message.header);
                    sent.twist.linear = axes(filtered.linear());
                    sent.twist.angular = axes(filtered.angular());
                });
                lane.sent += 1;
            }
            Err(reason) => lane.refuse(reason),
        }
        self.finished(index, came, stamp);
    }

    fn joints(&mut self, index: usize, message: &JointState, port: &mut Port<JointState>) {
        let (came, lane) = (self.received(index), &mut self.lanes[index]);
        let Line::Joints(chains) = &mut self.lines[index] else { return };
        let mut filtered = message.clone();
        let JointState { header, name, position, velocity, effort } = &mut filtered;
        let stamp = RosClock::ns(&header.stamp);
        let broken = |joint: &str, reason| lane.broken(joint, reason);
        match chains.take(stamp, name, [position, velocity, effort], broken) {
            Ok(jumped) => {
                lane.jumped(jumped);
                port.send(|sent| *sent = filtered);
                lane.sent += 1;
            }
            Err(reason) => lane.refuse(reason),
        }
        self.finished(index, came, stamp);
    }

    fn wrench(&mut self, index: usize, message: &WrenchStamped) {
        let (arrived, lane) = (self.received(index), &mut self.lanes[index]);
        let Line::Wrench(chain) = &mut self.lines[index] else { return };
        let WrenchStamped { header, wrench } = message;
        let stamp = RosClock::ns(&header.stamp);
        let pushed = chain.push(WrenchSample {
            stamp,
            frame: header.frame_id.clone(),
            wrench: Wrench::new(vector(&wrench.force), vector(&wrench.torque)),
            arrived,
        });
        lane.jumped(pushed.jumped);
        if pushed.jumped {
            self.frames.rewind(stamp);
        }
        for _ in 0..pushed.dropped {
            lane.refuse("too many wait for a transform, or time was set back");
        }
        self.send_wrenches(index);
    }

    /// Sends what need not wait any longer.
    fn send_wrenches(&mut self, index: usize) {
        let (now, start) = (self.now(), self.start);
        let (Line::Wrench(chain), lane) = (&mut self.lines[index], &mut self.lanes[index]) else { return };
        while let Some(outcome) = chain.next(&self.frames, now) {
            match outcome {
                Ok(sample) => {
                    let (arrived, stamp) = (sample.arrived, sample.stamp);
                    lane.send_wrench(sample);
                    lane.took(start.elapsed().as_nanos() as i64 - arrived, age(&self.clock, stamp));
                }
                Err(dropped) => lane.drop_wrench(&dropped),
            }
        }
    }

    fn look_after_waiting(&mut self) {
        self.watch_clock();
        for index in 0..self.lines.len() {
            if matches!(&self.lines[index], Line::Wrench(wrench) if wrench.waiting() > 0) {
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
            self.lines.iter_mut().for_each(Line::restart);
        }
        self.newest_ns = now;
    }

    fn reset(&mut self) -> Trigger::Response {
        self.lines.iter_mut().for_each(Line::restart);
        self.log.info("reset: all chains begin anew");
        Trigger::Response { success: true, message: "all chains begin anew with their next message".into() }
    }

    fn now(&self) -> i64 {
        self.start.elapsed().as_nanos() as i64
    }

    /// A message came; when it came.
    fn received(&mut self, index: usize) -> i64 {
        self.watch_clock();
        self.lanes[index].received();
        self.now()
    }

    /// A message that came then, with this stamp, has been dealt with.
    fn finished(&mut self, index: usize, came: i64, stamp: i64) {
        let took = self.now() - came;
        self.lanes[index].took(took, age(&self.clock, stamp));
    }

    fn report(&mut self, report: &mut Report) {
        for (lane, line) in self.lanes.iter_mut().zip(&self.lines) {
            let waiting = if let Line::Wrench(wrench) = line { wrench.waiting() } else { 0 };
            lane.report(report, waiting);
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

fn vector(axes: &Axes) -> Vector3<f64> {
    Vector3::new(axes.x, axes.y, axes.z)
}

fn axes(vector: Vector3<f64>) -> Axes {
    Axes { x: vector.x, y: vector.y, z: vector.z }
}
