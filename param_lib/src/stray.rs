//! Parameter files that reach nobody: rcl reads them and says nothing.

use crate::args::{Overrides, matches};
use crate::table::distance;
use std::fmt;

/// A parameter file and the nodes that it is for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Source {
    pub(crate) path: String,
    pub(crate) patterns: Vec<String>,
}

/// A parameter file with nothing for any node of the process.
#[derive(Clone, Debug, PartialEq)]
pub struct StrayFile {
    /// Path of the file.
    pub path: String,
    /// Which nodes it is for, as it says; of several the one most like a node of the process.
    pub pattern: String,
    /// The node of the process most like it, with its namespace.
    pub node: String,
}

impl fmt::Display for StrayFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StrayFile { path, pattern, node } = self;
        write!(f, "parameter file {path} is for \"{pattern}\" and has nothing for {node}")?;
        match last(node) {
            name if name == last(pattern) => write!(f, " (\"/**/{name}:\" would reach it in any namespace)"),
            _ => Ok(()),
        }
    }
}

impl Overrides {
    /// The files that reach none of these nodes (fully qualified names). `absent` are nodes that could be here and are not:
    /// what is for one of them is no mistake.
    pub fn stray_files(&self, nodes: &[&str], absent: &[&str]) -> Vec<StrayFile> {
        let reaches = |pattern: &String| {
            nodes.iter().any(|node| matches(pattern, node)) || absent.contains(&last(pattern))
        };
        let strays = self.sources.iter().filter(|source| !source.patterns.iter().any(reaches));
        let nearest = |source: &Source| {
            let pairs =
                source.patterns.iter().flat_map(|pattern| nodes.iter().map(move |node| (pattern, *node)));
            let (pattern, node) = pairs.min_by_key(|(pattern, node)| distance(last(pattern), last(node)))?;
            Some(StrayFile { path: source.path.clone(), pattern: pattern.clone(), node: node.into() })
        };
        strays.filter_map(nearest).collect()
    }
}

/// The name of a node without its namespace.
fn last(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}
