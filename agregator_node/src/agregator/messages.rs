//! Messages of the sources, each for its cycle.

use super::{Agregator, Taken};
use crate::given::{Origin, Topic};
use crate::input::{Input, JointArrays, LimbArrays, SupportArrays};
use crate::kept::KEPT_AHEAD;
use crate::note::{Note, Refusal};
use crate::params::CycleMismatch;
use crate::support;
use crate::time::CycleTime;
use robot_model_lib::{JointSlot, MessageError};

impl Agregator {
    /// Takes a message about joints.
    pub fn joints(
        &mut self,
        time: CycleTime,
        arrays: JointArrays<'_>,
        note: &mut dyn FnMut(Note<'_>),
    ) -> Result<Taken, Refusal> {
        let source = self.reader.read(arrays.name, &arrays.fields(), |name| self.model.find_joint(name))?;
        let taken = self.place(time, note);
        if taken == Taken::Dropped {
            return Ok(taken);
        }
        let origin = Origin { topic: Topic::Joints, names: source, time };
        if taken == Taken::Applied {
            let joints = self.reader.found(source).iter().enumerate().filter_map(|(i, slot)| match slot {
                JointSlot::Joint { index, .. } => Some((*index, arrays.input(i))),
                _ => None,
            });
            self.buffer.settle(joints);
        }
        for (i, name) in arrays.name.iter().enumerate() {
            match self.reader.found(source)[i] {
                JointSlot::Joint { index, .. } => self.give(taken, index, (arrays.input(i), origin), note),
                // A mimic joint follows its master: it is known and has nothing to be given.
                JointSlot::Mimic { .. } => {}
                JointSlot::Unknown => note(Note::UnknownJoint(name)),
            }
        }
        Ok(taken)
    }

    /// Takes a message about limbs.
    pub fn limbs<'a>(
        &mut self,
        time: CycleTime,
        limbs: impl Iterator<Item = LimbArrays<'a>> + Clone,
        note: &mut dyn FnMut(Note<'_>),
    ) -> Result<Taken, Refusal> {
        self.chain_messages += 1;
        for limb in limbs.clone() {
            if let Some(chain) = self.named_once(limb.chain)? {
                limb.check(self.model.chains()[chain].joints.len())?;
            }
        }
        let taken = self.place(time, note);
        if taken == Taken::Dropped {
            return Ok(taken);
        }
        // Which limbs it names tells nothing of who sent it: one source may send its limbs one by one.
        let origin = Origin { topic: Topic::Limbs, names: 0, time };
        if taken == Taken::Applied {
            let model = &self.model;
            let joints = |limb: LimbArrays<'a>| {
                let chain = model.find_chain(limb.chain).map(|chain| model.chains()[chain].joints.clone());
                chain.into_iter().flatten().enumerate().map(move |(i, index)| (index, limb.input(i)))
            };
            self.buffer.settle(limbs.clone().flat_map(joints));
        }
        for limb in limbs {
            let Some(chain) = self.model.find_chain(limb.chain) else {
                note(Note::UnknownChain(limb.chain));
                continue;
            };
            for (i, index) in self.model.chains()[chain].joints.clone().enumerate() {
                self.give(taken, index, (limb.input(i), origin), note);
            }
        }
        Ok(taken)
    }

    /// Takes a message about supports.
    pub fn support(
        &mut self,
        time: CycleTime,
        arrays: SupportArrays<'_>,
        note: &mut dyn FnMut(Note<'_>),
    ) -> Result<Taken, Refusal> {
        arrays.check()?;
        self.chain_messages += 1;
        for chain in arrays.chain {
            self.named_once(chain)?;
        }
        let taken = self.place(time, note);
        let supports = match taken {
            Taken::Applied => &mut self.supports,
            Taken::Kept { ahead } => &mut self.kept.at(self.cycles.current() + ahead).supports,
            Taken::Dropped => return Ok(taken),
        };
        support::apply(supports, &self.model, arrays, note);
        Ok(taken)
    }

    /// The chain of this name, if there is one: the first time that the present message names it.
    fn named_once(&mut self, name: &str) -> Result<Option<usize>, Refusal> {
        let Some(chain) = self.model.find_chain(name) else { return Ok(None) };
        if std::mem::replace(&mut self.named_in[chain], self.chain_messages) == self.chain_messages {
            return Err(MessageError::Twice { name: name.into() }.into());
        }
        Ok(Some(chain))
    }

    /// What is to become of a message of this time.
    fn place(&mut self, time: CycleTime, note: &mut dyn FnMut(Note<'_>)) -> Taken {
        self.begin_cycle(note);
        let ahead = time.ahead(&self.cycles, self.number);
        let used = self.params.cycle_mismatch == CycleMismatch::Accept;
        match ahead {
            0 => return Taken::Applied,
            1..=KEPT_AHEAD => return Taken::Kept { ahead },
            _ => note(Note::OtherCycle { ahead, used }),
        }
        if used { Taken::Applied } else { Taken::Dropped }
    }

    /// Gives a joint its part of a message.
    fn give(&mut self, taken: Taken, index: usize, part: (Input, Origin), note: &mut dyn FnMut(Note<'_>)) {
        let name = self.model.joints()[index].name.as_str();
        if let Taken::Kept { ahead } = taken {
            let kept = &mut self.kept.at(self.cycles.current() + ahead).joints[index];
            if let Some(conflict) = kept.merge(part.0, part.1, self.params.priority) {
                note(conflict.note(name));
            }
            return;
        }
        self.buffer.give((index, name), part, &self.params, note);
    }
}
