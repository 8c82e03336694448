//! Parameter values as JSON, by the type that the parameter has.

use param_lib::{Kind, Value};
use serde_json::{Value as Json, json};

/// For the page. What is no number in JSON (NaN, infinities) is null.
pub fn to_json(value: &Value) -> Json {
    match value {
        Value::Bool(x) => json!(x),
        Value::Int(x) => json!(x),
        Value::Float(x) => json!(x),
        Value::Text(x) => json!(x),
        Value::Bools(x) => json!(x),
        Value::Ints(x) => json!(x),
        Value::Floats(x) => json!(x),
        Value::Texts(x) => json!(x),
    }
}

/// From the page; `None` where it is of another type. A whole number is also a number.
pub fn from_json(json: &Json, kind: Kind) -> Option<Value> {
    fn list<T>(json: &Json, one: impl Fn(&Json) -> Option<T>) -> Option<Vec<T>> {
        json.as_array()?.iter().map(one).collect()
    }
    let text = |json: &Json| json.as_str().map(String::from);
    Some(match kind {
        Kind::Bool => Value::Bool(json.as_bool()?),
        Kind::Int => Value::Int(json.as_i64()?),
        Kind::Float => Value::Float(json.as_f64()?),
        Kind::Text => Value::Text(text(json)?),
        Kind::Bools => Value::Bools(list(json, Json::as_bool)?),
        Kind::Ints => Value::Ints(list(json, Json::as_i64)?),
        Kind::Floats => Value::Floats(list(json, Json::as_f64)?),
        Kind::Texts => Value::Texts(list(json, text)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_survive_the_way_to_the_page_and_back() {
        let values = [
            Value::Bool(true),
            Value::Int(-7),
            Value::Float(0.1),
            Value::Text("ä".into()),
            Value::Bools(vec![true]),
            Value::Ints(vec![]),
            Value::Floats(vec![1.0, 2.5]),
            Value::Texts(vec!["a".into()]),
        ];
        for value in values {
            assert_eq!(from_json(&to_json(&value), value.kind()), Some(value));
        }
        assert_eq!(from_json(&json!(2), Kind::Float), Some(Value::Float(2.0)));
        assert_eq!(from_json(&json!(2.5), Kind::Int), None);
        assert_eq!(from_json(&json!([1, "a"]), Kind::Floats), None);
        assert_eq!(from_json(&Json::Null, Kind::Float), None);
    }
}
