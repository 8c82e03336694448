//! What a node opens before it runs: topics, services, timers, diagnostics.
//!
//! r2r hands messages over through queues of ten that drop the newest. Here every queue is emptied right after each spin,
//! in which r2r takes at most one message per topic: nothing is dropped, and callbacks run one at a time on the node's own
//! state, without locks. What a slow node cannot take waits in DDS by the topic's QoS, which drops the oldest.

use crate::diagnostics::Report;
use crate::log::Log;
use crate::param_server::OnChange;
use crate::stop::Stop;
use crate::time::RosClock;
use futures::{FutureExt, Stream, StreamExt};
use param_lib::ParamError;
use r2r::rosgraph_msgs::msg::Clock as ClockMsg;
use r2r::{Publisher, QosProfile, WrappedServiceTypeSupport, WrappedTypesupport};
use std::time::{Duration, Instant};

/// Takes what has come since the last spin.
pub(crate) type Poll<S> = Box<dyn FnMut(&mut Inner, &mut S)>;

/// Fills in the node's diagnostics.
pub(crate) type Reporter<S> = Box<dyn FnMut(&mut S, &mut Report)>;

/// The part of a node that does not know its state.
pub(crate) struct Inner {
    pub(crate) node: r2r::Node,
    pub(crate) full_name: String,
    pub(crate) log: Log,
    pub(crate) clock: RosClock,
    clock_topic: Option<Box<dyn Stream<Item = ClockMsg> + Unpin>>,
}

impl Inner {
    pub(crate) fn new(node: r2r::Node, full_name: String, log: Log, clock: RosClock) -> Inner {
        Inner { node, full_name, log, clock, clock_topic: None }
    }

    /// Simulated time from now on.
    pub(crate) fn follow_clock_topic(&mut self) -> r2r::Result<()> {
        if self.clock_topic.is_none() {
            let qos = QosProfile::default().best_effort().keep_last(1);
            self.clock_topic = Some(Box::new(self.node.subscribe::<ClockMsg>("/clock", qos)?));
        }
        self.clock.simulate(true);
        Ok(())
    }

    /// Takes the newest `/clock`; a topic that is no longer wanted is closed.
    pub(crate) fn poll_clock(&mut self) {
        if !self.clock.is_simulated() {
            self.clock_topic = None;
        }
        while let Some(Some(Some(msg))) = self.clock_topic.as_mut().map(|t| t.next().now_or_never()) {
            self.clock.set_simulated(&msg.clock);
        }
    }
}

/// Opens a service; `answer` runs once per request.
pub(crate) fn serve<S: 'static, T>(
    inner: &mut Inner,
    name: &str,
    qos: QosProfile,
    mut answer: impl FnMut(&mut Inner, &mut S, T::Request) -> T::Response + 'static,
) -> r2r::Result<Poll<S>>
where
    T: WrappedServiceTypeSupport + 'static,
{
    let mut requests = inner.node.create_service::<T>(name, qos)?;
    let name = name.to_string();
    Ok(Box::new(move |inner, state| {
        while let Some(Some(mut request)) = requests.next().now_or_never() {
            let response = answer(inner, state, std::mem::take(&mut request.message));
            if let Err(e) = request.respond(response) {
                inner.log.warn(format!("{name}: the answer did not reach its caller: {e}"));
            }
        }
    }))
}

struct Timer<S> {
    period: Duration,
    due: Instant,
    run: Box<dyn FnMut(&mut S)>,
}

/// A node being put together: everything that it opens, each with the function of its state `S` that deals with it.
pub struct Setup<S, P> {
    pub(crate) inner: Inner,
    pub(crate) stop: Stop,
    pub(crate) polls: Vec<Poll<S>>,
    pub(crate) on_change: Option<OnChange<S, P>>,
    pub(crate) report: Option<Reporter<S>>,
    timers: Vec<Timer<S>>,
}

impl<S: 'static, P> Setup<S, P> {
    pub(crate) fn new(inner: Inner, stop: Stop) -> Self {
        Setup { inner, stop, polls: vec![], on_change: None, report: None, timers: vec![] }
    }

    /// The node's log.
    pub fn log(&self) -> Log {
        self.inner.log.clone()
    }

    /// The node's clock.
    pub fn clock(&self) -> RosClock {
        self.inner.clock.clone()
    }

    /// The node's name with its namespace.
    pub fn full_name(&self) -> &str {
        &self.inner.full_name
    }

    /// What says when the node ends; its own threads watch it, and may use it to end the node.
    pub fn stop(&self) -> Stop {
        self.stop.clone()
    }

    /// Publishes on a topic.
    pub fn publisher<M: WrappedTypesupport>(
        &mut self,
        topic: &str,
        qos: QosProfile,
    ) -> anyhow::Result<Publisher<M>> {
        self.inner.node.create_publisher(topic, qos).map_err(|e| anyhow::anyhow!("topic \"{topic}\": {e}"))
    }

    /// Listens to a topic. Whether every message counts or the newest only is the QoS's matter: see [`crate::qos`].
    pub fn on<M: WrappedTypesupport + 'static>(
        &mut self,
        topic: &str,
        qos: QosProfile,
        mut take: impl FnMut(&mut S, M) + 'static,
    ) -> anyhow::Result<()> {
        let stream = self.inner.node.subscribe::<M>(topic, qos);
        let mut messages = stream.map_err(|e| anyhow::anyhow!("topic \"{topic}\": {e}"))?;
        self.polls.push(Box::new(move |_, state| {
            while let Some(Some(message)) = messages.next().now_or_never() {
                take(state, message);
            }
        }));
        Ok(())
    }

    /// Offers a service.
    pub fn service<T: WrappedServiceTypeSupport + 'static>(
        &mut self,
        name: &str,
        mut answer: impl FnMut(&mut S, T::Request) -> T::Response + 'static,
    ) -> anyhow::Result<()> {
        let qos = QosProfile::services_default();
        let poll = serve::<S, T>(&mut self.inner, name, qos, move |_, state, request| answer(state, request));
        self.polls.push(poll.map_err(|e| anyhow::anyhow!("service \"{name}\": {e}"))?);
        Ok(())
    }

    /// Offers a service whose answer takes its time, without keeping the node from its other work: `begin` starts it,
    /// `end` is asked after every spin until it has the answer.
    pub fn slow_service<T: WrappedServiceTypeSupport + 'static, W: 'static>(
        &mut self,
        name: &str,
        mut begin: impl FnMut(&mut S, T::Request) -> W + 'static,
        mut end: impl FnMut(&mut S, &mut W) -> Option<T::Response> + 'static,
    ) -> anyhow::Result<()> {
        let stream = self.inner.node.create_service::<T>(name, QosProfile::services_default());
        let mut requests = stream.map_err(|e| anyhow::anyhow!("service \"{name}\": {e}"))?;
        let name = name.to_string();
        let mut open = vec![];
        self.polls.push(Box::new(move |inner, state| {
            while let Some(Some(mut request)) = requests.next().now_or_never() {
                let work = begin(state, std::mem::take(&mut request.message));
                open.push((request, work));
            }
            for (request, mut work) in std::mem::take(&mut open) {
                match end(state, &mut work) {
                    None => open.push((request, work)),
                    Some(response) => {
                        if let Err(e) = request.respond(response) {
                            inner.log.warn(format!("{name}: the answer did not reach its caller: {e}"));
                        }
                    }
                }
            }
        }));
        Ok(())
    }

    /// Tells the state of changed parameters before they take effect; an error refuses them.
    pub fn on_params(&mut self, change: impl FnMut(&mut S, &P) -> Result<(), ParamError> + 'static) {
        self.on_change = Some(Box::new(change));
    }

    /// Does something from time to time (wall time; no better than a millisecond: the control cycle has
    /// [`crate::CycleClock`]).
    pub fn every(&mut self, period: Duration, run: impl FnMut(&mut S) + 'static) {
        self.timers.push(Timer { period, due: Instant::now() + period, run: Box::new(run) });
    }

    /// Reports on `/diagnostics` once a second.
    pub fn diagnostics(&mut self, report: impl FnMut(&mut S, &mut Report) + 'static) {
        self.report = Some(Box::new(report));
    }

    /// Waits for events, at most until the next timer, and deals with them.
    pub(crate) fn spin(&mut self, state: &mut S, at_most: Duration) {
        let now = Instant::now();
        let next = self.timers.iter().map(|t| t.due.saturating_duration_since(now)).min().unwrap_or(at_most);
        self.inner.node.spin_once(next.min(at_most));
        self.inner.poll_clock();
        for poll in &mut self.polls {
            poll(&mut self.inner, state);
        }
        let now = Instant::now();
        for timer in self.timers.iter_mut().filter(|t| t.due <= now) {
            timer.due = now + timer.period;
            (timer.run)(state);
        }
    }
}
