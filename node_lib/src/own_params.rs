//! A node sets parameters of its own: what it found out, so that `ros2 param dump` keeps it.

use crate::param_server::Changes;
use param_lib::Value;
use tokio::sync::mpsc::UnboundedSender;

/// Sets a node's own parameters as anybody else may: checked, told to [`Setup::on_params`](crate::Setup::on_params), announced
/// on `/parameter_events`, all of a call or none. A new key of a group is declared. Whatever is refused is a warning in the log.
#[derive(Clone)]
pub struct OwnParams {
    changes: UnboundedSender<Changes>,
}

impl OwnParams {
    pub(crate) fn new(changes: UnboundedSender<Changes>) -> OwnParams {
        OwnParams { changes }
    }

    /// Sets these, soon; does not wait. Not for every cycle: it takes memory.
    pub fn set(&self, changes: impl IntoIterator<Item = (String, Value)>) {
        // A node that is ending keeps nothing.
        let _ = self.changes.send(changes.into_iter().collect());
    }
}
