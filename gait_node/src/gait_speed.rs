//! How fast a gait can walk with the joints that the legs have.

use crate::ground::Velocity;
use crate::pattern::Pattern;
use crate::segment::{TOP_ACCELERATION, TOP_SPEED};
use crate::swing::Demand;
use nalgebra::Isometry2;

/// Of what a joint can do: the rest is for a body that changes its velocity while a foot is in the air.
pub const USED: f64 = 0.85;
/// Of that, for lifting the foot at the most; what is left is for its way.
const LIFTING: f64 = 2.0 / 3.0;
/// Of what a joint can do, for a foot whose end moves while it is in the air.
const MOST: f64 = 0.95;
/// Directions in which the planes are looked at, on half an edge of a cube.
const DIRECTIONS: i32 = 3;

/// One of each: ahead, to the left, turning.
pub const UNITS: [Velocity; 3] = [
    Velocity { forward: 1.0, left: 0.0, turn: 0.0 },
    Velocity { forward: 0.0, left: 1.0, turn: 0.0 },
    Velocity { forward: 0.0, left: 0.0, turn: 1.0 },
];

/// What a velocity takes of one joint at one moment of the swing, as a share of what it can do: a plane in the space of velocities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// The joint.
    pub joint: usize,
    /// Without any velocity: to lift the foot.
    pub lift: f64,
    /// And to follow the sway of the body.
    pub sway: f64,
    /// Per m/s ahead and to the left, and per rad/s.
    pub by: [f64; 3],
}

impl Plane {
    fn along(&self, velocity: &Velocity) -> f64 {
        let [x, y, turn] = self.by;
        x * velocity.forward + y * velocity.left + turn * velocity.turn
    }

    /// How many times the velocity the joint can do.
    fn share(&self, velocity: &Velocity) -> f64 {
        let along = self.along(velocity);
        let room = USED - (self.lift + self.sway) * along.signum();
        // A joint that the sway alone takes more of than there is has room for nothing: 0/0 would be room for everything.
        if room > 0.0 { room / along.abs() } else { 0.0 }
    }

    /// The share of the lift that the joint can do.
    fn liftable(&self) -> f64 {
        (LIFTING * USED - self.sway * self.lift.signum()).max(0.0) / self.lift.abs()
    }
}

/// The velocities that a gait can walk with: those within all planes. Without planes, any.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GaitSpeed {
    planes: Vec<Plane>,
}

impl GaitSpeed {
    /// Within planes, of a robot that stands at `homes`; gives also the share of the lift that the joints can do.
    pub fn new(mut planes: Vec<Plane>, homes: &[Isometry2<f64>]) -> (GaitSpeed, f64) {
        let lift = planes.iter().map(Plane::liftable).fold(1.0, f64::min);
        planes.iter_mut().for_each(|plane| plane.lift *= lift);
        // A turn is as fast as it moves the feet.
        let far = homes.iter().map(|home| home.translation.vector.norm()).fold(f64::MIN_POSITIVE, f64::max);
        (GaitSpeed { planes: outermost(&planes, far) }, lift)
    }

    /// Whether the joints can do what a flight asks for: as much as that of a steady walk of the gait does which has it at the most.
    pub fn can(&self, demand: Demand, pattern: &Pattern) -> bool {
        let swing = (1.0 - pattern.duty) * pattern.period;
        demand.into_iter().zip([swing / TOP_SPEED, swing * swing / TOP_ACCELERATION]).all(|(asked, time)| {
            let steady = asked * (time / pattern.period);
            let steady = Velocity { forward: steady.x, left: steady.y, turn: 0.0 };
            self.planes.iter().all(|plane| (plane.lift + plane.sway + plane.along(&steady)).abs() <= MOST)
        })
    }

    /// How many times a velocity the joints can do, and the joint that can do no more.
    pub fn share(&self, velocity: &Velocity) -> (f64, usize) {
        nearest(&self.planes, velocity).map_or((f64::INFINITY, 0), |(share, plane)| (share, plane.joint))
    }
}

/// Those planes that are the nearest in some direction: few enough for every cycle. `far` (m) is where a turn counts as much as its way.
fn outermost(planes: &[Plane], far: f64) -> Vec<Plane> {
    let mut kept: Vec<Plane> = vec![];
    let edge = || -DIRECTIONS..=DIRECTIONS;
    for (x, y, z) in edge().flat_map(|x| edge().flat_map(move |y| edge().map(move |z| (x, y, z)))) {
        if [x, y, z].iter().all(|way| way.abs() < DIRECTIONS) {
            continue;
        }
        let velocity = Velocity { forward: f64::from(x), left: f64::from(y), turn: f64::from(z) / far };
        if let Some((_, plane)) = nearest(planes, &velocity).filter(|(_, plane)| !kept.contains(plane)) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The share of a velocity that is walked is at a plane, and all of it is within USED of what any joint can do, in the directions that
        /// were looked at.
        #[test]
        fn what_is_walked_is_within_all_planes(
            planes in prop::collection::vec((-1.5..1.5_f64, -0.3..0.3_f64, prop::array::uniform3(-5.0..5.0_f64)), 1..40),
            x in -3..=3_i32, y in -3..=3_i32
        ) {
            let planes: Vec<Plane> =
                planes.into_iter().enumerate().map(|(joint, (lift, sway, by))| Plane { joint, lift, sway, by }).collect();
            let (speed, lift) = GaitSpeed::new(planes.clone(), &[Isometry2::translation(0.5, 0.0)]);
            let lifts = |plane: &Plane| plane.sway * plane.lift.signum() + lift * plane.lift.abs();
            prop_assert!(lift <= 1.0 && planes.iter().all(|plane| lifts(plane) <= LIFTING * USED + 1e-12));
            let velocity = Velocity { forward: f64::from(x), left: f64::from(y), turn: 3.0 / 0.5 };
            let (share, joint) = speed.share(&velocity);
            let takes = |plane: &Plane| {
                let [ahead, left, turn] = plane.by;
                lift * plane.lift + plane.sway + share * (ahead * velocity.forward + left * velocity.left + turn * velocity.turn)
            };
            prop_assert!(planes.iter().all(|plane| takes(plane).abs() <= USED + 1e-9));
            prop_assert!((takes(&planes[joint]).abs() - USED).abs() < 1e-9);
        }
    }
}
