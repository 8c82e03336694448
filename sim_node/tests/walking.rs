//! The pony walks: the shipped control path against weight, in virtual time.

#![allow(clippy::unwrap_used)]

mod whole;

use nalgebra::Vector3;
use servo_inv_node::inverse::{ServoInverse, Settings};
use servo_inv_node::params::{InverseParams, models};
use sim_node::{Scene, Terrain};
use whole::{Whole, shipped};

fn start(gait: &str, scene: &Scene) -> Whole {
    let params: InverseParams = shipped("servo_inv.yaml", "/servo_inv_param");
    let models = models(&params.default_servo_model, &params.servo_models).unwrap();
    Whole::new(gait, scene, ServoInverse::new(Settings::from(&params), models))
}

/// Commands and what became of them: way ahead and to the left in the axes of the start of each, and the turn.
fn course(whole: &mut Whole, stretches: &[([f64; 3], f64)]) {
    for (velocity, seconds) in stretches {
        whole.sim.plant.look(&mut whole.truth);
        let before = whole.truth.base;
        whole.tilt = 0.0;
        let up = whole.go(*velocity, *seconds);
        let moved = before.inverse() * whole.truth.base;
        let (at, (_, _, yaw)) = (moved.translation.vector, moved.rotation.euler_angles());
        println!(
            "{velocity:?} for {seconds} s: {:.3} {:.3} m, {:.1}° (commanded {:.3} {:.3} m, {:.1}°), tilt {:.1}°, up {up}",
            at.x,
            at.y,
            yaw.to_degrees(),
            velocity[0] * seconds,
            velocity[1] * seconds,
            (velocity[2] * seconds).to_degrees(),
            whole.tilt.to_degrees()
        );
        assert!(up, "it fell");
    }
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
fn a_push_of_a_tenth_of_the_weight_and_a_slope_of_five_degrees_are_survived() {
    let mut whole = start("walk", &Scene::default());
    course(&mut whole, &[([0.06, 0.0, 0.0], 4.0)]);
    // 7.57 kg.
    whole.sim.plant.push("", Vector3::new(0.0, 0.1 * 7.57 * 9.81, 0.0), 0.1).unwrap();
    course(&mut whole, &[([0.06, 0.0, 0.0], 4.0)]);
    let mut whole = start("walk", &Scene { terrain: Terrain::Slope(5f64.to_radians()), ..Scene::default() });
    course(&mut whole, &[([0.06, 0.0, 0.0], 10.0)]);
}

#[test]
fn the_pony_trots() {
    let mut whole = start("trot", &Scene::default());
    course(&mut whole, &[([0.0; 3], 2.0), ([0.06, 0.0, 0.0], 8.0), ([0.0; 3], 3.0)]);
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
