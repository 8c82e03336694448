//! Where a chain's contact shall go, and how far it is from there.

use nalgebra::{Isometry3, IsometryMatrix3, Matrix3, Point3, Unit, Vector3};

/// Where the default contact of a chain shall be, in the root link's frame. A chain without a
/// contact is led by its last link's origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum IkGoal {
    /// The contact's centre at a point; any orientation.
    Position(Point3<f64>),
    /// The contact's centre at a point, its normal along a direction; any turn about the normal.
    Normal(Point3<f64>, Unit<Vector3<f64>>),
    /// The contact frame (centre, axes of the last link) at a pose.
    Pose(Isometry3<f64>),
}

/// What is missing: translation, m, and rotation vector, rad, both in the root link's axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Miss {
    pub position: Vector3<f64>,
    pub angle: Vector3<f64>,
}

impl IkGoal {
    pub(crate) fn is_finite(&self) -> bool {
        let finite = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite());
        match self {
            Self::Position(point) => finite(point.coords.as_slice()),
            Self::Normal(point, normal) => finite(point.coords.as_slice()) && finite(normal.as_slice()),
            Self::Pose(pose) => {
                finite(pose.translation.vector.as_slice()) && finite(pose.rotation.coords.as_slice())
            }
        }
    }

    /// How many degrees of freedom the goal takes.
    pub(crate) fn freedom(&self) -> usize {
        match self {
            Self::Position(_) => 3,
            Self::Normal(..) => 5,
            Self::Pose(_) => 6,
        }
    }

    /// The way from the contact frame `at`, whose normal is `normal`, to the goal.
    pub(crate) fn miss(&self, at: &IsometryMatrix3<f64>, normal: &Vector3<f64>) -> Miss {
        let (point, angle) = match self {
            Self::Position(point) => (point.coords, Vector3::zeros()),
            Self::Normal(point, wanted) => (point.coords, between(normal, wanted)),
            Self::Pose(pose) => {
                let wanted = pose.rotation.to_rotation_matrix();
                let turn = wanted.matrix() * at.rotation.matrix().transpose();
                (pose.translation.vector, rotation_vector(&turn))
            }
        };
        Miss { position: point - at.translation.vector, angle }
    }
}

/// The shortest turn from one unit vector to another.
fn between(from: &Vector3<f64>, to: &Vector3<f64>) -> Vector3<f64> {
    let (cross, cosine) = (from.cross(to), from.dot(to));
    let sine = cross.norm();
    if sine > 1e-12 {
        cross * (sine.atan2(cosine) / sine)
    } else if cosine > 0.0 {
        Vector3::zeros()
    } else {
        // Opposite: any axis across will do.
        let across = from.cross(&if from.x.abs() < 0.5 { Vector3::x() } else { Vector3::y() });
        across.normalize() * std::f64::consts::PI
    }
}

/// Logarithm of a rotation matrix, exact to the last digits for small turns and near a half turn.
fn rotation_vector(turn: &Matrix3<f64>) -> Vector3<f64> {
    let skew =
        Vector3::new(turn[(2, 1)] - turn[(1, 2)], turn[(0, 2)] - turn[(2, 0)], turn[(1, 0)] - turn[(0, 1)])
            / 2.0;
    let (sine, cosine) = (skew.norm(), (turn.trace() - 1.0) / 2.0);
    let angle = sine.atan2(cosine);
    if sine > 1e-6 {
        skew * (angle / sine)
    } else if cosine > 0.0 {
        skew
    } else {
        // Near a half turn R + Rᵀ = 2·cos·I + 2·(1 − cos)·a·aᵀ still holds the axis.
        let square = (turn + turn.transpose()) / 2.0 + Matrix3::identity();
        let longest = square.column(square.diagonal().imax()).into_owned();
        let axis = longest.normalize();
        let sign = if axis.dot(&skew) < 0.0 { -1.0 } else { 1.0 };
        axis * (sign * angle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Rotation3;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_rotation_vector_turns_back(axis in [-1.0..1.0, -1.0..1.0, 0.1..1.0_f64], angle in 0.0..std::f64::consts::PI) {
            let vector = Vector3::from(axis).normalize() * angle;
            let back = rotation_vector(Rotation3::new(vector).matrix());
            let difference = Rotation3::new(vector).matrix() - Rotation3::new(back).matrix();
            prop_assert!(difference.amax() < 1e-12);
        }
    }

    #[test]
    fn half_turns_have_an_axis() {
        for axis in [Vector3::x_axis(), Vector3::y_axis(), Vector3::z_axis()] {
            let turn = Rotation3::from_axis_angle(&axis, std::f64::consts::PI);
            assert!((rotation_vector(turn.matrix()).norm() - std::f64::consts::PI).abs() < 1e-12);
            assert!((between(&axis, &-axis.into_inner()).norm() - std::f64::consts::PI).abs() < 1e-12);
        }
    }
}
