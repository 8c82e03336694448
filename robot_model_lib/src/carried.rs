//! How a base moves that stands on its feet: as the joints say, since the feet do not.

use nalgebra::{Cholesky, Matrix6, UnitQuaternion, Vector3, Vector6};

use crate::{BaseMotion, Contact, Kinematics};

/// Of a direction in which no foot holds the base, as a share of the stiffest: there it does not move.
const LOOSE: f64 = 1e-12;

impl BaseMotion {
    /// The motion of a level base for joint velocities and accelerations: with it, the points of the feet that stand (chain, contact, support) stay
    /// where they are on the ground, or as nearly as can be, by least squares, when the joints pull them apart. At rest when none stands.
    pub(crate) fn carried<'a>(
        kinematics: &Kinematics,
        feet: impl Iterator<Item = (usize, &'a Contact, f64)> + Clone,
        [dq, ddq]: [&[f64]; 2],
    ) -> Self {
        let mut held = Matrix6::zeros();
        let mut moved = Vector6::zeros();
        for (chain, contact, support) in feet.clone() {
            let (centre, twist) = (kinematics.contact(chain).centre, kinematics.contact_twist(chain, dq));
            let weight = support / contact.points.len() as f64;
            for point in kinematics.contact_points(chain, contact) {
                let hold = hold(&point.coords);
                held += hold * hold.transpose() * weight;
                moved -= hold * (twist.carried(&(point - centre)).linear * weight);
            }
        }
        let loose = LOOSE * held.diagonal().max();
        let Some(held) = Cholesky::new(held + Matrix6::identity() * loose) else { return Self::default() };
        let turn: Vector3<f64> = held.solve(&moved).fixed_rows::<3>(3).into();
        let mut pushed = Vector6::zeros();
        for (chain, contact, support) in feet {
            let (centre, twist) = (kinematics.contact(chain).centre, kinematics.contact_twist(chain, dq));
            let gain = kinematics.contact_acceleration(chain, dq, ddq);
            let weight = support / contact.points.len() as f64;
            for point in kinematics.contact_points(chain, contact) {
                let lever = point - centre;
                let spin = twist.angular.cross(&twist.angular.cross(&lever));
                let own = gain.carried(&lever).linear + spin;
                // In a frame that turns: what moves is thrown sideways, what is far out is thrown outwards.
                let coriolis = 2.0 * turn.cross(&twist.carried(&lever).linear);
                let outwards = turn.cross(&turn.cross(&point.coords));
                pushed -= hold(&point.coords) * ((own + coriolis + outwards) * weight);
            }
        }
        let found = held.solve(&pushed);
        if !found.iter().chain(&turn).all(|value| value.is_finite()) {
            return Self::default();
        }
        Self {
            orientation: UnitQuaternion::identity(),
            angular_velocity: turn,
            angular_acceleration: found.fixed_rows::<3>(3).into(),
            linear_acceleration: found.fixed_rows::<3>(0).into(),
        }
    }
}

/// What a point of the base's frame does to the base when it is held: the transpose of v + ω × point.
fn hold(point: &Vector3<f64>) -> nalgebra::Matrix6x3<f64> {
    let mut hold = nalgebra::Matrix6x3::identity();
    hold.fixed_rows_mut::<3>(3).copy_from(&point.cross_matrix());
    hold
}
