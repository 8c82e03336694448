//! From feet over the ground to joints.

use crate::foot::Foot;
use crate::posture::Base;
use nalgebra::{
    Isometry2, Isometry3, Matrix3, Matrix6, Point3, Rotation3, Translation3, Unit, UnitQuaternion, Vector2,
    Vector3, Vector6,
};
use robot_model_lib::{ChainIk, IkGoal, IkOptions, IkStatus, Kinematics, RobotModel};
use std::ops::Range;

/// Damping of the inverse Jacobian relative to its size: far below what shows, far above rounding.
const DAMPING: f64 = 1e-9;

/// A leg.
#[derive(Clone, Debug)]
struct Leg {
    chain: usize,
    joints: Range<usize>,
    ik: ChainIk,
    /// How the foot is turned at home.
    turned: UnitQuaternion<f64>,
    normal: Unit<Vector3<f64>>,
}

/// What became of a leg.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// Its chain's index.
    pub chain: usize,
    /// How far the foot is from where it shall be, m; 0 when it is there.
    pub miss: f64,
    /// Whether it is turned as it shall be, too.
    pub is_level: bool,
}

/// All legs of the robot: the chains that have a contact.
#[derive(Clone, Debug)]
pub struct Legs {
    legs: Vec<Leg>,
    kinematics: Kinematics,
    homes: Vec<Isometry2<f64>>,
    height: f64,
}

impl Legs {
    /// Of a robot. Home is where the feet are with all joints at zero (or as near as their limits allow).
    pub fn new(model: &RobotModel) -> Legs {
        let zero: Vec<f64> = model.joints().iter().map(|joint| joint.limits.clamp(0.0)).collect();
        let mut kinematics = Kinematics::new(model);
        kinematics.update(&zero);
        let down = Unit::new_unchecked(-Vector3::z());
        let options = IkOptions { restarts: 0, ..IkOptions::default() };
        let chains = model.chains().iter().enumerate().filter(|(_, chain)| chain.default_contact.is_some());
        let legs: Vec<Leg> = chains
            .map(|(chain, limb)| {
                let frame = kinematics.contact_frame(chain);
                let normal = kinematics.contact(chain).normal;
                // Level: the least turn that makes the normal point straight down.
                let level = UnitQuaternion::rotation_between(&normal, &down).unwrap_or_else(|| {
                    UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI)
                });
                let turned = level * UnitQuaternion::from_rotation_matrix(&frame.rotation);
                Leg {
                    chain,
                    joints: limb.joints.clone(),
                    ik: ChainIk::new(model, chain, options),
                    turned,
                    normal: down,
                }
            })
            .collect();
        let centre = |leg: &Leg| kinematics.contact(leg.chain).centre;
        let homes =
            legs.iter().map(|leg| Isometry2::new(Vector2::new(centre(leg).x, centre(leg).y), 0.0)).collect();
        let height = -legs.iter().map(|leg| centre(leg).z).sum::<f64>() / legs.len().max(1) as f64;
        Legs { legs, kinematics, homes, height }
    }

    /// Where the feet are with all joints at zero.
    pub fn homes(&self) -> &[Isometry2<f64>] {
        &self.homes
    }

    /// The base's height above them then, m.
    pub fn height(&self) -> f64 {
        self.height
    }

    /// How high the base would be above level ground with joints `q`, m.
    pub fn height_of(&mut self, q: &[f64]) -> f64 {
        self.kinematics.update(q);
        let depth = |leg: &Leg| -self.kinematics.contact(leg.chain).centre.z;
        self.legs.iter().map(depth).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The chains of the legs.
    pub fn chains(&self) -> impl Iterator<Item = usize> + '_ {
        self.legs.iter().map(|leg| leg.chain)
    }

    /// The joints of each leg.
    pub fn joints(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.legs.iter().map(|leg| leg.joints.clone())
    }

    /// Joints (all of the robot, sorted) that put the feet where they shall be; `q` is where they are now. A foot that is
    /// out of reach goes to the nearest point.
    pub fn place(&mut self, base: &Base, feet: &[Foot], q: &mut [f64], mut reach: impl FnMut(Reach)) {
        for (leg, foot) in self.legs.iter_mut().zip(feet) {
            let goal = leg.goal(&base.pose, foot);
            let result = leg.ik.solve(&goal, q);
            let there = matches!(result.status, IkStatus::Reached | IkStatus::PositionReached);
            let miss = if there { 0.0 } else { result.position_error };
            reach(Reach { chain: leg.chain, miss, is_level: result.status == IkStatus::Reached });
        }
    }

    /// Velocities `qd` of the legs' joints at the positions `q`, with which the feet move as they shall.
    pub fn velocities(&mut self, base: &Base, feet: &[Foot], q: &[f64], qd: &mut [f64]) {
        self.kinematics.update(q);
        for (leg, foot) in self.legs.iter().zip(feet) {
            let bound_turns = leg.bound_turns(&base.pose);
            let wanted = bound(leg.twist(base, foot), &bound_turns);
            let columns = self.kinematics.jacobian_columns(leg.chain);
            // q̇ = Jᵀ·(J·Jᵀ + λ·I)⁻¹·V: least squares for short legs, least effort for long ones, finite always.
            let mut square = Matrix6::zeros();
            for column in columns {
                let column = bound(Vector6::from(*column), &bound_turns);
                square += column * column.transpose();
            }
            let damping = DAMPING * (square.trace() + f64::MIN_POSITIVE);
            let Some(factor) = (square + Matrix6::identity() * damping).cholesky() else { continue };
            let force = factor.solve(&wanted);
            for (speed, column) in qd[leg.joints.clone()].iter_mut().zip(columns) {
                *speed = force.dot(&bound(Vector6::from(*column), &bound_turns));
            }
        }
    }
}

impl Leg {
    /// Where the foot shall be, seen from the base: as much of its pose as the leg has joints for.
    fn goal(&self, base: &Isometry3<f64>, foot: &Foot) -> IkGoal {
        let place = Vector3::new(foot.place.translation.x, foot.place.translation.y, foot.height.0);
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), foot.place.rotation.angle());
        let pose = base.inverse() * Isometry3::from_parts(Translation3::from(place), turn * self.turned);
        match self.joints.len() {
            6.. => IkGoal::Pose(pose),
            5 => IkGoal::Normal(Point3::from(pose.translation.vector), base.rotation.inverse() * self.normal),
            _ => IkGoal::Position(Point3::from(pose.translation.vector)),
        }
    }

    /// Projection onto the turns that the goal determines.
    fn bound_turns(&self, base: &Isometry3<f64>) -> Matrix3<f64> {
        match self.joints.len() {
            6.. => Matrix3::identity(),
            5 => {
                let normal = (base.rotation.inverse() * self.normal).into_inner();
                Matrix3::identity() - normal * normal.transpose()
            }
            _ => Matrix3::zeros(),
        }
    }

    /// The foot's velocity relative to the base, along the base's axes: linear, angular.
    fn twist(&self, base: &Base, foot: &Foot) -> Vector6<f64> {
        let place = Vector3::new(foot.place.translation.x, foot.place.translation.y, foot.height.0);
        let moves = Vector3::new(foot.velocity.forward, foot.velocity.left, foot.height.1);
        let lever = place - base.pose.translation.vector;
        let back: Rotation3<f64> = base.pose.rotation.inverse().to_rotation_matrix();
        let linear = back * (moves - base.linear - base.angular.cross(&lever));
        let angular = back * (Vector3::z() * foot.velocity.turn - base.angular);
        Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z)
    }
}

/// A twist without the turns that do not matter.
fn bound(mut twist: Vector6<f64>, turns: &Matrix3<f64>) -> Vector6<f64> {
    let angular = turns * twist.fixed_rows::<3>(3);
    twist.fixed_rows_mut::<3>(3).copy_from(&angular);
    twist
}
