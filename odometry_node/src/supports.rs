//! Support messages: which chains stand, on which contact.

use robot_model_lib::RobotModel;

use crate::Refused;
use crate::estimate::Footing;
use crate::joints::lengths;
use crate::odometry::Footings;
use crate::search::MAX_LEGS;

/// Reads support messages for one robot. A chain that a message does not name is in the air.
#[derive(Debug, Clone)]
pub struct SupportIntake {
    /// Each chain's name and, for a leg, its number among the legs and its default contact.
    chains: Vec<(String, Option<(usize, usize)>)>,
    contacts: Vec<String>,
}

impl SupportIntake {
    /// For the chains of a robot.
    pub fn new(model: &RobotModel) -> Self {
        let mut legs = 0..;
        let chains = model.chains().iter().map(|chain| {
            let leg = chain.default_contact.and_then(|contact| Some((legs.next()?, contact)));
            (chain.name.clone(), leg)
        });
        Self {
            chains: chains.collect(),
            contacts: model.contacts().iter().map(|contact| contact.name.clone()).collect(),
        }
    }

    /// What the legs stand on by a message.
    pub fn read<S: AsRef<str>, C: AsRef<str>>(
        &self,
        names: &[S],
        contacts: &[C],
        supports: &[f64],
    ) -> Result<Footings, Refused> {
        lengths("support", supports.len(), names.len())?;
        if !contacts.is_empty() {
            lengths("contact", contacts.len(), names.len())?;
        }
        let mut footings = [None; MAX_LEGS];
        for (at, (name, &support)) in names.iter().zip(supports).enumerate() {
            let name = name.as_ref();
            if names[..at].iter().any(|other| other.as_ref() == name) {
                return Err(Refused::Twice { name: name.into() });
            }
            if !(0.0..=1.0).contains(&support) {
                return Err(Refused::Support { name: name.into(), value: support });
            }
            let leg = self.chains.iter().find(|(known, _)| known == name);
            let (_, leg) = leg.ok_or_else(|| self.unknown_chain(name))?;
            let contact = contacts.get(at).map_or("", AsRef::as_ref);
            let named = self.contacts.iter().position(|known| known == contact);
            if !contact.is_empty() && named.is_none() {
                return Err(self.unknown_contact(name, contact));
            }
            match leg {
                Some((number, default)) if support > 0.0 => {
                    footings[*number] = Some(Footing { contact: named.unwrap_or(*default), weight: support });
                }
                None if support > 0.0 => return Err(Refused::NoLeg { name: name.into() }),
                _ => {}
            }
        }
        Ok(footings)
    }

    fn unknown_chain(&self, name: &str) -> Refused {
        let known: Vec<_> = self.chains.iter().map(|(name, _)| name.as_str()).collect();
        Refused::UnknownChain { name: name.into(), known: known.join(", ") }
    }

    fn unknown_contact(&self, chain: &str, name: &str) -> Refused {
        Refused::UnknownContact { chain: chain.into(), name: name.into(), known: self.contacts.join(", ") }
    }
}
