//! What the trajectory wants of each joint in one message, checked before anything believes it.

/// Beyond this a number is no position, speed or torque of any robot. The limit also keeps every goal worked out from
/// accepted numbers finite.
pub const LARGEST: f64 = 1e9;

/// Why a message was refused. Nothing was sent, and nothing changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// No joints at all.
    #[error("the message names no joint")]
    Empty,
    /// An array that does not fit the names.
    #[error("{found} elements in {field} for {joints} joints")]
    Size {
        /// The array.
        field: &'static str,
        /// Its length.
        found: usize,
        /// How many names there are.
        joints: usize,
    },
    /// A value that cannot be.
    #[error("{field} of joint \"{joint}\" is {value}")]
    Value {
        /// The array.
        field: &'static str,
        /// The joint.
        joint: String,
        /// What it says.
        value: f64,
    },
    /// A joint that stands twice.
    #[error("joint \"{joint}\" stands twice in the message")]
    Twice {
        /// The joint.
        joint: String,
    },
}

/// The desired state of the joints, as a message has it: arrays ordered like `name`. Empty velocity, acceleration or
/// effort count as zero, and so does a NaN effort: the agregator passes on efforts that not every source gives.
#[derive(Clone, Copy, Debug, Default)]
pub struct Desired<'m> {
    /// Joints.
    pub name: &'m [String],
    /// rad or m.
    pub position: &'m [f64],
    /// rad/s or m/s.
    pub velocity: &'m [f64],
    /// rad/s² or m/s².
    pub acceleration: &'m [f64],
    /// N·m or N.
    pub effort: &'m [f64],
}

/// What is wanted of one joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// rad or m.
    pub position: f64,
    /// rad/s or m/s.
    pub velocity: f64,
    /// rad/s² or m/s².
    pub acceleration: f64,
    /// N·m or N.
    pub effort: f64,
}

impl Desired<'_> {
    /// Whether every array fits the names and every number can be.
    pub fn check(&self) -> Result<(), Refusal> {
        if self.name.is_empty() {
            return Err(Refusal::Empty);
        }
        check_array("position", self.name, self.position, false)?;
        check_array("velocity", self.name, self.velocity, true)?;
        check_array("acceleration", self.name, self.acceleration, true)?;
        check_size("effort", self.name, self.effort, true)?;
        check_values("effort", self.name, self.effort, |x| x.is_nan() || x.abs() <= LARGEST)
    }

    /// What is wanted of each joint. The message must have passed [`Desired::check`].
    pub fn points(&self) -> impl Iterator<Item = Point> + '_ {
        let get = |array: &[f64], i: usize| array.get(i).copied().unwrap_or(0.0);
        self.position.iter().enumerate().map(move |(i, &position)| {
            let effort = get(self.effort, i);
            Point {
                position,
                velocity: get(self.velocity, i),
                acceleration: get(self.acceleration, i),
                effort: if effort.is_nan() { 0.0 } else { effort },
            }
        })
    }
}

/// Whether an array has one credible number per joint, or, when it is `optional`, none at all.
pub fn check_array(
    field: &'static str,
    joints: &[String],
    values: &[f64],
    optional: bool,
) -> Result<(), Refusal> {
    check_size(field, joints, values, optional)?;
    check_values(field, joints, values, |x| x.abs() <= LARGEST)
}

/// Whether an array has one number per joint, or, when it is `optional`, none at all.
pub fn check_size(
    field: &'static str,
    joints: &[String],
    values: &[f64],
    optional: bool,
) -> Result<(), Refusal> {
    if values.len() == joints.len() || (optional && values.is_empty()) {
        return Ok(());
    }
    Err(Refusal::Size { field, found: values.len(), joints: joints.len() })
}

/// Whether each number is `credible`; NaN is so only to a test that asks for it.
pub fn check_values(
    field: &'static str,
    joints: &[String],
    values: &[f64],
    credible: impl Fn(f64) -> bool,
) -> Result<(), Refusal> {
    // Without an early end the loop goes by whole registers; that one is at fault is rare.
    if values.iter().fold(true, |all, &x| all & credible(x)) {
        return Ok(());
    }
    match joints.iter().zip(values).find(|(_, x)| !credible(**x)) {
        Some((joint, &value)) => Err(Refusal::Value { field, joint: joint.clone(), value }),
        None => Ok(()),
    }
}
