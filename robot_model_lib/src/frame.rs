//! A rigid pose as three columns and a place: what the tree of links is computed with.

use nalgebra::{Isometry3, IsometryMatrix3, Matrix3, Rotation3, Translation3, Vector3};

/// A link's axes (columns) and origin in the root's axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Frame {
    pub axes: [[f64; 3]; 3],
    pub place: [f64; 3],
}

impl Frame {
    pub const IDENTITY: Self =
        Self { axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], place: [0.0; 3] };

    /// `axes · v`.
    #[inline(always)]
    pub fn turn(&self, v: &[f64; 3]) -> [f64; 3] {
        let [x, y, z] = &self.axes;
        [0, 1, 2].map(|i| x[i] * v[0] + y[i] * v[1] + z[i] * v[2])
    }

    /// The point `v` of this frame in the root's axes.
    #[inline(always)]
    pub fn point(&self, v: &[f64; 3]) -> [f64; 3] {
        let turned = self.turn(v);
        [0, 1, 2].map(|i| self.place[i] + turned[i])
    }

    /// The frame `inner`, given in this one.
    #[inline(always)]
    pub fn then(&self, inner: &Self) -> Self {
        Self { axes: inner.axes.each_ref().map(|column| self.turn(column)), place: self.point(&inner.place) }
    }

    /// Turned about its own axis number `axis` (0, 1, 2) by the angle with this sine and cosine.
    #[inline(always)]
    pub fn turned_about_own(mut self, axis: usize, sine: f64, cosine: f64) -> Self {
        let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
        for i in 0..3 {
            let (u, v) = (self.axes[a][i], self.axes[b][i]);
            self.axes[a][i] = cosine * u + sine * v;
            self.axes[b][i] = cosine * v - sine * u;
        }
        self
    }

    /// Turned about any unit vector given in its own axes (Rodrigues' formula).
    #[inline(always)]
    pub fn turned(&self, axis: &[f64; 3], sine: f64, cosine: f64) -> Self {
        let [x, y, z] = *axis;
        let versine = 1.0 - cosine;
        let axes = [
            [cosine + versine * x * x, versine * x * y + sine * z, versine * x * z - sine * y],
            [versine * x * y - sine * z, cosine + versine * y * y, versine * y * z + sine * x],
            [versine * x * z + sine * y, versine * y * z - sine * x, cosine + versine * z * z],
        ];
        Self { axes: axes.each_ref().map(|column| self.turn(column)), place: self.place }
    }

    /// Moved along a vector given in its own axes.
    #[inline(always)]
    pub fn moved(mut self, axis: &[f64; 3], distance: f64) -> Self {
        let along = self.turn(axis);
        self.place = [0, 1, 2].map(|i| self.place[i] + distance * along[i]);
        self
    }

    pub fn isometry(&self) -> IsometryMatrix3<f64> {
        let axes = Matrix3::from_columns(&self.axes.map(Vector3::from));
        IsometryMatrix3::from_parts(
            Translation3::from(Vector3::from(self.place)),
            Rotation3::from_matrix_unchecked(axes),
        )
    }
}

impl From<&Isometry3<f64>> for Frame {
    fn from(pose: &Isometry3<f64>) -> Self {
        let axes = pose.rotation.to_rotation_matrix();
        let column = |i: usize| axes.matrix().column(i).into_owned().into();
        Self { axes: [column(0), column(1), column(2)], place: pose.translation.vector.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_axis_aligned_turn_equals_the_general_one(
            rpy in [-3.0..3.0, -1.5..1.5, -3.0..3.0_f64], angle in -10.0..10.0_f64, axis in 0..3_usize,
        ) {
            let start = Frame::from(&Isometry3::from_parts(
                Translation3::new(1.0, -2.0, 3.0),
                nalgebra::UnitQuaternion::from_euler_angles(rpy[0], rpy[1], rpy[2]),
            ));
            let mut unit = [0.0; 3];
            unit[axis] = 1.0;
            let general = start.turned(&unit, angle.sin(), angle.cos());
            let special = start.turned_about_own(axis, angle.sin(), angle.cos());
            let opposite = start.turned(&unit.map(|value| -value), -angle.sin(), angle.cos());
            for (a, b) in general.axes.iter().flatten().zip(special.axes.iter().flatten()) {
                prop_assert!((a - b).abs() < 1e-15);
            }
            for (a, b) in general.axes.iter().flatten().zip(opposite.axes.iter().flatten()) {
                prop_assert!((a - b).abs() < 1e-15);
            }
        }
    }
}
