//! How far feet that stand may get from their homes before it is their turn to lift.

use crate::foot::Foot;
use crate::ground::Velocity;
use crate::pace::longest_stride;
use crate::pattern::Pattern;
use crate::stride::Stride;
use nalgebra::{Isometry2, Point2, Vector2};

/// How far from its home a foot may be when it lifts, in the longest strides that the gait can walk in its direction. In a steady walk it is half a stride; a foot that landed for
/// another velocity or another gait gets farther.
pub const FARTHEST: f64 = 0.7;
/// A leg goes first only if that is so much better, m.
const BETTER: f64 = 1e-3;

/// How many times a velocity the body may have (1 at the most), so that no foot that stands gets too far from its home before it lifts; `lifts_in`
/// is the time until then, s.
pub fn room(feet: &[Foot], stride: &Stride, velocity: &Velocity, lifts_in: impl Fn(usize) -> f64) -> f64 {
    let longest = longest_stride(velocity, stride);
    let standing = feet.iter().zip(&stride.homes).enumerate().filter(|(_, (foot, _))| foot.stands());
    let of_foot = |(leg, (foot, home)): (usize, (&Foot, &Isometry2<f64>))| {
        let (off, way) = (offset(foot, home), above(home, velocity) * lifts_in(leg));
        share(&off, &way, FARTHEST * longest)
    };
    standing.map(of_foot).fold(1.0, f64::min)
}

/// The largest share of a way, 1 at the most, after which |off − share·way| is at most `most`. Who is farther may only come nearer.
fn share(off: &Vector2<f64>, way: &Vector2<f64>, most: f64) -> f64 {
    let (square, along, beyond) = (way.norm_squared(), off.dot(way), off.norm_squared() - most * most);
    let discriminant = along * along - square * beyond;
    if square == 0.0 {
        1.0
    } else if discriminant < 0.0 || (beyond > 0.0 && along < 0.0) {
        0.0
    } else {
        ((along + discriminant.sqrt()) / square).min(1.0)
    }
}

/// The leg with which a gait should begin, so that no foot gets farther from its home than it must: the first, unless another is better.
pub fn first_to_lift(feet: &[Foot], stride: &Stride, velocity: &Velocity) -> usize {
    let Stride { pattern, homes, .. } = stride;
    let farthest = |first: usize| {
        let phase = pattern.start(first, 0.0);
        let at_lift = |(leg, (foot, home)): (usize, (&Foot, &Isometry2<f64>))| {
            let time = if leg == first { 0.0 } else { wait(pattern, leg, phase) };
            (offset(foot, home) - above(home, velocity) * time).norm()
        };
        feet.iter().zip(homes).enumerate().map(at_lift).fold(0.0, f64::max)
    };
    let better = |best: (usize, f64), leg: usize| {
        let far = farthest(leg);
        if far < best.1 - BETTER { (leg, far) } else { best }
    };
    (1..feet.len()).fold((0, farthest(0)), better).0
}

/// Legs that lift together with the first do not wait for a period.
fn wait(pattern: &Pattern, leg: usize, phase: f64) -> f64 {
    let time = pattern.lifts_in(leg, phase);
    if time > (1.0 - 1e-9) * pattern.period { 0.0 } else { time }
}

fn offset(foot: &Foot, home: &Isometry2<f64>) -> Vector2<f64> {
    foot.place.translation.vector - home.translation.vector
}

fn above(home: &Isometry2<f64>, velocity: &Velocity) -> Vector2<f64> {
    velocity.at(&Point2::from(home.translation.vector))
}
