//! Support messages: which chains stand, and on which of their contacts.

use thiserror::Error;

use crate::{MessageError, NameCache, RobotModel, StandingContact, check_names};

/// A support message that cannot be used.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SupportError {
    /// A chain twice, or names that cannot be.
    #[error(transparent)]
    Names(#[from] MessageError),
    /// Arrays of one message differ in length.
    #[error("{what}: {found} values for {names} names")]
    Lengths {
        /// Name of the array.
        what: &'static str,
        /// How many elements it has.
        found: usize,
        /// How many names there are.
        names: usize,
    },
    /// No chain of this name.
    #[error("no chain \"{name}\"; there are: {known}")]
    UnknownChain {
        /// The name that came.
        name: String,
        /// Names of the chains that there are.
        known: String,
    },
    /// No contact of this name.
    #[error("chain \"{chain}\": no contact \"{name}\"; there are: {known}")]
    UnknownContact {
        /// Name of the chain.
        chain: String,
        /// The name that came.
        name: String,
        /// Names of the contacts that there are.
        known: String,
    },
    /// A chain that never touches the ground.
    #[error("chain \"{name}\" has no default_contact: it cannot be a support")]
    NoLeg {
        /// Name of the chain.
        name: String,
    },
    /// A support outside 0…1.
    #[error("chain \"{name}\": support {value} is outside 0 … 1")]
    Support {
        /// Name of the chain.
        name: String,
        /// The value that came.
        value: f64,
    },
}

/// Reads support messages for one robot; those that name the same chains as the last one take no memory.
#[derive(Debug, Clone)]
pub struct SupportReader {
    /// Each chain's name and, for a leg, its default contact.
    chains: Vec<(String, Option<usize>)>,
    contacts: Vec<String>,
    chain_names: NameCache<Option<usize>>,
    contact_names: NameCache<Option<usize>>,
    standing: Vec<Option<StandingContact>>,
}

impl SupportReader {
    /// For the chains of a robot; those with a default contact can stand.
    pub fn new(model: &RobotModel) -> Self {
        let chains: Vec<_> =
            model.chains().iter().map(|chain| (chain.name.clone(), chain.default_contact)).collect();
        Self {
            contacts: model.contacts().iter().map(|contact| contact.name.clone()).collect(),
            chain_names: NameCache::new(),
            contact_names: NameCache::new(),
            standing: vec![None; chains.len()],
            chains,
        }
    }

    /// How each chain of the robot stands by a message: `contacts` is empty, or has a name for each chain, an empty one for its
    /// default. A chain that is not named, or whose support is NaN or 0, is in the air.
    pub fn read<S: AsRef<str>, C: AsRef<str>>(
        &mut self,
        names: &[S],
        contacts: &[C],
        supports: &[f64],
    ) -> Result<&[Option<StandingContact>], SupportError> {
        let fits = |what, found: usize| match found == names.len() {
            true => Ok(()),
            false => Err(SupportError::Lengths { what, found, names: names.len() }),
        };
        fits("support", supports.len())?;
        if !contacts.is_empty() {
            fits("contact", contacts.len())?;
        }
        if !self.chain_names.holds(names) {
            check_names(names)?;
        }
        let chain = |name: &str| self.chains.iter().position(|(known, _)| known == name);
        let chains = self.chain_names.resolve(names, chain);
        let contact = |name: &str| self.contacts.iter().position(|known| known == name);
        let named = self.contact_names.resolve(contacts, contact);
        self.standing.fill(None);
        for (at, &support) in supports.iter().enumerate() {
            let name = || names[at].as_ref().to_owned();
            if !(support.is_nan() || (0.0..=1.0).contains(&support)) {
                return Err(SupportError::Support { name: name(), value: support });
            }
            let Some(chain) = chains[at] else {
                let known: Vec<_> = self.chains.iter().map(|(name, _)| name.as_str()).collect();
                return Err(SupportError::UnknownChain { name: name(), known: known.join(", ") });
            };
            let own = contacts.get(at).map(AsRef::as_ref).filter(|name| !name.is_empty());
            let own = match own {
                Some(wanted) => Some(named[at].ok_or_else(|| SupportError::UnknownContact {
                    chain: name(),
                    name: wanted.to_owned(),
                    known: self.contacts.join(", "),
                })?),
                None => None,
            };
            if support > 0.0 {
                let default = self.chains[chain].1.ok_or_else(|| SupportError::NoLeg { name: name() })?;
                self.standing[chain] = Some(StandingContact { contact: own.unwrap_or(default), support });
            }
        }
        Ok(&self.standing)
    }
}
