//! The agregator: many partial messages in, one complete pose out.

use crate::given::Given;
use crate::kept::Kept;
use crate::note::Note;
use crate::params::AgregatorParams;
use crate::pose::{Pose, PoseBuffer};
use crate::stamps::Stamps;
use crate::support::Support;
use cycle_lib::{Cycles, STALL, SyncRelation};
use robot_model_lib::{JointReader, JointSlot, RobotModel};

mod measured;
mod messages;

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
    reader: JointReader<JointSlot>,
    buffer: PoseBuffer,
    supports: Vec<Option<Support>>,
    kept: Kept,
    stamps: Stamps,
    /// Per chain the last message that named it: a name that stands twice is found without comparing each with each.
    named_in: Vec<u64>,
    chain_messages: u64,
}

impl Agregator {
    /// An agregator for a robot.
    pub fn new(model: RobotModel, params: AgregatorParams) -> filters_lib::Result<Self> {
        let cycles = Cycles::new(params.period);
        Ok(Agregator {
            number: 0,
            reader: JointReader::new(),
            buffer: PoseBuffer::new(model.joints(), &params, cycles.period())?,
            supports: vec![None; model.chains().len()],
            stamps: Stamps::default(),
            kept: Kept::new(model.joints().len(), model.chains().len()),
            named_in: vec![0; model.chains().len()],
            chain_messages: 0,
            cycles,
            model,
            params,
        })
    }

    /// The robot whose joints and limbs are collected.
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

    /// For each joint whether a source gave it something in the cycle that ended with the last sync; the others are only
    /// predicted.
    pub fn commanded(&self) -> impl Iterator<Item = bool> {
        self.buffer.commanded()
    }

    /// The pose, once every joint is known.
    pub fn pose(&self) -> Option<Pose<'_>> {
        self.buffer.pose()
    }

    /// What is known of each chain's support, in the model's order.
    pub fn supports(&self) -> &[Option<Support>] {
        &self.supports
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
        let relation = self.cycles.sync(number, start_ns, period);
        match relation {
            SyncRelation::Old => {
                note(Note::SyncAgain);
                return relation;
            }
            SyncRelation::Back => {
                self.kept.clear(None);
                self.buffer.restart();
            }
            // What was made for cycles that fell out is of the one that begins.
            SyncRelation::Next { passed, fell_out: fell_out @ 1.. } => {
                self.buffer.end_cycles(passed - fell_out, &self.params);
                self.buffer.fall_out(fell_out);
            }
            SyncRelation::Next { passed, .. } => {
                let now = self.cycles.current();
                let mut at = before;
                // Inputs of a cycle whose own sync was lost are still of that cycle, but nobody moves on through a stall.
                while let Some(cycle) = self.kept.first(now - 1) {
                    if passed > STALL {
                        self.kept.at(cycle).joints.fill(Given::NONE);
                    } else {
                        self.buffer.end_cycles(cycle - at, &self.params);
                        at = cycle;
                    }
                    self.apply_kept(cycle, note);
                }
                self.buffer.end_cycles(now - at, &self.params);
            }
        }
        self.number = number;
        self.stamps.sync(start_ns);
        if self.cycles.period() != self.buffer.period() {
            // The filters accept every period that a cycle may have.
            let _ = self.buffer.set_params(&self.params, self.cycles.period());
        }
        relation
    }

    /// The stamp (ns) for a pose that is published because of a message with this stamp: within the present cycle, whatever
    /// cycle the message was made for, and never older than one before it. `now_ns` counts before the first `sync`.
    pub fn message_stamp(&mut self, stamp_ns: i64, now_ns: i64) -> i64 {
        self.stamps.message(stamp_ns, &self.cycles, now_ns)
    }

    /// Applies what was kept for the cycle that has begun: whether there was anything. To be called when the pose of the
    /// cycle before has been published; the next input does it otherwise.
    pub fn begin_cycle(&mut self, note: &mut dyn FnMut(Note<'_>)) -> bool {
        let now = self.cycles.current();
        let is_kept = self.kept.first(now).is_some();
        while let Some(cycle) = self.kept.first(now) {
            self.apply_kept(cycle, note);
        }
        is_kept
    }

    fn apply_kept(&mut self, cycle: i64, note: &mut dyn FnMut(Note<'_>)) {
        let kept = self.kept.at(cycle);
        let (buffer, params) = (&mut self.buffer, &self.params);
        let given = kept.joints.iter().enumerate().filter(|(_, input)| !input.is_none());
        buffer.settle(given.map(|(index, input)| (index, input.input(params.priority, true))));
        for (index, input) in kept.joints.iter().enumerate().filter(|(_, input)| !input.is_none()) {
            let joint = (index, self.model.joints()[index].name.as_str());
            self.buffer.give_kept(joint, *input, &self.params, note);
        }
        for (support, kept) in self.supports.iter_mut().zip(&kept.supports) {
            *support = kept.or(*support);
        }
        self.kept.clear(Some(cycle));
    }
}
