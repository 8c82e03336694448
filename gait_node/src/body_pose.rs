//! Where the body is above the ground.

use crate::params::{GaitParams, PostureParams};
use filters_lib::BodyTwist;
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

/// As far as parameters allow, m and rad.
const FARTHEST: f64 = 0.3;
const MOST_TILT: f64 = 0.7;

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

    /// Both together.
    pub fn plus(&self, other: &BodyPose) -> BodyPose {
        BodyPose {
            x: self.x + other.x,
            y: self.y + other.y,
            z: self.z + other.z,
            roll: self.roll + other.roll,
            pitch: self.pitch + other.pitch,
            yaw: self.yaw + other.yaw,
        }
    }

    /// In the order of its fields.
    pub fn parts(&self) -> [f64; 6] {
        [self.x, self.y, self.z, self.roll, self.pitch, self.yaw]
    }

    /// So much of the way to another.
    pub fn toward(&self, other: &BodyPose, share: f64) -> BodyPose {
        let part = |from: f64, to: f64| from + share * (to - from);
        BodyPose {
            x: part(self.x, other.x),
            y: part(self.y, other.y),
            z: part(self.z, other.z),
            roll: part(self.roll, other.roll),
            pitch: part(self.pitch, other.pitch),
            yaw: part(self.yaw, other.yaw),
        }
    }

    /// From a place (m) and a unit quaternion, each within what parameters allow; nothing when a part is no number or no turn.
    pub fn bounded(place: [f64; 3], quaternion: [f64; 4]) -> Option<BodyPose> {
        let turn = Quaternion::new(quaternion[3], quaternion[0], quaternion[1], quaternion[2]);
        let is_good = place.iter().all(|part| part.is_finite()) && turn.norm().is_finite();
        let turn = UnitQuaternion::try_new(turn, 1e-3).filter(|_| is_good)?;
        let (roll, pitch, yaw) = turn.euler_angles();
        let [x, y, z] = place.map(|part| part.clamp(-FARTHEST, FARTHEST));
        let [roll, pitch, yaw] = [roll, pitch, yaw].map(|part| part.clamp(-MOST_TILT, MOST_TILT));
        Some(BodyPose { x, y, z, roll, pitch, yaw })
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
