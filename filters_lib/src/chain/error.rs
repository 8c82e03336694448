//! What can be wrong with the parameters of a chain.

use super::stage::SignalKind;
use super::value::Kind;
use crate::error::Error;

/// Why a chain was not built or changed. Each names the parameter at fault; the chain is as it was.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ChainError {
    /// A filter number is left out.
    #[error(
        "parameter `{parameter}` is missing: filters are numbered from 1 without gaps, and filter{later} exists"
    )]
    Gap {
        /// The parameter that should exist.
        parameter: String,
        /// A higher number that does exist.
        later: usize,
    },
    /// A parameter that is needed is missing.
    #[error("parameter `{parameter}` is missing")]
    Missing {
        /// Full name of the parameter.
        parameter: String,
    },
    /// No filter has such a parameter.
    #[error("parameter `{parameter}` is unknown; {expected}")]
    Unknown {
        /// Full name of the parameter.
        parameter: String,
        /// What would be known in its place.
        expected: String,
    },
    /// A parameter is given twice.
    #[error("parameter `{parameter}` is given twice")]
    Twice {
        /// Full name of the parameter.
        parameter: String,
    },
    /// Two filters have the same name.
    #[error("parameter `{parameter}` = \"{name}\": another filter has that name")]
    DuplicateName {
        /// The parameter of the second one.
        parameter: String,
        /// The name that stands twice or is none.
        name: String,
    },
    /// No such type of filter.
    #[error("parameter `{parameter}` = \"{found}\": no such filter type; known: {known}")]
    UnknownType {
        /// Full name of the parameter.
        parameter: String,
        /// The value that was given.
        found: String,
        /// The types there are.
        known: String,
    },
    /// The type exists but not for this signal.
    #[error("parameter `{parameter}` = \"{found}\" does not work on a {signal}")]
    WrongSignal {
        /// Full name of the parameter.
        parameter: String,
        /// The value that was given.
        found: String,
        /// What the chain carries.
        signal: SignalKind,
    },
    /// A value of the wrong kind.
    #[error("parameter `{parameter}` is a {found}, it must be a {expected}")]
    WrongKind {
        /// Full name of the parameter.
        parameter: String,
        /// The kind it needs.
        expected: Kind,
        /// The kind that was given.
        found: Kind,
    },
    /// A number outside its range.
    #[error("parameter `{parameter}` = {value} is out of bounds: it must be {bounds}")]
    OutOfRange {
        /// Full name of the parameter.
        parameter: String,
        /// The value that was given.
        value: f64,
        /// The range in words.
        bounds: String,
    },
    /// A text that is none of the choices.
    #[error("parameter `{parameter}` = \"{found}\" must be one of {choices}")]
    NoChoice {
        /// Full name of the parameter.
        parameter: String,
        /// The value that was given.
        found: String,
        /// What may be chosen from.
        choices: String,
    },
    /// A parameter that cannot change while the chain runs.
    #[error("parameter `{parameter}` is read-only")]
    ReadOnly {
        /// Full name of the parameter.
        parameter: String,
    },
    /// The filter refused the value.
    #[error("parameter `{parameter}`: {source}")]
    Refused {
        /// Full name of the parameter.
        parameter: String,
        /// Why the filter refuses it.
        source: Error,
    },
}

impl ChainError {
    /// The same fault of a chain whose parameters stand under `prefix`, e.g. `wrist.`.
    pub fn under(mut self, prefix: &str) -> Self {
        let (Self::Gap { parameter, .. }
        | Self::Missing { parameter }
        | Self::Unknown { parameter, .. }
        | Self::Twice { parameter }
        | Self::DuplicateName { parameter, .. }
        | Self::UnknownType { parameter, .. }
        | Self::WrongSignal { parameter, .. }
        | Self::WrongKind { parameter, .. }
        | Self::OutOfRange { parameter, .. }
        | Self::NoChoice { parameter, .. }
        | Self::ReadOnly { parameter }
        | Self::Refused { parameter, .. }) = &mut self;
        parameter.insert_str(0, prefix);
        self
    }

    pub(crate) fn refused(parameter: impl Into<String>, source: Error) -> Self {
        Self::Refused { parameter: parameter.into(), source }
    }
}
