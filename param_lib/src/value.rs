//! What a parameter can hold.

use std::fmt;

/// A parameter's value: the types of `rcl_interfaces/ParameterValue`, less the byte array.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// Text.
    Text(String),
    /// A list of booleans.
    Bools(Vec<bool>),
    /// A list of whole numbers.
    Ints(Vec<i64>),
    /// A list of numbers.
    Floats(Vec<f64>),
    /// A list of texts. An empty list whose kind nobody said is one of these.
    Texts(Vec<String>),
}

/// The type of a [`Value`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// See [`Value::Bool`].
    Bool,
    /// See [`Value::Int`].
    Int,
    /// See [`Value::Float`].
    Float,
    /// See [`Value::Text`].
    Text,
    /// See [`Value::Bools`].
    Bools,
    /// See [`Value::Ints`].
    Ints,
    /// See [`Value::Floats`].
    Floats,
    /// See [`Value::Texts`].
    Texts,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Bool => "bool",
            Kind::Int => "integer",
            Kind::Float => "double",
            Kind::Text => "string",
            Kind::Bools => "bool array",
            Kind::Ints => "integer array",
            Kind::Floats => "double array",
            Kind::Texts => "string array",
        })
    }
}

impl Value {
    /// The type that it is of.
    pub fn kind(&self) -> Kind {
        match self {
            Value::Bool(_) => Kind::Bool,
            Value::Int(_) => Kind::Int,
            Value::Float(_) => Kind::Float,
            Value::Text(_) => Kind::Text,
            Value::Bools(_) => Kind::Bools,
            Value::Ints(_) => Kind::Ints,
            Value::Floats(_) => Kind::Floats,
            Value::Texts(_) => Kind::Texts,
        }
    }

    /// The same value as `kind`, where nothing is lost: a whole number is also a number, an empty list a list of anything.
    pub fn to_kind(&self, kind: Kind) -> Option<Value> {
        Some(match (self, kind) {
            (Value::Int(i), Kind::Float) => Value::Float(*i as f64),
            (Value::Ints(v), Kind::Floats) => Value::Floats(v.iter().map(|&i| i as f64).collect()),
            (list, Kind::Bools) if list.is_empty_list() => Value::Bools(vec![]),
            (list, Kind::Ints) if list.is_empty_list() => Value::Ints(vec![]),
            (list, Kind::Floats) if list.is_empty_list() => Value::Floats(vec![]),
            (list, Kind::Texts) if list.is_empty_list() => Value::Texts(vec![]),
            (same, kind) if same.kind() == kind => same.clone(),
            _ => return None,
        })
    }

    fn is_empty_list(&self) -> bool {
        match self {
            Value::Bools(v) => v.is_empty(),
            Value::Ints(v) => v.is_empty(),
            Value::Floats(v) => v.is_empty(),
            Value::Texts(v) => v.is_empty(),
            _ => false,
        }
    }

    /// The length of a list; `None` for a single value.
    pub fn list_len(&self) -> Option<usize> {
        match self {
            Value::Bools(v) => Some(v.len()),
            Value::Ints(v) => Some(v.len()),
            Value::Floats(v) => Some(v.len()),
            Value::Texts(v) => Some(v.len()),
            _ => None,
        }
    }

    /// Every number in it, as `f64`.
    pub(crate) fn numbers(&self) -> Vec<f64> {
        match self {
            Value::Int(i) => vec![*i as f64],
            Value::Float(x) => vec![*x],
            Value::Ints(v) => v.iter().map(|&i| i as f64).collect(),
            Value::Floats(v) => v.clone(),
            _ => vec![],
        }
    }
}

/// YAML: what [`crate::read_value`] reads back as the same value.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn list<T>(f: &mut fmt::Formatter<'_>, items: &[T], text: impl Fn(&T) -> String) -> fmt::Result {
            write!(f, "[{}]", items.iter().map(text).collect::<Vec<_>>().join(", "))
        }
        match self {
            Value::Bool(b) => write!(f, "{b}"),
            Value::Int(i) => write!(f, "{i}"),
            Value::Float(x) => f.write_str(&float(*x)),
            Value::Text(s) => f.write_str(&quoted(s)),
            Value::Bools(v) => list(f, v, bool::to_string),
            Value::Ints(v) => list(f, v, i64::to_string),
            Value::Floats(v) => list(f, v, |x| float(*x)),
            Value::Texts(v) => list(f, v, |s| quoted(s)),
        }
    }
}

/// A number that YAML reads as a double and never as an integer.
fn float(x: f64) -> String {
    match x {
        x if x.is_nan() => ".nan".into(),
        f64::INFINITY => ".inf".into(),
        f64::NEG_INFINITY => "-.inf".into(),
        x => format!("{x:?}"),
    }
}

/// A double-quoted YAML scalar.
fn quoted(s: &str) -> String {
    let mut out = String::from("\"");
    for c in s.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if (c as u32) < 0x20
                || ('\u{7f}'..='\u{9f}').contains(&c)
                || "\u{2028}\u{2029}\u{feff}".contains(c) =>
            {
                out.push_str(&format!("\\u{:04x}", c as u32))
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
