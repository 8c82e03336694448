//! How the robot is put on the ground.

use super::World;
use crate::Scene;
use mujoco_rs::prelude::MjtObjBase;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use urdf_rs::Robot;

/// Lifts that put a body on a plane; one is enough for all shapes but cylinders.
const LIFTS: usize = 3;

impl World {
    /// Puts the robot on the ground in a pose: on its feet, or on whatever is lower.
    pub(super) fn stand(&mut self, robot: &Robot, angles: &[f64], scene: &Scene) {
        for (seat, angle) in self.seats.iter().zip(angles) {
            self.data.qpos_mut()[seat.position] = *angle;
        }
        self.follow_masters(robot);
        let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -scene.slope());
        let up = turn * Vector3::z();
        self.set_base(&Isometry3::from_parts(Vector3::zeros().into(), turn));
        self.data.forward();
        let geoms = self.feet.iter().flat_map(|foot| foot.geoms.iter());
        let heights =
            geoms.map(|&geom| Vector3::from(self.data.geom_xpos()[geom]).dot(&up) - scene.foot_radius);
        let lowest = heights.fold(f64::INFINITY, f64::min);
        let mut height = if lowest.is_finite() { -lowest } else { 0.0 };
        self.set_base(&Isometry3::from_parts((height * up).into(), turn));
        for _ in 0..LIFTS {
            let deepest = self.data.contact().iter().map(|contact| contact.dist).fold(0.0, f64::min);
            height -= deepest;
            self.set_base(&Isometry3::from_parts((height * up).into(), turn));
        }
        self.data.forward();
        self.start = self.data.qpos().to_vec();
    }

    /// Puts joints that mimic others where these have them; a master may mimic another in turn.
    fn follow_masters(&mut self, robot: &Robot) {
        let at = |world: &World, name: &str| {
            let joint = world.data.model().name_to_id(MjtObjBase::mjOBJ_JOINT, name)?;
            usize::try_from(world.data.model().jnt_qposadr()[joint]).ok()
        };
        for _ in 0..robot.joints.iter().filter(|joint| joint.mimic.is_some()).count() {
            for joint in &robot.joints {
                let Some(mimic) = &joint.mimic else { continue };
                let (Some(own), Some(master)) = (at(self, &joint.name), at(self, &mimic.joint)) else {
                    continue;
                };
                let (offset, factor) = (mimic.offset.unwrap_or(0.0), mimic.multiplier.unwrap_or(1.0));
                self.data.qpos_mut()[own] = offset + factor * self.data.qpos()[master];
            }
        }
    }
}
