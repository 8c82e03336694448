//! What the trajectory wants of each joint in one message, checked before anything believes it.

use robot_model_lib::{Field, check_fields};
pub use robot_model_lib::{LARGEST, MessageError as Refusal};

/// The desired state of the joints, as a message has it: arrays ordered like `name`. Empty velocity, acceleration or
/// effort count as zero, and so does a NaN effort: the agregator passes on efforts that not every source gives.
#[derive(Clone, Copy, Debug, Default)]
pub struct Desired<'m> {
    /// Names of the joints that the arrays are for.
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
        let fields = [
            Field::new("position", self.position),
            Field::new("velocity", self.velocity).or_empty(),
            Field::new("acceleration", self.acceleration).or_empty(),
            Field::new("effort", self.effort).or_empty().or_nan(),
        ];
        check_fields(self.name, &fields)
    }

    /// What is wanted of each joint. The message must have passed [`Desired::check`].
    pub fn points(&self) -> impl Iterator<Item = Point> + '_ {
        let get = |array: &[f64], i: usize| array.get(i).copied().unwrap_or(0.0);
        self.position.iter().zip(self.efforts()).enumerate().map(move |(i, (&position, effort))| Point {
            position,
            velocity: get(self.velocity, i),
            acceleration: get(self.acceleration, i),
            effort: effort.unwrap_or(0.0),
        })
    }

    /// The effort of each joint; none where the message leaves it out.
    pub fn efforts(&self) -> impl Iterator<Item = Option<f64>> + '_ {
        (0..self.position.len()).map(|i| self.effort.get(i).copied().filter(|effort| !effort.is_nan()))
    }
}
