//! Fits poses for other tools to check: a line of numbers in, a line out.
//!
//! In: for each contact 13 numbers: centre and normal in the base frame, centre and normal in the world, weight.
//! Out: x y z and the quaternion x y z w, or `none` when the contacts leave a rotation free.
#![allow(clippy::expect_used)]

use std::io::BufRead as _;

use nalgebra::{Point3, Unit, Vector3};
use odometry_node::fit::{Pair, fit};
use robot_model_lib::ContactPose;

fn contact(numbers: &[f64]) -> ContactPose {
    ContactPose {
        centre: Point3::new(numbers[0], numbers[1], numbers[2]),
        normal: Unit::new_normalize(Vector3::new(numbers[3], numbers[4], numbers[5])),
    }
}

fn main() {
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a line");
        let numbers: Vec<f64> = line.split_whitespace().map(|word| word.parse().expect("a number")).collect();
        let pair = |n: &[f64; 13]| Pair { seen: contact(&n[..6]), anchor: contact(&n[6..12]), weight: n[12] };
        let pairs: Vec<Pair> = numbers.as_chunks::<13>().0.iter().map(pair).collect();
        match fit(&pairs) {
            Some(fit) => {
                let (p, q) = (fit.pose.translation, fit.pose.rotation);
                println!("{:e} {:e} {:e} {:e} {:e} {:e} {:e}", p.x, p.y, p.z, q.i, q.j, q.k, q.w);
            }
            None => println!("none"),
        }
    }
}
