//! How far an estimate is from the truth, in the measures of the field.

use std::fmt;

use nalgebra::{Isometry3, Vector2, Vector3};

use super::trajectory::Trajectory;
use crate::estimate::heading;

/// The interval of the relative pose error, s.
const INTERVAL: f64 = 1.0;
/// The way over which drift is measured, m.
const SEGMENT: f64 = 1.0;
/// An interval may be longer by so much where poses are missing.
const SLACK: f64 = 0.1;

/// An estimate beside the truth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// Poses that were compared.
    pub poses: usize,
    /// From the first to the last of them, s.
    pub duration: f64,
    /// The true way seen from above, m.
    pub distance: f64,
    /// Absolute trajectory error: root mean square of the distance after the best shift and turn about the vertical, m.
    pub ate: f64,
    /// Relative pose error over 1 s: root mean squares of translation (m) and rotation (rad); None in shorter walks.
    pub rpe: Option<[f64; 2]>,
    /// Mean errors over each metre of the way: translation (m/m) and heading (rad/m); None on shorter ways.
    pub drift: Option<[f64; 2]>,
    /// At the end, when the beginnings are put together: distance (m) and heading (rad).
    pub end: [f64; 2],
}

type Pair = (f64, Isometry3<f64>, Isometry3<f64>);

/// Compares an estimate with the truth at the estimate's times; None when they have no two times in common.
pub fn compare(estimate: &Trajectory, truth: &Trajectory) -> Option<Comparison> {
    let pairs = estimate.beside(truth);
    let (first, last) = (pairs.first()?, pairs.last()?);
    if pairs.len() < 2 {
        return None;
    }
    let way = ways(&pairs);
    let end = relative(first, last);
    Some(Comparison {
        poses: pairs.len(),
        duration: last.0,
        distance: *way.last()?,
        ate: absolute(&pairs),
        rpe: over(&pairs, |i, j| pairs[j].0 - pairs[i].0 - INTERVAL, SLACK)
            .map(|errors| [root_mean_square(&errors, |e| e.0), root_mean_square(&errors, |e| e.1)]),
        drift: over(&pairs, |i, j| way[j] - way[i] - SEGMENT, SLACK).map(|errors| {
            let mean = |part: fn(&Error) -> f64| errors.iter().map(part).sum::<f64>() / errors.len() as f64;
            [mean(|e| e.0 / SEGMENT), mean(|e| e.2 / SEGMENT)]
        }),
        end: [end.translation.vector.norm(), heading(&end).abs()],
    })
}

/// Lengths of the true way up to each pose, from above.
fn ways(pairs: &[Pair]) -> Vec<f64> {
    let mut length = 0.0;
    let mut before = pairs.first().map_or(Vector2::zeros(), |pair| pair.2.translation.vector.xy());
    let step = |pair: &Pair| {
        let place = pair.2.translation.vector.xy();
        length += (place - before).norm();
        before = place;
        length
    };
    pairs.iter().map(step).collect()
}

/// E = (T_i⁻¹ T_j)⁻¹ (P_i⁻¹ P_j), T true and P estimated (Sturm et al. 2012).
fn relative(from: &Pair, to: &Pair) -> Isometry3<f64> {
    from.2.inv_mul(&to.2).inv_mul(&from.1.inv_mul(&to.1))
}

/// Translation (m), rotation (rad) and heading (rad) of a relative error.
type Error = (f64, f64, f64);

/// Errors over every stretch whose `excess` has just become positive, at most by `slack`.
fn over(pairs: &[Pair], excess: impl Fn(usize, usize) -> f64, slack: f64) -> Option<Vec<Error>> {
    let (mut errors, mut to) = (vec![], 0);
    for from in 0..pairs.len() {
        // A little less than the full length counts: times and ways are rounded.
        while to < pairs.len() && excess(from, to) < -1e-9 {
            to += 1;
        }
        if to == pairs.len() {
            break;
        }
        if excess(from, to) <= slack {
            let error = relative(&pairs[from], &pairs[to]);
            let turn = heading(&error).abs();
            errors.push((error.translation.vector.norm(), error.rotation.angle(), turn));
        }
    }
    (!errors.is_empty()).then_some(errors)
}

fn root_mean_square<T>(values: &[T], part: impl Fn(&T) -> f64) -> f64 {
    (values.iter().map(|value| part(value).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
}

/// Gravity tells an estimate what is level, so only heading and place are free (Zhang and Scaramuzza 2018): the turn
/// θ = atan2(Σ e×t, Σ e·t) of the centred places from above, then the shift between the centres.
fn absolute(pairs: &[Pair]) -> f64 {
    let centre =
        |place: fn(&Pair) -> Vector3<f64>| pairs.iter().map(place).sum::<Vector3<f64>>() / pairs.len() as f64;
    let (own, other) = (|pair: &Pair| pair.1.translation.vector, |pair: &Pair| pair.2.translation.vector);
    let (own_centre, other_centre) = (centre(own), centre(other));
    let (mut cross, mut dot) = (0.0, 0.0);
    for pair in pairs {
        let (e, t) = ((own(pair) - own_centre).xy(), (other(pair) - other_centre).xy());
        cross += e.perp(&t);
        dot += e.dot(&t);
    }
    let turn = nalgebra::UnitQuaternion::from_axis_angle(&Vector3::z_axis(), cross.atan2(dot));
    root_mean_square(pairs, |pair| (turn * (own(pair) - own_centre) - (other(pair) - other_centre)).norm())
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "against the truth: {:.3} m in {:.2} s, {} poses",
            self.distance, self.duration, self.poses
        )?;
        writeln!(f, "  ATE {:.4} m", self.ate)?;
        if let Some([metres, angle]) = self.rpe {
            writeln!(f, "  RPE over 1 s {metres:.4} m, {:.3}°", angle.to_degrees())?;
        }
        if let Some([metres, angle]) = self.drift {
            writeln!(f, "  drift per metre {:.2} %, heading {:.3}°", 100.0 * metres, angle.to_degrees())?;
        }
        let share = 100.0 * self.end[0] / self.distance.max(1e-9);
        writeln!(
            f,
            "  at the end {:.4} m ({share:.2} %), heading {:.2}°",
            self.end[0],
            self.end[1].to_degrees()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A walk along an arc, a pose every 10 ms, with what `change` makes of each place.
    fn walk(seconds: f64, curve: f64, change: impl Fn(f64, Isometry3<f64>) -> Isometry3<f64>) -> Trajectory {
        let mut walk = Trajectory::default();
        for step in 0..=(seconds * 100.0) as i64 {
            let s = 0.3 * step as f64 * 0.01;
            let place = match curve.abs() < 1e-6 {
                true => Vector3::new(s, 0.0, 0.2),
                false => Vector3::new((curve * s).sin() / curve, (1.0 - (curve * s).cos()) / curve, 0.2),
            };
            walk.push(step * 10_000_000, change(s, Isometry3::new(place, Vector3::z() * curve * s)));
        }
        walk
    }

    proptest! {
        #[test]
        fn where_the_truth_has_its_frame_does_not_matter(
            curve in -2.0..2.0_f64, x in -9.0..9.0_f64, y in -9.0..9.0_f64, turn in -3.0..3.0_f64,
        ) {
            let moved = Isometry3::new(Vector3::new(x, y, 1.0), Vector3::z() * turn);
            let off = compare(&walk(8.0, curve, |_, pose| pose), &walk(8.0, curve, |_, pose| moved * pose)).unwrap();
            let [rpe, drift] = [off.rpe.unwrap(), off.drift.unwrap()];
            for zero in [off.ate, rpe[0], rpe[1], drift[0], drift[1], off.end[0], off.end[1]] {
                // Angles come from arc cosines of numbers next to 1.
                prop_assert!(zero < 1e-7, "{off:?}");
            }
            prop_assert!((off.distance - 2.4).abs() < 1e-3 && off.poses == 801);
        }

        #[test]
        fn steps_too_long_by_a_share_drift_by_that_share(share in 0.001..0.2_f64) {
            let truth = walk(8.0, 0.0, |_, pose| pose);
            let off = compare(&walk(8.0, 0.0, |s, mut pose| { pose.translation.x = s * (1.0 + share); pose }), &truth).unwrap();
            prop_assert!((off.end[0] - 2.4 * share).abs() < 1e-9);
            // A metre of the way is met within one pose, 3 mm.
            prop_assert!((off.drift.unwrap()[0] - share).abs() < 0.0031 * share);
            prop_assert!((off.rpe.unwrap()[0] - 0.3 * share).abs() < 1e-9);
            // Uniform on ±1.2 m about the centre: the root mean square of a line is its half over √3; 801 points end it sharper.
            prop_assert!((off.ate - 1.2 * share / 3.0_f64.sqrt()).abs() < 0.01 * share);
        }

        #[test]
        fn a_heading_that_turns_away_shows_per_metre(rate in 0.001..0.05_f64) {
            let off = compare(&walk(8.0, rate, |_, pose| pose), &walk(8.0, 0.0, |_, pose| pose)).unwrap();
            prop_assert!((off.drift.unwrap()[1] - rate).abs() < 0.0031 * rate + 1e-9);
            prop_assert!((off.end[1] - 2.4 * rate).abs() < 1e-9);
        }
    }

    #[test]
    fn what_has_no_time_in_common_is_not_compared_and_gaps_are_left_out() {
        let whole = walk(4.0, 0.1, |_, pose| pose);
        let mut later = Trajectory::default();
        let mut holed = Trajectory::default();
        for (stamp, pose) in whole.iter() {
            later.push(stamp + 60_000_000_000, *pose);
            if !(1_000_000_000..3_000_000_000).contains(&stamp) {
                holed.push(stamp, *pose);
            }
        }
        assert_eq!(compare(&whole, &later), None);
        assert_eq!(compare(&whole, &Trajectory::default()), None);
        assert_eq!(compare(&whole, &holed).unwrap().poses, 401 - 200);
    }
}
