//! Messages as the core takes them, and the checks that refuse one whole before anything changes.

use crate::note::Refusal;
use robot_model_lib::{Field, MOST_JOINTS, MessageError};

/// Position, velocity and effort as messages give them; NaN means absent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input {
    pub position: f64,
    pub velocity: f64,
    pub effort: f64,
}

impl Input {
    pub const NONE: Input = Input { position: f64::NAN, velocity: f64::NAN, effort: f64::NAN };

    /// Whether it gives nothing at all.
    pub fn is_none(&self) -> bool {
        !self.is_motion() && self.effort.is_nan()
    }

    /// Whether it says how the joint moves.
    pub fn is_motion(&self) -> bool {
        !self.position.is_nan() || !self.velocity.is_nan()
    }

    /// Position, velocity, effort.
    pub fn fields(&self) -> [f64; 3] {
        [self.position, self.velocity, self.effort]
    }

    /// Takes over what `newer` gives.
    pub fn merge(&mut self, newer: Input) {
        let pick = |old: &mut f64, new: f64| *old = if new.is_nan() { *old } else { new };
        pick(&mut self.position, newer.position);
        pick(&mut self.velocity, newer.velocity);
        pick(&mut self.effort, newer.effort);
    }
}

/// Joint arrays of a `JointState`: each is empty (absent) or as long as `name`; NaN means absent for that joint.
#[derive(Clone, Copy, Debug)]
pub struct JointArrays<'a> {
    /// Names of the joints that the arrays are for.
    pub name: &'a [String],
    /// rad or m.
    pub position: &'a [f64],
    /// rad/s or m/s.
    pub velocity: &'a [f64],
    /// N·m or N.
    pub effort: &'a [f64],
}

/// The joints of one limb, in chain order; each array is empty (absent) or as long as the chain.
#[derive(Clone, Copy, Debug)]
pub struct LimbArrays<'a> {
    /// Name of the chain whose joints these are, from its first link on.
    pub chain: &'a str,
    /// rad or m.
    pub position: &'a [f64],
    /// rad/s or m/s.
    pub velocity: &'a [f64],
    /// N·m or N.
    pub effort: &'a [f64],
}

/// Arrays of a `SupportState`.
#[derive(Clone, Copy, Debug)]
pub struct SupportArrays<'a> {
    /// Names of the chains that the shares are for.
    pub chain: &'a [String],
    /// Contacts; empty, or an empty string, means the chain's default.
    pub contact: &'a [String],
    /// 0 … 1; NaN means absent for that chain.
    pub support: &'a [f64],
}

/// The three arrays, each of which may be absent, as may be any element.
fn fields<'a>(position: &'a [f64], velocity: &'a [f64], effort: &'a [f64]) -> [Field<'a>; 3] {
    let field = |name, values| Field::new(name, values).or_empty().or_nan();
    [field("position", position), field("velocity", velocity), field("effort", effort)]
}

/// What the arrays give for element `i`.
fn input(position: &[f64], velocity: &[f64], effort: &[f64], i: usize) -> Input {
    let at = |values: &[f64]| values.get(i).copied().unwrap_or(f64::NAN);
    Input { position: at(position), velocity: at(velocity), effort: at(effort) }
}

impl JointArrays<'_> {
    pub(crate) fn fields(&self) -> [Field<'_>; 3] {
        fields(self.position, self.velocity, self.effort)
    }

    pub(crate) fn input(&self, i: usize) -> Input {
        input(self.position, self.velocity, self.effort, i)
    }
}

impl LimbArrays<'_> {
    /// `joints` is the chain's length.
    pub(crate) fn check(&self, joints: usize) -> Result<(), Refusal> {
        let check = |field: &Field<'_>| field.check(joints, |_| self.chain);
        let limb = |why| Refusal::Limb { chain: self.chain.into(), why };
        fields(self.position, self.velocity, self.effort).iter().try_for_each(check).map_err(limb)
    }

    pub(crate) fn input(&self, i: usize) -> Input {
        input(self.position, self.velocity, self.effort, i)
    }
}

impl SupportArrays<'_> {
    /// Arrays and numbers; whether a chain stands twice is for those to see who know the chains.
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        let names = self.chain.len();
        if names > MOST_JOINTS {
            return Err(MessageError::TooMany { found: names }.into());
        }
        if !self.contact.is_empty() && self.contact.len() != names {
            return Err(MessageError::Size { field: "contact", found: self.contact.len(), names }.into());
        }
        Field::new("support", self.support).or_nan().check(names, |i| self.chain[i].as_str())?;
        Ok(())
    }
}
