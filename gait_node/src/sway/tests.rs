//! Of plans alone.

use super::*;
use crate::ground::Velocity;
use crate::pattern::{trot_phases, walk_phases};
use nalgebra::Isometry2;
use proptest::prelude::*;

/// As it is after a second or two of cycles.
fn planned(steps: Steps<'_>, weight: Vector2<f64>) -> Sway {
    let mut sway = Sway::default();
    (0..200).for_each(|_| sway.improve(steps, weight, 0.02));
    sway
}

/// With legs of any length.
fn steps<'a>(pattern: &'a Pattern, homes: &'a [Isometry2<f64>], velocity: Velocity) -> Steps<'a> {
    Steps { pattern, homes, reach: &[], velocity, response: Vector2::new(1.0, 1.0) }
}

fn homes(legs: usize) -> Vec<Isometry2<f64>> {
    let pairs = legs / 2;
    let place = |leg: usize| {
        let x = 0.2 - 0.4 * (leg / 2) as f64 / (pairs - 1) as f64;
        Isometry2::new(Vector2::new(x, if leg.is_multiple_of(2) { 0.1 } else { -0.1 }), 0.0)
    };
    (0..legs).map(place).collect()
}

fn points(homes: &[Isometry2<f64>]) -> Vec<Point2<f64>> {
    homes.iter().map(|home| Point2::from(home.translation.vector)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    /// Walking with one leg at a time in any direction (strides up to 8 cm): the weight is inside at every phase, also
    /// between those that were planned for.
    #[test]
    fn a_walk_is_statically_stable_in_any_direction(
        angle in -3.2..3.2_f64, share in 0.0..1.0_f64, duty in 0.8..0.93_f64,
        off in (-0.02..0.02_f64, -0.01..0.01_f64)
    ) {
        let homes = homes(4);
        let pattern = Pattern { period: 2.0, duty, phases: walk_phases(&points(&homes)) };
        let speed = share * 0.08 / pattern.stance_time();
        let velocity = Velocity { forward: speed * angle.cos(), left: speed * angle.sin(), turn: 0.0 };
        let steps = steps(&pattern, &homes, velocity);
        let weight = Vector2::new(off.0, off.1);
        let sway = planned(steps, weight);
        prop_assert!(sway.least_margin() > 0.0, "{}", sway.least_margin());
        for look in 0..1000 {
            let phase = f64::from(look) * 1e-3;
            let at = Point2::from(sway.at(phase).place + weight);
            prop_assert!(margin(&at, steps.standing(phase, LATE)) > 0.0, "at {}", phase);
        }
    }
}

#[test]
fn six_legs_in_a_wave_need_no_sway_and_a_trot_has_none() {
    let six = homes(6);
    let pattern = Pattern { period: 2.0, duty: 0.85, phases: walk_phases(&points(&six)) };
    let sway = planned(steps(&pattern, &six, Velocity::ZERO), Vector2::zeros());
    assert!(sway.least_margin() > 0.02 && sway.at(0.3).place.norm() < 0.02);
    let four = homes(4);
    let pattern = Pattern { period: 1.0, duty: 0.55, phases: trot_phases(&points(&four)) };
    let sway = planned(steps(&pattern, &four, Velocity::ZERO), Vector2::zeros());
    assert!(sway.least_margin() <= 0.0);
}

#[test]
fn slope_and_curvature_are_derivatives() {
    let four = homes(4);
    let pattern = Pattern { period: 1.6, duty: 0.8, phases: walk_phases(&points(&four)) };
    let sway = planned(steps(&pattern, &four, Velocity::ZERO), Vector2::zeros());
    let h = 1e-5;
    for look in 0..100 {
        let phase = 0.01 * f64::from(look);
        let (before, here, after) = (sway.at(phase - h), sway.at(phase), sway.at(phase + h));
        // Central differences: the next term is h²/6 times the third derivative, 4π·2 harmonics cubed at most.
        assert!(((after.place - before.place) / (2.0 * h) - here.slope).norm() < 1e-6);
        assert!(((after.slope - before.slope) / (2.0 * h) - here.curvature).norm() < 1e-4);
    }
}
