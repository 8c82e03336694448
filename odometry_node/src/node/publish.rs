//! Estimates as messages.

use super::{Node, Robot};
use crate::{Estimate, Frame, OdometryParams};
use filters_lib::BodyTwist as Twist;
use nalgebra::{Isometry3, Vector3};
use node_lib::r2r::builtin_interfaces::msg::Time;
use node_lib::r2r::gait_msgs::msg::SupportState;
use node_lib::r2r::geometry_msgs::msg as geometry;
use node_lib::r2r::nav_msgs::msg::Odometry;
use node_lib::r2r::sensor_msgs::msg::MultiDOFJointState;
use node_lib::r2r::std_msgs::msg::Header;
use node_lib::r2r::tf2_msgs::msg::TFMessage;
use node_lib::r2r::{self, Publisher};
use node_lib::{RosClock, Setup, qos};

pub struct Publishers {
    body: Publisher<MultiDOFJointState>,
    odom: Publisher<Odometry>,
    tf: Publisher<TFMessage>,
    support: Publisher<SupportState>,
    limbs: Publisher<MultiDOFJointState>,
}

impl Publishers {
    pub fn open(setup: &mut Setup<Node, OdometryParams>) -> anyhow::Result<Self> {
        Ok(Self {
            body: setup.publisher("body", qos::EVENTS)?,
            odom: setup.publisher("odom", qos::EVENTS)?,
            tf: setup.publisher("/tf", qos::EVENTS)?,
            support: setup.publisher("support_out", qos::EVENTS)?,
            limbs: setup.publisher("limb_poses", qos::EVENTS)?,
        })
    }

    /// The estimate that the robot has just made.
    pub fn publish(&self, robot: &mut Robot, params: &OdometryParams) -> r2r::Result<()> {
        let (feed, outputs) = (&robot.feed, &mut robot.outputs);
        let (estimate, (q, qd)) = (feed.estimate(), feed.posture());
        let stamp = RosClock::stamp(estimate.stamp);
        self.body.publish(&body(estimate, header(&stamp, &params.odom_frame), params))?;
        self.odom.publish(&odom(estimate, header(&stamp, &params.odom_frame), params))?;
        let mut support = SupportState {
            header: header(&stamp, &params.odom_frame),
            cycle: feed.cycle(),
            ..SupportState::default()
        };
        for leg in outputs.supports(estimate) {
            support.name.push(leg.chain.into());
            support.contact.push(leg.contact.into());
            support.support.push(leg.weight);
        }
        self.support.publish(&support)?;
        let stamped = |frame: &Frame| geometry::TransformStamped {
            header: header(&stamp, &frame.parent),
            child_frame_id: frame.child.clone(),
            transform: transform(&frame.pose),
        };
        let frames = outputs.frames(estimate, q, params);
        let transforms: Vec<_> = frames.into_iter().flatten().map(stamped).collect();
        if !transforms.is_empty() {
            self.tf.publish(&TFMessage { transforms })?;
        }
        if params.publish_limb_poses {
            let mut limbs = MultiDOFJointState {
                header: header(&stamp, &params.base_frame),
                ..MultiDOFJointState::default()
            };
            for limb in outputs.limbs(q, qd) {
                limbs.joint_names.push(limb.name.clone());
                limbs.transforms.push(transform(&limb.pose));
                limbs.twist.push(twist(&limb.twist));
            }
            self.limbs.publish(&limbs)?;
        }
        Ok(())
    }
}

fn body(estimate: &Estimate, header: Header, params: &OdometryParams) -> MultiDOFJointState {
    MultiDOFJointState {
        header,
        joint_names: vec![params.base_frame.clone()],
        transforms: vec![transform(&estimate.pose)],
        twist: vec![twist(&estimate.twist_in_odom())],
        wrench: vec![],
    }
}

fn odom(estimate: &Estimate, header: Header, params: &OdometryParams) -> Odometry {
    let geometry::Transform { translation: geometry::Vector3 { x, y, z }, rotation } =
        transform(&estimate.pose);
    let pose = geometry::Pose { position: geometry::Point { x, y, z }, orientation: rotation };
    // Row by row; covariances are symmetric, so columns will do.
    let covariance = estimate.pose_covariance.as_slice().to_vec();
    let twist_covariance = estimate.twist_covariance.as_slice().to_vec();
    Odometry {
        header,
        child_frame_id: params.base_frame.clone(),
        pose: geometry::PoseWithCovariance { pose, covariance },
        twist: geometry::TwistWithCovariance { twist: twist(&estimate.twist), covariance: twist_covariance },
    }
}

fn header(stamp: &Time, frame: &str) -> Header {
    Header { stamp: stamp.clone(), frame_id: frame.into() }
}

fn vector(v: Vector3<f64>) -> geometry::Vector3 {
    geometry::Vector3 { x: v.x, y: v.y, z: v.z }
}

fn transform(pose: &Isometry3<f64>) -> geometry::Transform {
    let q = &pose.rotation;
    geometry::Transform {
        translation: vector(pose.translation.vector),
        rotation: geometry::Quaternion { x: q.i, y: q.j, z: q.k, w: q.w },
    }
}

fn twist(twist: &Twist) -> geometry::Twist {
    geometry::Twist { linear: vector(twist.linear()), angular: vector(twist.angular()) }
}
