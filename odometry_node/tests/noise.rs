//! Noise on the hooves: the error grows like a random walk, no faster.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Dice, Gait, Path, Walker};
use nalgebra::Vector3;
use odometry_node::{Odometry, OdometryParams, Posture};

const POSITION: f64 = 0.001;
const ANGLE: f64 = 0.005;

/// `settle_speed` well above the noise times the rate, as the README says: 1 mm on three coordinates, twice, at 100 Hz is 0.25 m/s.
fn noisy() -> OdometryParams {
    OdometryParams { settle_speed: 1.0, ..common::fit() }
}

/// Squared errors of heading (rad²), place in the plane and height (m²) after each of the given numbers of cycles.
fn walk(seed: u64, marks: &[i64], params: &OdometryParams) -> Vec<[f64; 3]> {
    let still = Path { sway: Vector3::zeros(), tilt: Vector3::zeros(), ..Path::new([0.0; 3]) };
    let mut walker = Walker::new(common::pony(), Gait::trot(4), still);
    let mut odometry = Odometry::new(&walker.model, params).unwrap();
    walker.noise = Some((Dice(seed), POSITION, ANGLE));
    let mut found = vec![];
    for cycle in 0..=*marks.last().unwrap() {
        let posture = Posture { stamp: walker.stamp(), q: &walker.q, qd: &walker.qd, mean_rates: false };
        let estimate = odometry.update(&posture, Some(&walker.footings()), None);
        if marks.contains(&cycle) {
            let miss = estimate.pose.translation.vector - walker.pose().translation.vector;
            found.push([estimate.heading().powi(2), miss.xy().norm_squared(), miss.z * miss.z]);
        }
        walker.advance();
    }
    found
}

/// Root mean squares over many walks.
fn errors(marks: &[i64], params: &OdometryParams) -> Vec<[f64; 3]> {
    const WALKS: u64 = 60;
    let walks: Vec<_> = (0..WALKS).map(|seed| walk(seed * 7919 + 1, marks, params)).collect();
    let mean = |mark: usize, what: usize| walks.iter().map(|w| w[mark][what]).sum::<f64>() / WALKS as f64;
    (0..marks.len()).map(|mark| [0, 1, 2].map(|what| mean(mark, what).sqrt())).collect()
}

/// The bound, with σ = 1 mm on each coordinate of a hoof and δ = 5 mrad on its angles. A trot steps every 20 cycles from
/// one pair of hooves to the other; each step adds the noise of the old pair, of the new pair and of the fit between them:
/// - place, per axis: at most σ·√(2/2 + 2/2) from the means of two pairs, and δ·height from the tilt, twice;
/// - heading: at most σ·√2·√2/b for the two ends of each baseline b, twice.
///
/// Independent steps add up by squares: the error after n steps stays below √n times that.
#[test]
fn with_noise_of_1_mm_and_5_mrad_the_error_grows_with_the_root_of_the_steps() {
    let marks = [400, 1600];
    let found = errors(&marks, &noisy());
    let baseline = 0.32_f64.hypot(0.17);
    for (mark, [heading, place, height]) in marks.iter().zip(&found) {
        let steps = (*mark as f64 / 20.0).sqrt();
        let tilt = std::f64::consts::SQRT_2 * ANGLE * common::HEIGHT;
        let place_bound =
            steps * std::f64::consts::SQRT_2 * (POSITION * std::f64::consts::SQRT_2).hypot(tilt);
        let heading_bound = steps * std::f64::consts::SQRT_2 * 2.0 * POSITION / baseline;
        println!(
            "{mark} cycles: heading {heading:.4} rad (bound {heading_bound:.4}), place {place:.4} m (bound {place_bound:.4}), \
             height {height:.4} m"
        );
        assert!(*heading < heading_bound && *place < place_bound && *height < place_bound);
    }
    // Four times the steps: twice the error, as far as 60 walks can tell.
    for (early, late) in found[0].iter().zip(&found[1]).take(2) {
        let growth = late / early;
        assert!((1.4..2.9).contains(&growth), "{growth}");
    }
}

#[test]
fn the_ground_at_zero_keeps_height_roll_and_pitch_from_drifting() {
    let params = OdometryParams { ground_z_zero: true, ..noisy() };
    let found = errors(&[400, 1600], &params);
    println!("{found:?}");
    // One fit of two hooves, whatever the number of steps.
    assert!(found.iter().all(|[_, _, height]| *height < 0.003));
}
