//! Which joints have torque, as far as somebody says so.

use robot_model_lib::{JointSlot, RobotModel};

/// What torque means for the robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// All joints of its legs hold.
    Firm,
    /// Some do: what is missing comes back by itself or is mended, and the others must not let go for that.
    Partly,
    /// Most do not: it has fallen, or somebody holds it.
    Limp,
}

/// The torque of all joints; nobody says anything: all have it.
#[derive(Clone, Debug)]
pub struct TorqueWatch {
    on: Vec<bool>,
    legs: Vec<usize>,
}

impl TorqueWatch {
    /// Of a robot with these joints in its legs.
    pub fn new(joints: usize, legs: Vec<usize>) -> TorqueWatch {
        TorqueWatch { on: vec![true; joints], legs }
    }

    /// Takes what a message says of some joints; arrays that disagree are refused.
    pub fn take(&mut self, model: &RobotModel, names: &[String], on: &[bool]) -> bool {
        if names.len() != on.len() {
            return false;
        }
        for (name, &on) in names.iter().zip(on) {
            if let JointSlot::Joint { index, .. } = model.find_joint(name) {
                self.on[index] = on;
            }
        }
        true
    }

    /// Whether the legs hold.
    pub fn hold(&self) -> Hold {
        match self.legs.iter().filter(|joint| !self.on[**joint]).count() {
            0 => Hold::Firm,
            without if 2 * without > self.legs.len() => Hold::Limp,
            _ => Hold::Partly,
        }
    }

    /// The joints of the legs that have none.
    pub fn without(&self) -> impl Iterator<Item = usize> + '_ {
        self.legs.iter().copied().filter(|joint| !self.on[*joint])
    }
}
