//! One parameter as it is declared: type, default, unit, range, description.

use crate::error::{ParamError, span};
use crate::value::{Kind, Value};

/// A declared parameter. A `*` segment in the name makes it a template: `chains.*.first_link` stands for one parameter
/// per chain that the overrides mention.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// Name with dots between its groups.
    pub name: String,
    /// The value when nobody says otherwise; its type is the parameter's type.
    pub default: Value,
    /// What it is, in a sentence.
    pub doc: String,
    /// Unit of the number; empty for none.
    pub unit: String,
    /// Least and greatest number, of each element when it is a list.
    pub range: Option<(f64, f64)>,
    /// The part of a wide range that people tune in, which [`Spec::slider`] shows.
    pub tuned: Option<(f64, f64)>,
    /// The words a text may be; empty for any.
    pub choices: Vec<String>,
    /// Words that were choices once, and those that took their place.
    pub former: Vec<(String, String)>,
    /// The length a list must have.
    pub len: Option<usize>,
    /// Set at start only.
    pub read_only: bool,
    /// Whether a number may be NaN, which means "not set".
    pub optional: bool,
    /// Said once for many nodes, in a file that they share: it is left out of the node's own.
    pub shared: bool,
}

impl Spec {
    /// A parameter with a default and a description, and no other rule.
    pub fn new(name: impl Into<String>, default: Value, doc: impl Into<String>) -> Self {
        Spec {
            name: name.into(),
            default,
            doc: doc.into(),
            unit: String::new(),
            range: None,
            tuned: None,
            choices: vec![],
            former: vec![],
            len: None,
            read_only: false,
            optional: false,
            shared: false,
        }
    }

    /// The type of its default.
    pub fn kind(&self) -> Kind {
        self.default.kind()
    }

    /// The value as this parameter holds it (a whole number becomes a double where one is wanted), or why it cannot.
    pub fn check(&self, value: &Value) -> Result<Value, ParamError> {
        let name = || self.name.clone();
        let renamed = self.renamed(value).map(|(_, new)| Value::Text(new.into()));
        let value = renamed.as_ref().unwrap_or(value);
        let value = value.to_kind(self.kind()).ok_or_else(|| ParamError::Kind {
            name: name(),
            wanted: self.kind(),
            found: value.kind(),
        })?;
        for number in value.numbers() {
            if self.optional && number.is_nan() {
                continue;
            }
            if !number.is_finite() {
                return Err(ParamError::NotFinite { name: name(), value: number, range: self.range });
            }
            if let Some((min, max)) = self.range
                && !(min..=max).contains(&number)
            {
                return Err(ParamError::Range {
                    name: name(),
                    value: number,
                    min,
                    max,
                    unit: self.unit.clone(),
                });
            }
        }
        let words = match &value {
            Value::Text(word) => std::slice::from_ref(word),
            Value::Texts(words) => words,
            _ => &[],
        };
        if let Some(word) = words.iter().find(|w| !self.choices.is_empty() && !self.choices.contains(w)) {
            return Err(ParamError::Choice {
                name: name(),
                value: word.clone(),
                choices: self.choices.clone(),
            });
        }
        match (self.len, value.list_len()) {
            (Some(wanted), Some(found)) if wanted != found => {
                Err(ParamError::Length { name: name(), wanted, found })
            }
            _ => Ok(value),
        }
    }

    /// Unit, range, choices and "read-only" in a few words, as the YAML comment and the README table show them.
    pub fn rules(&self) -> String {
        let mut rules = vec![];
        match (&self.range, self.unit.as_str()) {
            (Some((min, max)), unit) => {
                rules.push(format!("{} {unit}", span(*min, *max)).trim_end().to_string());
            }
            (None, "") => {}
            (None, unit) => rules.push(unit.to_string()),
        }
        if !self.choices.is_empty() {
            rules.push(self.choices.join(" | "));
        }
        if let Some(len) = self.len {
            rules.push(format!("{len} elements"));
        }
        if self.optional {
            rules.push(".nan = not set".into());
        }
        if self.read_only {
            rules.push("read-only".into());
        }
        rules.join(", ")
    }

    /// The key that `name` puts into this template's `*`, if it fits: `leg1` for `chains.leg1.first_link`.
    pub(crate) fn template_key<'n>(&self, name: &'n str) -> Option<&'n str> {
        let (head, tail) = self.name.split_once('*')?;
        let key = name.strip_prefix(head)?.strip_suffix(tail)?;
        (!key.is_empty() && !key.contains('.')).then_some(key)
    }

    /// This template for one key.
    pub(crate) fn for_key(&self, key: &str) -> Spec {
        Spec { name: self.name.replacen('*', key, 1), ..self.clone() }
    }

    /// Whether it stands for many parameters.
    pub fn is_template(&self) -> bool {
        self.name.contains('*')
    }
}
