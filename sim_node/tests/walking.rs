//! The pony walks: the shipped control path against weight, in virtual time.

#![allow(clippy::unwrap_used)]

mod whole;

use nalgebra::{Isometry3, Vector2, Vector3};
use servo_inv_node::inverse::{ServoInverse, Settings};
use servo_inv_node::params::{InverseParams, models};
use sim_node::{Scene, Terrain};
use whole::{Whole, shipped};

fn start(gait: &str, scene: &Scene) -> Whole {
    let params: InverseParams = shipped("servo_inv.yaml", "/servo_inv_param");
    let models = models(&params.default_servo_model, &params.servo_models).unwrap();
    Whole::new(gait, scene, ServoInverse::new(Settings::from(&params), models))
}

/// Walks a course: it does not fall, and of each stretch the true end lies within a tenth of the commanded way and turn from the commanded
/// end. Halts are only survived: the stride under way is still walked to its end.
fn course(whole: &mut Whole, stretches: &[([f64; 3], f64)]) {
    for (velocity, seconds) in stretches {
        let (moved, up) = stretch(whole, *velocity, *seconds);
        assert!(up, "it fell");
        let [forward, left, turn] = velocity.map(|v| v * seconds);
        let (way, wanted) = (forward.hypot(left), arc(forward, left, turn));
        let off = (moved.translation.vector.xy() - wanted).norm();
        let turned = moved.rotation.euler_angles().2;
        if way > 0.0 {
            assert!(off < 0.1 * way, "{off} m off of {way}");
        }
        // Turns of more than half a circle would come back with another sign.
        if turn != 0.0 && turn.abs() < 3.0 {
            assert!((turned - turn).abs() < 0.1 * turn.abs(), "{turned} rad instead of {turn}");
        }
    }
}

/// Where a constant twist ends: the exponential of SE(2).
fn arc(forward: f64, left: f64, turn: f64) -> Vector2<f64> {
    let (s, c) = if turn.abs() < 1e-9 {
        (1.0, 0.0)
    } else {
        (turn.sin() / turn, (1.0 - turn.cos()) / turn)
    };
    Vector2::new(s * forward - c * left, c * forward + s * left)
}

/// One command for so long: what became of it in the axes of its start, and whether the robot is up.
fn stretch(whole: &mut Whole, velocity: [f64; 3], seconds: f64) -> (Isometry3<f64>, bool) {
    whole.sim.plant.look(&mut whole.truth);
    let before = whole.truth.base;
    whole.tilt = 0.0;
    let up = whole.go(velocity, seconds);
    let moved = before.inverse() * whole.truth.base;
    let (at, (_, _, yaw)) = (moved.translation.vector, moved.rotation.euler_angles());
    let [forward, left, turn] = velocity.map(|v| v * seconds);
    let wanted = arc(forward, left, turn);
    println!(
        "{velocity:?} for {seconds} s: {:.3} {:.3} m, {:.1}° (commanded {:.3} {:.3} m, {:.1}°), tilt {:.1}°, up {up}",
        at.x,
        at.y,
        yaw.to_degrees(),
        wanted.x,
        wanted.y,
        turn.to_degrees(),
        whole.tilt.to_degrees()
    );
    (moved, up)
}

#[test]
fn the_pony_walks_for_a_minute_and_does_not_fall() {
    let mut whole = start("walk", &Scene::default());
    course(
        &mut whole,
        &[
            ([0.0; 3], 2.0),
            ([0.06, 0.0, 0.0], 15.0),
            ([0.0, 0.0, 0.2], 12.0),
            ([0.0, 0.03, 0.0], 12.0),
            ([-0.05, 0.0, 0.0], 12.0),
            ([0.06, 0.0, -0.1], 10.0),
            ([0.0; 3], 4.0),
        ],
    );
}

#[test]
fn a_push_of_a_tenth_of_the_weight_is_survived() {
    let mut whole = start("walk", &Scene::default());
    course(&mut whole, &[([0.06, 0.0, 0.0], 4.0)]);
    // 7.57 kg.
    whole.sim.plant.push("", Vector3::new(0.0, 0.1 * 7.57 * 9.81, 0.0), 0.1).unwrap();
    course(&mut whole, &[([0.06, 0.0, 0.0], 4.0)]);
}

/// Along a slope the weight pulls on the feet, and servos are soft: only dynamics that know the lean of the base make up for it.
#[test]
fn slopes_of_five_degrees_are_walked_up_and_down_and_as_far_as_commanded_where_the_lean_is_known() {
    for slope in [5f64, -5.0] {
        let scene = Scene { terrain: Terrain::Slope(slope.to_radians()), ..Scene::default() };
        for knows_lean in [false, true] {
            let mut whole = start("walk", &scene);
            whole.knows_lean = knows_lean;
            if knows_lean {
                course(&mut whole, &[([0.06, 0.0, 0.0], 10.0)]);
            } else {
                assert!(stretch(&mut whole, [0.06, 0.0, 0.0], 10.0).1, "it fell");
            }
        }
    }
}

#[test]
fn the_pony_trots() {
    let mut whole = start("trot", &Scene::default());
    course(&mut whole, &[([0.0; 3], 2.0), ([0.06, 0.0, 0.0], 8.0), ([0.15, 0.0, 0.0], 6.0), ([0.0; 3], 3.0)]);
}

#[test]
fn two_walks_give_the_same_bits() {
    let walk = || {
        let mut whole = start("walk", &Scene::default());
        course(&mut whole, &[([0.06, 0.0, 0.0], 3.0)]);
        let (q, v) = whole.sim.plant.state();
        q.iter().chain(v).map(|x| x.to_bits()).collect::<Vec<u64>>()
    };
    assert_eq!(walk(), walk());
}
