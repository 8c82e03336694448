//! The patches of a hoof that can stand on the ground.

use nalgebra::{Point3, Unit, Vector3};

use crate::{ContactConfig, ContactKind, ModelError};

/// A contact in the frame of the last link of the chain that uses it.
#[derive(Debug, Clone, PartialEq)]
pub struct Contact {
    /// The contact's name.
    pub name: String,
    /// Points of the patch, m.
    pub points: Vec<Point3<f64>>,
    /// Direction into the ground.
    pub normal: Unit<Vector3<f64>>,
    /// Mean of the points: the place at which Jacobians and velocities are taken, m.
    pub centre: Point3<f64>,
    /// Whether it lies on the ground, or touches it in a point.
    pub kind: ContactKind,
}

impl Contact {
    /// Checks one contact; its normal is made unit length, as rounded decimals never are exactly.
    pub(crate) fn new(config: &ContactConfig) -> Result<Self, ModelError> {
        let bad = |what| ModelError::BadContact { contact: config.name.clone(), what };
        if config.points.is_empty() {
            return Err(bad("it has no points"));
        }
        if !config.points.iter().flatten().chain(&config.normal).all(|value| value.is_finite()) {
            return Err(bad("a number of its points or normal is not finite"));
        }
        let normal = Unit::try_new(Vector3::from(config.normal), 1e-9)
            .ok_or_else(|| bad("its normal has no direction"))?;
        let points: Vec<_> = config.points.iter().copied().map(Point3::from).collect();
        let sum: Vector3<f64> = points.iter().map(|point| point.coords).sum();
        let centre = Point3::from(sum / points.len() as f64);
        if !centre.iter().all(|value| value.is_finite()) {
            return Err(bad("its points are too far away"));
        }
        Ok(Self { name: config.name.clone(), points, normal, centre, kind: config.kind })
    }
}
