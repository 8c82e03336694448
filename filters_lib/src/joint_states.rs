//! Integrator and differentiator between the two halves of a joint state. Only the half that is used is looked at: the
//! other may be NaN, which means "absent" to the rest of the system.

use crate::check::same_length;
use crate::differentiator::{Differentiator, DifferentiatorParams};
use crate::error::Result;
use crate::filter::{Filter, Interval};
use crate::integrator::{Integrator, IntegratorParams};
use crate::signal::{JointArray, JointState};
use std::cell::RefCell;

/// A filter from one half of a joint state, `$used`, to the other, `$made`.
macro_rules! joint_state_filter {
    ($(#[$doc:meta])* $name:ident, $inner:ident, $params:ident, $used:ident, |$position:ident, $velocity:ident| ($given:ident, $made:ident)) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $name {
            inner: $inner<JointArray>,
            // Input and output of the inner filter; `output` needs them too, and it changes no state.
            halves: RefCell<[JointArray; 2]>,
        }

        impl $name {
            /// Begins at the positions of `x0`, at rest.
            pub fn new(params: $params, x0: &JointState) -> Result<Self> {
                let position = x0.position().to_vec();
                let inner = $inner::new(params, &position)?;
                Ok(Self { inner, halves: RefCell::new([position.clone(), position]) })
            }

            /// Replaces the parameters; the state stays.
            pub fn set_params(&mut self, params: $params) -> Result<()> {
                self.inner.set_params(params)
            }

            /// The parameters in use.
            pub fn params(&self) -> &$params {
                self.inner.params()
            }
        }

        impl Filter for $name {
            type State = JointState;
            type Input = JointState;
            type Output = JointState;

            fn start(&mut self, x0: &JointState) -> Result<()> {
                let [input, _] = self.halves.get_mut();
                same_length("x0", input.len(), x0.joints())?;
                input.copy_from_slice(x0.position());
                self.inner.start(input)
            }

            fn reset(&mut self) {
                self.inner.reset();
            }

            fn output_into(&self, u: &JointState, y: &mut JointState) -> Result<()> {
                let [input, output] = &mut *self.halves.borrow_mut();
                same_length("u", input.len(), u.joints())?;
                same_length("y", input.len(), y.joints())?;
                input.copy_from_slice(u.$used());
                self.inner.output_into(input, output)?;
                let ($position, $velocity) = y.parts_mut();
                $given.copy_from_slice(input);
                $made.copy_from_slice(output);
                Ok(())
            }

            fn prepare(&mut self, u: &JointState, y: &mut JointState) -> Result<()> {
                let [input, output] = self.halves.get_mut();
                same_length("u", input.len(), u.joints())?;
                same_length("y", input.len(), y.joints())?;
                input.copy_from_slice(u.$used());
                self.inner.prepare(input, output)?;
                let ($position, $velocity) = y.parts_mut();
                $given.copy_from_slice(input);
                $made.copy_from_slice(output);
                Ok(())
            }

            fn commit(&mut self) {
                self.inner.commit();
            }

            fn blank(&self, u: &JointState) -> JointState {
                u.clone()
            }

            fn interval(&self) -> Interval {
        self.inner.interval()
    }

    fn set_period(&mut self, period: f64) -> Result<()> {
                self.inner.set_period(period)
            }
        }
    };
}

joint_state_filter!(
    /// Takes the velocities of a joint state and completes it with their integral: y = (∫ velocity, velocity). The
    /// positions of the input are not looked at.
    IntegratorJointState, Integrator, IntegratorParams, velocity, |position, velocity| (velocity, position)
);
joint_state_filter!(
    /// Takes the positions of a joint state and completes it with their derivative: y = (position, d position/dt). The
    /// velocities of the input are not looked at.
    DifferentiatorJointState, Differentiator, DifferentiatorParams, position, |position, velocity| (position, velocity)
);
