//! Joint states: every joint has filters of its own, one chain for each kind of number.

use crate::live::{LiveChain, Stamps};
use filters_lib::chain::Value;
use filters_lib::{ChainError, Error};
use std::collections::HashMap;

/// More joints than any robot has; a publisher that invents names must not fill the memory.
const MOST_JOINTS: usize = 10_000;

/// Position, velocity, effort: their words in the parameter `fields`.
pub(crate) const FIELDS: [&str; 3] = ["position", "velocity", "effort"];

/// The arrays of a joint state, filtered in place: position, velocity, effort. An empty one is absent, and so is a NaN.
pub type JointArrays<'a> = [&'a mut Vec<f64>; 3];

/// Why a message was refused; nothing changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum JointFault {
    /// An array is neither empty nor as long as the names.
    #[error("{field} has {found} elements for {wanted} names")]
    Length {
        /// Which array.
        field: &'static str,
        /// How many joints are named.
        wanted: usize,
        /// How many numbers there are.
        found: usize,
    },
    /// A joint stands twice.
    #[error("joint \"{joint}\" stands twice")]
    Twice {
        /// The joint.
        joint: String,
    },
    /// An infinite number.
    #[error("{field} of joint \"{joint}\" is infinite")]
    Infinite {
        /// Which array.
        field: &'static str,
        /// The joint.
        joint: String,
    },
    /// Too many joints.
    #[error("more than {MOST_JOINTS} joints")]
    Full,
}

#[derive(Clone, Debug)]
struct Joint {
    name: String,
    chains: [LiveChain<f64>; 3],
    /// Number of the last message that named it.
    message: u64,
}

/// The chains of all joints that have been named.
#[derive(Clone, Debug)]
pub struct JointChains {
    fresh: LiveChain<f64>,
    fields: [bool; 3],
    joints: Vec<Joint>,
    places: HashMap<String, usize>,
    // Of the last message, in its order: most messages name the same joints again.
    order: Vec<usize>,
    message: u64,
    stamps: Stamps,
}

impl JointChains {
    /// From the parameters `filterN.…`; of `fields` (position, velocity, effort) the others pass as they are.
    pub fn build(
        params: &[(String, Value)],
        period: f64,
        fields: &[String],
    ) -> Result<Self, Vec<ChainError>> {
        let fresh = LiveChain::build(params, period, &0.0)?;
        Ok(JointChains {
            stamps: Stamps::default(),
            fresh,
            fields: FIELDS.map(|field| fields.iter().any(|name| name == field)),
            joints: vec![],
            places: HashMap::new(),
            order: vec![],
            message: 0,
        })
    }

    /// Filters a message in place; true when time was set back and all joints began anew. `overflow` hears of joints whose
    /// filter broke down: their number becomes NaN.
    pub fn take(
        &mut self,
        stamp_ns: i64,
        names: &[String],
        arrays: JointArrays<'_>,
        mut overflow: impl FnMut(&str, Error),
    ) -> Result<bool, JointFault> {
        let known = self.joints.len();
        if let Err(fault) = self.check(names, &arrays) {
            // A refused message leaves no trace: the joints that it invented go.
            for joint in self.joints.drain(known..) {
                self.places.remove(&joint.name);
            }
            self.order.clear();
            return Err(fault);
        }
        let jumped = self.stamps.jump(stamp_ns);
        if jumped {
            self.restart();
        }
        for (field, array) in arrays.into_iter().enumerate().filter(|(field, _)| self.fields[*field]) {
            for (number, place) in array.iter_mut().zip(&self.order).filter(|(number, _)| !number.is_nan()) {
                let joint = &mut self.joints[*place];
                *number = joint.chains[field].take(number).copied().unwrap_or_else(|error| {
                    overflow(&joint.name, error);
                    f64::NAN
                });
            }
        }
        Ok(jumped)
    }

    /// All joints begin anew.
    pub fn restart(&mut self) {
        self.joints.iter_mut().flat_map(|joint| &mut joint.chains).for_each(LiveChain::restart);
    }

    /// Changes parameters, all or none.
    pub fn set(&mut self, changes: &[(String, Value)], period: f64) -> Result<(), ChainError> {
        self.fresh.set(changes, period)?;
        self.joints.iter_mut().flat_map(|joint| &mut joint.chains).try_for_each(|c| c.set(changes, period))
    }

    /// How many joints have been named.
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Whether none has.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// Checks a message and finds its joints; new ones get filters.
    fn check(&mut self, names: &[String], arrays: &JointArrays<'_>) -> Result<(), JointFault> {
        for (field, array) in FIELDS.into_iter().zip(arrays) {
            if !array.is_empty() && array.len() != names.len() {
                return Err(JointFault::Length { field, wanted: names.len(), found: array.len() });
            }
            if let Some(place) = array.iter().position(|number| number.is_infinite()) {
                return Err(JointFault::Infinite { field, joint: names[place].clone() });
            }
        }
        self.message += 1;
        for (index, name) in names.iter().enumerate() {
            let last = self.order.get(index).copied();
            let place = match last.filter(|place| self.joints[*place].name == *name) {
                Some(place) => place,
                None => self.place(name)?,
            };
            if self.joints[place].message == self.message {
                return Err(JointFault::Twice { joint: name.clone() });
            }
            self.joints[place].message = self.message;
            match self.order.get_mut(index) {
                Some(slot) => *slot = place,
                None => self.order.push(place),
            }
        }
        Ok(())
    }

    fn place(&mut self, name: &String) -> Result<usize, JointFault> {
        if let Some(place) = self.places.get(name) {
            return Ok(*place);
        }
        if self.joints.len() >= MOST_JOINTS {
            return Err(JointFault::Full);
        }
        let chains = std::array::from_fn(|_| self.fresh.clone());
        self.joints.push(Joint { name: name.clone(), chains, message: 0 });
        self.places.insert(name.clone(), self.joints.len() - 1);
        Ok(self.joints.len() - 1)
    }
}
