//! Where the body is above the ground.

use crate::params::{GaitParams, PostureParams};
use filters_lib::BodyTwist;
use nalgebra::Vector3;

/// Place (m) and tilt (rad, turned in the order yaw, pitch, roll) of the base, seen from the point of the ground below it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyPose {
    /// Forward.
    pub x: f64,
    /// To the left.
    pub y: f64,
    /// Height.
    pub z: f64,
    /// Leans to the right.
    pub roll: f64,
    /// Bows.
    pub pitch: f64,
    /// Turned to the left.
    pub yaw: f64,
}

impl BodyPose {
    /// The one that parameters ask for; `height` is that with all joints at zero.
    pub fn wanted(params: &GaitParams, height: f64) -> BodyPose {
        BodyPose {
            x: params.body_x,
            y: params.body_y,
            z: if params.height > 0.0 { params.height } else { height },
            roll: params.body_roll,
            pitch: params.body_pitch,
            yaw: params.body_yaw,
        }
    }
}

impl From<&PostureParams> for BodyPose {
    fn from(params: &PostureParams) -> BodyPose {
        let &PostureParams { height, x, y, roll, pitch, yaw } = params;
        BodyPose { x, y, z: height, roll, pitch, yaw }
    }
}

/// For filters, which know numbers of two units.
impl From<BodyPose> for BodyTwist {
    fn from(pose: BodyPose) -> BodyTwist {
        BodyTwist::new(Vector3::new(pose.x, pose.y, pose.z), Vector3::new(pose.roll, pose.pitch, pose.yaw))
    }
}
