//! Parameters of chain filters as data.

use super::error::ChainError;
use super::value::{Kind, Value};

/// What a parameter is when it is not given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Preset {
    /// It must be given.
    Required,
    /// This number; NaN = not set.
    Number(f64),
    /// This integer, unless the file says otherwise.
    Whole(i64),
    /// This text, unless the file says otherwise.
    Word(&'static str),
    /// This list; empty = not set.
    List(&'static [f64]),
}

/// One parameter of a filter type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParamSpec {
    /// Name below `filterN.params.`.
    pub name: &'static str,
    /// Kind of its value.
    pub kind: Kind,
    /// Smallest value (of each element).
    pub min: f64,
    /// Largest value (of each element).
    pub max: f64,
    /// Unit; `units` stands for the signal's own, empty for none.
    pub unit: &'static str,
    /// What it does.
    pub description: &'static str,
    /// Texts it may have; empty = any.
    pub choices: &'static [&'static str],
    /// Whether it is fixed once the chain is built.
    pub read_only: bool,
    pub(crate) preset: Preset,
}

impl ParamSpec {
    /// A number within bounds.
    pub(crate) const fn number(
        name: &'static str,
        preset: Preset,
        min: f64,
        max: f64,
        unit: &'static str,
        description: &'static str,
    ) -> Self {
        Self { name, kind: Kind::Double, min, max, unit, description, choices: &[], read_only: false, preset }
    }

    /// The same with another kind of value.
    pub(crate) const fn of(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self
    }

    /// A text, one of `choices` unless that is empty.
    pub(crate) const fn text(
        name: &'static str,
        preset: Preset,
        choices: &'static [&'static str],
        description: &'static str,
    ) -> Self {
        let (min, max) = (f64::NEG_INFINITY, f64::INFINITY);
        Self { name, kind: Kind::Text, min, max, unit: "", description, choices, read_only: false, preset }
    }

    /// The same, fixed once the chain is built.
    pub(crate) const fn fixed(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// Whether it must be given.
    pub fn is_required(&self) -> bool {
        matches!(self.preset, Preset::Required)
    }

    /// Whether NaN is a value of it, which means "not set".
    pub fn takes_nan(&self) -> bool {
        matches!(self.preset, Preset::Number(preset) if preset.is_nan())
    }

    /// The value when none is given.
    pub fn default_value(&self) -> Option<Value> {
        match self.preset {
            Preset::Required => None,
            Preset::Number(number) => Some(Value::Double(number)),
            Preset::Whole(whole) => Some(Value::Integer(whole)),
            Preset::Word(word) => Some(Value::Text(word.to_owned())),
            Preset::List(list) => Some(Value::Doubles(list.to_vec())),
        }
    }

    /// The range in words.
    fn bounds(&self) -> String {
        let low = match self.min {
            f64::MIN_POSITIVE => Some("> 0".to_owned()),
            min => min.is_finite().then(|| format!("≥ {min}")),
        };
        let high = self.max.is_finite().then(|| format!("≤ {}", self.max));
        let both: Vec<String> = low.into_iter().chain(high).collect();
        if both.is_empty() { "a number".into() } else { both.join(" and ") }
    }

    /// Checks kind, range and choice; `parameter` is its full name.
    pub(crate) fn accept(&self, parameter: &str, value: Value) -> Result<Value, ChainError> {
        let parameter = || parameter.to_owned();
        let value = value.into_kind(self.kind).map_err(|found| ChainError::WrongKind {
            parameter: parameter(),
            expected: self.kind,
            found,
        })?;
        let outside = |v: f64| {
            // NaN is how an optional number says "not set".
            let unset = v.is_nan() && self.takes_nan();
            !unset && !(self.min..=self.max).contains(&v)
        };
        let refuse =
            |value| Err(ChainError::OutOfRange { parameter: parameter(), value, bounds: self.bounds() });
        match &value {
            Value::Double(v) if outside(*v) => refuse(*v),
            Value::Integer(v) if outside(*v as f64) => refuse(*v as f64),
            Value::Doubles(list) => match list.iter().find(|v| outside(**v)) {
                Some(v) => refuse(*v),
                None => Ok(value),
            },
            Value::Text(text) if !self.choices.is_empty() && !self.choices.contains(&text.as_str()) => {
                let choices = self.choices.join(", ");
                Err(ChainError::NoChoice { parameter: parameter(), found: text.clone(), choices })
            }
            _ => Ok(value),
        }
    }
}

/// A parameter of a filter in a chain, ready to be declared to a parameter server.
#[derive(Debug, Clone, PartialEq)]
pub struct ParamInfo {
    /// Full name, `filterN.params.*`, `filterN.name` or `filterN.type`.
    pub name: String,
    /// Type, default, range and description.
    pub spec: ParamSpec,
    /// Its present value.
    pub value: Value,
}

/// The values of one filter's parameters, in the order of its specs.
#[derive(Debug, Clone)]
pub struct Settings {
    pub(crate) specs: &'static [ParamSpec],
    pub(crate) values: Vec<Value>,
}

impl Settings {
    fn value(&self, name: &str) -> Option<&Value> {
        let index = self.specs.iter().position(|spec| spec.name == name)?;
        self.values.get(index)
    }

    /// A number; NaN, which every filter refuses, when there is none.
    pub(crate) fn number(&self, name: &str) -> f64 {
        if let Some(Value::Double(number)) = self.value(name) { *number } else { f64::NAN }
    }

    /// A number, or `otherwise` when it is not set.
    pub(crate) fn number_or(&self, name: &str, otherwise: f64) -> f64 {
        let number = self.number(name);
        if number.is_nan() { otherwise } else { number }
    }

    /// A count; 0, which every filter refuses, when there is none.
    pub(crate) fn count(&self, name: &str) -> usize {
        if let Some(Value::Integer(whole)) = self.value(name) {
            usize::try_from(*whole).unwrap_or(0)
        } else {
            0
        }
    }

    /// A text, empty when there is none.
    pub(crate) fn text(&self, name: &str) -> &str {
        if let Some(Value::Text(text)) = self.value(name) { text } else { "" }
    }

    /// A list, empty when there is none.
    pub(crate) fn list(&self, name: &str) -> &[f64] {
        if let Some(Value::Doubles(list)) = self.value(name) { list } else { &[] }
    }
}
