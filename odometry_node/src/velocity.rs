//! The velocity of the body from contacts that do not move.

use filters_lib::BodyTwist;
use nalgebra::{Matrix3, Vector3};
use robot_model_lib::ContactPose;

/// A contact and how it moves relative to the base.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MovingContact {
    /// In the base frame.
    pub pose: ContactPose,
    /// Velocity relative to the base, in base axes.
    pub twist: robot_model_lib::Twist,
    /// How much it counts, above 0.
    pub weight: f64,
}

/// The body's velocity with what is known of its errors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyVelocity {
    /// Of the base relative to the ground, in base axes, at the base's origin.
    pub twist: BodyTwist,
    /// Variance of one coordinate of a contact's velocity, m²/s²; None when nothing is left over to judge it by.
    pub variance: Option<f64>,
    /// What determines it.
    pub stance: Stance,
}

/// How firmly contacts hold the body; the same for its pose and its velocity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stance {
    /// Mean of the contacts, in the base frame.
    pub centre: Vector3<f64>,
    /// Inverse of the rotational part of the normal equations, in base axes, 1/m².
    pub turn: Matrix3<f64>,
    /// Number of contacts.
    pub contacts: usize,
}

/// A hoof that stands alone is taken to have this radius, m, when its turning is weighed against its sliding.
const SOLE: f64 = 0.05;

/// Least squares over the contacts: points do not move (v + ω × c + ċ = 0) and normals do not turn ((ω + ωᵢ) × n = 0).
///
/// As in the pose, a normal weighs with the spread of the points, and a hoof may pivot about its normal; one that stands
/// alone may not, for nothing else would hold the heading. None when the contacts leave a rotation free.
pub fn velocity(contacts: &[MovingContact]) -> Option<BodyVelocity> {
    let total: f64 = contacts.iter().map(|contact| contact.weight).sum();
    if contacts.is_empty() || total.is_nan() || total <= 0.0 {
        return None;
    }
    let mut centre = Vector3::zeros();
    let mut drift = Vector3::zeros();
    for contact in contacts {
        centre += contact.pose.centre.coords * (contact.weight / total);
        drift += contact.twist.linear * (contact.weight / total);
    }
    let spread =
        contacts.iter().map(|c| c.weight * (c.pose.centre.coords - centre).norm_squared()).sum::<f64>()
            / total;
    let alone = spread < SOLE * SOLE * 1e-2;
    let lever = if alone { SOLE * SOLE } else { spread };
    let mut normal_matrix = Matrix3::zeros();
    let mut right = Vector3::zeros();
    for contact in contacts {
        let arm = contact.pose.centre.coords - centre;
        let slide = contact.twist.linear - drift;
        let n = contact.pose.normal.into_inner();
        let held = |rate: Vector3<f64>| if alone { rate } else { rate - n * n.dot(&rate) };
        let across = if alone { Matrix3::identity() } else { Matrix3::identity() - n * n.transpose() };
        let arms = Matrix3::identity() * arm.norm_squared() - arm * arm.transpose();
        normal_matrix += (arms + across * lever) * contact.weight;
        right -= (arm.cross(&slide) + held(contact.twist.angular) * lever) * contact.weight;
    }
    let firm = 1e-4 * total * lever;
    let inverse = normal_matrix.try_inverse().filter(|_| normal_matrix.determinant() > firm.powi(3))?;
    let angular = inverse * right;
    let linear = -drift - angular.cross(&centre);

    let mut squares = 0.0;
    for contact in contacts {
        let n = contact.pose.normal.into_inner();
        let slide = linear + angular.cross(&contact.pose.centre.coords) + contact.twist.linear;
        let turn = angular + contact.twist.angular;
        let turn = if alone { turn } else { turn - n * n.dot(&turn) };
        squares += contact.weight * (slide.norm_squared() + lever * turn.norm_squared());
    }
    let rows = if alone { 6.0 } else { 5.0 } * contacts.len() as f64;
    let weight = total / contacts.len() as f64;
    let variance = (rows > 6.0).then(|| squares / (weight * (rows - 6.0)));
    let stance = Stance { centre, turn: inverse * weight, contacts: contacts.len() };
    Some(BodyVelocity { twist: BodyTwist::new(linear, angular), variance, stance })
}
