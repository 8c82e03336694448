//! The agregator: many partial messages in, one complete pose out.

use crate::input::{JointArrays, LimbArrays, SupportArrays};
use crate::joint::Input;
use crate::kept::{KEPT_AHEAD, Kept};
use crate::names::KnownNames;
use crate::note::{Note, Refusal};
use crate::params::{AgregatorParams, CycleMismatch};
use crate::pose::{Pose, PoseBuffer};
use crate::support::{self, Support};
use crate::time::CycleTime;
use cycle_lib::{Cycles, SyncRelation};
use robot_model_lib::{JointSlot, RobotModel};

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// It is part of the pose now.
    Applied,
    /// It has overtaken the `sync` of its cycle, and is kept for it.
    Kept {
        /// How many cycles it is ahead.
        ahead: i64,
    },
    /// It was of another cycle.
    Dropped,
}

/// Merges what sources say about single joints, limbs and supports, cycle by cycle.
#[derive(Debug)]
pub struct Agregator {
    model: RobotModel,
    params: AgregatorParams,
    cycles: Cycles,
    /// Number of the last `sync`.
    number: u32,
    names: KnownNames,
    buffer: PoseBuffer,
    supports: Vec<Option<Support>>,
    kept: Kept,
    /// Per chain the last limb message that named it: a name that stands twice is found without comparing each with each.
    named_in: Vec<u64>,
    limb_messages: u64,
}

impl Agregator {
    /// An agregator for a robot.
    pub fn new(model: RobotModel, params: AgregatorParams) -> filters_lib::Result<Self> {
        let cycles = Cycles::new(params.period);
        Ok(Agregator {
            number: 0,
            names: KnownNames::new(),
            buffer: PoseBuffer::new(model.joints(), &params, cycles.period())?,
            supports: vec![None; model.chains().len()],
            kept: Kept::new(model.joints().len(), model.chains().len()),
            named_in: vec![0; model.chains().len()],
            limb_messages: 0,
            cycles,
            model,
            params,
        })
    }

    /// The robot.
    pub fn model(&self) -> &RobotModel {
        &self.model
    }

    /// The parameters in use.
    pub fn params(&self) -> &AgregatorParams {
        &self.params
    }

    /// New parameters; position, velocity and what the filters know stay. Before the first sync the period is theirs,
    /// afterwards that of sync.
    pub fn set_params(&mut self, params: AgregatorParams) -> filters_lib::Result<()> {
        let mut cycles = self.cycles;
        cycles.set_default_period(params.period);
        self.buffer.set_params(&params, cycles.period())?;
        self.cycles = cycles;
        self.params = params;
        Ok(())
    }

    /// Number and start (ns) of the current cycle; 0 before the first sync.
    pub fn cycle(&self) -> (u32, i64) {
        (self.number, self.cycles.start_ns().unwrap_or(0))
    }

    /// Joints that have had no position yet.
    pub fn missing(&self) -> impl Iterator<Item = &str> {
        self.buffer.missing().map(|index| self.model.joints()[index].name.as_str())
    }

    /// The pose, once every joint is known.
    pub fn pose(&self) -> Option<Pose<'_>> {
        self.buffer.pose()
    }

    /// What is known of each chain's support, in the model's order.
    pub fn supports(&self) -> &[Option<Support>] {
        &self.supports
    }

    /// Takes a message about joints.
    pub fn joints(
        &mut self,
        time: CycleTime,
        arrays: JointArrays<'_>,
        note: &mut dyn FnMut(Note<'_>),
    ) -> Result<Taken, Refusal> {
        arrays.check()?;
        let source = self.names.find(&self.model, arrays.name)?;
        let taken = self.place(time, note);
        if taken == Taken::Dropped {
            return Ok(taken);
        }
        for (i, name) in arrays.name.iter().enumerate() {
            match self.names.slot(source, i) {
                JointSlot::Joint { index, .. } => self.give(taken, index, arrays.input(i), note),
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
        self.limb_messages += 1;
        for limb in limbs.clone() {
            let Some(chain) = self.model.find_chain(limb.chain) else { continue };
            if std::mem::replace(&mut self.named_in[chain], self.limb_messages) == self.limb_messages {
                return Err(Refusal::Duplicate { name: limb.chain.into() });
            }
            limb.check(self.model.chains()[chain].joints.len())?;
        }
        let taken = self.place(time, note);
        if taken == Taken::Dropped {
            return Ok(taken);
        }
        for limb in limbs {
            let Some(chain) = self.model.find_chain(limb.chain) else {
                note(Note::UnknownChain(limb.chain));
                continue;
            };
            for (i, index) in self.model.chains()[chain].joints.clone().enumerate() {
                self.give(taken, index, limb.input(i), note);
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
        let taken = self.place(time, note);
        let supports = match taken {
            Taken::Applied => &mut self.supports,
            Taken::Kept { ahead } => &mut self.kept.at(self.cycles.current() + ahead).supports,
            Taken::Dropped => return Ok(taken),
        };
        support::apply(supports, &self.model, arrays, note);
        Ok(taken)
    }

    /// A `sync`: the cycle ends and the next one begins. Joints that got nothing are predicted, filters take their step, and
    /// the pose is to be published, with the stamp of this `sync`; then comes [`Agregator::begin_cycle`]. An old `sync`
    /// changes nothing.
    pub fn sync(
        &mut self,
        number: u32,
        start_ns: i64,
        period: f64,
        note: &mut dyn FnMut(Note<'_>),
    ) -> SyncRelation {
        self.begin_cycle(note);
        let before = self.cycles.current();
        let relation = self.cycles.sync(start_ns, period);
        match relation {
            SyncRelation::Old => return relation,
            SyncRelation::Back => {
                self.kept.clear(None);
                self.buffer.restart();
            }
            SyncRelation::Next { .. } => {
                let now = self.cycles.current();
                let mut at = before;
                // Inputs of a cycle whose own sync fell out are still of that cycle.
                while let Some(cycle) = self.kept.first(now - 1) {
                    self.buffer.end_cycles(cycle - at, &self.params);
                    self.apply_kept(cycle, note);
                    at = cycle;
                }
                self.buffer.end_cycles(now - at, &self.params);
            }
        }
        self.number = number;
        if self.cycles.period() != self.buffer.period() {
            // The filters accept every period that a cycle may have.
            let _ = self.buffer.set_params(&self.params, self.cycles.period());
        }
        relation
    }

    /// Applies what was kept for the cycle that has begun: whether there was anything. To be called when the pose of the
    /// cycle before has been published; the next input does it otherwise.
    pub fn begin_cycle(&mut self, note: &mut dyn FnMut(Note<'_>)) -> bool {
        let due = self.kept.first(self.cycles.current());
        if let Some(cycle) = due {
            self.apply_kept(cycle, note);
        }
        due.is_some()
    }

    fn apply_kept(&mut self, cycle: i64, note: &mut dyn FnMut(Note<'_>)) {
        let kept = self.kept.at(cycle);
        for (index, input) in kept.joints.iter().enumerate().filter(|(_, input)| !input.is_none()) {
            let name = &self.model.joints()[index].name;
            self.buffer.give(index, name, *input, self.params.limits, note);
        }
        for (support, kept) in self.supports.iter_mut().zip(&kept.supports) {
            *support = kept.or(*support);
        }
        self.kept.clear(Some(cycle));
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
    fn give(&mut self, taken: Taken, index: usize, input: Option<Input>, note: &mut dyn FnMut(Note<'_>)) {
        let name = &self.model.joints()[index].name;
        match (input, taken) {
            (None, _) => note(Note::TooLarge { joint: name }),
            (Some(input), Taken::Kept { ahead }) => {
                self.kept.at(self.cycles.current() + ahead).joints[index].merge(input);
            }
            (Some(input), _) => self.buffer.give(index, name, input, self.params.limits, note),
        }
    }
}
