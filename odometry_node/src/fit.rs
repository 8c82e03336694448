//! The pose of the body from contacts that stayed where they are.
//!
//! D. Eggert, A. Lorusso, R. Fisher, "Estimating 3-D rigid body transformations: a comparison of four major algorithms",
//! 1997, section 2.1 (Arun's SVD), with directions added to the points.

use nalgebra::{Isometry3, Matrix3, Rotation3, Translation3, UnitQuaternion, Vector3};
use robot_model_lib::ContactPose;

use crate::svd3::nearest_rotation;

/// Below this share of the strongest rotation axis the weakest one counts as free.
const LEAST_FIRMNESS: f64 = 1e-4;
/// Contacts nearer to each other than this, m, say nothing of rotation.
const LEAST_SPREAD: f64 = 1e-4;

/// A contact as it is seen from the base now, and as it stands in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// In the base frame.
    pub seen: ContactPose,
    /// In the world.
    pub anchor: ContactPose,
    /// How much it counts, above 0.
    pub weight: f64,
}

/// Where the body is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// The base in the world.
    pub pose: Isometry3<f64>,
    /// Variance of one coordinate of a contact, m², by what the fit could not explain.
    pub variance: f64,
}

/// The rigid transform that best maps points *and* normals: the least Σ w·(|C − R·c − t|² + L²·|N − R·n|²).
///
/// The lever L, which turns the error of a normal into metres, is the spread of the points: their root mean square
/// distance from their mean. A normal that is off by an angle then weighs as much as the same angle between the points.
/// None when the contacts leave a rotation free.
pub fn fit(pairs: &[Pair]) -> Option<Fit> {
    let total: f64 = pairs.iter().map(|pair| pair.weight).sum();
    let mean = |point: fn(&Pair) -> Vector3<f64>| -> Vector3<f64> {
        pairs.iter().map(|pair| point(pair) * pair.weight).sum::<Vector3<f64>>() / total
    };
    let seen = mean(|pair| pair.seen.centre.coords);
    let anchor = mean(|pair| pair.anchor.centre.coords);
    let spread =
        pairs.iter().map(|p| p.weight * (p.seen.centre.coords - seen).norm_squared()).sum::<f64>() / total;
    // Written so that a NaN is refused too.
    if !(total > 0.0 && spread > LEAST_SPREAD * LEAST_SPREAD) {
        return None;
    }
    let mut h = Matrix3::zeros();
    for pair in pairs {
        let (from, to) = (pair.seen.centre.coords - seen, pair.anchor.centre.coords - anchor);
        h += from * (to * pair.weight).transpose();
        h += pair.seen.normal.into_inner()
            * (pair.anchor.normal.into_inner() * (pair.weight * spread)).transpose();
    }
    let nearest = nearest_rotation(&h);
    if nearest.firmness.is_nan() || nearest.firmness <= LEAST_FIRMNESS {
        return None;
    }
    let turn = nearest.rotation;
    let shift = anchor - turn * seen;
    let mut squares = 0.0;
    for pair in pairs {
        let miss = pair.anchor.centre.coords - turn * pair.seen.centre.coords - shift;
        let lean = pair.anchor.normal.into_inner() - turn * pair.seen.normal.into_inner();
        squares += pair.weight * (miss.norm_squared() + spread * lean.norm_squared());
    }
    // Three coordinates of each point and two of each normal determine the six of the pose.
    let surplus = 5.0 * pairs.len() as f64 - 6.0;
    let weight = total / pairs.len() as f64;
    let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(turn));
    Some(Fit {
        pose: Isometry3::from_parts(
            Translation3::from(shift),
            UnitQuaternion::new_normalize(rotation.into_inner()),
        ),
        variance: squares / (weight * surplus),
    })
}
