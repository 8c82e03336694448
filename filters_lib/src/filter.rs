//! The contract of every filter: `start`, `output`, `update` (Simulink's S-function).

use crate::error::{Error, Result};
use std::fmt::Debug;

/// A discrete system with a fixed period: y\[k\] = g(x\[k\], u\[k\]), x\[k+1\] = f(x\[k\], u\[k\]).
///
/// The calls that end in `_into` write to storage of the caller and never allocate: they are the ones for a control
/// cycle. [`output`](Filter::output) and [`update`](Filter::update) return the value; with a run-time length
/// ([`JointArray`](crate::JointArray)) that means one allocation, with every other type none.
///
/// Every call either succeeds or leaves the state as it was.
pub trait Filter {
    /// The initial condition x0.
    type State;
    /// The input u.
    type Input;
    /// The output y.
    type Output;

    /// Sets the state: x\[k\] = x0.
    fn start(&mut self, x0: &Self::State) -> Result<()>;

    /// y\[k\] = g(x\[k\], u\[k\]) into `y`; the state does not change.
    fn output_into(&self, u: &Self::Input, y: &mut Self::Output) -> Result<()>;

    /// The state step alone: x\[k+1\] = f(x\[k\], u\[k\]).
    fn step(&mut self, u: &Self::Input) -> Result<()>;

    /// An output of the right size for the input `u`.
    fn blank(&self, u: &Self::Input) -> Self::Output;

    /// y\[k\] into `y`, then the state step.
    #[inline]
    fn update_into(&mut self, u: &Self::Input, y: &mut Self::Output) -> Result<()> {
        self.output_into(u, y)?;
        self.step(u)
    }

    /// y\[k\] = g(x\[k\], u\[k\]); the state does not change.
    #[inline]
    fn output(&self, u: &Self::Input) -> Result<Self::Output> {
        let mut y = self.blank(u);
        self.output_into(u, &mut y)?;
        Ok(y)
    }

    /// The same y\[k\] as [`output`](Filter::output), and the state moves to x\[k+1\].
    #[inline]
    fn update(&mut self, u: &Self::Input) -> Result<Self::Output> {
        let mut y = self.blank(u);
        self.update_into(u, &mut y)?;
        Ok(y)
    }
}

/// The parameters of a filter, checked as a whole.
pub trait Params: Copy + Debug {
    /// What every step needs of them, computed once.
    type Ready: Copy + Debug;

    /// Refuses parameters out of bounds.
    fn check(&self) -> Result<Self::Ready>;
}

/// The buffered form of a filter: `output(u)` remembers its input and `update()` steps with it.
///
/// ```
/// use filters_lib::{Buffered, Filter, Integrator, IntegratorParams};
/// let integrator = Integrator::new(IntegratorParams { period: 0.1, ..Default::default() }, &0.0)?;
/// let mut buffered = Buffered::new(integrator, &0.0);
/// assert_eq!(buffered.output(&2.0)?, 0.0);
/// buffered.update()?;
/// assert_eq!(buffered.output(&0.0)?, 0.2);
/// # Ok::<(), filters_lib::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Buffered<F: Filter> {
    filter: F,
    input: F::Input,
    has_input: bool,
}

impl<F: Filter> Buffered<F>
where
    F::Input: Clone,
{
    /// Wraps `filter`; `like` is any input of the right size, so that remembering one needs no memory later.
    pub fn new(filter: F, like: &F::Input) -> Self {
        Self { filter, input: like.clone(), has_input: false }
    }

    /// Sets the state and forgets the remembered input.
    pub fn start(&mut self, x0: &F::State) -> Result<()> {
        self.filter.start(x0)?;
        self.has_input = false;
        Ok(())
    }

    /// y\[k\] into `y`; remembers `u` when it is accepted.
    #[inline]
    pub fn output_into(&mut self, u: &F::Input, y: &mut F::Output) -> Result<()> {
        self.filter.output_into(u, y)?;
        self.input.clone_from(u);
        self.has_input = true;
        Ok(())
    }

    /// y\[k\]; remembers `u` when it is accepted.
    #[inline]
    pub fn output(&mut self, u: &F::Input) -> Result<F::Output> {
        let mut y = self.filter.blank(u);
        self.output_into(u, &mut y)?;
        Ok(y)
    }

    /// The state step with the input last given to `output`.
    #[inline]
    pub fn update(&mut self) -> Result<()> {
        if self.has_input { self.filter.step(&self.input) } else { Err(Error::NoInput) }
    }

    /// The filter inside.
    pub fn inner(&self) -> &F {
        &self.filter
    }

    /// The filter inside, e.g. to replace its parameters.
    pub fn inner_mut(&mut self) -> &mut F {
        &mut self.filter
    }
}
