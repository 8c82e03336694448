//! Pieces of YAML or JSON as what they should be; the error names the line, and the key where there is one.

use param_lib::{Node, Tree};

/// A name.
pub fn word(tree: &Tree) -> Result<String, String> {
    match &tree.node {
        Node::Scalar(word, _) => Ok(word.clone()),
        _ => Err(format!("line {}: a name is expected", tree.line)),
    }
}

/// What a list holds.
pub fn list<'a>(tree: &'a Tree, key: &str) -> Result<&'a [Tree], String> {
    match &tree.node {
        Node::List(items) => Ok(items),
        _ => Err(format!("line {}: \"{key}\" must be a list", tree.line)),
    }
}

/// Names with their values.
pub fn pairs<'a>(tree: &'a Tree, what: &str) -> Result<&'a [(String, Tree)], String> {
    match &tree.node {
        Node::Map(pairs) => Ok(pairs),
        _ => Err(format!("line {}: {what} must be names with values", tree.line)),
    }
}

/// A list of numbers.
pub fn numbers(tree: &Tree, key: &str) -> Result<Vec<f64>, String> {
    let Node::List(items) = &tree.node else {
        return Err(format!("line {}: \"{key}\" must be a list of numbers", tree.line));
    };
    items.iter().enumerate().map(|item| number(key, item)).collect()
}

/// The value of a list, or of a key, at a place.
pub fn number(key: &str, (at, item): (usize, &Tree)) -> Result<f64, String> {
    let wrong = |what: &str| format!("line {}: \"{key}\": value number {} is {what}", item.line, at + 1);
    match &item.node {
        Node::Scalar(text, true) if text.is_empty() || text == "~" || text == "null" => Err(wrong("missing")),
        // YAML's own spelling and Rust's.
        Node::Scalar(text, true)
            if text.to_lowercase().contains("nan") || text.to_lowercase().contains("inf") =>
        {
            Err(wrong("not finite"))
        }
        Node::Scalar(text, true) => text.parse::<f64>().map_err(|_| wrong(&format!("no number: {text}"))),
        _ => Err(wrong("no number")),
    }
}
