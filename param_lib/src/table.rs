//! The declared parameters of a node and their values.

use crate::args::Override;
use crate::error::ParamError;
use crate::spec::Spec;
use crate::value::Value;
use std::collections::{HashMap, HashSet};

/// Keys of one group; more than any robot has joints, legs or filters.
const MOST_KEYS: usize = 1000;

/// Declared parameters in the order of their declaration.
#[derive(Clone, Debug, Default)]
pub struct Table {
    entries: Vec<(Spec, Value)>,
}

impl Table {
    /// Declares `specs`, each with its default or with what `overrides` say. Templates are declared once per key that the
    /// overrides mention, in the order in which they do. An error is everything that is wrong.
    pub fn declare_all(specs: Vec<Spec>, overrides: &[Override]) -> Result<Table, ParamError> {
        let mut table = Table::default();
        let mut faults = vec![];
        let given: HashMap<&str, &Override> = overrides.iter().map(|o| (o.name.as_str(), o)).collect();
        let mut declare = |spec: Spec| {
            let given = given.get(spec.name.as_str()).map(|o| &o.value);
            faults.extend(table.declare(spec, given).err());
        };
        let mut specs = specs.into_iter().peekable();
        while let Some(spec) = specs.next() {
            let Some((group, _)) = spec.name.split_once('*') else {
                declare(spec);
                continue;
            };
            // All templates of one group together, so that one key's parameters stay side by side.
            let group = group.to_string();
            let mut templates = vec![spec];
            while let Some(next) = specs.next_if(|s| s.name.starts_with(&group) && s.is_template()) {
                templates.push(next);
            }
            let mut seen = HashSet::new();
            let keys =
                overrides.iter().filter_map(|o| templates.iter().find_map(|t| t.template_key(&o.name)));
            let keys: Vec<&str> = keys.filter(|key| seen.insert(*key)).collect();
            if keys.len() > MOST_KEYS {
                return Err(ParamError::TooManyKeys { group, found: keys.len(), most: MOST_KEYS });
            }
            for key in keys {
                for template in &templates {
                    declare(template.for_key(key));
                }
            }
        }
        ParamError::all(faults)?;
        Ok(table)
    }

    /// Declares one parameter, with its default or the value that was given for it.
    pub fn declare(&mut self, spec: Spec, given: Option<&Value>) -> Result<(), ParamError> {
        if self.entry(&spec.name).is_some() {
            return Err(ParamError::Twice { name: spec.name });
        }
        let value = match given {
            Some(value) => spec.check(value)?,
            None => spec.default.clone(),
        };
        self.entries.push((spec, value));
        Ok(())
    }

    /// Declares what templates stand for under the key that `name` has: all of `servo_models.knee` for `servo_models.knee.kp`,
    /// behind the group's other keys. Nothing happens when the name is known or no template fits.
    pub fn declare_key(&mut self, templates: &[Spec], name: &str) {
        let fits = templates.iter().find_map(|t| Some((t.template_key(name)?, t.name.split_once('*')?.0)));
        let Some((key, group)) = fits.filter(|_| self.entry(name).is_none()) else { return };
        let behind = self.entries.iter().rposition(|(spec, _)| spec.name.starts_with(group));
        let place = behind.map_or(self.entries.len(), |last| last + 1);
        let of_group = templates.iter().filter(|t| t.name.starts_with(group));
        let entries = of_group.map(|t| (t.for_key(key), t.default.clone()));
        self.entries.splice(place..place, entries);
    }

    /// All of them, in the order of declaration.
    pub fn entries(&self) -> impl Iterator<Item = (&Spec, &Value)> {
        self.entries.iter().map(|(s, v)| (s, v))
    }

    /// One of them.
    pub fn entry(&self, name: &str) -> Option<(&Spec, &Value)> {
        self.entries().find(|(s, _)| s.name == name)
    }

    /// The value of a parameter; none when it is not declared.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.entry(name).map(|(_, v)| v)
    }

    /// The keys of a group in order: `leg1`, `leg2` for `chains` when `chains.leg1.first_link` and so on are declared.
    pub fn keys(&self, group: &str) -> Vec<String> {
        let mut keys: Vec<String> = vec![];
        for (spec, _) in self.entries() {
            let rest = spec.name.strip_prefix(group).and_then(|r| r.strip_prefix('.'));
            if let Some((key, _)) = rest.and_then(|r| r.split_once('.'))
                && !keys.iter().any(|k| k == key)
            {
                keys.push(key.to_string());
            }
        }
        keys
    }

    /// Sets all of `changes` or none of them.
    pub fn set(&mut self, changes: &[(String, Value)]) -> Result<(), ParamError> {
        let mut checked = Vec::with_capacity(changes.len());
        for (name, value) in changes {
            let index =
                self.entries.iter().position(|(s, _)| s.name == *name).ok_or_else(|| self.unknown(name))?;
            let spec = &self.entries[index].0;
            let value = spec.check(value)?;
            // What it is already may be said again: a dump of all parameters can be loaded. Texts, since NaN is not NaN.
            if spec.read_only && value.to_string() != self.entries[index].1.to_string() {
                return Err(ParamError::ReadOnly { name: name.clone() });
            }
            checked.push((index, value));
        }
        for (index, value) in checked {
            self.entries[index].1 = value;
        }
        Ok(())
    }

    /// The error for a name that nobody declared.
    pub fn unknown(&self, name: &str) -> ParamError {
        let nearest = self
            .entries()
            .map(|(s, _)| (distance(&s.name, name), &s.name))
            .min()
            .filter(|(d, _)| *d <= 1 + name.len() / 4);
        ParamError::Unknown { name: name.into(), nearest: nearest.map(|(_, n)| n.clone()) }
    }

    /// The value as a Rust type, for [`Field::read`](crate::Field::read).
    pub fn read<T>(&self, name: &str, convert: impl Fn(&Value) -> Option<T>) -> Result<T, ParamError> {
        let (spec, value) = self.entry(name).ok_or_else(|| self.unknown(name))?;
        convert(value).ok_or_else(|| ParamError::Kind {
            name: name.into(),
            wanted: spec.kind(),
            found: value.kind(),
        })
    }
}

/// Levenshtein distance: how many letters apart two names are.
pub(crate) fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &cb) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
