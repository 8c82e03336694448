//! Values of parameters, as a parameter server knows them.

use std::fmt;

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Truth value.
    Bool(bool),
    /// Integer.
    Integer(i64),
    /// Number.
    Double(f64),
    /// Text.
    Text(String),
    /// List of truth values.
    Bools(Vec<bool>),
    /// List of integers.
    Integers(Vec<i64>),
    /// List of numbers.
    Doubles(Vec<f64>),
    /// List of texts.
    Texts(Vec<String>),
}

/// What kind of value a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Truth value.
    Bool,
    /// Integer.
    Integer,
    /// Number.
    Double,
    /// Text.
    Text,
    /// List of truth values.
    Bools,
    /// List of integers.
    Integers,
    /// List of numbers.
    Doubles,
    /// List of texts.
    Texts,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Bool => "bool",
            Kind::Integer => "integer",
            Kind::Double => "double",
            Kind::Text => "string",
            Kind::Bools => "bool array",
            Kind::Integers => "integer array",
            Kind::Doubles => "double array",
            Kind::Texts => "string array",
        })
    }
}

impl Value {
    /// What kind of value it is.
    pub fn kind(&self) -> Kind {
        match self {
            Value::Bool(_) => Kind::Bool,
            Value::Integer(_) => Kind::Integer,
            Value::Double(_) => Kind::Double,
            Value::Text(_) => Kind::Text,
            Value::Bools(_) => Kind::Bools,
            Value::Integers(_) => Kind::Integers,
            Value::Doubles(_) => Kind::Doubles,
            Value::Texts(_) => Kind::Texts,
        }
    }

    /// The value as the wanted kind. Whole numbers pass as numbers, because YAML writes `1` for 1.0.
    pub(crate) fn into_kind(self, kind: Kind) -> Result<Value, Kind> {
        match (self, kind) {
            (Value::Integer(i), Kind::Double) => Ok(Value::Double(i as f64)),
            (Value::Integers(list), Kind::Doubles) => {
                Ok(Value::Doubles(list.into_iter().map(|i| i as f64).collect()))
            }
            (value, kind) if value.kind() == kind => Ok(value),
            (value, _) => Err(value.kind()),
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Value::Integer(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Value::Double(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Value::Text(value.to_owned())
    }
}

impl From<Vec<f64>> for Value {
    fn from(value: Vec<f64>) -> Self {
        Value::Doubles(value)
    }
}
