//! What the joints of a robot that stands on some of its feet have to do.

use nalgebra::{Unit, Vector3};

use crate::{BaseMotion, Dynamics, Efforts, GroundForces, Kinematics, ModelError, PointForce, RobotModel};
use crate::{StandingContact, Wrench};

/// Inverse dynamics of a robot on its feet: the efforts of [`Dynamics`], minus what the ground does for them through the
/// Jacobians of the contacts, τ = RNEA − Σ Jᵀ f.
///
/// Built once; nothing allocates afterwards.
#[derive(Debug, Clone)]
pub struct WholeBody {
    dynamics: Dynamics,
    kinematics: Kinematics,
    ground: GroundForces,
    efforts: Vec<f64>,
}

impl WholeBody {
    /// With gravity of 9.81 m/s². Fails as [`Dynamics::new`] does.
    pub fn new(model: &RobotModel) -> Result<Self, ModelError> {
        Ok(Self {
            dynamics: Dynamics::new(model)?,
            kinematics: Kinematics::of_contacts(model),
            ground: GroundForces::new(model),
            efforts: vec![0.0; model.joints().len()],
        })
    }

    /// The efforts for a motion as [`Dynamics::inverse`] takes it, on the feet that `standing` names (one value per chain
    /// of the model; those left out are in the air) on a level ground. When none stands the robot hangs by its base. `Efforts::base` is what the
    /// ground cannot give: zero on feet that can carry the motion.
    ///
    /// # Panics
    /// When `q`, `dq` or `ddq` has not one value per joint of the model.
    pub fn efforts(
        &mut self,
        [q, dq, ddq]: [&[f64]; 3],
        base: &BaseMotion,
        standing: &[Option<StandingContact>],
    ) -> Efforts<'_> {
        let hung = self.dynamics.inverse(q, dq, ddq, base);
        self.efforts.copy_from_slice(hung.joints);
        let wanted = hung.base;
        self.kinematics.update(q);
        let up = Unit::new_unchecked(base.orientation.inverse_transform_vector(&Vector3::z()));
        self.ground.share(&self.kinematics, standing, &up, &wanted);
        for PointForce { chain, point, force } in self.ground.forces() {
            let lever = point - self.kinematics.contact(*chain).centre;
            let push = Wrench { force: -force, moment: -lever.cross(force) };
            self.kinematics.add_contact_efforts(*chain, &push, &mut self.efforts);
        }
        let Wrench { force, moment } = self.ground.total();
        let rest = Wrench { force: wanted.force - force, moment: wanted.moment - moment };
        Efforts { joints: &self.efforts, base: rest }
    }

    /// The forces of the ground that the last efforts reckon with.
    pub fn ground_forces(&self) -> &[PointForce] {
        self.ground.forces()
    }

    /// Mass of the whole robot, kg.
    pub fn mass(&self) -> f64 {
        self.dynamics.mass()
    }

    /// Changes gravity, m/s² downwards.
    pub fn set_gravity(&mut self, gravity: f64) {
        self.dynamics.set_gravity(Vector3::new(0.0, 0.0, -gravity));
    }
}
