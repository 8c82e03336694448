//! Where the weight is, for those who ask and for those who plan.

use nalgebra::Vector2;

/// How safely the robot stands on its feet. Places are seen from the base's origin, along the ground's axes, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stability {
    /// Distance of the weight from the nearest edge of the polygon of the feet that stand, m; below zero outside.
    pub margin: f64,
    /// Where a foot would have to be for the body to come to rest over it: c + ċ·√(h/g), for a pendulum as high as the base.
    pub capture_point: Vector2<f64>,
}

/// The weight of a body that does not sway.
#[derive(Clone, Copy, Debug)]
pub struct Unswayed {
    /// Where it is over the ground, in the mean over some steps.
    pub place: Vector2<f64>,
    /// How far it moves when the body sways by one metre: the feet stay, and the legs follow by half.
    pub response: Vector2<f64>,
}
