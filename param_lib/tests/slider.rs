//! Sliders as rqt_reconfigure draws them: a hundred steps that it counts from zero (`DoubleEditor` of its `param_editors.py`).
#![allow(clippy::unwrap_used)]

use param_lib::{Spec, Value};
use proptest::prelude::*;

/// What rqt sets at each place of the slider.
fn given_by_rqt(from: f64, to: f64) -> impl Iterator<Item = f64> {
    let scale = 100.0 / (to - from);
    let (first, last) = ((from * scale).round() as i64, (to * scale).round() as i64);
    (first..=last).map(move |place| place as f64 / scale)
}

/// A number as people write it: two digits.
fn written(digits: std::ops::Range<i32>, places: std::ops::Range<i32>) -> impl Strategy<Value = f64> {
    (digits, places).prop_map(|(digits, places)| f64::from(digits) / 10f64.powi(places))
}

proptest! {
    #[test]
    fn no_place_of_a_slider_is_refused(
        low in prop_oneof![Just(0.0), written(1..100, 0..6)],
        is_symmetric in any::<bool>(),
        high in written(10..100, -4..3),
        default in written(10..100, 0..5),
        value in prop_oneof![Just(None), written(10..100, 0..5).prop_map(Some)],
    ) {
        let low = if is_symmetric { -high } else { low };
        let high = if low < high { high } else { 10.0 * low };
        // At the very ends of what is legal rqt's arithmetic is a last digit beyond.
        let inside = low + 0.01 * (high - low)..=high - 0.01 * (high - low);
        let default = if inside.contains(&default) { default } else { 0.5 * (low + high) };
        let value = value.filter(|value| inside.contains(value)).unwrap_or(default);
        let spec = Spec { range: Some((low, high)), ..Spec::new("p", Value::Float(default), "A number.") };
        let slider = spec.slider(&Value::Float(value)).unwrap();
        prop_assert!((slider.from..=slider.to).contains(&value), "{slider:?} does not hold {value}");
        prop_assert!(low <= slider.from && slider.to <= high, "{slider:?} is wider than {low} … {high}");
        // A key moves it by one place.
        prop_assert_eq!((slider.step * 100.0 / (slider.to - slider.from)).round(), 1.0);
        for number in given_by_rqt(slider.from, slider.to) {
            prop_assert!(spec.check(&Value::Float(number)).is_ok(), "{slider:?} of {low} … {high} gives {number}");
        }
    }
}

#[test]
fn whole_numbers_move_by_one_and_what_has_no_end_has_no_slider() {
    let spec = |default, range| Spec { range: Some(range), ..Spec::new("p", default, "A number.") };
    let slider = spec(Value::Int(8), (1.0, 1000.0)).slider(&Value::Int(8)).unwrap();
    assert_eq!((slider.from, slider.to, slider.step), (1.0, 40.0, 1.0));
    assert_eq!(spec(Value::Float(1.0), (0.0, f64::INFINITY)).slider(&Value::Float(1.0)), None);
}
