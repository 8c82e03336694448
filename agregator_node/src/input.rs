//! Messages as the core takes them, and the checks that refuse one whole before anything changes.

use crate::joint::Input;
use crate::note::Refusal;

/// Beyond this a number is no position, speed or effort of any robot, and derivatives of it may not be finite.
pub(crate) const LARGEST: f64 = 1e9;

/// Joint arrays of a `JointState`: each is empty (absent) or as long as `name`; NaN means absent for that joint.
#[derive(Clone, Copy, Debug)]
pub struct JointArrays<'a> {
    /// Joints.
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
    /// The chain.
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
    /// Chains.
    pub chain: &'a [String],
    /// Contacts; empty, or an empty string, means the chain's default.
    pub contact: &'a [String],
    /// 0 … 1; NaN means absent for that chain.
    pub support: &'a [f64],
}

fn check_size(array: impl Fn() -> String, found: usize, wanted: usize) -> Result<(), Refusal> {
    if found == 0 || found == wanted { Ok(()) } else { Err(Refusal::Size { array: array(), found, wanted }) }
}

fn check_finite<'a>(
    array: &'static str,
    values: &[f64],
    name: impl Fn(usize) -> &'a str,
) -> Result<(), Refusal> {
    match values.iter().position(|v| v.is_infinite()) {
        Some(i) => Err(Refusal::Infinite { name: name(i).into(), array }),
        None => Ok(()),
    }
}

/// What three arrays give for element `i`; none if that cannot be computed with.
fn input(position: &[f64], velocity: &[f64], effort: &[f64], i: usize) -> Option<Input> {
    let at = |values: &[f64]| values.get(i).copied().unwrap_or(f64::NAN);
    let input = Input { position: at(position), velocity: at(velocity), effort: at(effort) };
    let is_fine = |x: f64| x.is_nan() || x.abs() <= LARGEST;
    (is_fine(input.position) && is_fine(input.velocity) && is_fine(input.effort)).then_some(input)
}

impl JointArrays<'_> {
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        let wanted = self.name.len();
        for (array, values) in
            [("position", self.position), ("velocity", self.velocity), ("effort", self.effort)]
        {
            check_size(|| array.into(), values.len(), wanted)?;
            check_finite(array, values, |i| self.name[i].as_str())?;
        }
        Ok(())
    }

    pub(crate) fn input(&self, i: usize) -> Option<Input> {
        input(self.position, self.velocity, self.effort, i)
    }
}

impl LimbArrays<'_> {
    /// `joints` is the chain's length.
    pub(crate) fn check(&self, joints: usize) -> Result<(), Refusal> {
        for (array, values) in
            [("position", self.position), ("velocity", self.velocity), ("effort", self.effort)]
        {
            check_size(|| format!("{array} of limb \"{}\"", self.chain), values.len(), joints)?;
            check_finite(array, values, |_| self.chain)?;
        }
        Ok(())
    }

    pub(crate) fn input(&self, i: usize) -> Option<Input> {
        input(self.position, self.velocity, self.effort, i)
    }
}

impl SupportArrays<'_> {
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        let wanted = self.chain.len();
        if self.support.len() != wanted {
            return Err(Refusal::Size { array: "support".into(), found: self.support.len(), wanted });
        }
        check_size(|| "contact".into(), self.contact.len(), wanted)?;
        check_finite("support", self.support, |i| self.chain[i].as_str())?;
        // A handful of chains: comparing each with each is cheaper than sorting them, and allocates nothing.
        for (i, name) in self.chain.iter().enumerate() {
            if self.chain[..i].contains(name) {
                return Err(Refusal::Duplicate { name: name.clone() });
            }
        }
        Ok(())
    }
}
