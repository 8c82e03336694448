//! Support messages: which legs stand, on which contact.

use robot_model_lib::{RobotModel, SupportReader};

use crate::Refused;
use crate::estimate::Footing;
use crate::odometry::Footings;
use crate::search::MAX_LEGS;

/// Reads support messages for one robot. A chain that a message does not name is in the air.
#[derive(Debug, Clone)]
pub struct SupportIntake {
    reader: SupportReader,
    /// Which chains are legs.
    is_leg: Vec<bool>,
}

impl SupportIntake {
    /// For the chains of a robot.
    pub fn new(model: &RobotModel) -> Self {
        let is_leg = model.chains().iter().map(|chain| chain.default_contact.is_some()).collect();
        Self { reader: SupportReader::new(model), is_leg }
    }

    /// What the legs stand on by a message.
    pub fn read<S: AsRef<str>, C: AsRef<str>>(
        &mut self,
        names: &[S],
        contacts: &[C],
        supports: &[f64],
    ) -> Result<Footings, Refused> {
        let standing = self.reader.read(names, contacts, supports)?;
        let legs = standing.iter().zip(&self.is_leg).filter(|(_, is_leg)| **is_leg);
        let mut footings = [None; MAX_LEGS];
        for (footing, (stands, _)) in footings.iter_mut().zip(legs) {
            *footing = stands.map(|stands| Footing { contact: stands.contact, weight: stands.support });
        }
        Ok(footings)
    }
}
