//! What people meet who tune a running node: sliders of a hundred steps, words that changed.

use crate::spec::Spec;
use crate::value::Value;

/// Steps of rqt's slider.
const STEPS: f64 = 100.0;
/// A step of a useful slider is no more than this part of the default.
const FINEST: f64 = 0.1;
/// Else it goes up to so many times the default.
const ROOM: f64 = 5.0;

impl Spec {
    /// The range of its slider, which always holds `value`: as declared; else the legal range, cut where a step of it would be more
    /// than a tenth of the default. Wider values are legal all the same.
    pub fn slider_range(&self, value: &Value) -> Option<(f64, f64)> {
        let (min, max) = self.range?;
        let (low, high) = self.slider.unwrap_or_else(|| {
            let default = self.default.numbers().into_iter().map(f64::abs).fold(0.0, f64::max);
            let is_coarse = default > 0.0 && (max - min) / STEPS > FINEST * default;
            let high = if is_coarse { (ROOM * default).min(max) } else { max };
            (if is_coarse { min.max(-high) } else { min }, high)
        });
        let numbers = value.numbers().into_iter().filter(|number| number.is_finite());
        Some(numbers.fold((low, high), |(low, high), number| (low.min(number), high.max(number))))
    }

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
