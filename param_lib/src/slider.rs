//! The slider that a tuning tool draws for a number: a hundred round steps in the part of the legal range that people tune in.

use crate::spec::Spec;
use crate::value::{Kind, Value};

/// Steps of rqt's slider.
const STEPS: f64 = 100.0;
/// A step of a useful slider is no more than this part of the default.
const FINEST: f64 = 0.1;
/// Else it goes up to so many times the default.
const ROOM: f64 = 5.0;
/// Round steps within a decade, coarsest first.
const ROUND: [f64; 6] = [8.0, 5.0, 4.0, 2.5, 2.0, 1.0];

/// What a slider shows. The legal range is wider where nobody tunes in all of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slider {
    /// Its left end.
    pub from: f64,
    /// Its right end.
    pub to: f64,
    /// What a key moves it by.
    pub step: f64,
}

impl Spec {
    /// The slider of a number with a range, which always holds `value`: as declared; else the legal range, cut where a step of it would
    /// be more than a tenth of the default. Not for a range without an end.
    pub fn slider(&self, value: &Value) -> Option<Slider> {
        let (min, max) = self.range.filter(|(min, max)| (max - min).is_finite())?;
        let (default, value) = match (&self.default, value) {
            (Value::Float(default), Value::Float(value)) => (*default, *value),
            (Value::Int(default), Value::Int(value)) => (*default as f64, *value as f64),
            // A list has none; the range is that of its elements.
            _ => return Some(Slider { from: min, to: max, step: 0.0 }),
        };
        // NaN is "not set".
        let held = |(low, high): (f64, f64)| (low.min(value), high.max(value));
        let usual = self.tuned.unwrap_or_else(|| around(default, (min, max)));
        // Somebody whose value is far from the default wants room about it too.
        let wanted = if held(usual) == usual { usual } else { held(around(value, (min, max))) };
        Some(match self.kind() {
            Kind::Int => Slider { from: wanted.0.ceil(), to: wanted.1.floor(), step: 1.0 },
            _ => on_round_steps(wanted, (min, max), value),
        })
    }
}

/// The legal range, or as much of it as is useful about this number.
fn around(number: f64, (min, max): (f64, f64)) -> (f64, f64) {
    let size = number.abs();
    if size == 0.0 || size.is_nan() || (max - min) / STEPS <= FINEST * size {
        return (min, max);
    }
    let high = (ROOM * size).min(max);
    (min.max(-high), high)
}

/// rqt counts its steps from zero, not from the left end: a slider from 0.001 to 5 begins at 0, which is refused. So both ends become
/// whole numbers of a round step: a hundred of them from the left end on, or, when the value is not among them, up to the right one.
fn on_round_steps((low, high): (f64, f64), legal: (f64, f64), value: f64) -> Slider {
    let plain = Slider { from: low, to: high, step: (high - low) / STEPS };
    if plain.is_reached(legal) || plain.step <= 0.0 {
        return plain;
    }
    let decade = plain.step.log10().floor() as i32;
    let steps = (0..4).flat_map(|finer| ROUND.map(|digit| (digit, decade - finer)));
    steps
        .flat_map(|(digit, decade)| {
            // A decimal number is nearest to what is meant when it is divided by a power of ten, not multiplied by one's inverse.
            let times = |count: f64| match decade {
                0.. => count * digit * 10f64.powi(decade),
                _ => count * digit / 10f64.powi(-decade),
            };
            let (first, last) = ((low / times(1.0) - 1e-9).ceil(), (high / times(1.0) + 1e-9).floor());
            // One place further in where its arithmetic is a last digit beyond what is legal.
            [first, first + 1.0, last - STEPS, last - STEPS - 1.0].map(|first| Slider {
                from: times(first),
                to: times(first + STEPS),
                step: times(1.0),
            })
        })
        .find(|slider| slider.step <= plain.step && slider.holds(value) && slider.is_reached(legal))
        .unwrap_or(plain)
}

impl Slider {
    fn holds(&self, value: f64) -> bool {
        value.is_nan() || (self.from..=self.to).contains(&value)
    }

    /// Whether both ends give what they show, as rqt computes it, and that is legal.
    fn is_reached(&self, (min, max): (f64, f64)) -> bool {
        let scale = STEPS / (self.to - self.from);
        let is_shown = |end: f64| {
            let given = (end * scale).round() / scale;
            (given - end).abs() < 1e-6 * self.step && (min..=max).contains(&given)
        };
        is_shown(self.from) && is_shown(self.to)
    }
}
