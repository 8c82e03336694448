//! Parameters between `param_lib` and `rcl_interfaces`.

use param_lib::{Kind, Slider, Spec, Value};
use r2r::rcl_interfaces::msg::{
    FloatingPointRange, IntegerRange, ParameterDescriptor, ParameterType, ParameterValue,
};

/// The number that `rcl_interfaces/ParameterType` gives a kind.
pub(crate) fn type_number(kind: Kind) -> u8 {
    match kind {
        Kind::Bool => ParameterType::PARAMETER_BOOL as u8,
        Kind::Int => ParameterType::PARAMETER_INTEGER as u8,
        Kind::Float => ParameterType::PARAMETER_DOUBLE as u8,
        Kind::Text => ParameterType::PARAMETER_STRING as u8,
        Kind::Bools => ParameterType::PARAMETER_BOOL_ARRAY as u8,
        Kind::Ints => ParameterType::PARAMETER_INTEGER_ARRAY as u8,
        Kind::Floats => ParameterType::PARAMETER_DOUBLE_ARRAY as u8,
        Kind::Texts => ParameterType::PARAMETER_STRING_ARRAY as u8,
    }
}

/// A parameter's value as a message.
pub fn to_msg(value: &Value) -> ParameterValue {
    let mut msg = ParameterValue { type_: type_number(value.kind()), ..ParameterValue::default() };
    match value.clone() {
        Value::Bool(x) => msg.bool_value = x,
        Value::Int(x) => msg.integer_value = x,
        Value::Float(x) => msg.double_value = x,
        Value::Text(x) => msg.string_value = x,
        Value::Bools(x) => msg.bool_array_value = x,
        Value::Ints(x) => msg.integer_array_value = x,
        Value::Floats(x) => msg.double_array_value = x,
        Value::Texts(x) => msg.string_array_value = x,
    }
    msg
}

/// The value, or `None` for "not set" and byte arrays, which no node of ours has.
pub fn from_msg(msg: &ParameterValue) -> Option<Value> {
    let kinds =
        [Kind::Bool, Kind::Int, Kind::Float, Kind::Text, Kind::Bools, Kind::Ints, Kind::Floats, Kind::Texts];
    let kind = kinds.into_iter().find(|k| type_number(*k) == msg.type_)?;
    Some(match kind {
        Kind::Bool => Value::Bool(msg.bool_value),
        Kind::Int => Value::Int(msg.integer_value),
        Kind::Float => Value::Float(msg.double_value),
        Kind::Text => Value::Text(msg.string_value.clone()),
        Kind::Bools => Value::Bools(msg.bool_array_value.clone()),
        Kind::Ints => Value::Ints(msg.integer_array_value.clone()),
        Kind::Floats => Value::Floats(msg.double_array_value.clone()),
        Kind::Texts => Value::Texts(msg.string_array_value.clone()),
    })
}

/// What rqt_reconfigure draws a slider from. It shows the description and nothing else, so the unit stands there.
pub(crate) fn descriptor(spec: &Spec, value: &Value) -> ParameterDescriptor {
    let mut msg = ParameterDescriptor {
        name: spec.name.clone(),
        type_: type_number(spec.kind()),
        description: spec.description(),
        additional_constraints: spec.rules(),
        read_only: spec.read_only,
        ..ParameterDescriptor::default()
    };
    match (spec.kind(), spec.slider(value)) {
        (Kind::Float | Kind::Floats, Some(Slider { from, to, step })) => {
            msg.floating_point_range = vec![FloatingPointRange { from_value: from, to_value: to, step }];
        }
        (Kind::Int | Kind::Ints, Some(Slider { from, to, step })) => {
            msg.integer_range =
                vec![IntegerRange { from_value: from as i64, to_value: to as i64, step: step as u64 }];
        }
        _ => {}
    }
    msg
}
