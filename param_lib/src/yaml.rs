//! ROS 2 parameter files: `node: ros__parameters: …`, read as rcl's own parser reads them, order kept.

use crate::error::ParamError;
use crate::value::Value;
use crate::yaml_tree::{Node, Tree, read_tree, yaml_error};
use std::collections::HashMap;

const PARAMETERS_KEY: &str = "ros__parameters";

/// The parameters of one node pattern: `/**`, `/ns/*`, `/ns/node`.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// Which nodes it is for.
    pub pattern: String,
    /// Dotted names and values, in the order of the file.
    pub params: Vec<(String, Value)>,
}

/// Reads a parameter file.
pub fn read_file(text: &str) -> Result<Vec<Section>, ParamError> {
    let mut sections = vec![];
    let Some(root) = read_tree(text)? else {
        return Ok(sections);
    };
    read_nodes(&root, "", &mut sections)?;
    Ok(sections)
}

/// Reads one value as it stands behind `-p name:=`.
pub fn read_value(text: &str) -> Result<Value, ParamError> {
    let tree = read_tree(text)?.ok_or(ParamError::Yaml { line: 1, reason: "no value".into() })?;
    value_of(&tree, "value")
}

fn read_nodes(tree: &Tree, namespace: &str, sections: &mut Vec<Section>) -> Result<(), ParamError> {
    let Node::Map(pairs) = &tree.node else {
        let place = if namespace.is_empty() { "the file" } else { namespace };
        return Err(yaml_error(tree.line, format!("{place} must map node names to \"{PARAMETERS_KEY}:\"")));
    };
    for (key, value) in pairs {
        if key == PARAMETERS_KEY {
            if namespace.is_empty() {
                return Err(yaml_error(
                    value.line,
                    format!("\"{PARAMETERS_KEY}\" stands under no node name"),
                ));
            }
            let mut params = vec![];
            flatten(value, "", &mut params)?;
            merge(sections, namespace, params);
        } else {
            read_nodes(value, &format!("{namespace}/{}", key.trim_start_matches('/')), sections)?;
        }
    }
    Ok(())
}

/// Adds parameters for a pattern; a pattern keeps the place where it was first named, as in rcl.
pub(crate) fn merge(sections: &mut Vec<Section>, pattern: &str, params: Vec<(String, Value)>) {
    let index = sections.iter().position(|s| s.pattern == pattern).unwrap_or_else(|| {
        sections.push(Section { pattern: pattern.to_string(), params: vec![] });
        sections.len() - 1
    });
    let known = &mut sections[index].params;
    let mut places: HashMap<String, usize> =
        known.iter().enumerate().map(|(place, (name, _))| (name.clone(), place)).collect();
    for (name, value) in params {
        match places.get(&name) {
            Some(place) => known[*place].1 = value,
            None => {
                places.insert(name.clone(), known.len());
                known.push((name, value));
            }
        }
    }
}

fn flatten(tree: &Tree, prefix: &str, params: &mut Vec<(String, Value)>) -> Result<(), ParamError> {
    let Node::Map(pairs) = &tree.node else {
        return Err(yaml_error(tree.line, format!("\"{PARAMETERS_KEY}\" must map names to values")));
    };
    for (key, value) in pairs {
        let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        match &value.node {
            Node::Map(_) => flatten(value, &name, params)?,
            _ => params.push((name.clone(), value_of(value, &format!("parameter \"{name}\""))?)),
        }
    }
    Ok(())
}

fn value_of(tree: &Tree, what: &str) -> Result<Value, ParamError> {
    match &tree.node {
        Node::Scalar(text, plain) => {
            scalar(text, *plain).ok_or_else(|| yaml_error(tree.line, format!("{what}: no value")))
        }
        Node::List(items) => list(tree.line, items, what),
        Node::Map(_) => Err(yaml_error(tree.line, format!("{what}: a mapping is no value"))),
    }
}

fn list(line: usize, items: &[Tree], what: &str) -> Result<Value, ParamError> {
    let values = items.iter().map(|i| value_of(i, what)).collect::<Result<Vec<_>, _>>()?;
    let mixed =
        || yaml_error(line, format!("{what}: all elements must be of one type (write 1.0 for a double)"));
    macro_rules! all {
        ($variant:ident) => {
            values
                .into_iter()
                .map(|v| if let Value::$variant(x) = v { Some(x) } else { None })
                .collect::<Option<_>>()
                .ok_or_else(mixed)
        };
    }
    match values.first() {
        None => Ok(Value::Texts(vec![])),
        Some(Value::Bool(_)) => all!(Bool).map(Value::Bools),
        Some(Value::Int(_)) => all!(Int).map(Value::Ints),
        Some(Value::Float(_)) => all!(Float).map(Value::Floats),
        Some(Value::Text(_)) => all!(Text).map(Value::Texts),
        Some(_) => Err(yaml_error(line, format!("{what}: lists of lists are not part of ROS 2"))),
    }
}

/// A scalar by rcl's rules: words for booleans, then C's `strtol` with base 0, then `strtod`, else text.
fn scalar(text: &str, plain: bool) -> Option<Value> {
    const YES: &[&str] = &["Y", "y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"];
    const NO: &[&str] = &["N", "n", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"];
    if !plain {
        return Some(Value::Text(text.into()));
    }
    if text.is_empty() {
        return None;
    }
    if YES.contains(&text) {
        return Some(Value::Bool(true));
    }
    if NO.contains(&text) {
        return Some(Value::Bool(false));
    }
    if let Some(i) = integer(text) {
        return Some(Value::Int(i));
    }
    Some(float(text).map_or_else(|| Value::Text(text.into()), Value::Float))
}

fn integer(text: &str) -> Option<i64> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => (-1, &text[1..]),
        b'+' => (1, &text[1..]),
        _ => (1, text),
    };
    let (digits, base) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&digits[2..], 16),
        [b'0', _, ..] => (&digits[1..], 8),
        _ => (digits, 10),
    };
    // from_str_radix would take a second sign.
    let all_digits = !digits.is_empty() && digits.chars().all(|c| c.is_digit(base));
    let magnitude = all_digits.then(|| i128::from_str_radix(digits, base).ok()).flatten()?;
    i64::try_from(sign * magnitude).ok()
}

fn float(text: &str) -> Option<f64> {
    match text.trim_start_matches(['+', '-']).to_ascii_lowercase().as_str() {
        ".nan" => Some(f64::NAN),
        ".inf" if text.starts_with('-') => Some(f64::NEG_INFINITY),
        ".inf" => Some(f64::INFINITY),
        _ => text.parse().ok(),
    }
}
