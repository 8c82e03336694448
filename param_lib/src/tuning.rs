//! What people meet who tune a running node: words that changed, and the text beside a slider.

use crate::spec::Spec;
use crate::value::Value;

impl Spec {
    /// The old word that a value is, and the new one. YAML makes a boolean of `off`.
    pub fn renamed(&self, value: &Value) -> Option<(&str, &str)> {
        let is = |old: &str| match value {
            Value::Text(word) => word == old,
            Value::Bool(false) => old == "off",
            _ => false,
        };
        self.former.iter().find(|(old, _)| is(old)).map(|(old, new)| (old.as_str(), new.as_str()))
    }

    /// What tells somebody of a word that changed.
    pub fn renamed_note(&self, value: &Value) -> Option<String> {
        let (old, new) = self.renamed(value)?;
        Some(format!("parameter \"{}\": \"{old}\" is called \"{new}\" now", self.name))
    }

    /// Description, unit, range and choices in one text: all that rqt shows beside a slider.
    pub fn description(&self) -> String {
        match self.rules() {
            rules if rules.is_empty() => self.doc.clone(),
            rules => format!("{} [{rules}]", self.doc),
        }
    }
}
