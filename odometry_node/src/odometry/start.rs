//! The start.

use nalgebra::{Isometry3, Matrix3, Rotation3, Translation3, Unit, UnitQuaternion, Vector3};

use super::Odometry;
use crate::Refused;
use crate::covariance::PoseCovariance;
use crate::estimate::Method;
use crate::search::Tolerances;

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
        if let Some(up) = Unit::try_new(-normal, 1e-6) {
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
