//! Where the robot's weight is over the ground.

use nalgebra::{UnitQuaternion, Vector2};
use robot_model_lib::{BaseMotion, Dynamics, RobotModel};

/// The centre of mass, by statics: what holds the base up has a moment about it.
#[derive(Clone, Debug)]
pub struct MassCentre {
    dynamics: Option<Dynamics>,
    rest: Vec<f64>,
}

impl MassCentre {
    /// Of a robot; without masses in its URDF its weight is at the base.
    pub fn new(model: &RobotModel) -> MassCentre {
        let dynamics = Dynamics::new(model).ok().filter(|dynamics| dynamics.mass() > 0.0);
        MassCentre { dynamics, rest: vec![0.0; model.joints().len()] }
    }

    /// Its place relative to the base's origin with joints `q`, along the axes of the ground, m.
    pub fn offset(&mut self, q: &[f64], orientation: &UnitQuaternion<f64>) -> Vector2<f64> {
        let Some(dynamics) = &mut self.dynamics else { return Vector2::zeros() };
        let base = BaseMotion { orientation: *orientation, ..BaseMotion::default() };
        let held = dynamics.inverse(q, &self.rest, &self.rest, &base).base;
        // c × (0, 0, F) = (c_y·F, −c_x·F, 0)
        let (force, moment) = (orientation * held.force, orientation * held.moment);
        Vector2::new(-moment.y, moment.x) / force.z
    }
}
