//! Which feet stand: support messages, and how loads come and go.

use robot_model_lib::{NameCache, RobotModel, StandingContact, check_names};

use crate::Refused;
use crate::inverse::TIME_JUMP;

/// The supports that messages give, and those that are reckoned with: a foot takes up its load in a while.
#[derive(Debug, Clone)]
pub(crate) struct Supports {
    /// Each chain's name and, for a leg, its default contact.
    chains: Vec<(String, Option<usize>)>,
    contacts: Vec<String>,
    chain_names: NameCache<Option<(usize, usize)>>,
    contact_names: NameCache<Option<usize>>,
    /// By chain, and the time of the message, ns.
    given: Vec<StandingContact>,
    stamp: Option<i64>,
    next: Vec<StandingContact>,
    standing: Vec<Option<StandingContact>>,
}

impl Supports {
    pub fn new(model: &RobotModel) -> Self {
        let chains: Vec<_> =
            model.chains().iter().map(|chain| (chain.name.clone(), chain.default_contact)).collect();
        let in_the_air: Vec<_> = chains
            .iter()
            .map(|(_, contact)| StandingContact { contact: contact.unwrap_or(0), support: 0.0 })
            .collect();
        Self {
            contacts: model.contacts().iter().map(|contact| contact.name.clone()).collect(),
            chain_names: NameCache::new(),
            contact_names: NameCache::new(),
            stamp: None,
            next: in_the_air.clone(),
            standing: vec![None; chains.len()],
            given: in_the_air,
            chains,
        }
    }

    /// Takes a message of a time (ns). A chain that it does not name is in the air. A message that is a little older than the
    /// last one has been overtaken; one that is much older means that time was set back.
    pub fn take<S: AsRef<str>, C: AsRef<str>>(
        &mut self,
        stamp: i64,
        names: &[S],
        contacts: &[C],
        supports: &[f64],
    ) -> Result<(), Refused> {
        let fits = |what, found: usize| match found == names.len() {
            true => Ok(()),
            false => Err(Refused::Lengths { what, found, names: names.len() }),
        };
        fits("support", supports.len())?;
        if !contacts.is_empty() {
            fits("contact", contacts.len())?;
        }
        if !self.chain_names.holds(names) {
            check_names(names)?;
        }
        let (chains, known) = (&self.chains, &self.contacts);
        let leg = |name: &str| {
            let chain = chains.iter().position(|(known, _)| known == name)?;
            Some((chain, chains[chain].1?))
        };
        let legs = self.chain_names.resolve(names, leg);
        let named = self.contact_names.resolve(contacts, |name| known.iter().position(|known| known == name));
        for leg in &mut self.next {
            leg.support = 0.0;
        }
        for (at, &support) in supports.iter().enumerate() {
            let name = || names[at].as_ref().to_owned();
            if !(0.0..=1.0).contains(&support) {
                return Err(Refused::Support { name: name(), value: support });
            }
            let Some((chain, default)) = legs[at] else {
                if support > 0.0 {
                    return Err(Refused::NoLeg { name: name() });
                }
                continue;
            };
            let contact = match contacts.get(at).map(AsRef::as_ref) {
                None | Some("") => default,
                Some(wanted) => named[at]
                    .ok_or_else(|| Refused::UnknownContact { chain: name(), name: wanted.to_owned() })?,
            };
            self.next[chain] = StandingContact { contact, support };
        }
        let late = self.stamp.map_or(0, |held| held.saturating_sub(stamp)) as f64 * 1e-9;
        if !(f64::MIN_POSITIVE..=TIME_JUMP).contains(&late) {
            self.stamp = Some(stamp);
            std::mem::swap(&mut self.given, &mut self.next);
        }
        Ok(())
    }

    /// Forgets what belongs to a later time than `stamp`: time was set back.
    pub fn turn_back(&mut self, stamp: i64) {
        if self.stamp.is_some_and(|held| held > stamp) {
            self.stamp = None;
        }
    }

    /// What stands at a time (ns): supports move towards those given by at most `reach`. Given ones that are older than
    /// `timeout` (s; 0 = never) are gone.
    pub fn at(&mut self, stamp: i64, timeout: f64, reach: f64) -> &[Option<StandingContact>] {
        let age = self.stamp.map(|held| stamp.saturating_sub(held) as f64 * 1e-9);
        let holds = age.is_some_and(|age| timeout <= 0.0 || age <= timeout);
        for (stands, given) in self.standing.iter_mut().zip(&self.given) {
            let wanted = if holds { given.support } else { 0.0 };
            let now = stands.map_or(0.0, |stands| stands.support);
            let support = now + (wanted - now).clamp(-reach, reach);
            // A foot that leaves does so from the contact on which it stood.
            let contact = stands.filter(|_| wanted <= 0.0).map_or(given.contact, |stands| stands.contact);
            *stands = (support > 0.0).then_some(StandingContact { contact, support });
        }
        &self.standing
    }
}
