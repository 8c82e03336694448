//! What swings ask of the joints.
//!
//! A foot that swings goes over the ground by a period's way in the time of its swing: seen from the body it moves with
//! (k(s) − 1)·v, where k(s) = σ′(s)·period/swing and σ is the quintic from rest to rest. Through the inverse Jacobian that is a joint speed
//! of lift(s) + sway(s) + a(s)·v: a plane in the space of velocities for each joint, at each share s of the swing, for some places that the
//! foot can be in. The same with σ″ for accelerations, with the Jacobian as it is there.

use crate::foot::Foot;
use crate::gait_speed::{Plane, UNITS};
use crate::ground::Velocity;
use crate::legs::{Legs, Reach};
use crate::posture::Base;
use crate::room::FARTHEST;
use crate::stride::Stride;
use crate::sway::{BodySway, SwayPoint};
use nalgebra::{Isometry2, Point2, Vector2};
use robot_model_lib::RobotModel;
use std::f64::consts::FRAC_PI_4;

/// Shares of the swing at which joints are looked at.
const SAMPLES: usize = 12;
/// A foot that misses its place by more is out of reach, m.
const MISS: f64 = 1e-4;

/// Legs that try the steps of a gait.
pub struct SwingProbe<'a> {
    /// The robot.
    pub model: &'a RobotModel,
    /// Its legs.
    pub legs: &'a mut Legs,
    /// Its body, at rest.
    pub base: Base,
    /// How it sways over the feet.
    pub sway: BodySway<'a>,
    /// The steps.
    pub stride: &'a Stride,
    /// What each joint can do, rad/s².
    pub acceleration: f64,
}

impl SwingProbe<'_> {
    /// The planes of all joints, in strides as long as they may be in all directions; begins at joints `q`. None when a foot is out of
    /// reach in one of them, or only on its edge: there, joints near a stretched leg or their limits would say what they liked.
    pub fn planes(&mut self, q: &[f64]) -> Option<Vec<Plane>> {
        let feet: Vec<Foot> = self.stride.homes.iter().map(|home| Foot::standing(*home)).collect();
        let (mut stance, mut planes) = (q.to_vec(), vec![]);
        let mut is_level = true;
        self.legs.place(&self.base, &feet, &mut stance, |reach| is_level &= reach.is_level);
        let compass = (0..8).map(|at| (f64::from(at) * FRAC_PI_4).sin_cos());
        for (y, x) in compass.chain([(0.0, 0.0)]) {
            let mut q = stance.clone();
            for sample in 0..SAMPLES {
                let s = (sample as f64 + 0.5) / SAMPLES as f64;
                let (direction, there) =
                    (Vector2::new(x, y), |reach: Reach| reach.miss < MISS && (reach.is_level || !is_level));
                if !self.moment(direction, s, &mut q, &mut planes, there) {
                    return None;
                }
            }
        }
        Some(planes)
    }

    /// Those of one moment of the swing, if all feet reach their places.
    fn moment(
        &mut self,
        direction: Vector2<f64>,
        s: f64,
        q: &mut [f64],
        planes: &mut Vec<Plane>,
        there: impl Fn(Reach) -> bool,
    ) -> bool {
        let (stride, base) = (self.stride, self.base);
        let (stance, period) = (stride.pattern.stance_time(), stride.pattern.period);
        let swing = period - stance;
        let ([way, slope, curve], [height, rise, bend]) = (smooth(s), hop(s));
        let along = 2.0 * FARTHEST * stride.longest * (-0.5 * stance + period * way - s * swing) / stance;
        // Seen from a body that sways, the feet do.
        let legs = 0..stride.homes.len();
        let sway: Vec<SwayPoint> = legs.map(|leg| self.sway.at(stride.pattern.in_swing(leg, s))).collect();
        let place = |(home, sway): (&Isometry2<f64>, &SwayPoint)| {
            let place = home.translation.vector + direction * along - sway.place;
            Foot::standing(Isometry2::from_parts(place.into(), home.rotation))
        };
        let mut feet: Vec<Foot> = stride.homes.iter().zip(&sway).map(place).collect();
        feet.iter_mut().for_each(|foot| foot.height.0 = stride.lift * height);
        let mut is_there = true;
        self.legs.place(&base, &feet, q, |reach| is_there &= there(reach));
        if !is_there {
            return false;
        }
        let mut joints_of = |up: f64, velocity: &dyn Fn(usize, Point2<f64>) -> (Vector2<f64>, f64)| {
            for (leg, foot) in feet.iter_mut().enumerate() {
                let (at, turn) = velocity(leg, foot.place.translation.vector.into());
                foot.velocity = Velocity { forward: at.x, left: at.y, turn };
                foot.height.1 = up;
            }
            let mut joints = vec![0.0; q.len()];
            self.legs.velocities(&base, &feet, q, &mut joints);
            joints
        };
        let up = joints_of(stride.lift, &|_, _| (Vector2::zeros(), 0.0));
        let by = UNITS.map(|unit| joints_of(0.0, &|_, place| (unit.at(&place), unit.turn)));
        let swayed = [
            joints_of(0.0, &|leg, _| (-sway[leg].slope / period, 0.0)),
            joints_of(0.0, &|leg, _| (-sway[leg].curvature / (period * period), 0.0)),
        ];
        let speed = (rise / swing, period * slope / swing - 1.0);
        let acceleration = (bend / (swing * swing), period * curve / (swing * swing));
        for joint in self.legs.joints().flatten() {
            let can = [self.model.joints()[joint].limits.velocity, self.acceleration];
            for (((lift, ahead), swayed), can) in
                [speed, acceleration].into_iter().zip(&swayed).zip(can).filter(|(_, can)| *can > 0.0)
            {
                let by = [0, 1, 2].map(|axis| ahead * by[axis][joint] / can);
                planes.push(Plane { joint, lift: lift * up[joint] / can, sway: swayed[joint] / can, by });
            }
        }
        true
    }
}

/// The quintic from rest to rest, its slope and its curvature.
pub fn smooth(s: f64) -> [f64; 3] {
    let rest = 1.0 - s;
    [s * s * s * (10.0 + s * (6.0 * s - 15.0)), 30.0 * (s * rest).powi(2), 60.0 * s * rest * (1.0 - 2.0 * s)]
}

/// How a foot is lifted, 64·s³(1 − s)³, with slope and curvature.
fn hop(s: f64) -> [f64; 3] {
    let (rest, turn) = (s * (1.0 - s), 1.0 - 2.0 * s);
    [64.0 * rest.powi(3), 192.0 * rest * rest * turn, 384.0 * rest * (turn * turn - rest)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_and_curvatures_are_derivatives() {
        let h = 1e-5;
        for (curve, s) in
            [smooth, hop].into_iter().flat_map(|c| (1..20).map(move |k| (c, 0.05 * f64::from(k))))
        {
            let (before, here, after) = (curve(s - h), curve(s), curve(s + h));
            for order in [1, 2] {
                // Central differences: the next term is h²/6 times the third derivative, here below 2000.
                assert!(((after[order - 1] - before[order - 1]) / (2.0 * h) - here[order]).abs() < 1e-6);
            }
        }
    }
}
