//! Which chains stand on the ground, as the sources say.

use crate::input::SupportArrays;
use crate::note::Note;
use robot_model_lib::RobotModel;

/// A chain's support.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Support {
    /// Index of the contact in the model.
    pub contact: usize,
    /// 0 … 1; in contact when above 0.
    pub support: f64,
}

/// Takes what is known of each chain in the message; `supports` has one place per chain of the model.
pub(crate) fn apply(
    supports: &mut [Option<Support>],
    model: &RobotModel,
    arrays: SupportArrays<'_>,
    note: &mut dyn FnMut(Note<'_>),
) {
    for (i, name) in arrays.chain.iter().enumerate() {
        let Some(chain) = model.find_chain(name) else {
            note(Note::UnknownChain(name));
            continue;
        };
        let said = arrays.contact.get(i).map_or("", String::as_str);
        let contact =
            if said.is_empty() { model.chains()[chain].default_contact } else { model.find_contact(said) };
        let Some(contact) = contact else {
            note(Note::UnknownContact(if said.is_empty() { name } else { said }));
            continue;
        };
        let support = arrays.support[i];
        if support.is_nan() {
            continue;
        }
        if !(0.0..=1.0).contains(&support) {
            note(Note::SupportOutOfRange { chain: name, support });
        }
        supports[chain] = Some(Support { contact, support: support.clamp(0.0, 1.0) });
    }
}
