//! What a node opens before it runs: topics, services, timers, diagnostics.
//!
//! Everything that is given here runs on the one thread that owns the node's state, without locks, whether the node is alone
//! in its process or one of several. Other threads wait for DDS and talk to it.

use crate::about::About;
use crate::beat::{BeatControl, Tick};
use crate::bus::Bus;
use crate::diagnostics::Report;
use crate::executor::{Input, OnBeat, OnStart, Timer, Waker};
use crate::log::{Log, Throttle};
use crate::names::Names;
use crate::outside::{Audience, Relay, relay};
use crate::own_params::OwnParams;
use crate::param_server::OnChange;
use crate::port::Port;
use crate::remote::Remote;
use crate::service_task::serve;
use crate::spinner::{Forward, Inner};
use crate::stop::Stop;
use crate::time::RosClock;
use param_lib::{ParamError, Params};
use r2r::qos::DurabilityPolicy;
use r2r::{QosProfile, WrappedServiceTypeSupport, WrappedTypesupport};
use std::future::Future;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// A node: state, parameters and what it opens. It runs alone ([`crate::run`]) or composed ([`crate::compose`]).
pub trait Node: Sized + 'static {
    /// What can be set from the outside.
    type Params: Params + Send + 'static;
    /// Name, purpose, topics and services.
    const ABOUT: About;
    /// Opens what the node needs and makes its state, on which all callbacks work.
    fn build(setup: &mut Setup<Self>, params: Self::Params) -> anyhow::Result<Self>;
}

/// Fills in the node's diagnostics.
pub(crate) type Reporter<N> = Box<dyn FnMut(&mut N, &mut Report)>;
/// What can only be decided when all nodes of the process are known.
pub(crate) type Deferred<T> = Box<dyn FnOnce(&mut Inner, &mut Vec<T>) -> anyhow::Result<()>>;

/// A node being put together: everything that it opens, each with the function of its state that deals with it.
pub struct Setup<N: Node> {
    pub(crate) inner: Inner,
    pub(crate) stop: Stop,
    pub(crate) remote: Remote<N>,
    pub(crate) own_params: OwnParams,
    /// Topics inside the process, when the node is not alone.
    pub(crate) bus: Option<Rc<Bus>>,
    pub(crate) names: Names,
    pub(crate) inputs: Vec<Input<N>>,
    pub(crate) subscriptions: Vec<Deferred<Forward>>,
    pub(crate) relays: Vec<Deferred<Relay>>,
    pub(crate) on_change: Option<OnChange<N, N::Params>>,
    pub(crate) report: Option<Reporter<N>>,
    pub(crate) timers: Vec<Timer<N>>,
    pub(crate) on_beat: Option<(BeatControl, OnBeat<N>)>,
    pub(crate) on_start: Option<OnStart<N>>,
}

impl<N: Node> Setup<N> {
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

    /// The full name of a topic of the node: with its namespace, and as it was remapped.
    pub fn resolve(&self, topic: &str) -> String {
        self.names.resolve(topic)
    }

    /// What says when the process ends; the node's own threads watch it, and may use it to end it.
    pub fn stop(&self) -> Stop {
        self.stop.clone()
    }

    /// By what the node sets its own parameters.
    pub fn own_params(&self) -> OwnParams {
        self.own_params.clone()
    }

    pub(crate) fn waker(&self) -> Waker {
        self.inner.waker.clone()
    }

    /// Publishes on a topic.
    pub fn port<M>(&mut self, topic: &str, qos: QosProfile) -> anyhow::Result<Port<M>>
    where
        M: WrappedTypesupport + Send + 'static,
    {
        let latched = qos.durability == DurabilityPolicy::TransientLocal;
        let publisher = self.inner.node.create_publisher(topic, qos);
        let publisher = publisher.map_err(|e| anyhow::anyhow!("topic \"{topic}\": {e}"))?;
        let log = self.log();
        let Some(bus) = &self.bus else { return Ok(Port::direct(topic, publisher, log)) };
        let resolved = self.names.resolve(topic);
        let (outlet, exit) = bus.outlet::<M>(&resolved)?;
        if let Some(exit) = exit {
            let (bus, failures, name) = (bus.clone(), log.clone(), topic.to_string());
            let unsent = Throttle::seconds(5);
            self.relays.push(Box::new(move |_, relays| {
                let failed =
                    move |e| failures.error_throttled(&unsent, || format!("could not publish {name}: {e}"));
                let (own, echo) = bus.echo::<M>(&resolved)?;
                let audience = if latched { Audience::Latched } else { Audience::Present { own } };
                relays.push(relay(exit, publisher, audience, echo, failed));
                Ok(())
            }));
        }
        Ok(Port::composed(topic, outlet, log))
    }

    /// Listens to a topic. Whether every message counts or the newest only is the QoS's matter: see [`crate::qos`].
    /// Where a node of the same process publishes on it, nobody else is heard.
    pub fn on<M>(
        &mut self,
        topic: &str,
        qos: QosProfile,
        take: impl FnMut(&mut N, &M) + 'static,
    ) -> anyhow::Result<()>
    where
        M: WrappedTypesupport + PartialEq + Send + 'static,
    {
        self.listen(topic, qos, take, false)
    }

    /// Listens to a topic on which many may speak, in this process and outside.
    pub fn on_any<M>(
        &mut self,
        topic: &str,
        qos: QosProfile,
        take: impl FnMut(&mut N, &M) + 'static,
    ) -> anyhow::Result<()>
    where
        M: WrappedTypesupport + PartialEq + Send + 'static,
    {
        self.listen(topic, qos, take, true)
    }

    /// Offers a service that is answered at once.
    pub fn service<T>(
        &mut self,
        name: &str,
        answer: impl Fn(&mut N, T::Request) -> T::Response + Send + Sync + 'static,
    ) -> anyhow::Result<()>
    where
        T: WrappedServiceTypeSupport + 'static,
        T::Request: Send,
        T::Response: Send,
    {
        let (remote, answer) = (self.remote.clone(), Arc::new(answer));
        self.serve::<T, _>(name, true, move |request| {
            let (remote, answer) = (remote.clone(), answer.clone());
            async move { remote.run(move |state| answer(state, request)).await }
        })
    }

    /// Offers a service whose request takes time to prepare (files, parsing): that is done on a thread that may wait, and
    /// only its result comes to the node.
    pub fn prepared_service<T, W: Send + 'static>(
        &mut self,
        name: &str,
        prepare: impl Fn(T::Request) -> W + Send + Sync + 'static,
        answer: impl Fn(&mut N, W) -> T::Response + Send + Sync + 'static,
    ) -> anyhow::Result<()>
    where
        T: WrappedServiceTypeSupport + 'static,
        T::Request: Send,
        T::Response: Send,
    {
        let (remote, prepare, answer) = (self.remote.clone(), Arc::new(prepare), Arc::new(answer));
        self.serve::<T, _>(name, true, move |request| {
            let (remote, prepare, answer) = (remote.clone(), prepare.clone(), answer.clone());
            async move {
                let work = tokio::task::spawn_blocking(move || prepare(request)).await.ok()?;
                remote.run(move |state| answer(state, work)).await
            }
        })
    }

    /// Offers a service whose answer comes later, from whoever holds the other end. Requests do not wait for each other.
    pub fn pending_service<T>(
        &mut self,
        name: &str,
        begin: impl Fn(&mut N, T::Request) -> oneshot::Receiver<T::Response> + Send + Sync + 'static,
    ) -> anyhow::Result<()>
    where
        T: WrappedServiceTypeSupport + 'static,
        T::Request: Send,
        T::Response: Send,
    {
        let (remote, begin) = (self.remote.clone(), Arc::new(begin));
        self.serve::<T, _>(name, false, move |request| {
            let (remote, begin) = (remote.clone(), begin.clone());
            async move { remote.run(move |state| begin(state, request)).await?.await.ok() }
        })
    }

    fn serve<T, A>(
        &mut self,
        name: &str,
        serial: bool,
        answer: impl FnMut(T::Request) -> A + Send + 'static,
    ) -> anyhow::Result<()>
    where
        T: WrappedServiceTypeSupport + 'static,
        T::Request: Send,
        T::Response: Send,
        A: Future<Output = Option<T::Response>> + Send + 'static,
    {
        let requests = self.inner.node.create_service::<T>(name, QosProfile::services_default());
        let requests = requests.map_err(|e| anyhow::anyhow!("service \"{name}\": {e}"))?;
        serve::<T, A>(name.into(), requests, self.log(), serial, answer);
        Ok(())
    }

    /// Tells the state of changed parameters before they take effect; an error refuses them.
    pub fn on_params(
        &mut self,
        change: impl FnMut(&mut N, &N::Params) -> Result<(), ParamError> + Send + 'static,
    ) {
        self.on_change = Some(Box::new(change));
    }

    /// Does something from time to time (wall time, no better than some milliseconds, never within a cycle).
    pub fn every(&mut self, period: Duration, run: impl FnMut(&mut N) + 'static) {
        self.timers.push(Timer { period, due: Instant::now() + period, run: Box::new(run) });
    }

    /// Makes this the node that begins the cycles of its process, `period` (s) apart.
    pub fn on_beat(&mut self, period: f64, beat: impl FnMut(&mut N, &Tick) + 'static) -> BeatControl {
        let control = BeatControl::new(period);
        self.on_beat = Some((control.clone(), Box::new(beat)));
        control
    }

    /// Does something on the thread that will run the node, just before it does: priorities, affinity.
    pub fn on_start(&mut self, start: impl FnOnce(&mut N) + 'static) {
        self.on_start = Some(Box::new(start));
    }

    /// Reports on `/diagnostics` once a second.
    pub fn diagnostics(&mut self, report: impl FnMut(&mut N, &mut Report) + 'static) {
        self.report = Some(Box::new(report));
    }
}
