//! The robot that the node knows, and messages about its body.

use anyhow::Context as _;
use filters_lib::Twist;
use nalgebra::{Isometry3, Quaternion, UnitQuaternion, Vector3};
use node_lib::r2r::geometry_msgs::msg as geometry;
use node_lib::r2r::sensor_msgs::msg::MultiDOFJointState;
use odometry_node::{Body, Feed, OdometryParams, Refused};
use robot_model_lib::{Kinematics, LinkPoses, RobotModel};

/// A robot and its odometry.
pub struct Robot {
    /// The URDF that it was made of.
    pub description: String,
    pub model: RobotModel,
    pub feed: Feed,
    pub links: LinkPoses,
    pub limbs: Kinematics,
    /// Joint messages that were used.
    pub cycles: u64,
}

impl Robot {
    pub fn new(description: &str, params: &OdometryParams) -> anyhow::Result<Self> {
        let config = params.robot.0.config()?;
        let model = RobotModel::from_urdf(description, &config).context("robot_description")?;
        Ok(Self {
            description: description.into(),
            feed: Feed::new(&model, params)?,
            links: LinkPoses::new(&model),
            limbs: Kinematics::new(&model),
            model,
            cycles: 0,
        })
    }

    pub fn summary(&self) -> String {
        let legs = self.feed.estimate().legs.len();
        format!("robot \"{}\": {legs} legs, {} joints", self.model.name(), self.model.joints().len())
    }
}

/// A quaternion of length one, or nearly so.
fn rotation(q: &geometry::Quaternion) -> Result<UnitQuaternion<f64>, Refused> {
    let q = Quaternion::new(q.w, q.x, q.y, q.z);
    let norm = q.norm();
    if (norm - 1.0).abs() < 1e-3 {
        Ok(UnitQuaternion::new_normalize(q))
    } else {
        Err(Refused::NotUnit { norm })
    }
}

fn finite(name: &str, what: &'static str, numbers: &[f64]) -> Result<(), Refused> {
    if numbers.iter().all(|number| number.is_finite()) {
        Ok(())
    } else {
        Err(Refused::NotFinite { name: name.into(), what })
    }
}

fn frame(found: &str, params: &OdometryParams) -> Result<(), Refused> {
    if found.is_empty() || found == params.odom_frame {
        Ok(())
    } else {
        Err(Refused::Frame { found: found.into(), wanted: params.odom_frame.clone() })
    }
}

/// A pose in the odom frame.
pub fn placed(
    frame_id: &str,
    pose: &geometry::Pose,
    params: &OdometryParams,
) -> Result<Isometry3<f64>, Refused> {
    frame(frame_id, params)?;
    let place = Vector3::new(pose.position.x, pose.position.y, pose.position.z);
    finite(&params.base_frame, "position", place.as_slice())?;
    Ok(Isometry3::from_parts(place.into(), rotation(&pose.orientation)?))
}

/// What a message says of the base.
pub fn body_of(message: &MultiDOFJointState, params: &OdometryParams) -> Result<Body, Refused> {
    frame(&message.header.frame_id, params)?;
    let names = message.joint_names.len();
    let lengths =
        |what, found| if found == names { Ok(()) } else { Err(Refused::Lengths { what, found, names }) };
    lengths("transforms", message.transforms.len())?;
    if !message.twist.is_empty() {
        lengths("twist", message.twist.len())?;
    }
    let base = &params.base_frame;
    let no_body = || Refused::NoBody { name: base.clone(), found: message.joint_names.join(", ") };
    let at = message.joint_names.iter().position(|name| name == base).ok_or_else(no_body)?;
    let transform = message.transforms.get(at).ok_or_else(no_body)?;
    let place = Vector3::new(transform.translation.x, transform.translation.y, transform.translation.z);
    finite(base, "translation", place.as_slice())?;
    let vector = |v: &geometry::Vector3| Vector3::new(v.x, v.y, v.z);
    let twist = message.twist.get(at).map(|twist| Twist::new(vector(&twist.linear), vector(&twist.angular)));
    if let Some(twist) = &twist {
        finite(base, "twist", twist.0.as_slice())?;
    }
    Ok(Body { pose: Isometry3::from_parts(place.into(), rotation(&transform.rotation)?), twist })
}
