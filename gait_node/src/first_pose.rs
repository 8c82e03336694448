//! The pose that the joints have when the robot begins.

use robot_model_lib::{Field, JointReader, JointSlot, MessageError, RobotModel};

/// Cycles for which a commanded pose is waited for when a measured one is complete: what is commanded already is the better
/// start.
const PATIENCE: u32 = 50;

/// Where a pose comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// What is commanded now.
    Commanded,
    /// What the servos measured.
    Measured,
}

/// Collects it, joint by joint.
#[derive(Clone, Debug)]
pub struct FirstPose {
    commanded: Vec<bool>,
    measured: Vec<bool>,
    readers: [JointReader<Option<usize>>; 2],
    patience: u32,
    /// What is commanded counts too.
    trusts_commands: bool,
}

impl FirstPose {
    /// For so many joints; `known` when none has to be waited for.
    pub fn new(joints: usize, known: bool) -> FirstPose {
        let readers = [JointReader::new(), JointReader::new()];
        FirstPose {
            commanded: vec![known; joints],
            measured: vec![known; joints],
            readers,
            patience: PATIENCE,
            trusts_commands: true,
        }
    }

    /// For joints that turn freely: what is commanded is not where they are.
    pub fn measured(joints: usize) -> FirstPose {
        FirstPose { patience: 0, trusts_commands: false, ..FirstPose::new(joints, false) }
    }

    /// What was measured until now is old.
    pub fn forget(&mut self) {
        self.measured.fill(false);
    }

    /// Takes what a message says into `q`; what is measured does not overwrite what is commanded. A message that is refused
    /// changes nothing.
    pub fn take(
        &mut self,
        source: Source,
        model: &RobotModel,
        names: &[String],
        positions: &[f64],
        q: &mut [f64],
    ) -> Result<(), MessageError> {
        if source == Source::Commanded && !self.trusts_commands {
            return Ok(());
        }
        let reader = &mut self.readers[source as usize];
        let fields = [Field::new("position", positions).or_nan()];
        let sender = reader.read(names, &fields, |name| match model.find_joint(name) {
            JointSlot::Joint { index, .. } => Some(index),
            _ => None,
        })?;
        for (joint, &position) in reader.found(sender).iter().zip(positions) {
            let Some(joint) = joint.filter(|_| !position.is_nan()) else { continue };
            match source {
                Source::Commanded => self.commanded[joint] = true,
                Source::Measured if self.commanded[joint] => continue,
                Source::Measured => self.measured[joint] = true,
            }
            q[joint] = position;
        }
        Ok(())
    }

    /// Joints that nobody has spoken of.
    pub fn missing(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.commanded.len()).filter(|&joint| !self.commanded[joint] && !self.measured[joint])
    }

    /// Whether somebody commands all joints.
    pub fn is_commanded(&self) -> bool {
        self.commanded.iter().all(|known| *known)
    }

    /// A cycle passes; gives whether it is time to begin.
    pub fn is_ready(&mut self) -> bool {
        if self.missing().next().is_some() {
            return false;
        }
        self.patience = self.patience.saturating_sub(1);
        self.patience == 0 || self.is_commanded()
    }
}
