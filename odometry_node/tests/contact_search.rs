//! Planted hooves are found, whichever they are and however the ground leans.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::Dice;
use nalgebra::{Point3, Rotation3, Unit, Vector3};
use odometry_node::search::{Search, Tolerances};
use robot_model_lib::ContactPose;

const TOLERANCES: Tolerances = Tolerances { position: 0.005, angle: 0.05 };

/// A hoof by its place on the ground, its height above it and the lean of its normal.
fn hoof(ground: &Rotation3<f64>, at: [f64; 2], height: f64, lean: Vector3<f64>) -> ContactPose {
    ContactPose {
        centre: Point3::from(ground * Vector3::new(at[0], at[1], height - 0.4)),
        normal: ground * (Rotation3::new(lean) * -Vector3::z_axis()),
    }
}

fn place(leg: usize, legs: usize) -> [f64; 2] {
    let angle = std::f64::consts::TAU * leg as f64 / legs as f64;
    [0.25 * angle.cos(), 0.2 * angle.sin()]
}

#[test]
fn every_subset_of_four_six_and_eight_legs_is_recognised_on_ground_of_any_tilt() {
    let mut dice = Dice(1);
    for (legs, tries) in [(4, 200), (6, 50), (8, 10)] {
        let mut search = Search::new(legs);
        for set in (0..1_u32 << legs).filter(|set| set.count_ones() >= 2) {
            for _ in 0..tries {
                let ground = Rotation3::new(dice.vector(0.5));
                let hooves: Vec<_> = (0..legs)
                    .map(|leg| {
                        if set >> leg & 1 == 1 {
                            return hoof(
                                &ground,
                                place(leg, legs),
                                dice.within(-0.001, 0.001),
                                dice.vector(0.005),
                            );
                        }
                        // In the air, flat or not; or low, but tipped.
                        let lean = dice.vector(0.02);
                        if dice.within(0.0, 1.0) < 0.7 {
                            hoof(&ground, place(leg, legs), dice.within(0.02, 0.08), lean)
                        } else {
                            let tipped = lean + Vector3::new(dice.within(0.25, 0.5), 0.0, 0.0);
                            hoof(&ground, place(leg, legs), dice.within(0.0, 0.03), tipped)
                        }
                    })
                    .collect();
                assert_eq!(search.contacts(&hooves, &TOLERANCES), Some(set), "{legs} legs, {set:b}");
            }
        }
    }
}

#[test]
fn a_hoof_just_within_the_position_tolerance_stands_and_one_just_beyond_does_not() {
    let mut dice = Dice(2);
    for legs in [4, 6] {
        let mut search = Search::new(legs);
        for leg in 0..legs {
            for (share, stands) in [(0.99, true), (1.01, false)] {
                let ground = Rotation3::new(dice.vector(0.5));
                // The mean plane rises with the hoof: its height above that plane is h·(1 − 1/legs).
                let height = share * TOLERANCES.position / (1.0 - 1.0 / legs as f64);
                let lift = |other: usize| if other == leg { height } else { 0.0 };
                let hooves: Vec<_> =
                    (0..legs).map(|l| hoof(&ground, place(l, legs), lift(l), Vector3::zeros())).collect();
                let all = (1 << legs) - 1;
                let expected = if stands { all } else { all & !(1 << leg) };
                assert_eq!(search.contacts(&hooves, &TOLERANCES), Some(expected));
            }
        }
    }
}

#[test]
fn a_hoof_just_within_the_angle_tolerance_stands_and_one_just_beyond_does_not() {
    let mut dice = Dice(3);
    let legs = 4;
    let mut search = Search::new(legs);
    for leg in 0..legs {
        for (share, stands) in [(0.99, true), (1.01, false)] {
            let ground = Rotation3::new(dice.vector(0.5));
            // Found by halving: the lean at which the hoof is off the mean of the normals by the wanted angle.
            let wanted = share * TOLERANCES.angle;
            let (mut low, mut high) = (0.0, 0.5);
            for _ in 0..60 {
                let lean: f64 = (low + high) / 2.0;
                let mean = Vector3::new(lean.sin(), 0.0, lean.cos() + (legs - 1) as f64).normalize();
                let off = lean - mean.x.asin();
                if off < wanted { low = lean } else { high = lean }
            }
            let direction = Unit::new_normalize(Vector3::new(dice.within(-1.0, 1.0), 1.0, 0.0));
            let lean = |other: usize| direction.into_inner() * if other == leg { low } else { 0.0 };
            // A tipped hoof that is not down lies a little above.
            let height = |other: usize| if other == leg { 0.001 } else { 0.0 };
            let hooves: Vec<_> =
                (0..legs).map(|l| hoof(&ground, place(l, legs), height(l), lean(l))).collect();
            let expected = if stands { 0b1111 } else { 0b1111 & !(1 << leg) };
            assert_eq!(search.contacts(&hooves, &TOLERANCES), Some(expected));
        }
    }
}

/// The rule, word for word, over every combination: its best size and deviation in squares of tolerances.
fn exhaustive(hooves: &[ContactPose], tolerances: &Tolerances) -> Option<(u32, f64, Vec<u32>)> {
    let mut best: Option<(u32, f64, Vec<u32>)> = None;
    for set in (0..1_u32 << hooves.len()).filter(|set| set.count_ones() >= 2) {
        let down = |leg: usize| set >> leg & 1 == 1;
        let count = set.count_ones();
        let standing = || hooves.iter().enumerate().filter(|(leg, _)| down(*leg)).map(|(_, hoof)| hoof);
        let normal = standing().map(|hoof| hoof.normal.into_inner()).sum::<Vector3<f64>>().normalize();
        let centre = standing().map(|hoof| hoof.centre.coords).sum::<Vector3<f64>>() / f64::from(count);
        let depth = |hoof: &ContactPose| (hoof.centre.coords - centre).dot(&normal);
        let lean = |hoof: &ContactPose| hoof.normal.cross(&normal).norm().atan2(hoof.normal.dot(&normal));
        let stands = |hoof| lean(hoof) <= tolerances.angle && depth(hoof).abs() <= tolerances.position;
        let above = |(leg, hoof)| down(leg) || depth(hoof) <= tolerances.position;
        if !standing().all(stands) || !hooves.iter().enumerate().all(above) {
            continue;
        }
        let square = |hoof| {
            (depth(hoof) / tolerances.position).powi(2) + (lean(hoof).sin() / tolerances.angle.sin()).powi(2)
        };
        let deviation: f64 = standing().map(square).sum();
        match &mut best {
            Some((most, least, sets)) if *most == count && (*least - deviation).abs() < 1e-9 => {
                sets.push(set)
            }
            Some((most, least, _)) if (*most, -*least) > (count, -deviation) => {}
            _ => best = Some((count, deviation, vec![set])),
        }
    }
    best
}

#[test]
fn what_is_left_out_of_the_search_is_never_the_answer() {
    let mut dice = Dice(4);
    let mut sizes = [0; 10];
    for round in 0..30_000 {
        let legs = 2 + round % 8;
        let ground = Rotation3::new(dice.vector(0.5));
        let tolerances = Tolerances { position: dice.within(0.001, 0.02), angle: dice.within(0.01, 0.8) };
        let (height, lean) =
            (tolerances.position * dice.within(0.5, 4.0), tolerances.angle * dice.within(0.2, 1.5));
        let hooves: Vec<_> = (0..legs)
            .map(|leg| hoof(&ground, place(leg, legs), dice.within(0.0, height), dice.vector(lean)))
            .collect();
        let found = Search::new(legs).contacts(&hooves, &tolerances);
        let expected = exhaustive(&hooves, &tolerances);
        sizes[expected.as_ref().map_or(0, |(count, ..)| *count as usize)] += 1;
        match (found, expected) {
            (None, None) => {}
            (Some(set), Some((.., sets))) => assert!(sets.contains(&set), "{set:b} is none of {sets:?}"),
            other => panic!("{other:?} with {tolerances:?}"),
        }
    }
    // Every size came up often enough to mean something.
    assert!(sizes.iter().enumerate().all(|(size, count)| size == 1 || *count > 100), "{sizes:?}");
}

#[test]
fn nothing_stands_when_no_two_hooves_agree_or_a_number_is_missing() {
    let ground = Rotation3::identity();
    let mut search = Search::new(4);
    let lean = |leg: usize| Vector3::new(0.4 * (leg as f64 - 1.5), 0.3 * (leg as f64 % 2.0), 0.0);
    let mut hooves: Vec<_> = (0..4).map(|leg| hoof(&ground, place(leg, 4), 0.0, lean(leg))).collect();
    assert_eq!(search.contacts(&hooves, &TOLERANCES), None);
    hooves.iter_mut().for_each(|hoof| hoof.centre.x = f64::NAN);
    assert_eq!(search.contacts(&hooves, &TOLERANCES), None);
    assert_eq!(Search::new(1).contacts(&hooves[..1], &TOLERANCES), None);
}
