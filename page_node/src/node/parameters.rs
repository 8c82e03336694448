//! The parameters of the robot's nodes: read when a node comes, set by people, followed when others set them.

use super::calls::{PATIENCE, ParameterClients};
use super::hub::Hub;
use crate::health::Presence;
use crate::json::to_json;
use crate::protocol::Told;
use crate::tuning::{Change, Parameter};
use node_lib::r2r::rcl_interfaces::msg::{Parameter as ParameterMsg, ParameterDescriptor};
use node_lib::r2r::rcl_interfaces::srv::{DescribeParameters, GetParameters, ListParameters, SetParameters};
use node_lib::{parameter_from_msg, parameter_to_msg};
use param_lib::Value;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How often is looked for nodes that have come.
const LOOK: Duration = Duration::from_millis(500);

/// Not for browsers: a secret, and a robot that they have already.
const HIDDEN: [&str; 2] = ["token", "robot_description"];

/// Reads the parameters of nodes that come, or come back, while somebody watches.
pub(super) async fn keep(hub: Arc<Hub>) {
    let mut read = BTreeSet::new();
    loop {
        tokio::time::sleep(LOOK).await;
        // Also while nobody watches: a node that was started again meanwhile has other values.
        read.retain(|node: &String| hub.state().health.presence(node, hub.now()) == Presence::Alive);
        if hub.clients.load(Ordering::Relaxed) == 0 {
            continue;
        }
        for (node, clients) in &hub.calls.parameters {
            let is_here = hub.state().health.presence(node, hub.now()) == Presence::Alive;
            if is_here
                && !read.contains(node)
                && let Some(parameters) = ask(clients).await
            {
                let full_name = format!("{}/{node}", hub.namespace);
                hub.state().tuning.load(node, &full_name, parameters, &hub.files);
                read.insert(node.clone());
                // An empty name: all of them.
                hub.tell(&Told::Changed {
                    node,
                    name: "",
                    value: serde_json::Value::Null,
                    undoable: hub.state().tuning.undoable(),
                });
            }
        }
    }
}

async fn ask(clients: &ParameterClients) -> Option<Vec<Parameter>> {
    let mut all = clients.list.call(&ListParameters::Request::default(), PATIENCE).await.ok()?.result.names;
    all.retain(|name| !HIDDEN.contains(&name.as_str()));
    let described =
        clients.describe.call(&DescribeParameters::Request { names: all.clone() }, PATIENCE).await.ok()?;
    let values = clients.get.call(&GetParameters::Request { names: all }, PATIENCE).await.ok()?.values;
    let one = |(descriptor, value)| Some(parameter(descriptor, parameter_from_msg(&value)?));
    Some(described.descriptors.into_iter().zip(values).filter_map(one).collect())
}

fn parameter(descriptor: ParameterDescriptor, value: Value) -> Parameter {
    let floats = descriptor.floating_point_range.first().map(|r| (r.from_value, r.to_value));
    let ints = descriptor.integer_range.first().map(|r| (r.from_value as f64, r.to_value as f64));
    Parameter {
        name: descriptor.name,
        value,
        description: descriptor.description,
        rules: descriptor.additional_constraints,
        read_only: descriptor.read_only,
        range: floats.or(ints),
    }
}

/// Sets a parameter; the error is the node's own reason.
pub(super) async fn set(
    hub: &Hub,
    node: &str,
    name: &str,
    value: &serde_json::Value,
) -> Result<String, String> {
    let (wanted, before) = {
        let state = hub.state();
        (state.tuning.request(node, name, value)?, state.tuning.value(node, name).cloned())
    };
    send(hub, node, name, &wanted).await?;
    if let Some(before) = before.filter(|before| *before != wanted) {
        hub.state().tuning.remember(Change { node: node.into(), name: name.into(), before });
    }
    changed(hub, node, name, wanted);
    Ok(String::new())
}

/// Takes the last change back.
pub(super) async fn undo(hub: &Hub) -> Result<String, String> {
    let taken = {
        let mut state = hub.state();
        // It stays to be undone when its node is back.
        if let Some(Change { node, .. }) = state.tuning.last()
            && state.health.presence(node, hub.now()) != Presence::Alive
        {
            return Err(format!("{node} is silent: nothing was undone"));
        }
        state.tuning.undo()
    };
    let Some(Change { node, name, before }) = taken else {
        return Err("there is nothing to undo".into());
    };
    send(hub, &node, &name, &before).await?;
    let text = format!("{node}: {name} is {before} again");
    changed(hub, &node, &name, before);
    Ok(text)
}

async fn send(hub: &Hub, node: &str, name: &str, value: &Value) -> Result<(), String> {
    let Some(clients) = hub.calls.parameters.get(node) else {
        return Err(format!("{node} is no node that is known here"));
    };
    let parameters = vec![ParameterMsg { name: name.into(), value: parameter_to_msg(value) }];
    let answer = clients
        .set
        .call(&SetParameters::Request { parameters }, PATIENCE)
        .await
        .map_err(|e| e.to_string())?;
    match answer.results.into_iter().next() {
        Some(result) if result.successful => Ok(()),
        Some(result) => Err(result.reason),
        None => Err(format!("{node} gave no answer")),
    }
}

/// A value changed, here or elsewhere.
pub(super) fn changed(hub: &Hub, node: &str, name: &str, value: Value) {
    let (json, mut state) = (to_json(&value), hub.state());
    if state.tuning.changed(node, name, value) {
        let undoable = state.tuning.undoable();
        drop(state);
        hub.tell(&Told::Changed { node, name, value: json, undoable });
    }
}
