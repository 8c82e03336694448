//! Positions and velocities of a set of joints.

use super::VectorSpace;
use crate::check::same_length;
use crate::error::Result;

/// A joint state: n positions (rad or m), then n velocities. Its derivative, velocities and accelerations, has the
/// same shape, so it is a vector space of its own.
#[derive(Debug, PartialEq, Default)]
pub struct JointState {
    numbers: Vec<f64>,
}

impl JointState {
    /// From positions and velocities of the same joints.
    pub fn new(position: &[f64], velocity: &[f64]) -> Result<Self> {
        same_length("velocity", position.len(), velocity.len())?;
        Ok(Self { numbers: [position, velocity].concat() })
    }

    /// `joints` joints at rest at zero.
    pub fn zeros(joints: usize) -> Self {
        Self { numbers: vec![0.0; 2 * joints] }
    }

    /// How many joints.
    #[inline]
    pub fn joints(&self) -> usize {
        self.numbers.len() / 2
    }

    /// Positions.
    #[inline]
    pub fn position(&self) -> &[f64] {
        &self.numbers[..self.joints()]
    }

    /// Velocities.
    #[inline]
    pub fn velocity(&self) -> &[f64] {
        &self.numbers[self.joints()..]
    }

    /// Positions and velocities, to be changed.
    #[inline]
    pub fn parts_mut(&mut self) -> (&mut [f64], &mut [f64]) {
        let joints = self.joints();
        self.numbers.split_at_mut(joints)
    }
}

impl Clone for JointState {
    fn clone(&self) -> Self {
        Self { numbers: self.numbers.clone() }
    }

    /// Keeps the storage, where the derived one would allocate.
    #[inline]
    fn clone_from(&mut self, source: &Self) {
        self.numbers.clone_from(&source.numbers);
    }
}

impl VectorSpace for JointState {
    #[inline]
    fn elements(&self) -> &[f64] {
        &self.numbers
    }

    #[inline]
    fn elements_mut(&mut self) -> &mut [f64] {
        &mut self.numbers
    }

    #[inline]
    fn first_part(&self) -> usize {
        self.joints()
    }
}
