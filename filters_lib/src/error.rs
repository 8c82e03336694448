//! What can go wrong in a filter.

/// The result of every fallible call of this crate's filters.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a filter refused a parameter or an input. Whatever the error, the filter's state is as it was.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter lies outside its bounds (or is not a number).
    #[error("parameter `{name}` = {value} is out of bounds: it must be {bounds}")]
    OutOfBounds {
        /// Name of the parameter.
        name: &'static str,
        /// The value that was given.
        value: f64,
        /// The bounds in words, e.g. `> 0`.
        bounds: &'static str,
    },
    /// Two parameters contradict each other.
    #[error(
        "parameters `{low_name}` = {low} and `{high_name}` = {high}: the first must not exceed the second"
    )]
    Order {
        /// The parameter that must be the smaller one.
        low_name: &'static str,
        /// The value that was given.
        low: f64,
        /// The parameter that must be the larger one.
        high_name: &'static str,
        /// The value that was given.
        high: f64,
    },
    /// A list parameter is empty.
    #[error("parameter `{name}` is empty: it must hold at least one number")]
    Empty {
        /// Name of the parameter.
        name: &'static str,
    },
    /// An element of an input or a state is NaN or infinite.
    #[error("{what}: element {index} is {value}, it must be finite")]
    NotFinite {
        /// Which argument of the step it is.
        what: &'static str,
        /// The first element at fault.
        index: usize,
        /// The value that was given.
        value: f64,
    },
    /// An array has the wrong number of elements.
    #[error("{what}: {found} elements, it must have {expected}")]
    Length {
        /// Which argument of the step it is.
        what: &'static str,
        /// How many elements the filter works on.
        expected: usize,
        /// How many were given.
        found: usize,
    },
    /// An orientation is not a unit quaternion.
    #[error("{what}: the quaternion's norm is {norm}, it must be 1 within 1e-6")]
    NotUnit {
        /// Which argument of the step it is.
        what: &'static str,
        /// The norm that was found.
        norm: f64,
    },
    /// A sample that is not later than the one before it.
    #[error("the stamp {stamp} s does not follow the last one, {last} s")]
    TimeBack {
        /// The stamp that was given.
        stamp: f64,
        /// The stamp of the sample before.
        last: f64,
    },
    /// A filter with an infinite gain at rest has no steady state to start from.
    #[error("the gain at rest is infinite (a(1) = 0): it can start at zero only")]
    NoSteadyState,
    /// Output or state would grow beyond the range of numbers; the state is as it was. An unstable filter ends here
    /// and needs a `start` or a `reset`.
    #[error(
        "the output would not be finite: the input is too large, or the filter unstable (start it again)"
    )]
    Overflow,
    /// The transforms of a gravity compensation have not been given yet.
    #[error("the frames of the gravity compensation are not known yet")]
    NoFrames,
    /// A filter of numbers on an orientation or a pose.
    #[error("this filter does not work on such a signal")]
    WrongSignal,
}
