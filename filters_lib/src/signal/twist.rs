//! Six-vectors with a linear and an angular part, typed by their axes.

use super::VectorSpace;
use nalgebra::{Isometry3, UnitQuaternion, Vector3, Vector6};

macro_rules! six_vector {
    ($(#[$doc:meta])* $name:ident, $first:ident, $first_doc:literal, $second:ident, $second_doc:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Default)]
        pub struct $name(pub Vector6<f64>);

        impl $name {
            /// From its two parts.
            #[inline]
            pub fn new($first: Vector3<f64>, $second: Vector3<f64>) -> Self {
                Self(Vector6::new($first.x, $first.y, $first.z, $second.x, $second.y, $second.z))
            }

            #[doc = $first_doc]
            #[inline]
            pub fn $first(&self) -> Vector3<f64> {
                self.0.fixed_rows::<3>(0).into()
            }

            #[doc = $second_doc]
            #[inline]
            pub fn $second(&self) -> Vector3<f64> {
                self.0.fixed_rows::<3>(3).into()
            }
        }

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
            fn first_part(&self) -> usize {
                3
            }
        }
    };
}

six_vector!(
    /// The velocity of a pose, both parts in the axes of the moving body (Pinocchio's `LOCAL`, the `twist` of ROS's
    /// `Odometry`). It is what every filter on poses takes and gives.
    BodyTwist,
    linear, "Velocity of the body's origin along the body's axes, m/s.",
    angular, "Angular velocity about the body's axes, rad/s."
);
six_vector!(
    /// The velocity of a pose, both parts in the axes of the reference frame (Pinocchio's `LOCAL_WORLD_ALIGNED`). To
    /// filters it is a plain vector; [`in_body`](WorldTwist::in_body) makes it the velocity of a pose.
    WorldTwist,
    linear, "Velocity of the body's origin along the reference axes, m/s.",
    angular, "Angular velocity about the reference axes, rad/s."
);
six_vector!(
    /// A force and a torque about the origin of its frame.
    Wrench,
    force, "Force, N.",
    torque, "Torque about the frame's origin, N·m."
);

impl BodyTwist {
    /// The same velocity in the reference axes, for a body of this orientation.
    #[inline]
    pub fn in_world(&self, orientation: &UnitQuaternion<f64>) -> WorldTwist {
        WorldTwist::new(orientation * self.linear(), orientation * self.angular())
    }
}

impl WorldTwist {
    /// The same velocity in the axes of a body of this orientation.
    #[inline]
    pub fn in_body(&self, orientation: &UnitQuaternion<f64>) -> BodyTwist {
        let back = orientation.inverse();
        BodyTwist::new(back * self.linear(), back * self.angular())
    }
}

impl Wrench {
    /// The same wrench in another frame: `transform` maps points of the present frame to points of the new one, so
    /// f' = R·f and τ' = R·τ + p × (R·f), the lever arm included.
    #[inline]
    pub fn transformed(&self, transform: &Isometry3<f64>) -> Self {
        let force = transform.rotation * self.force();
        let torque = transform.rotation * self.torque() + transform.translation.vector.cross(&force);
        Self::new(force, torque)
    }
}
