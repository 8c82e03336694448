//! What browsers say: JSON over one WebSocket. Nothing that changes anything comes another way.

use serde::Deserialize;
use serde_json::Value as Json;

/// The longest message that a browser may send, bytes.
pub const LONGEST: usize = 16 * 1024;

/// What a browser wants; `id` is in the reply.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Request {
    /// Its own number for it.
    #[serde(default)]
    pub id: u64,
    /// What it wants.
    #[serde(flatten)]
    pub wish: Wish,
}

/// An order without further words, each a service of a node.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Ends a motion, gets up.
    Stand,
    /// Sits down.
    Sit,
    /// Brakes, and holds.
    Halt,
    /// Goes on with a motion.
    Resume,
    /// Servos get torque.
    TorqueOn,
    /// Servos are free.
    TorqueOff,
    /// Servos forget their errors.
    ClearErrors,
    /// Odometry begins anew.
    ResetOdometry,
}

impl Order {
    /// All of them.
    pub const ALL: [Order; 8] = [
        Order::Stand,
        Order::Sit,
        Order::Halt,
        Order::Resume,
        Order::TorqueOn,
        Order::TorqueOff,
        Order::ClearErrors,
        Order::ResetOdometry,
    ];

    /// The service that does it.
    pub fn service(self) -> &'static str {
        match self {
            Order::Stand => "gait_node/stand",
            Order::Sit => "gait_node/sit",
            Order::Halt => "gait_node/halt",
            Order::Resume => "gait_node/resume",
            Order::TorqueOn => "herkulex_node/torque_on",
            Order::TorqueOff => "herkulex_node/torque_off",
            Order::ClearErrors => "herkulex_node/clear_errors",
            Order::ResetOdometry => "odometry_node/reset",
        }
    }
}

/// What a browser can want.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Wish {
    /// The stick is held: deflections -1 … 1 forward, left, turn to the left.
    Drive {
        /// Ahead.
        forward: f64,
        /// To the left.
        left: f64,
        /// Turn to the left.
        turn: f64,
    },
    /// The stick is let go.
    Release,
    /// Emergency: all servos free at once, and nothing moves until it is cleared.
    Stop,
    /// Ends the stop; torque stays off.
    ClearStop,
    /// A simple order.
    Order {
        /// Which.
        order: Order,
    },
    /// Plays a motion.
    Play {
        /// Its file.
        file: String,
    },
    /// Added to the body's pose above its feet.
    Pose {
        /// x y z, m.
        position: [f64; 3],
        /// Roll, pitch, yaw, rad.
        angles: [f64; 3],
    },
    /// The parameters of a node.
    Parameters {
        /// Whose.
        node: String,
    },
    /// Sets a parameter.
    Set {
        /// Whose.
        node: String,
        /// Which.
        name: String,
        /// To what.
        value: Json,
    },
    /// Takes the last change back.
    Undo,
    /// Saves what differs from the files.
    Save {
        /// Whose.
        node: String,
    },
    /// The names of the motions.
    Motions,
    /// The recordings.
    Recordings,
    /// Begins a recording.
    Record {
        /// In front of its name; may be empty.
        #[serde(default)]
        label: String,
    },
    /// Ends it.
    EndRecording,
    /// Runs `odometry_replay` on a recording.
    Replay {
        /// Its name.
        name: String,
        /// From measured joints instead of commanded ones.
        #[serde(default)]
        measured: bool,
    },
}

/// Reads what a browser sent; the error says what is wrong.
pub fn read(text: &str) -> Result<Request, String> {
    if text.len() > LONGEST {
        return Err(format!("longer than {LONGEST} bytes"));
    }
    serde_json::from_str(text).map_err(|e| format!("not understood: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn requests_are_read_and_nonsense_is_refused_with_a_reason() {
        let drive = read(r#"{"id": 3, "type": "drive", "forward": 1, "left": 0, "turn": -0.5}"#).unwrap();
        assert_eq!(drive, Request { id: 3, wish: Wish::Drive { forward: 1.0, left: 0.0, turn: -0.5 } });
        assert_eq!(read(r#"{"type": "stop"}"#).unwrap().wish, Wish::Stop);
        let order = read(r#"{"type": "order", "order": "reset_odometry"}"#).unwrap().wish;
        assert_eq!(order, Wish::Order { order: Order::ResetOdometry });
        for (bad, word) in [
            ("{}", "type"),
            (r#"{"type": "dance"}"#, "dance"),
            (r#"{"type": "drive"}"#, "forward"),
            ("", "EOF"),
        ] {
            assert!(read(bad).unwrap_err().contains(word), "{bad}: {:?}", read(bad));
        }
        assert!(read(&" ".repeat(LONGEST + 1)).unwrap_err().contains("longer"));
    }

    proptest! {
        #[test]
        fn whatever_comes_is_read_or_refused(text in "\\PC{0,200}") {
            let _ = read(&text);
        }

        #[test]
        fn deep_json_is_no_way_in(depth in 0..5000usize) {
            let text = format!(r#"{{"type":"set","node":"n","name":"p","value":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
            let _ = read(&text);
        }
    }
}
