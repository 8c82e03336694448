//! `/diagnostics`: how the node is, once a second, for robot monitors and rqt.

use r2r::diagnostic_msgs::msg::{DiagnosticStatus, KeyValue};
use std::fmt::Display;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// All is well.
    Ok,
    /// Something is off, and the node goes on.
    Warn,
    /// The node cannot do its work.
    Error,
}

/// One component's status; the worst thing said becomes its summary.
#[derive(Clone, Debug)]
pub struct Report {
    level: Level,
    summary: String,
    values: Vec<KeyValue>,
}

impl Default for Report {
    fn default() -> Self {
        Report { level: Level::Ok, summary: "ok".into(), values: vec![] }
    }
}

impl Report {
    /// Says that something is off. Of several the worst counts, of equals the first.
    pub fn say(&mut self, level: Level, summary: impl Display) -> &mut Self {
        if level > self.level {
            self.level = level;
            self.summary = summary.to_string();
        }
        self
    }

    /// Adds a figure.
    pub fn value(&mut self, key: &str, value: impl Display) -> &mut Self {
        self.values.push(KeyValue { key: key.into(), value: value.to_string() });
        self
    }

    pub(crate) fn into_status(self, node: &str) -> DiagnosticStatus {
        DiagnosticStatus {
            level: self.level as u8,
            name: node.trim_start_matches('/').into(),
            message: self.summary,
            hardware_id: String::new(),
            values: self.values,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_thing_said_is_the_summary() {
        let mut report = Report::default();
        report.say(Level::Warn, "late").say(Level::Error, "gone").say(Level::Error, "also").value("n", 3);
        let status = report.into_status("/ns/node");
        assert_eq!((status.level, status.message.as_str(), status.name.as_str()), (2, "gone", "ns/node"));
        assert_eq!((status.values[0].key.as_str(), status.values[0].value.as_str()), ("n", "3"));
    }
}
