//! Where the joints are, as the servos measure it.

use robot_model_lib::{Field, JointReader, JointSlot, MessageError, RobotModel};

/// What is older tells nothing any more, s.
const STALE: f64 = 0.5;

/// The last that was measured of every joint, in the model's order.
#[derive(Clone, Debug)]
pub struct Measured {
    position: Vec<f64>,
    velocity: Vec<f64>,
    age: Vec<f64>,
    reader: JointReader<Option<usize>>,
}

impl Measured {
    /// Nothing is known of so many joints.
    pub fn new(joints: usize) -> Measured {
        let unknown = vec![f64::NAN; joints];
        let age = vec![f64::INFINITY; joints];
        Measured { position: unknown.clone(), velocity: unknown, age, reader: JointReader::new() }
    }

    /// Takes a message; one that is refused changes nothing.
    pub fn take(
        &mut self,
        model: &RobotModel,
        names: &[String],
        positions: &[f64],
        velocities: &[f64],
    ) -> Result<(), MessageError> {
        let fields =
            [Field::new("position", positions).or_nan(), Field::new("velocity", velocities).or_nan()];
        let sender = self.reader.read(names, &fields, |name| match model.find_joint(name) {
            JointSlot::Joint { index, .. } => Some(index),
            _ => None,
        })?;
        for (at, joint) in self.reader.found(sender).iter().enumerate() {
            let position = positions.get(at).copied().unwrap_or(f64::NAN);
            let Some(joint) = joint.filter(|_| !position.is_nan()) else { continue };
            self.position[joint] = position;
            self.velocity[joint] = velocities.get(at).copied().unwrap_or(f64::NAN);
            self.age[joint] = 0.0;
        }
        Ok(())
    }

    /// Time passes, s.
    pub fn step(&mut self, time: f64) {
        self.age.iter_mut().for_each(|age| *age += time);
    }

    /// Where a joint is, rad; NaN when that is not known.
    pub fn position(&self, joint: usize) -> f64 {
        if self.age[joint] <= STALE { self.position[joint] } else { f64::NAN }
    }

    /// How fast it moves, rad/s; NaN when that is not known.
    pub fn velocity(&self, joint: usize) -> f64 {
        if self.age[joint] <= STALE { self.velocity[joint] } else { f64::NAN }
    }
}
