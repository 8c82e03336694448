//! The contract of every filter: `start`, `output`, `update` (Simulink's S-function).

use crate::error::Result;

/// Which distance between samples the period T of a filter is. It matters where the distances differ, see
/// [`Timed`](crate::Timed).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interval {
    /// None: it has no period, or counts samples alike.
    None,
    /// That from the sample before: the output follows from the newest sample (limiters, differentiators, biquads).
    Before,
    /// That to the sample after: the newest sample is held until then and acts on the outputs to come (lags, integrators).
    After,
}

/// A discrete system: y\[k\] = g(x\[k\], u\[k\]), x\[k+1\] = f(x\[k\], u\[k\]).
///
/// **Beginning.** A filter begins in one of two ways, and begins again in the same two:
/// - [`start`](Filter::start) at a value, which is also what its `new` does: as if the input had been `x0` for ever
///   (integrators and followers: at the position `x0`);
/// - [`reset`](Filter::reset), empty: the next input is the first one, and the filter is at rest there. What has no
///   rest at that input begins at zero (integrators, transfer functions with a pole at 1).
///
/// **Calls.** [`output`](Filter::output) and [`update`](Filter::update) return the value, which for a signal of run-time
/// length ([`JointArray`](crate::JointArray), [`JointState`](crate::JointState)) is one allocation. Those that end in
/// `_into` write to storage of the caller and never allocate: they are the ones for a control cycle.
///
/// **Errors.** Every call either succeeds or leaves the state as it was. A non-finite input is refused, and so is one
/// that would make output or state overflow.
pub trait Filter {
    /// Where the filter starts, x0.
    type State;
    /// The input u.
    type Input;
    /// The output y.
    type Output;

    /// Sets the state: as if the input had been `x0` for ever, or at the position `x0`.
    fn start(&mut self, x0: &Self::State) -> Result<()>;

    /// Forgets every sample: the next input is the first one.
    fn reset(&mut self);

    /// y\[k\] into `y`; the state does not change.
    fn output_into(&self, u: &Self::Input, y: &mut Self::Output) -> Result<()>;

    /// y\[k\] into `y`, and x\[k+1\] beside x\[k\], where it waits for [`commit`](Filter::commit). So several filters
    /// can move together or not at all, and none computes twice.
    fn prepare(&mut self, u: &Self::Input, y: &mut Self::Output) -> Result<()>;

    /// x\[k+1\] of the last successful [`prepare`](Filter::prepare) takes effect. Once per `prepare`.
    fn commit(&mut self);

    /// An output of the right size for the input `u`.
    fn blank(&self, u: &Self::Input) -> Self::Output;

    /// Changes the period T (s) of a filter that has one, without allocation (but a [`Chain`](crate::Chain)'s, which works
    /// on a copy): the samples before and after count as
    /// T apart. No effect on a filter without a period.
    fn set_period(&mut self, _period: f64) -> Result<()> {
        Ok(())
    }

    /// Which distance between samples its period is.
    fn interval(&self) -> Interval {
        Interval::None
    }

    /// y\[k\] into `y`, then the state step.
    #[inline]
    fn update_into(&mut self, u: &Self::Input, y: &mut Self::Output) -> Result<()> {
        self.prepare(u, y)?;
        self.commit();
        Ok(())
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
