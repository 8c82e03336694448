//! Six-vectors with a linear and an angular part.

use super::VectorSpace;
use nalgebra::{Isometry3, Vector3, Vector6};

/// A velocity: linear part (m/s), then angular part (rad/s).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Twist(pub Vector6<f64>);

impl Twist {
    /// From its two parts.
    #[inline]
    pub fn new(linear: Vector3<f64>, angular: Vector3<f64>) -> Self {
        Self(join(linear, angular))
    }

    /// Linear velocity, m/s.
    #[inline]
    pub fn linear(&self) -> Vector3<f64> {
        self.0.fixed_rows::<3>(0).into()
    }

    /// Angular velocity, rad/s.
    #[inline]
    pub fn angular(&self) -> Vector3<f64> {
        self.0.fixed_rows::<3>(3).into()
    }
}

/// A force (N), then a torque (N·m) about the origin of its frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Wrench(pub Vector6<f64>);

impl Wrench {
    /// From its two parts.
    #[inline]
    pub fn new(force: Vector3<f64>, torque: Vector3<f64>) -> Self {
        Self(join(force, torque))
    }

    /// Force, N.
    #[inline]
    pub fn force(&self) -> Vector3<f64> {
        self.0.fixed_rows::<3>(0).into()
    }

    /// Torque about the frame's origin, N·m.
    #[inline]
    pub fn torque(&self) -> Vector3<f64> {
        self.0.fixed_rows::<3>(3).into()
    }

    /// The same wrench in another frame: `transform` maps points of the present frame to points of the new one, so
    /// f' = R·f and τ' = R·τ + p × (R·f), the lever arm included.
    #[inline]
    pub fn transformed(&self, transform: &Isometry3<f64>) -> Self {
        let force = transform.rotation * self.force();
        let torque = transform.rotation * self.torque() + transform.translation.vector.cross(&force);
        Self::new(force, torque)
    }
}

#[inline]
fn join(first: Vector3<f64>, second: Vector3<f64>) -> Vector6<f64> {
    Vector6::new(first.x, first.y, first.z, second.x, second.y, second.z)
}

macro_rules! six_vector {
    ($name:ty) => {
        impl VectorSpace for $name {
            #[inline]
            fn elements(&self) -> &[f64] {
                self.0.as_slice()
            }

            #[inline]
            fn elements_mut(&mut self) -> &mut [f64] {
                self.0.as_mut_slice()
            }

            #[inline]
            fn split(&self) -> usize {
                3
            }
        }
    };
}

six_vector!(Twist);
six_vector!(Wrench);
