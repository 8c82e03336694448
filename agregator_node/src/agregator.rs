//! The agregator: many partial messages in, one complete pose out.

use crate::cycle::{Cycle, CycleTime};
use crate::input::{JointArrays, LimbArrays, SupportArrays};
use crate::names::KnownNames;
use crate::note::{Note, Refusal};
use crate::params::{AgregatorParams, CycleMismatch};
use crate::pose::{Pose, PoseBuffer};
use crate::support::{self, Support};
use robot_model_lib::{JointSlot, RobotModel};

/// Merges what sources say about single joints, limbs and supports, cycle by cycle.
#[derive(Debug)]
pub struct Agregator {
    model: RobotModel,
    params: AgregatorParams,
    cycle: Cycle,
    names: KnownNames,
    buffer: PoseBuffer,
    supports: Vec<Option<Support>>,
    /// Per chain the last limb message that named it: a name that stands twice is found without comparing each with each.
    named_in: Vec<u64>,
    limb_messages: u64,
}

impl Agregator {
    /// An agregator for a robot.
    pub fn new(model: RobotModel, params: AgregatorParams) -> filters_lib::Result<Self> {
        let period = params.period;
        Ok(Agregator {
            cycle: Cycle { number: 0, start_ns: 0, period },
            names: KnownNames::new(),
            buffer: PoseBuffer::new(model.joints(), &params, period)?,
            supports: vec![None; model.chains().len()],
            named_in: vec![0; model.chains().len()],
            limb_messages: 0,
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
        let period = if self.cycle.number == 0 { params.period } else { self.cycle.period };
        self.buffer.set_params(&params, period)?;
        self.cycle.period = period;
        self.params = params;
        Ok(())
    }

    /// Number and start (ns) of the current cycle; 0 before the first sync.
    pub fn cycle(&self) -> (u32, i64) {
        (self.cycle.number, self.cycle.start_ns)
    }

    /// Whether a message belongs to the cycle that begins with the next sync, which it has overtaken on its way. It should
    /// be kept until then.
    pub fn is_early(&self, time: CycleTime) -> bool {
        self.cycle.differs(time) == Some(i64::from(self.cycle.number) + 1)
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

    /// Takes a message about joints. `Ok(false)`: it was of another cycle and dropped.
    pub fn joints(
        &mut self,
        time: CycleTime,
        arrays: JointArrays<'_>,
        note: &mut dyn FnMut(Note<'_>),
    ) -> Result<bool, Refusal> {
        arrays.check()?;
        let slots = self.names.resolve(&self.model, arrays.name)?;
        if !fits(&self.cycle, time, self.params.cycle_mismatch, note) {
            return Ok(false);
        }
        for (i, (slot, name)) in slots.iter().zip(arrays.name).enumerate() {
            match *slot {
                JointSlot::Joint { index, .. } => {
                    self.buffer.tell(
                        index,
                        name,
                        arrays.told(i),
                        self.params.limits,
                        self.cycle.period,
                        note,
                    );
                }
                // A mimic joint follows its master: it is known and has nothing to be told.
                JointSlot::Mimic { .. } => {}
                JointSlot::Unknown => note(Note::UnknownJoint(name)),
            }
        }
        Ok(true)
    }

    /// Takes a message about limbs. `Ok(false)`: it was of another cycle and dropped.
    pub fn limbs<'a>(
        &mut self,
        time: CycleTime,
        limbs: impl Iterator<Item = LimbArrays<'a>> + Clone,
        note: &mut dyn FnMut(Note<'_>),
    ) -> Result<bool, Refusal> {
        self.limb_messages += 1;
        for limb in limbs.clone() {
            let Some(chain) = self.model.find_chain(limb.chain) else { continue };
            if std::mem::replace(&mut self.named_in[chain], self.limb_messages) == self.limb_messages {
                return Err(Refusal::Duplicate { name: limb.chain.into() });
            }
            limb.check(self.model.chains()[chain].joints.len())?;
        }
        if !fits(&self.cycle, time, self.params.cycle_mismatch, note) {
            return Ok(false);
        }
        for limb in limbs {
            let Some(chain) = self.model.find_chain(limb.chain) else {
                note(Note::UnknownChain(limb.chain));
                continue;
            };
            for (i, index) in self.model.chains()[chain].joints.clone().enumerate() {
                let name = &self.model.joints()[index].name;
                self.buffer.tell(index, name, limb.told(i), self.params.limits, self.cycle.period, note);
            }
        }
        Ok(true)
    }

    /// Takes a message about supports. `Ok(false)`: it was of another cycle and dropped.
    pub fn support(
        &mut self,
        time: CycleTime,
        arrays: SupportArrays<'_>,
        note: &mut dyn FnMut(Note<'_>),
    ) -> Result<bool, Refusal> {
        arrays.check()?;
        if !fits(&self.cycle, time, self.params.cycle_mismatch, note) {
            return Ok(false);
        }
        support::apply(&mut self.supports, &self.model, arrays, note);
        Ok(true)
    }

    /// A cycle ends and the next one begins: joints that got nothing are predicted, filters take their step. A period
    /// that is no positive number is left aside.
    pub fn sync(&mut self, number: u32, start_ns: i64, period: f64) {
        self.buffer.end_cycle(&self.params, self.cycle.period);
        self.cycle.number = number;
        self.cycle.start_ns = start_ns;
        // The filters accept every positive period, so that this cannot fail half-way.
        if period != self.cycle.period && self.buffer.set_params(&self.params, period).is_ok() {
            self.cycle.period = period;
        }
    }
}

/// Whether a message may be used in this cycle.
fn fits(cycle: &Cycle, time: CycleTime, policy: CycleMismatch, note: &mut dyn FnMut(Note<'_>)) -> bool {
    let Some(message) = cycle.differs(time) else { return true };
    let used = policy == CycleMismatch::Accept;
    note(Note::OtherCycle { message, current: cycle.number, used });
    used
}
