//! A node takes its place in a process.

use crate::beat::BeatControl;
use crate::diagnostics::Report;
use crate::executor::{Seat, Seated};
use crate::log::{Log, ROSOUT};
use crate::names::Names;
use crate::outside::Relay;
use crate::own_params::OwnParams;
use crate::param_server::{ParamServer, USE_SIM_TIME, is_simulated};
use crate::remote::Remote;
use crate::robot::compact_robot;
use crate::run::Process;
use crate::setup::{Deferred, Node, Setup};
use crate::spinner::{Command, Forward, Inner, commands};
use crate::time::RosClock;
use anyhow::Context as _;
use param_lib::{Overrides, ParamError, Params, Spec, Table, Value};
use r2r::QosProfile;
use r2r::diagnostic_msgs::msg::DiagnosticArray;
use std::sync::mpsc::Receiver;
use std::time::Duration;
use tokio::sync::mpsc;

/// A node that is ready to run.
pub(crate) struct Seating {
    pub(crate) seat: Box<dyn Seated>,
    pub(crate) inner: Inner,
    pub(crate) commands: Receiver<Command>,
    pub(crate) beat: Option<BeatControl>,
    /// Arguments that are no parameters of this node.
    pub(crate) unknown: Vec<ParamError>,
    subscriptions: Vec<Deferred<Forward>>,
    relays: Vec<Deferred<Relay>>,
}

impl Seating {
    /// Opens the topics that it listens to.
    pub(crate) fn subscribe(&mut self, forwards: &mut Vec<Forward>) -> anyhow::Result<()> {
        let all = std::mem::take(&mut self.subscriptions);
        all.into_iter().try_for_each(|subscribe| subscribe(&mut self.inner, forwards))
    }

    /// Opens the ways out of the process.
    pub(crate) fn relay(&mut self, relays: &mut Vec<Relay>) -> anyhow::Result<()> {
        let all = std::mem::take(&mut self.relays);
        all.into_iter().try_for_each(|relay| relay(&mut self.inner, relays))
    }
}

/// Makes a node: its parameters, its state, its topics and services.
pub(crate) fn seat<N: Node>(process: &mut Process) -> anyhow::Result<Seating> {
    let mut node = r2r::Node::create(process.context.clone(), N::ABOUT.name, "")
        .with_context(|| match std::env::var("ROS_SECURITY_ENABLE") {
            // rcl keeps the reason to itself.
            Ok(on) if on == "true" => {
                "the node could not be created with ROS_SECURITY_ENABLE: this DDS must be built with security, and the keystore have its enclave"
            }
            _ => "the node could not be created",
        })?;
    let full_name = node.fully_qualified_name()?;
    let clock = RosClock::default();
    let rosout = node.create_publisher("/rosout", ROSOUT)?;
    let log = Log::new(node.logger(), clock.clone(), rosout, process.outside.clone());
    let names = Names::new(&full_name, &process.args);
    let given = Overrides::from_args(&process.args)?;
    let mut overrides = given.for_node(&full_name);
    compact_robot(&mut overrides);
    let mut inner = Inner::new(node, full_name, log.clone(), clock, process.waker.clone());

    let mut specs = N::Params::specs_for(&overrides)?;
    specs.push(Spec::new(USE_SIM_TIME, Value::Bool(false), "Time comes from /clock instead of the system."));
    let templates = specs.iter().filter(|spec| spec.is_template()).cloned().collect();
    let table = Table::declare_all(specs, &overrides)?;
    for o in overrides.iter().filter(|o| o.exact && table.get(&o.name).is_none()) {
        log.warn(table.unknown(&o.name));
    }
    for (spec, o) in overrides.iter().filter_map(|o| Some((table.entry(&o.name)?.0, o))) {
        spec.renamed_note(&o.value).into_iter().for_each(|note| log.warn(note));
    }
    let unknown = given.arguments().iter().filter(|name| table.get(name).is_none());
    let unknown = unknown.map(|name| table.unknown(name)).collect();
    let params = N::Params::read(&table)?;
    inner.follow_clock_topic(is_simulated(&table))?;

    let (remote, jobs) = Remote::new(process.waker.clone());
    let (own_params, own) = mpsc::unbounded_channel();
    let mut setup = Setup {
        inner,
        stop: process.stop.clone(),
        remote: remote.clone(),
        own_params: OwnParams::new(own_params),
        bus: process.bus.clone(),
        names,
        inputs: vec![],
        subscriptions: vec![],
        relays: vec![],
        on_change: None,
        report: None,
        timers: vec![],
        on_beat: None,
        on_start: None,
    };
    let state = N::build(&mut setup, params)?;
    publish_diagnostics(&mut setup)?;
    let (sender, commands) = commands();
    let on_change = setup.on_change.take();
    ParamServer::<N, N::Params>::open(&mut setup.inner, table, templates, on_change, remote, sender, own)?;
    let Setup { inner, inputs, subscriptions, relays, timers, on_beat, on_start, .. } = setup;
    let (beat, on_beat) = on_beat.unzip();
    let seat = Box::new(Seat { state, inputs, jobs, timers, on_beat, on_start });
    Ok(Seating { seat, inner, commands, beat, unknown, subscriptions, relays })
}

fn publish_diagnostics<N: Node>(setup: &mut Setup<N>) -> anyhow::Result<()> {
    let Some(mut report) = setup.report.take() else { return Ok(()) };
    let mut port = setup.port::<DiagnosticArray>("/diagnostics", QosProfile::default())?;
    let (clock, name) = (setup.clock(), setup.full_name().to_string());
    setup.every(Duration::from_secs(1), move |state| {
        let mut own = Report::default();
        report(state, &mut own);
        port.send(|array| {
            array.header.stamp = clock.now();
            array.status = vec![own.into_status(&name)];
        });
    });
    Ok(())
}
