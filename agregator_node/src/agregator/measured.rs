//! The measured pose in place of the commanded one: servos without torque were moved by hand, or sank.

use super::Agregator;
use crate::note::{Note, Refusal};
use robot_model_lib::{Field, JointSlot, check_fields, check_names};

impl Agregator {
    /// Puts every joint that has a measured position (NaN: it has none) there, at rest, as if nothing had been given before,
    /// so that the next pose is where the robot is. Gives how many joints that were. Unknown names are skipped: a robot
    /// measures more than its joints. Sources that go on are followed from there.
    pub fn take_measured(
        &mut self,
        name: &[String],
        position: &[f64],
        note: &mut dyn FnMut(Note<'_>),
    ) -> Result<usize, Refusal> {
        check_fields(name, &[Field::new("position", position).or_nan()])?;
        check_names(name)?;
        let mut taken = 0;
        for (name, &position) in name.iter().zip(position).filter(|(_, position)| !position.is_nan()) {
            let JointSlot::Joint { index, .. } = self.model.find_joint(name) else { continue };
            let limits = self.model.joints()[index].limits;
            if !limits.contains(position) {
                let clamped = self.params.limits == crate::LimitPolicy::Clamp;
                note(Note::OutOfLimits { joint: name, position, clamped });
            }
            self.buffer.take_measured(index, position, self.params.limits);
            taken += 1;
        }
        Ok(taken)
    }
}
