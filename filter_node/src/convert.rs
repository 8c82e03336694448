//! Between the values of `param_lib` and those of `filters_lib`, neither of which knows the other.

use filters_lib::chain::{ParamSpec, Value as FilterValue};
use param_lib::{Spec, Value};

pub(crate) fn to_filter(value: &Value) -> FilterValue {
    match value.clone() {
        Value::Bool(x) => FilterValue::Bool(x),
        Value::Int(x) => FilterValue::Integer(x),
        Value::Float(x) => FilterValue::Double(x),
        Value::Text(x) => FilterValue::Text(x),
        Value::Bools(x) => FilterValue::Bools(x),
        Value::Ints(x) => FilterValue::Integers(x),
        Value::Floats(x) => FilterValue::Doubles(x),
        // YAML does not say of what an empty list is; of filters all lists are of numbers.
        Value::Texts(x) if x.is_empty() => FilterValue::Doubles(vec![]),
        Value::Texts(x) => FilterValue::Texts(x),
    }
}

pub(crate) fn to_param(value: &FilterValue) -> Value {
    match value.clone() {
        FilterValue::Bool(x) => Value::Bool(x),
        FilterValue::Integer(x) => Value::Int(x),
        FilterValue::Double(x) => Value::Float(x),
        FilterValue::Text(x) => Value::Text(x),
        FilterValue::Bools(x) => Value::Bools(x),
        FilterValue::Integers(x) => Value::Ints(x),
        FilterValue::Doubles(x) => Value::Floats(x),
        FilterValue::Texts(x) => Value::Texts(x),
    }
}

/// A filter's parameter as a parameter server declares it.
pub(crate) fn declaration(name: String, spec: &ParamSpec, value: &FilterValue) -> Spec {
    let mut letters = spec.description.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    let bounded = spec.min.is_finite() || spec.max.is_finite();
    Spec {
        unit: spec.unit.into(),
        range: bounded.then_some((spec.min, spec.max)),
        choices: spec.choices.iter().map(ToString::to_string).collect(),
        read_only: spec.read_only,
        optional: spec.takes_nan(),
        ..Spec::new(name, to_param(value), format!("{first}{}.", letters.as_str()))
    }
}
