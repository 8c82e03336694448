//! How fast a gait can walk with the joints that the legs have.
//!
//! A foot that swings goes over the ground by a period's way in the time of its swing: seen from the body it moves with
//! (k(s) − 1)·v, where k(s) = σ′(s)·period/swing and σ is the quintic from rest to rest. Through the inverse Jacobian that is a joint speed
//! of lift(s) + a(s)·v: a plane in the space of velocities for each joint, at each share s of the swing, for some places that the foot can be
//! in. The same with σ″ for accelerations, with the Jacobian as it is there. What lies within all planes a joint can do.

use crate::foot::Foot;
use crate::ground::Velocity;
use crate::legs::Legs;
use crate::posture::Base;
use crate::room::FARTHEST;
use crate::stepper::Stride;
use nalgebra::{Isometry2, Vector2};
use robot_model_lib::Limits;
use std::f64::consts::FRAC_PI_4;

/// Shares of the swing at which joints are looked at.
const SAMPLES: usize = 12;
/// Of what a joint can do: the rest is for a body that changes its velocity while a foot is in the air.
const USED: f64 = 0.9;
/// Of what a joint can do, for lifting the foot; what is left is for its way.
const LIFTING: f64 = 2.0 / 3.0;
/// Directions in which the planes are looked at, on half an edge of a cube.
const DIRECTIONS: i32 = 3;
/// A foot that misses its place by more is out of reach, m; what its joints would do says nothing.
const MISS: f64 = 1e-4;

const UNITS: [Velocity; 3] = [
    Velocity { forward: 1.0, left: 0.0, turn: 0.0 },
    Velocity { forward: 0.0, left: 1.0, turn: 0.0 },
    Velocity { forward: 0.0, left: 0.0, turn: 1.0 },
];

/// What a velocity takes of one joint at one moment of the swing, as a share of what it can do.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Plane {
    joint: usize,
    /// Without any velocity: to lift the foot.
    lift: f64,
    /// Per m/s ahead and to the left, and per rad/s.
    by: [f64; 3],
}

impl Plane {
    fn along(&self, velocity: &Velocity) -> f64 {
        self.by[0] * velocity.forward + self.by[1] * velocity.left + self.by[2] * velocity.turn
    }

    /// How many times the velocity the joint can do.
    fn share(&self, velocity: &Velocity) -> f64 {
        let along = self.along(velocity);
        (USED - self.lift * along.signum()).max(0.0) / along.abs()
    }
}

/// What joints may do in a swing.
#[derive(Clone, Copy, Debug)]
pub struct SwingLimits<'a> {
    /// Of all joints; the speeds.
    pub joints: &'a [Limits],
    /// Of each joint, rad/s².
    pub acceleration: f64,
}

/// The velocities that a gait can walk with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GaitSpeed {
    planes: Vec<Plane>,
}

impl GaitSpeed {
    /// For steps of a robot whose body rests at `base`, from the joints `stance` with which it stands. Gives also the share of the steps' lift
    /// that the joints can do.
    pub fn new(
        legs: &mut Legs,
        base: &Base,
        stride: &Stride,
        stance: &[f64],
        limits: SwingLimits<'_>,
    ) -> (GaitSpeed, f64) {
        let mut planes = vec![];
        let compass = (0..8).map(|at| (f64::from(at) * FRAC_PI_4).sin_cos());
        for (y, x) in compass.chain([(0.0, 0.0)]) {
            let mut q = stance.to_vec();
            for sample in 0..SAMPLES {
                let s = (sample as f64 + 0.5) / SAMPLES as f64;
                moment(legs, base, stride, Vector2::new(x, y), s, &mut q, limits, &mut planes);
            }
        }
        let most = planes.iter().map(|plane| plane.lift.abs()).fold(LIFTING * USED, f64::max);
        let lift = LIFTING * USED / most;
        planes.iter_mut().for_each(|plane| plane.lift *= lift);
        (GaitSpeed { planes: outermost(planes, stride) }, lift)
    }

    /// How many times a velocity the joints can do, and the joint that can do no more.
    pub fn share(&self, velocity: &Velocity) -> (f64, usize) {
        nearest(&self.planes, velocity).map_or((f64::INFINITY, 0), |(share, plane)| (share, plane.joint))
    }
}

/// The planes of all joints at one moment of the swing, in a stride as long as it may be in a direction.
#[allow(clippy::too_many_arguments)]
fn moment(
    legs: &mut Legs,
    base: &Base,
    stride: &Stride,
    direction: Vector2<f64>,
    s: f64,
    q: &mut [f64],
    limits: SwingLimits<'_>,
    planes: &mut Vec<Plane>,
) {
    let (stance, period) = (stride.pattern.stance_time(), stride.pattern.period);
    let swing = period - stance;
    let ([way, slope, curve], [height, rise, bend]) = (smooth(s), hop(s));
    let offset =
        direction * (2.0 * FARTHEST * stride.longest * (-0.5 * stance + period * way - s * swing) / stance);
    let place = |home: &Isometry2<f64>| {
        Isometry2::from_parts((home.translation.vector + offset).into(), home.rotation)
    };
    let mut feet: Vec<Foot> = stride.homes.iter().map(|home| Foot::standing(place(home))).collect();
    feet.iter_mut().for_each(|foot| foot.height.0 = stride.lift * height);
    let mut is_there = vec![];
    legs.place(base, &feet, q, |reach| is_there.push(reach.miss < MISS));
    let mut joints_of = |velocity: Velocity, up: f64| {
        for foot in &mut feet {
            let at = velocity.at(&foot.place.translation.vector.into());
            foot.velocity = Velocity { forward: at.x, left: at.y, turn: velocity.turn };
            foot.height.1 = up;
        }
        let mut joints = vec![0.0; q.len()];
        legs.velocities(base, &feet, q, &mut joints);
        joints
    };
    let (up, by) = (joints_of(Velocity::ZERO, stride.lift), UNITS.map(|unit| joints_of(unit, 0.0)));
    let speed = (rise / swing, period * slope / swing - 1.0);
    let acceleration = (bend / (swing * swing), period * curve / (swing * swing));
    let reaching = legs.joints().zip(is_there).filter(|(_, is_there)| *is_there);
    for joint in reaching.flat_map(|(joints, _)| joints) {
        let can = [limits.joints[joint].velocity, limits.acceleration];
        for ((lift, ahead), can) in [speed, acceleration].into_iter().zip(can).filter(|(_, can)| *can > 0.0) {
            let by = [0, 1, 2].map(|axis| ahead * by[axis][joint] / can);
            planes.push(Plane { joint, lift: lift * up[joint] / can, by });
        }
    }
}

/// Those planes that are the nearest in some direction. Far fewer: few enough for every new command.
fn outermost(planes: Vec<Plane>, stride: &Stride) -> Vec<Plane> {
    // A turn is as fast as it moves the feet.
    let far =
        stride.homes.iter().map(|home| home.translation.vector.norm()).fold(f64::MIN_POSITIVE, f64::max);
    let mut kept: Vec<Plane> = vec![];
    let edge = || -DIRECTIONS..=DIRECTIONS;
    for (x, y, z) in edge().flat_map(|x| edge().flat_map(move |y| edge().map(move |z| (x, y, z)))) {
        if [x, y, z].iter().all(|way| way.abs() < DIRECTIONS) {
            continue;
        }
        let velocity = Velocity { forward: f64::from(x), left: f64::from(y), turn: f64::from(z) / far };
        if let Some((_, plane)) = nearest(&planes, &velocity).filter(|(_, plane)| !kept.contains(plane)) {
            kept.push(*plane);
        }
    }
    kept
}

/// The plane that is reached with the smallest share of a velocity, and that share.
fn nearest<'a>(planes: &'a [Plane], velocity: &Velocity) -> Option<(f64, &'a Plane)> {
    let shares = planes.iter().map(|plane| (plane.share(velocity), plane));
    shares.reduce(|best, next| if next.0 < best.0 { next } else { best })
}

/// The quintic from rest to rest, its slope and its curvature.
fn smooth(s: f64) -> [f64; 3] {
    let rest = 1.0 - s;
    [s * s * s * (10.0 + s * (6.0 * s - 15.0)), 30.0 * (s * rest).powi(2), 60.0 * s * rest * (1.0 - 2.0 * s)]
}

/// How a foot is lifted, 64·s³(1 − s)³, with slope and curvature.
fn hop(s: f64) -> [f64; 3] {
    let (rest, turn) = (s * (1.0 - s), 1.0 - 2.0 * s);
    [64.0 * rest.powi(3), 192.0 * rest * rest * turn, 384.0 * rest * (turn * turn - rest)]
}
