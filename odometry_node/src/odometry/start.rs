//! The start.

use nalgebra::{Isometry3, Matrix3, Rotation3, Translation3, Unit, UnitQuaternion, Vector3};
use robot_model_lib::ContactKind;

use super::Odometry;
use crate::Refused;
use crate::covariance::PoseCovariance;
use crate::estimate::Method;
use crate::params::Estimator;
use crate::search::Tolerances;

/// Least variance of feet across their line, of that along it, with which they span a plane.
const SLIM: f64 = 1e-3;

impl Odometry {
    /// x = y = heading = 0 above a ground at z = 0, level as the support plane says. Before the first contact the base is
    /// taken as level, its lowest hoof on the ground.
    pub(super) fn start(&mut self) {
        self.estimate.method = Method::Start;
        self.covariance = PoseCovariance::new();
        self.estimate.pose = Isometry3::identity();
        self.trust.forget();
        self.lift_all();
        let mut normal = Vector3::zeros();
        let mut centre = Vector3::zeros();
        let mut total = 0.0;
        for leg in &self.estimate.legs {
            let Some(footing) = leg.footing else { continue };
            normal += leg.pose.normal.into_inner() * footing.weight;
            centre += leg.pose.centre.coords * footing.weight;
            total += footing.weight;
        }
        self.grounded = total > 0.0;
        if self.start_at_identity {
            return;
        }
        let up = self.plane_of_points().or_else(|| Unit::try_new(-normal, 1e-6));
        if let Some(up) = up {
            let turn = level(&up);
            let height = -(turn * centre / total).z;
            self.estimate.pose = Isometry3::from_parts(Translation3::new(0.0, 0.0, height), turn);
        } else {
            let lowest = self.estimate.legs.iter().map(|leg| leg.pose.centre.z).fold(f64::INFINITY, f64::min);
            self.estimate.pose.translation.z = -lowest;
        }
    }
}

impl Odometry {
    /// Upwards in the base frame by the places of point feet, which have no normals of their own: across the plane that is nearest to
    /// all of them. None when a foot is flat, or fewer than three span a plane.
    pub(super) fn plane_of_points(&self) -> Option<Unit<Vector3<f64>>> {
        let standing = || {
            let legs = self.estimate.legs.iter();
            legs.filter_map(|leg| leg.footing.map(|footing| (leg, &self.contacts[footing.contact])))
        };
        let are_points = standing().all(|(_, contact)| contact.kind == ContactKind::Point);
        let count = standing().count();
        if self.estimator == Estimator::Fit || !are_points || count < 3 {
            return None;
        }
        let centre = standing().map(|(leg, _)| leg.pose.centre.coords).sum::<Vector3<f64>>() / count as f64;
        let spread = standing().fold(Matrix3::zeros(), |sum, (leg, _)| {
            let arm = leg.pose.centre.coords - centre;
            sum + arm * arm.transpose()
        });
        let axes = spread.symmetric_eigen();
        let across = axes.eigenvalues.imin();
        // The nearest line must leave a spread of its own, or the plane may turn about it.
        let (middle, largest) =
            (spread.trace() - axes.eigenvalues.max() - axes.eigenvalues.min(), axes.eigenvalues.max());
        let up = axes.eigenvectors.column(across).into_owned();
        (middle > SLIM * largest).then(|| Unit::new_normalize(if up.z < 0.0 { -up } else { up }))
    }

    /// Whether the feet of the last cycle lie on the plane z = 0 when the base is at a pose.
    pub(super) fn stands_on_zero(&self, pose: &Isometry3<f64>) -> Result<(), Refused> {
        if !self.running {
            return Err(Refused::NoFeet);
        }
        let Tolerances { position, angle } = self.tolerances;
        for leg in self.estimate.legs.iter().filter(|leg| leg.footing.is_some()) {
            let height = (pose * leg.pose.centre).z;
            let lean = (pose.rotation * leg.pose.normal).angle(&-Vector3::z());
            if height.abs() > position || lean > angle {
                return Err(Refused::OffGround { height, lean });
            }
        }
        Ok(())
    }
}

/// The turn without heading that makes `up`, a direction in the base frame, vertical.
fn level(up: &Unit<Vector3<f64>>) -> UnitQuaternion<f64> {
    // World y, seen from the base, is across the base's x axis: then that axis keeps y = 0 in the world.
    let left = Unit::try_new(up.cross(&Vector3::x()), 1e-6).unwrap_or_else(Vector3::y_axis);
    let ahead = left.cross(up);
    let rows = Matrix3::from_columns(&[ahead, left.into_inner(), up.into_inner()]).transpose();
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(rows))
}
