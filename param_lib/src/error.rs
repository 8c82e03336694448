//! What can be wrong with a parameter, a parameter file or an argument.

use crate::value::Kind;

/// Each message names the culprit and what would be right.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParamError {
    /// Nobody declared a parameter of this name.
    #[error("parameter \"{name}\" is not declared{}", .nearest.as_ref().map(|n| format!(" (did you mean \"{n}\"?)")).unwrap_or_default())]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The declared name most like it.
        nearest: Option<String>,
    },
    /// Two parameters of one name.
    #[error("parameter \"{name}\" is declared twice")]
    Twice {
        /// The name that was given.
        name: String,
    },
    /// A group with more keys than any robot has joints.
    #[error("parameters \"{group}*\": {found} keys; at most {most} can be")]
    TooManyKeys {
        /// What all of them begin with.
        group: String,
        /// How many there are.
        found: usize,
        /// How many there can be.
        most: usize,
    },
    /// A value of the wrong type.
    #[error("parameter \"{name}\" must be of type {wanted}, not {found}")]
    Kind {
        /// Name of the parameter.
        name: String,
        /// The declared type.
        wanted: Kind,
        /// The type that came.
        found: Kind,
    },
    /// Set after start, although the node reads it only then.
    #[error("parameter \"{name}\" is read-only: restart the node to change it")]
    ReadOnly {
        /// Name of the parameter.
        name: String,
    },
    /// NaN or infinite.
    #[error("parameter \"{name}\" = {value} must be a finite number{}", range_hint(.range))]
    NotFinite {
        /// Name of the parameter.
        name: String,
        /// The value that came.
        value: f64,
        /// The declared range.
        range: Option<(f64, f64)>,
    },
    /// A number outside its range.
    #[error("parameter \"{name}\" = {value} is outside {}{}", span(*.min, *.max), unit_hint(.unit))]
    Range {
        /// Name of the parameter.
        name: String,
        /// The value that came.
        value: f64,
        /// The least allowed.
        min: f64,
        /// The most allowed.
        max: f64,
        /// The unit of all three.
        unit: String,
    },
    /// A word that is none of the choices.
    #[error("parameter \"{name}\" = \"{value}\" is none of {}", .choices.join(", "))]
    Choice {
        /// Name of the parameter.
        name: String,
        /// The word that came.
        value: String,
        /// The words that are understood.
        choices: Vec<String>,
    },
    /// A list of the wrong length.
    #[error("parameter \"{name}\" has {found} elements, not {wanted}")]
    Length {
        /// Name of the parameter.
        name: String,
        /// The declared length.
        wanted: usize,
        /// The length that came.
        found: usize,
    },
    /// Parameters that are fine one by one but not together, or that the node cannot use.
    #[error("parameter \"{name}\": {reason}")]
    Unfit {
        /// The parameter to blame.
        name: String,
        /// What is wrong, in words.
        reason: String,
    },
    /// Many things are wrong at once: a line for each, which names its culprit.
    #[error("{}", .0.join("\n"))]
    Several(Vec<String>),
    /// A parameter file that cannot be read.
    #[error("parameter file \"{path}\": {reason}")]
    File {
        /// Path of the file.
        path: String,
        /// What is wrong, in words.
        reason: String,
    },
    /// YAML that is no parameter file, or no value.
    #[error("line {line}: {reason}")]
    Yaml {
        /// The line, from 1.
        line: usize,
        /// What is wrong, in words.
        reason: String,
    },
    /// A `--ros-args` argument that makes no sense.
    #[error("argument \"{argument}\": {reason}")]
    Argument {
        /// The argument as it was given.
        argument: String,
        /// What is wrong, in words.
        reason: String,
    },
}

impl ParamError {
    /// One error of many; one alone stays as it is.
    pub(crate) fn all(mut errors: Vec<ParamError>) -> Result<(), ParamError> {
        match errors.len() {
            0 => Ok(()),
            1 => Err(errors.swap_remove(0)),
            _ => Err(ParamError::Several(errors.iter().map(ToString::to_string).collect())),
        }
    }

    /// For [`Params::validate`](crate::Params::validate) and for nodes that cannot use a value.
    pub fn unfit(name: impl Into<String>, reason: impl Into<String>) -> Self {
        ParamError::Unfit { name: name.into(), reason: reason.into() }
    }
}

fn range_hint(range: &Option<(f64, f64)>) -> String {
    range.map(|(min, max)| format!(", {}", span(min, max))).unwrap_or_default()
}

/// A range in words: the smallest positive number stands for "above zero", infinity for "no limit".
pub(crate) fn span(min: f64, max: f64) -> String {
    let (above, low) = if min == f64::MIN_POSITIVE { ("> ", 0.0) } else { ("≥ ", min) };
    match (min.is_finite(), max.is_finite()) {
        (true, true) => format!("{}{} … {}", above.trim_start_matches("≥ "), number(low), number(max)),
        (true, false) => format!("{above}{}", number(low)),
        (false, true) => format!("≤ {}", number(max)),
        (false, false) => "any number".into(),
    }
}

/// A number as people write it: 1e9, not 1000000000.
fn number(x: f64) -> String {
    let short = format!("{x}");
    if short.len() > 8 { format!("{x:e}") } else { short }
}

fn unit_hint(unit: &str) -> String {
    if unit.is_empty() { String::new() } else { format!(" {unit}") }
}
