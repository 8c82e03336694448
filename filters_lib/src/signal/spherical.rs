//! A point seen from a shoulder, blended in spherical coordinates.

use super::{Signal, norm};
use crate::error::Result;
use nalgebra::Vector3;

/// A foot's place relative to its shoulder (m). Blending changes the radius linearly and the direction along the
/// great circle, so that a limb swings around the shoulder instead of cutting through it. The two parts of its
/// [`Limit`](crate::Limit) are radius (m) and angle (rad).
///
/// Great circles are the shortest paths that azimuth and elevation describe, without the poles of those angles.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Spherical(pub Vector3<f64>);

impl Signal for Spherical {
    #[inline]
    fn size(&self) -> usize {
        3
    }

    #[inline]
    fn check(&self, what: &'static str) -> Result<()> {
        self.0.check(what)
    }

    #[inline]
    fn gap(&self, to: &Self) -> [f64; 2] {
        [
            (norm(to.0.as_slice().iter().copied()) - norm(self.0.as_slice().iter().copied())).abs(),
            angle(&self.0, &to.0),
        ]
    }

    fn blend_into(&self, to: &Self, share: [f64; 2], out: &mut Self) {
        let (near, far) = (norm(self.0.as_slice().iter().copied()), norm(to.0.as_slice().iter().copied()));
        if share == [0.0; 2] || share == [1.0; 2] {
            *out = if share[0] == 0.0 { *self } else { *to };
            return;
        }
        let radius = (1.0 - share[0]) * near + share[0] * far;
        // The shoulder itself has no direction: it takes the other point's.
        let direction = match (near > 0.0, far > 0.0) {
            (true, true) => turned(&(self.0 / near), &(to.0 / far), share[1]),
            (true, false) => self.0 / near,
            (false, true) => to.0 / far,
            (false, false) => Vector3::zeros(),
        };
        out.0 = direction * radius;
    }
}

/// The angle between two vectors; 0 when one of them is zero.
#[inline]
fn angle(a: &Vector3<f64>, b: &Vector3<f64>) -> f64 {
    let (a_norm, b_norm) = (norm(a.as_slice().iter().copied()), norm(b.as_slice().iter().copied()));
    if a_norm == 0.0 || b_norm == 0.0 {
        return 0.0;
    }
    let (a, b) = (a / a_norm, b / b_norm);
    a.cross(&b).norm().atan2(a.dot(&b))
}

/// The direction a share of the way from `a` to `b` on the great circle through both.
fn turned(a: &Vector3<f64>, b: &Vector3<f64>, share: f64) -> Vector3<f64> {
    let full = angle(a, b);
    let mut side = b - a * a.dot(b);
    if side.norm() < 1e-9 {
        if a.dot(b) > 0.0 {
            return (a * (1.0 - share) + b * share).normalize();
        }
        // Opposite directions: every great circle is shortest; take the one away from the largest coordinate.
        side = a.cross(&Vector3::ith(a.iamin(), 1.0));
    }
    let (sin, cos) = (full * share).sin_cos();
    a * cos + side.normalize() * sin
}
