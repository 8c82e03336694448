//! The six parameter services of a node and `/parameter_events`, with the rules of `param_lib`.

use crate::convert::{descriptor, from_msg, to_msg, type_number};
use crate::setup::{Inner, Poll, serve};
use param_lib::{ParamError, Params, Table, Value};
use r2r::rcl_interfaces::msg::{ListParametersResult, Parameter, ParameterEvent, SetParametersResult};
use r2r::rcl_interfaces::srv::{
    DescribeParameters, GetParameterTypes, GetParameters, ListParameters, SetParameters,
    SetParametersAtomically,
};
use r2r::{Publisher, QosProfile};
use std::cell::RefCell;
use std::rc::Rc;

pub(crate) const USE_SIM_TIME: &str = "use_sim_time";

/// Tells the node's state of new parameters; may still refuse them.
pub(crate) type OnChange<S, P> = Box<dyn FnMut(&mut S, &P) -> Result<(), ParamError>>;

pub(crate) struct ParamServer<S, P> {
    table: Table,
    events: Publisher<ParameterEvent>,
    on_change: Option<OnChange<S, P>>,
}

impl<S: 'static, P: Params + 'static> ParamServer<S, P> {
    /// Opens the services; what comes is answered by the returned polls.
    pub(crate) fn open(
        inner: &mut Inner,
        table: Table,
        on_change: Option<OnChange<S, P>>,
    ) -> r2r::Result<Vec<Poll<S>>> {
        let events = inner.node.create_publisher("/parameter_events", QosProfile::parameter_events())?;
        let server = ParamServer { table, events, on_change };
        server.publish_event(
            inner,
            server.table.entries().map(|(s, v)| (s.name.clone(), v.clone())).collect(),
            true,
        );
        let server = Rc::new(RefCell::new(server));

        let qos = QosProfile::parameters();
        let mut polls: Vec<Poll<S>> = vec![];
        macro_rules! on {
            ($service:ident, $name:literal, $answer:expr) => {{
                let server = server.clone();
                polls.push(serve::<S, $service::Service>(
                    inner,
                    concat!("~/", $name),
                    qos.clone(),
                    move |inner, state, request| {
                        let answer: fn(
                            &mut Self,
                            &mut Inner,
                            &mut S,
                            $service::Request,
                        ) -> $service::Response = $answer;
                        answer(&mut server.borrow_mut(), inner, state, request)
                    },
                )?);
            }};
        }
        on!(DescribeParameters, "describe_parameters", |server, _, _, request| {
            DescribeParameters::Response {
                descriptors: server.for_each_name(&request.names, |spec, _| descriptor(spec)),
            }
        });
        on!(GetParameters, "get_parameters", |server, _, _, request| GetParameters::Response {
            values: server.for_each_name(&request.names, |_, value| to_msg(value)),
        });
        on!(GetParameterTypes, "get_parameter_types", |server, _, _, request| GetParameterTypes::Response {
            types: server.for_each_name(&request.names, |spec, _| type_number(spec.kind())),
        });
        on!(ListParameters, "list_parameters", |server, _, _, request| ListParameters::Response {
            result: list(&server.table, &request.prefixes, request.depth),
        });
        on!(SetParameters, "set_parameters", |server, inner, state, request| SetParameters::Response {
            results: request.parameters.into_iter().map(|p| server.set(inner, state, vec![p])).collect(),
        });
        on!(SetParametersAtomically, "set_parameters_atomically", |server, inner, state, request| {
            SetParametersAtomically::Response { result: server.set(inner, state, request.parameters) }
        });
        Ok(polls)
    }

    /// One answer per name, or none at all when a name is unknown, as rclpy does it.
    fn for_each_name<T>(&self, names: &[String], answer: impl Fn(&param_lib::Spec, &Value) -> T) -> Vec<T> {
        let answers: Option<Vec<T>> =
            names.iter().map(|n| self.table.entry(n).map(|(spec, value)| answer(spec, value))).collect();
        answers.unwrap_or_default()
    }

    fn set(&mut self, inner: &mut Inner, state: &mut S, parameters: Vec<Parameter>) -> SetParametersResult {
        match self.try_set(inner, state, parameters) {
            Ok(()) => SetParametersResult { successful: true, reason: String::new() },
            Err(reason) => SetParametersResult { successful: false, reason: reason.to_string() },
        }
    }

    /// Checks everything on a copy and asks the node before anything changes.
    fn try_set(
        &mut self,
        inner: &mut Inner,
        state: &mut S,
        parameters: Vec<Parameter>,
    ) -> Result<(), ParamError> {
        let mut changes = Vec::with_capacity(parameters.len());
        for p in parameters {
            let value = from_msg(&p.value).ok_or_else(|| match self.table.entry(&p.name) {
                Some(_) => ParamError::unfit(&p.name, "cannot be unset or hold bytes"),
                None => self.table.unknown(&p.name),
            })?;
            changes.push((p.name, value));
        }
        let mut table = self.table.clone();
        table.set(&changes)?;
        let params = P::read(&table)?;
        if let Some(on_change) = &mut self.on_change {
            on_change(state, &params)?;
        }
        self.table = table;
        if changes.iter().any(|(name, _)| name == USE_SIM_TIME) {
            follow_sim_time(inner, &self.table)
                .map_err(|e| ParamError::unfit(USE_SIM_TIME, e.to_string()))?;
        }
        let names = changes.into_iter().map(|(name, _)| name);
        let values = names.filter_map(|n| self.table.get(&n).cloned().map(|v| (n, v))).collect();
        self.publish_event(inner, values, false);
        Ok(())
    }

    fn publish_event(&self, inner: &Inner, values: Vec<(String, Value)>, new: bool) {
        let parameters =
            values.into_iter().map(|(name, value)| Parameter { name, value: to_msg(&value) }).collect();
        let mut event = ParameterEvent {
            stamp: inner.clock.now(),
            node: inner.full_name.clone(),
            ..ParameterEvent::default()
        };
        *(if new { &mut event.new_parameters } else { &mut event.changed_parameters }) = parameters;
        if let Err(e) = self.events.publish(&event) {
            inner.log.error(format!("could not publish /parameter_events: {e}"));
        }
    }
}

/// Makes the clock follow the parameter `use_sim_time`.
pub(crate) fn follow_sim_time(inner: &mut Inner, table: &Table) -> r2r::Result<()> {
    match table.get(USE_SIM_TIME) {
        Some(Value::Bool(true)) => inner.follow_clock_topic(),
        _ => {
            inner.clock.simulate(false);
            Ok(())
        }
    }
}

/// The names under some prefixes and not deeper than `depth` (0 = any), as rclpy finds them.
fn list(table: &Table, prefixes: &[String], depth: u64) -> ListParametersResult {
    let shallow = |name: &str| depth == 0 || (name.matches('.').count() as u64) < depth;
    let mut result = ListParametersResult::default();
    for (spec, _) in table.entries() {
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
