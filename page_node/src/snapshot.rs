//! What is sent of the robot's state; absent is unknown.

use serde::{Serialize, Serializer};

/// Where the body is and how it moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Body {
    /// x y z, m.
    #[serde(serialize_with = "short")]
    pub position: [f64; 3],
    /// x y z w.
    #[serde(serialize_with = "short")]
    pub orientation: [f64; 4],
    /// Forward, left (m/s) and turn (rad/s), in its own axes.
    #[serde(serialize_with = "short")]
    pub velocity: [f64; 3],
}

/// The ground's push on a foot.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Force {
    /// The chain.
    pub name: String,
    /// Where, m, in the world.
    #[serde(serialize_with = "short")]
    pub at: [f64; 3],
    /// How hard, N, in the world.
    #[serde(serialize_with = "short")]
    pub force: [f64; 3],
}

/// How far a motion is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MotionProgress {
    /// Its file.
    pub name: String,
    /// Since its start, s.
    pub time: f64,
    /// As long as it takes, s.
    pub duration: f64,
    /// Whether it is halted.
    pub paused: bool,
    /// Whether it is over.
    pub done: bool,
}

/// What is sent of it; absent is unknown.
#[derive(Debug, Serialize)]
pub struct Snapshot<'s> {
    /// Time of the page's server, s.
    #[serde(serialize_with = "short_one")]
    pub time: f64,
    /// Of the joints' names: another number, other names.
    pub names: u64,
    /// Number of the control cycle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle: Option<u32>,
    /// Its duration, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<f64>,
    /// How long after its cycle's start a goal is heard here, s.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "short_one_option")]
    pub latency: Option<f64>,
    /// Joints as they are wanted, in the order of the names; null for one that is unknown.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "short_option")]
    pub commanded: Option<&'s [f64]>,
    /// What the servos were told.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "short_option")]
    pub goal: Option<&'s [f64]>,
    /// As they are measured.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "short_option")]
    pub measured: Option<&'s [f64]>,
    /// As they are.
    #[serde(rename = "true", skip_serializing_if = "Option::is_none", serialize_with = "short_option")]
    pub true_: Option<&'s [f64]>,
    /// How hard the servos pull, N·m.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "short_option")]
    pub load: Option<&'s [f64]>,
    /// Which servos have torque.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub torque: Option<&'s [Option<bool>]>,
    /// Chains that stand by the gait, 0 … 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub support: Option<&'s [(String, f64)]>,
    /// Share of the weight on each foot, in simulation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contacts: Option<&'s [(String, f64)]>,
    /// The body by the odometry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub odom: Option<&'s Body>,
    /// The body as it is, in simulation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truth: Option<&'s Body>,
    /// The ground's push, in simulation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forces: Option<&'s [Force]>,
    /// Whether it fell, in simulation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallen: Option<bool>,
    /// Voltage, V.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub battery: Option<f64>,
    /// Of the weight inside the polygon of the standing feet, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// The motion that is played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motion: Option<&'s MotionProgress>,
    /// What is added to the body's pose: x y z, m; roll, pitch, yaw, rad.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "short_list_option")]
    pub pose: Option<&'s [f64; 6]>,
}

/// A hundredth of a millimetre, or of a milliradian: nobody sees less, and it halves what is sent. NaN becomes null.
fn rounded(x: f64) -> f64 {
    (x * 1e5).round() / 1e5
}

fn short<S: Serializer, const N: usize>(values: &[f64; N], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.iter().map(|x| rounded(*x)))
}

fn short_one<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(rounded(*value))
}

fn short_one_option<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    value.map(rounded).serialize(serializer)
}

fn short_option<S: Serializer>(values: &Option<&[f64]>, serializer: S) -> Result<S::Ok, S::Error> {
    match values {
        Some(values) => serializer.collect_seq(values.iter().map(|x| rounded(*x))),
        None => serializer.serialize_none(),
    }
}

fn short_list_option<S: Serializer, const N: usize>(
    values: &Option<&[f64; N]>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    short_option(&values.map(<[f64; N]>::as_slice), serializer)
}
