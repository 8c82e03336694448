//! What browsers are told, as JSON; what they say is a [`request`](crate::request).

use serde::Serialize;
use serde_json::Value as Json;

/// Everything that a browser is told.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Told<'t> {
    /// The answer to a request.
    Reply {
        /// Its number.
        id: u64,
        /// Whether it was done.
        ok: bool,
        /// What, or why not.
        text: &'t str,
        /// What was asked for.
        #[serde(skip_serializing_if = "Json::is_null")]
        data: Json,
    },
    /// First of all: who it is, and what there is.
    Hello {
        /// Its number.
        client: u64,
        /// Whether there is a folder for saved parameters.
        can_save: bool,
        /// Whether there is a folder for recordings.
        can_record: bool,
    },
    /// What the page may command at full deflection.
    Limits {
        /// m/s, m/s, rad/s.
        speeds: [f64; 3],
        /// The dead-man's switch, s.
        lease: f64,
    },
    /// The robot came, or another one did.
    Robot {
        /// Limbs: name, last link, contact points in its frame.
        chains: &'t Json,
    },
    /// The joints, in the order of every list.
    Names {
        /// The number that snapshots name them by.
        revision: u64,
        /// Their names.
        names: &'t [String],
    },
    /// The newest of everything.
    Snapshot(crate::snapshot::Snapshot<'t>),
    /// How the nodes are.
    Health(crate::health::HealthView<'t>),
    /// Who drives and whether a stop holds.
    Drive {
        /// The browser that drives.
        driver: Option<u64>,
        /// Browsers that watch.
        clients: usize,
        /// What holds: `none`, `asked` (not confirmed by the bus yet) or `held`.
        stop: StopState,
        /// What the bus said, or why it is not confirmed.
        text: &'t str,
    },
    /// Lines of the log.
    Log(crate::log_lines::LogView<'t>),
    /// Something that nobody asked for has happened, and all should know.
    Notice {
        /// What.
        text: &'t str,
    },
    /// Whether something is recorded.
    Recording(RecordingView),
    /// A parameter changed, by whomever.
    Changed {
        /// Whose.
        node: &'t str,
        /// Which.
        name: &'t str,
        /// To what.
        value: Json,
        /// Changes that can be undone.
        undoable: usize,
    },
}

/// The recording that is made now.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RecordingView {
    /// Its name; none when nothing is recorded.
    pub name: Option<String>,
    /// Since it began, s.
    pub seconds: f64,
    /// Messages so far.
    pub messages: u64,
    /// Their bytes; the file is smaller.
    pub bytes: u64,
    /// Messages that the disk was too slow for.
    pub lost: u64,
}

/// How far a stop is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StopState {
    /// Nobody asked for one.
    #[default]
    None,
    /// Asked for; the bus has not confirmed it yet.
    Asked,
    /// The bus says that it holds.
    Held,
}

impl Told<'_> {
    /// As text; a message that cannot be written is none.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_number_that_is_none_is_told_as_null() {
        let told = Told::Changed { node: "n", name: "p", value: json!(f64::NAN), undoable: 0 };
        assert_eq!(told.to_text(), r#"{"type":"changed","node":"n","name":"p","value":null,"undoable":0}"#);
    }
}
