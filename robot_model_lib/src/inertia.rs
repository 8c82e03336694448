//! Mass and its distribution, from the URDF.

use nalgebra::{Isometry3, Matrix3, Vector3};

use crate::ModelError;

/// Moments of inertia in a URDF are rounded decimals: one that is negative by less than this part of their sum is zero.
const ROUNDING: f64 = 1e-6;

/// Moments of a body's mass of order 0, 1 and 2 about the origin of its frame.
///
/// Moments of all orders add up and move with their frame, so bodies that fixed joints hold together become one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Inertia {
    /// ∫ dm, kg.
    pub mass: f64,
    /// ∫ r dm: mass times centre of mass, kg·m.
    pub first: Vector3<f64>,
    /// ∫ r rᵀ dm, kg·m². The inertia matrix is its trace times one, minus itself.
    pub second: Matrix3<f64>,
}

impl Inertia {
    /// No mass at all, as a link without `<inertial>` has it.
    pub fn none() -> Self {
        Self { mass: 0.0, first: Vector3::zeros(), second: Matrix3::zeros() }
    }

    /// A URDF link's, in the link's frame.
    pub fn from_urdf(link: &urdf_rs::Link) -> Result<Self, ModelError> {
        let bad = |what| Err(ModelError::BadLink { link: link.name.clone(), what });
        let urdf_rs::Inertial { origin, mass, inertia } = &link.inertial;
        let urdf_rs::Inertia { ixx, ixy, ixz, iyy, iyz, izz } = *inertia;
        let numbers = [mass.value, ixx, ixy, ixz, iyy, iyz, izz];
        if !numbers.iter().chain(&*origin.xyz).chain(&*origin.rpy).all(|number| number.is_finite()) {
            return bad("a number of its <inertial> is not finite");
        }
        if mass.value < 0.0 {
            return bad("its mass is negative");
        }
        let about_centre = Matrix3::new(ixx, ixy, ixz, ixy, iyy, iyz, ixz, iyz, izz);
        let moments = about_centre.symmetric_eigenvalues();
        if !moments.iter().all(|moment| *moment >= -ROUNDING * about_centre.trace().abs()) {
            return bad("its inertia matrix has a negative principal moment");
        }
        let at_centre = Self {
            mass: mass.value,
            first: Vector3::zeros(),
            second: Matrix3::identity() * (0.5 * about_centre.trace()) - about_centre,
        };
        Ok(at_centre.seen_from(&k::urdf::isometry_from(origin)))
    }

    /// The same body, when its frame lies at `pose` in another: its moments there.
    pub fn seen_from(&self, pose: &Isometry3<f64>) -> Self {
        let (turn, place) = (pose.rotation.to_rotation_matrix().into_inner(), pose.translation.vector);
        let first = turn * self.first;
        let mixed = first * place.transpose();
        Self {
            mass: self.mass,
            first: first + place * self.mass,
            second: turn * self.second * turn.transpose()
                + mixed
                + mixed.transpose()
                + place * place.transpose() * self.mass,
        }
    }

    /// Both bodies as one.
    pub fn with(&self, other: &Self) -> Self {
        Self {
            mass: self.mass + other.mass,
            first: self.first + other.first,
            second: self.second + other.second,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Point3;
    use proptest::prelude::*;

    /// Point masses have no other moments than those of the definition.
    fn of_points(points: &[(f64, Vector3<f64>)]) -> Inertia {
        let one = |&(mass, r): &(f64, Vector3<f64>)| Inertia {
            mass,
            first: r * mass,
            second: r * r.transpose() * mass,
        };
        points.iter().map(one).fold(Inertia::none(), |sum, part| sum.with(&part))
    }

    proptest! {
        #[test]
        fn moved_points_and_moved_moments_agree(
            numbers in proptest::collection::vec([0.0..2.0, -1.0..1.0, -1.0..1.0, -1.0..1.0_f64], 1..9),
            place in [-1.0..1.0, -1.0..1.0, -1.0..1.0_f64], turn in [-3.0..3.0, -3.0..3.0, -3.0..3.0_f64],
        ) {
            let points: Vec<_> = numbers.iter().map(|&[m, x, y, z]| (m, Vector3::new(x, y, z))).collect();
            let pose = Isometry3::new(place.into(), turn.into());
            let moved: Vec<_> = points.iter().map(|&(m, r)| (m, (pose * Point3::from(r)).coords)).collect();
            let (found, wanted) = (of_points(&points).seen_from(&pose), of_points(&moved));
            prop_assert!((found.first - wanted.first).amax() < 1e-12);
            prop_assert!((found.second - wanted.second).amax() < 1e-12);
        }
    }
}
