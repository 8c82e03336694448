//! Integrator and differentiator between the two halves of a joint state.

use crate::check::same_length;
use crate::differentiator::{Differentiator, DifferentiatorParams};
use crate::error::Result;
use crate::filter::Filter;
use crate::integrator::{Integrator, IntegratorParams};
use crate::signal::{JointArray, JointState, Signal};

/// Takes the velocities of a joint state and completes it with their integral: y = (∫ velocity, velocity). The
/// positions of the input are not used.
#[derive(Debug, Clone)]
pub struct IntegratorJointState {
    integrator: Integrator<JointArray>,
    velocity: JointArray,
}

impl IntegratorJointState {
    /// Starts at the positions of `x0`.
    pub fn new(params: IntegratorParams, x0: &JointState) -> Result<Self> {
        x0.check("x0")?;
        let integrator = Integrator::new(params, &x0.position().to_vec())?;
        Ok(Self { integrator, velocity: x0.velocity().to_vec() })
    }

    /// Replaces the parameters; the state stays.
    pub fn set_params(&mut self, params: IntegratorParams) -> Result<()> {
        self.integrator.set_params(params)
    }
}

impl Filter for IntegratorJointState {
    type State = JointState;
    type Input = JointState;
    type Output = JointState;

    fn start(&mut self, x0: &JointState) -> Result<()> {
        same_length("x0", self.velocity.len(), x0.joints())?;
        x0.check("x0")?;
        self.velocity.copy_from_slice(x0.position());
        self.integrator.start(&self.velocity)
    }

    fn output_into(&self, u: &JointState, y: &mut JointState) -> Result<()> {
        same_length("u", self.velocity.len(), u.joints())?;
        same_length("y", self.velocity.len(), y.joints())?;
        u.check("u")?;
        let (position, velocity) = y.parts_mut();
        position.copy_from_slice(self.integrator.state());
        velocity.copy_from_slice(u.velocity());
        Ok(())
    }

    fn step(&mut self, u: &JointState) -> Result<()> {
        same_length("u", self.velocity.len(), u.joints())?;
        u.check("u")?;
        self.velocity.copy_from_slice(u.velocity());
        self.integrator.step(&self.velocity)
    }

    fn update_into(&mut self, u: &JointState, y: &mut JointState) -> Result<()> {
        self.output_into(u, y)?;
        self.velocity.copy_from_slice(u.velocity());
        self.integrator.step(&self.velocity)
    }

    fn blank(&self, u: &JointState) -> JointState {
        u.clone()
    }
}

/// Takes the positions of a joint state and completes it with their derivative: y = (position, d position/dt). The
/// velocities of the input are not used.
#[derive(Debug, Clone)]
pub struct DifferentiatorJointState {
    // It differentiates both halves; the derivative of the positions is the one that is used.
    differentiator: Differentiator<JointState>,
}

impl DifferentiatorJointState {
    /// Starts at rest at the positions of `x0`.
    pub fn new(params: DifferentiatorParams, x0: &JointState) -> Result<Self> {
        Ok(Self { differentiator: Differentiator::new(params, x0)? })
    }

    /// Replaces the parameters; the state stays.
    pub fn set_params(&mut self, params: DifferentiatorParams) -> Result<()> {
        self.differentiator.set_params(params)
    }
}

/// The derivative of the position half moves to the velocity half.
fn complete(u: &JointState, y: &mut JointState) {
    let (position, velocity) = y.parts_mut();
    velocity.copy_from_slice(position);
    position.copy_from_slice(u.position());
}

impl Filter for DifferentiatorJointState {
    type State = JointState;
    type Input = JointState;
    type Output = JointState;

    fn start(&mut self, x0: &JointState) -> Result<()> {
        self.differentiator.start(x0)
    }

    fn output_into(&self, u: &JointState, y: &mut JointState) -> Result<()> {
        self.differentiator.output_into(u, y)?;
        complete(u, y);
        Ok(())
    }

    fn step(&mut self, u: &JointState) -> Result<()> {
        self.differentiator.step(u)
    }

    fn update_into(&mut self, u: &JointState, y: &mut JointState) -> Result<()> {
        self.differentiator.update_into(u, y)?;
        complete(u, y);
        Ok(())
    }

    fn blank(&self, u: &JointState) -> JointState {
        u.clone()
    }
}
