//! The six parameter services of a node and `/parameter_events`, with the rules of `param_lib`.

use crate::convert::{descriptor, from_msg, to_msg, type_number};
use crate::log::{Log, Throttle};
use crate::remote::Remote;
use crate::service_task::serve;
use crate::spinner::{Command, Inner};
use crate::time::RosClock;
use param_lib::{ParamError, Params, Spec, Table, Value};
use r2r::rcl_interfaces::msg::{ListParametersResult, Parameter, ParameterEvent, SetParametersResult};
use r2r::rcl_interfaces::srv::{
    DescribeParameters, GetParameterTypes, GetParameters, ListParameters, SetParameters,
    SetParametersAtomically,
};
use r2r::{Publisher, QosProfile};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{mpsc, oneshot};

static NOT_KEPT: Throttle = Throttle::seconds(1);

pub(crate) const USE_SIM_TIME: &str = "use_sim_time";

/// Tells the node's state of new parameters; may still refuse them.
pub(crate) type OnChange<S, P> = Box<dyn FnMut(&mut S, &P) -> Result<(), ParamError> + Send>;

/// Parameters and their new values.
pub(crate) type Changes = Vec<(String, Value)>;

pub(crate) struct ParamServer<S, P> {
    table: Table,
    /// What groups of parameters stand for.
    templates: Vec<Spec>,
    events: Publisher<ParameterEvent>,
    on_change: Option<Arc<Mutex<OnChange<S, P>>>>,
    remote: Remote<S>,
    commands: Sender<Command>,
    full_name: String,
    log: Log,
    clock: RosClock,
}

impl<S: 'static, P: Params + Send + 'static> ParamServer<S, P> {
    /// Opens the services; tasks of their own answer what comes.
    pub(crate) fn open(
        inner: &mut Inner,
        table: Table,
        templates: Vec<Spec>,
        on_change: Option<OnChange<S, P>>,
        remote: Remote<S>,
        commands: Sender<Command>,
        mut own: mpsc::UnboundedReceiver<Changes>,
    ) -> r2r::Result<()> {
        let events = inner.node.create_publisher("/parameter_events", QosProfile::parameter_events())?;
        let server = ParamServer {
            table,
            templates,
            events,
            on_change: on_change.map(|change| Arc::new(Mutex::new(change))),
            remote,
            commands,
            full_name: inner.full_name.clone(),
            log: inner.log.clone(),
            clock: inner.clock.clone(),
        };
        let declared = server.table.entries().map(|(s, v)| (s.name.clone(), v.clone())).collect();
        server.publish_event(declared, vec![]);
        let server = Arc::new(tokio::sync::Mutex::new(server));
        let shared = server.clone();
        tokio::spawn(async move {
            while let Some(changes) = own.recv().await {
                shared.lock().await.set_own(changes).await;
            }
        });

        macro_rules! on {
            ($service:ident, $name:literal, |$server:ident, $request:ident| $answer:expr) => {{
                let name = concat!("~/", $name);
                let requests =
                    inner.node.create_service::<$service::Service>(name, QosProfile::parameters())?;
                let shared = server.clone();
                serve::<$service::Service, _>(
                    name.into(),
                    requests,
                    inner.log.clone(),
                    true,
                    move |$request| {
                        let shared = shared.clone();
                        async move {
                            #[allow(unused_mut)]
                            let mut $server = shared.lock().await;
                            Some($answer)
                        }
                    },
                );
            }};
        }
        on!(DescribeParameters, "describe_parameters", |server, request| DescribeParameters::Response {
            descriptors: server.for_each_name(&request.names, descriptor),
        });
        on!(GetParameters, "get_parameters", |server, request| GetParameters::Response {
            values: server.for_each_name(&request.names, |_, value| to_msg(value)),
        });
        on!(GetParameterTypes, "get_parameter_types", |server, request| GetParameterTypes::Response {
            types: server.for_each_name(&request.names, |spec, _| type_number(spec.kind())),
        });
        on!(ListParameters, "list_parameters", |server, request| ListParameters::Response {
            result: list(&server.table, &request.prefixes, request.depth),
        });
        on!(SetParameters, "set_parameters", |server, request| {
            let mut results = Vec::with_capacity(request.parameters.len());
            for parameter in request.parameters {
                results.push(server.set(vec![parameter]).await);
            }
            SetParameters::Response { results }
        });
        on!(SetParametersAtomically, "set_parameters_atomically", |server, request| {
            SetParametersAtomically::Response { result: server.set(request.parameters).await }
        });
        Ok(())
    }

    /// One answer per name, or none at all when a name is unknown, as rclpy does it.
    fn for_each_name<T>(&self, names: &[String], answer: impl Fn(&Spec, &Value) -> T) -> Vec<T> {
        let answers: Option<Vec<T>> =
            names.iter().map(|n| self.table.entry(n).map(|(spec, value)| answer(spec, value))).collect();
        answers.unwrap_or_default()
    }

    async fn set(&mut self, parameters: Vec<Parameter>) -> SetParametersResult {
        match self.try_set(parameters).await {
            Ok(()) => SetParametersResult { successful: true, reason: String::new() },
            Err(reason) => {
                self.log.warn(format!("not set: {reason}"));
                SetParametersResult { successful: false, reason: reason.to_string() }
            }
        }
    }

    /// Checks everything on a copy and asks the node before anything changes.
    async fn try_set(&mut self, parameters: Vec<Parameter>) -> Result<(), ParamError> {
        let mut changes = Vec::with_capacity(parameters.len());
        for p in parameters {
            let value = from_msg(&p.value).ok_or_else(|| match self.table.entry(&p.name) {
                Some(_) => ParamError::unfit(&p.name, "cannot be unset or hold bytes"),
                None => self.table.unknown(&p.name),
            })?;
            let note = self.table.entry(&p.name).and_then(|(spec, _)| spec.renamed_note(&value));
            note.into_iter().for_each(|note| self.log.warn(note));
            changes.push((p.name, value));
        }
        self.apply(self.table.clone(), changes).await
    }

    /// What the node itself found out: the same rules, and new keys of a group are declared.
    async fn set_own(&mut self, changes: Changes) {
        let mut table = self.table.clone();
        changes.iter().for_each(|(name, _)| table.declare_key(&self.templates, name));
        if let Err(e) = self.apply(table, changes).await {
            self.log.warn_throttled(&NOT_KEPT, || format!("not kept in the parameters: {e}"));
        }
    }

    async fn apply(&mut self, mut table: Table, changes: Changes) -> Result<(), ParamError> {
        table.set(&changes)?;
        let params = P::read(&table)?;
        if let Some(on_change) = self.on_change.clone() {
            let change = move |state: &mut S| {
                let mut on_change = on_change.lock().unwrap_or_else(PoisonError::into_inner);
                on_change(state, &params)
            };
            let ending = || Err(ParamError::unfit("parameters", "the node is ending"));
            self.remote.run(change).await.unwrap_or_else(ending)?;
        }
        let before = std::mem::replace(&mut self.table, table);
        if changes.iter().any(|(name, _)| name == USE_SIM_TIME) {
            self.follow_sim_time().await?;
        }
        let known = |spec: &Spec| before.entry(&spec.name).is_some();
        let (new, old): (Vec<_>, Vec<_>) = self.table.entries().partition(|(spec, _)| !known(spec));
        let named = |entries: Vec<(&Spec, &Value)>| {
            entries.into_iter().map(|(spec, value)| (spec.name.clone(), value.clone())).collect::<Changes>()
        };
        let is_changed = |(spec, _): &(&Spec, &Value)| changes.iter().any(|(name, _)| *name == spec.name);
        self.publish_event(named(new), named(old.into_iter().filter(is_changed).collect()));
        Ok(())
    }

    /// The clock's topic is opened by the thread that owns the node.
    async fn follow_sim_time(&mut self) -> Result<(), ParamError> {
        let simulated = is_simulated(&self.table);
        let (done, when_done) = oneshot::channel();
        let command = move |inner: &mut Inner| drop(done.send(inner.follow_clock_topic(simulated)));
        let _ = self.commands.send(Box::new(command));
        match when_done.await {
            Ok(Err(e)) => Err(ParamError::unfit(USE_SIM_TIME, e.to_string())),
            _ => Ok(()),
        }
    }

    fn publish_event(&self, new: Changes, changed: Changes) {
        let parameters = |values: Changes| {
            values.into_iter().map(|(name, value)| Parameter { name, value: to_msg(&value) }).collect()
        };
        let event = ParameterEvent {
            stamp: self.clock.now(),
            node: self.full_name.clone(),
            new_parameters: parameters(new),
            changed_parameters: parameters(changed),
            ..ParameterEvent::default()
        };
        if let Err(e) = self.events.publish(&event) {
            self.log.error(format!("could not publish /parameter_events: {e}"));
        }
    }
}

/// What the parameter `use_sim_time` says.
pub(crate) fn is_simulated(table: &Table) -> bool {
    table.get(USE_SIM_TIME) == Some(&Value::Bool(true))
}

/// The names under some prefixes and not deeper than `depth` (0 = any), as rclpy finds them. What can be tuned comes first: rqt
/// shows them in this order.
fn list(table: &Table, prefixes: &[String], depth: u64) -> ListParametersResult {
    let shallow = |name: &str| depth == 0 || (name.matches('.').count() as u64) < depth;
    let mut result = ListParametersResult::default();
    let in_order = |read_only| table.entries().filter(move |(spec, _)| spec.read_only == read_only);
    for (spec, _) in in_order(false).chain(in_order(true)) {
        let name = &spec.name;
        let under = |prefix: &String| {
            let rest = name.strip_prefix(prefix.as_str()).and_then(|r| r.strip_prefix('.'));
            name == prefix || rest.is_some_and(shallow)
        };
        let wanted = if prefixes.is_empty() { shallow(name) } else { prefixes.iter().any(under) };
        if !wanted {
            continue;
        }
        if let Some((prefix, _)) = name.rsplit_once('.')
            && !result.prefixes.iter().any(|p| p == prefix)
        {
            result.prefixes.push(prefix.into());
        }
        result.names.push(name.clone());
    }
    result
}
