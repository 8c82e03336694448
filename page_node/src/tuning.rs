//! Parameters of the nodes as the page knows them: values, what the files say, what was changed here and can be undone.

use crate::json::{from_json, to_json};
use param_lib::{Kind, Overrides, Value};
use serde_json::json;
use std::collections::BTreeMap;

/// Changes that can be undone.
const REMEMBERED: usize = 200;

/// A parameter as its node describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Dotted name.
    pub name: String,
    /// Its value now.
    pub value: Value,
    /// What it means, with unit and legal range.
    pub description: String,
    /// The rules of its values in words, e.g. `0 … 1 s` or `walk | trot`.
    pub rules: String,
    /// Whether it can only be given at the start.
    pub read_only: bool,
    /// The part of its range that people tune in.
    pub range: Option<(f64, f64)>,
}

#[derive(Clone, Debug, PartialEq)]
struct Known {
    parameter: Parameter,
    /// What the file says, or what was found at first.
    baseline: Value,
}

/// A change that was made here.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Whose.
    pub node: String,
    /// Which parameter.
    pub name: String,
    /// What it was before.
    pub before: Value,
}

/// All parameters of all nodes.
#[derive(Clone, Debug, Default)]
pub struct Tuning {
    nodes: BTreeMap<String, Vec<Known>>,
    changes: Vec<Change>,
}

impl Tuning {
    /// What a node told of its parameters; `files` are those that it may have been started with, by its full name.
    pub fn load(&mut self, node: &str, full_name: &str, parameters: Vec<Parameter>, files: &[Overrides]) {
        let mut from_files = BTreeMap::new();
        for given in files.iter().flat_map(|file| file.for_node(full_name)) {
            from_files.insert(given.name, given.value);
        }
        let before = self.nodes.remove(node).unwrap_or_default();
        let known = |parameter: Parameter| {
            let file =
                from_files.get(&parameter.name).and_then(|value| value.to_kind(parameter.value.kind()));
            // A node that was started again is compared with what was found at first.
            let first = before
                .iter()
                .find(|known| known.parameter.name == parameter.name)
                .map(|k| k.baseline.clone());
            let baseline = file.or(first).unwrap_or_else(|| parameter.value.clone());
            Known { parameter, baseline }
        };
        self.nodes.insert(node.into(), parameters.into_iter().map(known).collect());
    }

    fn find(&self, node: &str, name: &str) -> Option<&Known> {
        self.nodes.get(node)?.iter().find(|known| known.parameter.name == name)
    }

    /// Whether a node's parameters are known.
    pub fn knows(&self, node: &str) -> bool {
        self.nodes.contains_key(node)
    }

    /// A value.
    pub fn value(&self, node: &str, name: &str) -> Option<&Value> {
        self.find(node, name).map(|known| &known.parameter.value)
    }

    /// A value was changed, by whomever; whether it is one that is known.
    pub fn changed(&mut self, node: &str, name: &str, value: Value) -> bool {
        let known = self.nodes.get_mut(node).into_iter().flatten().find(|known| known.parameter.name == name);
        known.map(|known| known.parameter.value = value).is_some()
    }

    /// What a browser asks for, as the type that the parameter has. Whether the value is legal is its node's to say.
    pub fn request(&self, node: &str, name: &str, value: &serde_json::Value) -> Result<Value, String> {
        let known = self
            .find(node, name)
            .ok_or_else(|| format!("{node} has no parameter \"{name}\" that is known here"))?;
        let kind: Kind = known.parameter.value.kind();
        from_json(value, kind).ok_or_else(|| format!("\"{name}\" is a {kind}; {value} is none"))
    }

    /// A change from here was accepted: it can be undone.
    pub fn remember(&mut self, change: Change) {
        // A slider that is dragged is one change.
        let is_same = |last: &&Change| (&last.node, &last.name) == (&change.node, &change.name);
        if self.changes.last().filter(is_same).is_some() {
            return;
        }
        if self.changes.len() == REMEMBERED {
            self.changes.remove(0);
        }
        self.changes.push(change);
    }

    /// The last change, to be taken back.
    pub fn undo(&mut self) -> Option<Change> {
        self.changes.pop()
    }

    /// The last change that was made, which [`Self::undo`] will take back.
    pub fn last(&self) -> Option<&Change> {
        self.changes.last()
    }

    /// How many changes can be undone.
    pub fn undoable(&self) -> usize {
        self.changes.len()
    }

    /// What differs from the files: name, value, and what stands there.
    pub fn differing(&self, node: &str) -> impl Iterator<Item = (&str, &Value, &Value)> {
        let known = self.nodes.get(node).into_iter().flatten();
        let differing = known.filter(|known| known.parameter.value != known.baseline);
        differing.map(|k| (k.parameter.name.as_str(), &k.parameter.value, &k.baseline))
    }

    /// A parameter file of what differs, to be given after the others.
    pub fn to_yaml(&self, node: &str) -> String {
        let mut text = format!(
            "# Tuned on the page: what differs from the files that {node} was started with. Give it after them: --params-file.\n\
             /**/{node}:\n  ros__parameters:\n"
        );
        let mut any = false;
        for (name, value, before) in self.differing(node) {
            text.push_str(&format!("    {name}: {value}  # was {}\n", one_line(before)));
            any = true;
        }
        if any { text } else { format!("# Nothing of {node} differs from its files.\n") }
    }

    /// A parameter file of all that a node has told; none when it has told nothing.
    pub fn all_yaml(&self, node: &str) -> Option<String> {
        let mut text = format!("/**/{node}:\n  ros__parameters:\n");
        for known in self.nodes.get(node)?.iter().map(|known| &known.parameter) {
            text.push_str(&format!("    {}: {}\n", known.name, known.value));
        }
        Some(text)
    }

    /// The parameters of a node, for the page.
    pub fn view(&self, node: &str) -> serde_json::Value {
        let one = |known: &Known| {
            let p = &known.parameter;
            json!({
                "name": p.name, "value": to_json(&p.value), "kind": p.value.kind().to_string(), "file": to_json(&known.baseline),
                "description": p.description, "rules": p.rules, "read_only": p.read_only, "range": p.range,
            })
        };
        self.nodes.get(node).map_or(serde_json::Value::Null, |known| known.iter().map(one).collect())
    }
}

/// For a comment: long texts, such as a robot, are cut.
fn one_line(value: &Value) -> String {
    let text: String = value.to_string().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().count() > 60 { text.chars().take(60).chain("…".chars()).collect() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parameter(name: &str, value: Value) -> Parameter {
        let (description, rules) = (String::new(), String::new());
        Parameter { name: name.into(), value, description, rules, read_only: false, range: None }
    }

    fn tuning(values: &[(&str, Value)], file: &str) -> Tuning {
        let mut tuning = Tuning::default();
        let all = values.iter().map(|(name, value)| parameter(name, value.clone())).collect();
        tuning.load("gait_node", "/gait_node", all, &[Overrides::from_text(file).unwrap()]);
        tuning
    }

    #[test]
    fn what_differs_from_the_file_is_marked_and_an_undo_brings_it_back() {
        let file = "/**/gait_node: {ros__parameters: {lift: 0.03, gaits: {walk: {period: 2}}}}";
        let values = [
            ("lift", Value::Float(0.05)),
            ("gaits.walk.period", Value::Float(2.0)),
            ("gait", Value::Text("walk".into())),
        ];
        let mut tuning = tuning(&values, file);
        let differing =
            |t: &Tuning| t.differing("gait_node").map(|(name, ..)| name.to_string()).collect::<Vec<_>>();
        assert_eq!(differing(&tuning), ["lift"], "a whole number in the file is the same number");
        for lift in [0.06, 0.07] {
            let before = tuning.value("gait_node", "lift").unwrap().clone();
            assert!(tuning.changed("gait_node", "lift", Value::Float(lift)));
            tuning.remember(Change { node: "gait_node".into(), name: "lift".into(), before });
        }
        assert_eq!(tuning.undoable(), 1, "a slider that is dragged is one change");
        assert_eq!(tuning.undo().unwrap().before, Value::Float(0.05));
        assert_eq!(tuning.undo(), None);
        assert!(!tuning.changed("gait_node", "nothing", Value::Int(1)));
    }

    #[test]
    fn a_browser_is_told_what_is_wrong_with_what_it_asks() {
        let tuning = tuning(&[("lift", Value::Float(0.05)), ("on", Value::Bool(true))], "");
        assert_eq!(tuning.request("gait_node", "lift", &json!(1)), Ok(Value::Float(1.0)));
        assert!(tuning.request("gait_node", "lift", &json!("high")).unwrap_err().contains("double"));
        assert!(tuning.request("gait_node", "lft", &json!(1)).unwrap_err().contains("lft"));
        assert!(tuning.request("gait_node", "on", &json!(1)).is_err());
    }

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            any::<bool>().prop_map(Value::Bool),
            any::<i64>().prop_map(Value::Int),
            any::<f64>().prop_filter("finite", |x| x.is_finite()).prop_map(Value::Float),
            "[ -~äπ\n\t]{0,80}".prop_map(Value::Text),
            prop::collection::vec(-1e9..1e9f64, 1..5).prop_map(Value::Floats),
            prop::collection::vec("[ -~\n]{0,9}", 1..4).prop_map(Value::Texts),
        ]
    }

    proptest! {
        /// The file that is saved gives a node, in any namespace, exactly the values that it had.
        #[test]
        fn what_is_saved_is_read_back_as_it_was(values in prop::collection::btree_map("[a-z]{1,6}(\\.[a-z]{1,6}){0,2}", value(), 1..6)) {
            // A name cannot be a value and a group at once.
            let is_group = |name: &str| values.keys().any(|other| other.starts_with(&format!("{name}.")));
            let values: Vec<(&str, Value)> = values.iter().filter(|(n, _)| !is_group(n)).map(|(n, v)| (n.as_str(), v.clone())).collect();
            let mut tuning = tuning(&values.iter().map(|(n, _)| (*n, Value::Text("as it was\nbefore".into()))).collect::<Vec<_>>(), "");
            for (name, value) in &values {
                tuning.changed("gait_node", name, value.clone());
            }
            let read = Overrides::from_text(&tuning.to_yaml("gait_node")).unwrap().for_node("/robot1/gait_node");
            let all = Overrides::from_text(&tuning.all_yaml("gait_node").unwrap()).unwrap().for_node("/gait_node");
            for (name, value) in &values {
                prop_assert_eq!(read.iter().find(|o| o.name == *name).map(|o| &o.value), Some(value));
                prop_assert_eq!(all.iter().find(|o| o.name == *name).map(|o| &o.value), Some(value));
            }
        }
    }
}
