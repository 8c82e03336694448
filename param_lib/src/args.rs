//! Parameters on the command line: `--ros-args --params-file FILE -p name:=value -p node:name:=value`.

use crate::error::ParamError;
use crate::stray::Source;
use crate::value::Value;
use crate::yaml::{Section, merge, read_file, read_value};

/// A value that somebody wants a parameter to start with.
#[derive(Clone, Debug, PartialEq)]
pub struct Override {
    /// Dotted parameter name.
    pub name: String,
    /// What the parameter shall be.
    pub value: Value,
    /// Whether the file names the node, in whichever namespace, and not every node that happens to read it.
    pub exact: bool,
}

/// Everything that the arguments say about parameters, in the order of rcl.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    sections: Vec<Section>,
    /// The files that they came from.
    pub(crate) sources: Vec<Source>,
    /// Names behind `-p` that name no node.
    bare: Vec<String>,
}

impl Overrides {
    /// Reads the arguments of a process; files are read at once.
    pub fn from_args<S: AsRef<str>>(args: &[S]) -> Result<Overrides, ParamError> {
        let mut overrides = Overrides::default();
        let mut in_ros_args = false;
        let mut args = args.iter().map(AsRef::as_ref);
        while let Some(arg) = args.next() {
            match arg {
                "--ros-args" => in_ros_args = true,
                "--" => in_ros_args = false,
                "--params-file" if in_ros_args => {
                    let path = args.next().ok_or_else(|| argument(arg, "the file's name is missing"))?;
                    overrides.add_file(path)?;
                }
                "-p" | "--param" if in_ros_args => {
                    let rule = args.next().ok_or_else(|| argument(arg, "name:=value is missing"))?;
                    overrides.add_rule(rule)?;
                }
                _ => {}
            }
        }
        Ok(overrides)
    }

    /// What stands in one parameter file.
    pub fn from_text(text: &str) -> Result<Overrides, ParamError> {
        Ok(Overrides { sections: read_file(text)?, ..Overrides::default() })
    }

    fn add_file(&mut self, path: &str) -> Result<(), ParamError> {
        let file = |reason: String| ParamError::File { path: path.into(), reason };
        let text = std::fs::read_to_string(path).map_err(|e| file(e.to_string()))?;
        let sections = read_file(&text).map_err(|e| file(e.to_string()))?;
        let patterns = sections.iter().map(|section| section.pattern.clone()).collect();
        self.sources.push(Source { path: path.into(), patterns });
        for section in sections {
            merge(&mut self.sections, &section.pattern, section.params);
        }
        Ok(())
    }

    fn add_rule(&mut self, rule: &str) -> Result<(), ParamError> {
        let (target, text) = rule.split_once(":=").ok_or_else(|| argument(rule, "must be name:=value"))?;
        let (pattern, name) = match target.split_once(':') {
            Some((node, name)) => (format!("/{}", node.trim_start_matches('/')), name),
            None => ("/**".to_string(), target),
        };
        if name.is_empty() {
            return Err(argument(rule, "the parameter's name is missing"));
        }
        let value = read_value(text).map_err(|e| argument(rule, &e.to_string()))?;
        if !target.contains(':') {
            self.bare.push(name.to_string());
        }
        merge(&mut self.sections, &pattern, vec![(name.to_string(), value)]);
        Ok(())
    }

    /// What is meant for the node of this fully qualified name; where a name stands twice the later one counts.
    pub fn for_node(&self, fully_qualified: &str) -> Vec<Override> {
        let matching = self.sections.iter().filter(|s| matches(&s.pattern, fully_qualified));
        matching
            .flat_map(|s| {
                let exact = s.pattern.rsplit('/').next().is_some_and(|node| !node.contains('*'));
                s.params.iter().map(move |(name, value)| Override {
                    name: name.clone(),
                    value: value.clone(),
                    exact,
                })
            })
            .collect()
    }

    /// What `-p name:=value` set without naming a node: somebody typed it, so a node of the process should know it.
    pub fn arguments(&self) -> &[String] {
        &self.bare
    }

    /// What the file says to whatever nodes it names: for programs that read a node's file without being that node.
    pub fn for_anyone(&self) -> Vec<Override> {
        let all = self.sections.iter().flat_map(|s| &s.params);
        all.map(|(name, value)| Override { name: name.clone(), value: value.clone(), exact: false }).collect()
    }
}

fn argument(argument: &str, reason: &str) -> ParamError {
    ParamError::Argument { argument: argument.into(), reason: reason.into() }
}

/// Whether a node pattern covers a node: a segment `*` is any one name, `**` any number of them.
pub fn matches(pattern: &str, fully_qualified: &str) -> bool {
    fn covers(pattern: &[&str], name: &[&str]) -> bool {
        match pattern {
            [] => name.is_empty(),
            ["**", rest @ ..] => (0..=name.len()).any(|skipped| covers(rest, &name[skipped..])),
            [segment, rest @ ..] => {
                name.first().is_some_and(|n| *segment == "*" || segment == n) && covers(rest, &name[1..])
            }
        }
    }
    fn segments(s: &str) -> Vec<&str> {
        s.split('/').filter(|s| !s.is_empty()).collect()
    }
    let mut pattern = segments(pattern);
    // Neighbouring `**` mean no more than one and would only cost time.
    pattern.dedup_by(|a, b| a == b && *a == "**");
    covers(&pattern, &segments(fully_qualified))
}
