//! Which nodes are there, and how they are: from `/diagnostics`, on which every node speaks once a second.

use serde::Serialize;
use std::collections::BTreeMap;

/// A node that says nothing for this long is silent, s: its beat is a second, and people are to see it within two.
pub const SILENT: f64 = 1.7;

/// Statuses of others that are kept at the most.
const MOST: usize = 1000;

/// Whether a node is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Presence {
    /// Never heard.
    Unknown,
    /// Heard lately.
    Alive,
    /// Heard once, no more.
    Silent,
}

/// How something is, as it says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Status {
    /// 0 well, 1 warning, 2 error, 3 stale.
    pub level: u8,
    /// The summary.
    pub message: String,
    /// Figures.
    pub values: Vec<(String, String)>,
}

#[derive(Clone, Debug)]
struct Told {
    at: f64,
    status: Status,
}

/// All of it.
#[derive(Clone, Debug, Default)]
pub struct Health {
    /// In front of the names of this robot's nodes: its namespace.
    prefix: String,
    nodes: Vec<String>,
    told: BTreeMap<String, Told>,
}

/// What is sent of it.
#[derive(Debug, Serialize)]
pub struct HealthView<'h> {
    /// The nodes, in the order of the parameter.
    pub nodes: Vec<(&'h str, Presence)>,
    /// What was said lately, by whom.
    pub statuses: Vec<(&'h str, &'h Status)>,
}

impl Health {
    /// For these nodes in a namespace, `/` or `/robot1`.
    pub fn new(namespace: &str, nodes: &[String]) -> Health {
        let prefix = namespace.trim_matches('/');
        let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
        Health { prefix, nodes: nodes.to_vec(), told: BTreeMap::new() }
    }

    /// A status came. Those of other robots are not ours to show.
    pub fn tell(&mut self, name: &str, status: Status, now: f64) {
        let Some(own) = name.trim_start_matches('/').strip_prefix(self.prefix.as_str()) else { return };
        if self.told.len() < MOST || self.told.contains_key(own) {
            self.told.insert(own.into(), Told { at: now, status });
        }
    }

    /// Whether a node is there.
    pub fn presence(&self, node: &str, now: f64) -> Presence {
        match self.told.get(node) {
            None => Presence::Unknown,
            Some(told) if now - told.at <= SILENT => Presence::Alive,
            Some(_) => Presence::Silent,
        }
    }

    /// A figure of a status that was told lately.
    pub fn figure(&self, name: &str, key: &str, now: f64) -> Option<&str> {
        let told = self.told.get(name).filter(|told| now - told.at <= SILENT)?;
        told.status.values.iter().find(|(k, _)| k == key).map(|(_, value)| value.as_str())
    }

    /// What is known at the time `now`, s.
    pub fn view(&self, now: f64) -> HealthView<'_> {
        let fresh = self.told.iter().filter(|(_, told)| now - told.at <= SILENT);
        HealthView {
            nodes: self.nodes.iter().map(|node| (node.as_str(), self.presence(node, now))).collect(),
            statuses: fresh.map(|(name, told)| (name.as_str(), &told.status)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(value: &str) -> Status {
        Status { level: 0, message: "ok".into(), values: vec![("stopped".into(), value.into())] }
    }

    #[test]
    fn a_node_is_unknown_then_alive_then_silent() {
        let mut health = Health::new("/", &["gait_node".into(), "sync_node".into()]);
        assert_eq!(health.presence("gait_node", 0.0), Presence::Unknown);
        health.tell("gait_node", status("false"), 0.0);
        assert_eq!(health.presence("gait_node", SILENT), Presence::Alive);
        assert_eq!(health.figure("gait_node", "stopped", 1.0), Some("false"));
        assert_eq!(health.presence("gait_node", SILENT + 0.1), Presence::Silent);
        assert_eq!(health.figure("gait_node", "stopped", 5.0), None, "what it once said is no news");
        assert!(health.view(5.0).statuses.is_empty());
        assert_eq!(
            health.view(5.0).nodes,
            [("gait_node", Presence::Silent), ("sync_node", Presence::Unknown)]
        );
    }

    #[test]
    fn the_robot_of_another_namespace_is_another() {
        let mut health = Health::new("/robot1", &["gait_node".into()]);
        health.tell("robot2/gait_node", status(""), 0.0);
        health.tell("gait_node", status(""), 0.0);
        assert_eq!(health.presence("gait_node", 0.0), Presence::Unknown);
        health.tell("/robot1/gait_node", status(""), 0.0);
        assert_eq!(health.presence("gait_node", 0.0), Presence::Alive);
    }
}
