//! Forces of the ground on the feet that stand.

use nalgebra::{Point3, Unit, Vector3, Vector6};

use crate::wrench_share::{Push, share};
use crate::{Contact, Kinematics, RobotModel, Wrench};

/// Friction that is reckoned with. Pushes along the ground count 1/μ² times as much as those against it, and have bounds
/// that are μ times as wide.
const FRICTION: f64 = 0.5;
/// What a point of a fully standing foot bears at most, as a part of the whole. With the support the bound goes to zero,
/// so that no foot carries anything at the moment when it leaves the ground, whether the others can carry the robot or not.
const BEARING: f64 = 1.0;

/// How a chain stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StandingContact {
    /// Index of the contact of the chain's last link that touches the ground.
    pub contact: usize,
    /// From 0, in the air, to 1: the chain's weight in the sharing of the load.
    pub support: f64,
}

/// A force of the ground.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointForce {
    /// Index of the chain that stands there.
    pub chain: usize,
    /// Where, in the root link's frame, m.
    pub point: Point3<f64>,
    /// In the root link's axes, N.
    pub force: Vector3<f64>,
}

/// Shares a wrench among the points of the feet that stand on a flat ground: see [`GroundForces::share`].
#[derive(Debug, Clone)]
pub struct GroundForces {
    contacts: Vec<Contact>,
    /// Whether each chain of the model is a leg.
    is_leg: Vec<bool>,
    /// Three for each point: against the ground, and along it in two directions.
    pushes: Vec<Push>,
    forces: Vec<PointForce>,
    /// Moments are divided by it, so that they compare with forces, m.
    length: f64,
}

impl GroundForces {
    /// For the chains of a robot that have a default contact.
    pub fn new(model: &RobotModel) -> Self {
        let is_leg: Vec<bool> = model.chains().iter().map(|chain| chain.default_contact.is_some()).collect();
        let kinematics = Kinematics::of_contacts(model);
        let legs = (0..is_leg.len()).filter(|&chain| is_leg[chain]);
        let reach = |chain| kinematics.contact(chain).centre.coords.norm();
        let length = legs.clone().map(reach).fold(0.0, f64::max);
        let most = model.contacts().iter().map(|contact| contact.points.len()).max().unwrap_or(0);
        let points = most * legs.count();
        Self {
            contacts: model.contacts().to_vec(),
            is_leg,
            pushes: Vec::with_capacity(3 * points),
            forces: Vec::with_capacity(points),
            length: if length > 0.0 { length } else { 1.0 },
        }
    }

    /// Finds forces at the points of the feet that stand which together are `wrench` (in the root link's frame), or as
    /// near to it as can be; `standing` has one value per chain of the model, `up` is away from the ground in the root
    /// link's axes. No force pulls: the part along `up` is never negative.
    ///
    /// Of all forces that do it, those with the least Σ f²/w: w is the foot's support divided among its points. The
    /// method is regularised least squares with bounds, solved in the dual by a semismooth Newton method; it takes a
    /// bounded number of steps. The forces are a continuous function of everything, supports included.
    pub fn share(
        &mut self,
        kinematics: &Kinematics,
        standing: &[Option<StandingContact>],
        up: &Unit<Vector3<f64>>,
        wrench: &Wrench,
    ) {
        self.pushes.clear();
        self.forces.clear();
        let whole = wrench.force.norm();
        if !(whole > f64::MIN_POSITIVE && whole.is_finite()) {
            return;
        }
        let across = Unit::new_normalize(any_normal(up));
        let directions = [up.into_inner(), across.into_inner(), up.cross(&across)];
        for (chain, (stands, is_leg)) in standing.iter().zip(&self.is_leg).enumerate() {
            let Some(StandingContact { contact, support }) = stands.filter(|_| *is_leg) else { continue };
            let Some(contact) = self.contacts.get(contact).filter(|_| support > 0.0) else { continue };
            let support = support.min(1.0);
            let weight = support / contact.points.len() as f64;
            for point in kinematics.contact_points(chain, contact) {
                self.forces.push(PointForce { chain, point, force: Vector3::zeros() });
                for (number, direction) in directions.iter().enumerate() {
                    let turn = point.coords.cross(direction) / self.length;
                    let column = Vector6::from_iterator(direction.iter().chain(&turn).copied());
                    let most = BEARING * support;
                    self.pushes.push(match number {
                        0 => Push::new(column, weight, 0.0, most),
                        _ => Push::new(column, weight * FRICTION.powi(2), -most * FRICTION, most * FRICTION),
                    });
                }
            }
        }
        let moment = wrench.moment / self.length;
        let wanted = Vector6::from_iterator(wrench.force.iter().chain(&moment).map(|value| value / whole));
        share(&mut self.pushes, &wanted);
        for (force, pushes) in self.forces.iter_mut().zip(self.pushes.as_chunks::<3>().0) {
            force.force = directions.iter().zip(pushes).map(|(d, push)| d * (push.force * whole)).sum();
        }
    }

    /// The forces that were found; none when no foot stands.
    pub fn forces(&self) -> &[PointForce] {
        &self.forces
    }

    /// Their sum, in the root link's frame.
    pub fn total(&self) -> Wrench {
        let add = |sum: Wrench, at: &PointForce| Wrench {
            force: sum.force + at.force,
            moment: sum.moment + at.point.coords.cross(&at.force),
        };
        self.forces.iter().fold(Wrench::ZERO, add)
    }
}

/// Some vector at a right angle to another, far from zero.
fn any_normal(v: &Vector3<f64>) -> Vector3<f64> {
    let other = if v.x.abs() < 0.6 { Vector3::x() } else { Vector3::y() };
    other - v * v.dot(&other)
}
