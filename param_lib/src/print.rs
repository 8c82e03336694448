//! Parameters as people read them: the commented YAML of `config/`, the table of a README.

use crate::spec::Spec;
use crate::table::Table;
use crate::value::Value;

impl Table {
    /// A parameter file with these values, each under a comment that says what it is and what it may be; for the node in any
    /// namespace, since the bare name is that of the node in none.
    pub fn to_yaml(&self, node: &str) -> String {
        let mut out = format!("/**/{node}:\n  ros__parameters:\n");
        let mut open: Vec<&str> = vec![];
        for (spec, value) in self.entries().filter(|(s, _)| !s.shared) {
            let mut path: Vec<&str> = spec.name.split('.').collect();
            let leaf = path.pop().unwrap_or_default();
            let shared = open.iter().zip(&path).take_while(|(a, b)| a == b).count();
            for (depth, segment) in path.iter().enumerate().skip(shared) {
                out.push_str(&format!("{}{segment}:\n", indent(depth)));
            }
            let indent = indent(path.len());
            for line in wrap(&spec.description(), 100) {
                out.push_str(&format!("{indent}# {line}\n"));
            }
            out.push_str(&format!("{indent}{leaf}: {value}\n"));
            open = path;
        }
        out
    }
}

/// The rows of a README table for a struct's parameters: name, default, rules, description.
pub fn to_markdown(specs: &[Spec]) -> String {
    let mut out = String::from("| parameter | default | range | meaning |\n|---|---|---|---|\n");
    for spec in specs {
        let name = spec.name.replace('*', "<name>");
        let default = match &spec.default {
            Value::Text(s) if s.is_empty() => "\"\"".to_string(),
            Value::Text(s) => s.clone(),
            other => other.to_string(),
        };
        let rules = spec.rules().replace('|', "\\|");
        out.push_str(&format!("| `{name}` | `{default}` | {rules} | {} |\n", spec.doc.replace('|', "\\|")));
    }
    out
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth + 2)
}

fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}
