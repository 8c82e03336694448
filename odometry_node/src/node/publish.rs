//! Estimates as messages.

use super::{OdometryNode, Robot};
use crate::{Estimate, Frame, OdometryParams};
use nalgebra::{Isometry3, Vector3, Vector6};
use node_lib::r2r::builtin_interfaces::msg::Time;
use node_lib::r2r::gait_msgs::msg::SupportState;
use node_lib::r2r::geometry_msgs::msg as geometry;
use node_lib::r2r::nav_msgs::msg::Odometry;
use node_lib::r2r::sensor_msgs::msg::MultiDOFJointState;
use node_lib::r2r::std_msgs::msg::Header;
use node_lib::r2r::tf2_msgs::msg::TFMessage;
use node_lib::{Port, RosClock, Setup, fill, fill_names, qos};

pub struct Outgoing {
    body: Port<MultiDOFJointState>,
    odom: Port<Odometry>,
    tf: Port<TFMessage>,
    support: Port<SupportState>,
    limbs: Port<MultiDOFJointState>,
}

impl Outgoing {
    pub fn open(setup: &mut Setup<OdometryNode>) -> anyhow::Result<Self> {
        Ok(Self {
            body: setup.port("body", qos::EVENTS)?,
            odom: setup.port("odom", qos::EVENTS)?,
            tf: setup.port("/tf", qos::EVENTS)?,
            support: setup.port("support_out", qos::EVENTS)?,
            limbs: setup.port("limb_poses", qos::EVENTS)?,
        })
    }

    /// The estimate that the robot has just made.
    pub fn send(&mut self, robot: &mut Robot, params: &OdometryParams) {
        let (feed, outputs) = (&robot.feed, &mut robot.outputs);
        let (estimate, (q, qd)) = (feed.estimate(), feed.posture());
        let stamp = RosClock::stamp(estimate.stamp);
        self.body.send(|message| body(message, estimate, &stamp, params));
        self.odom.send(|message| odom(message, estimate, &stamp, params));
        self.support.send(|message| {
            header(&mut message.header, &stamp, params, &params.odom_frame);
            message.cycle = feed.cycle();
            let legs = outputs.supports(estimate);
            fill_names(&mut message.name, legs.clone().map(|leg| leg.chain));
            fill_names(&mut message.contact, legs.clone().map(|leg| leg.contact));
            message.support.clear();
            message.support.extend(legs.map(|leg| leg.weight));
        });
        let frames = outputs.frames(estimate, q, params);
        if frames.iter().any(|frames| !frames.is_empty()) {
            self.tf.send(|message| {
                message.transforms.resize_with(frames.iter().map(|f| f.len()).sum(), Default::default);
                for (transform, frame) in message.transforms.iter_mut().zip(frames.into_iter().flatten()) {
                    stamped(transform, frame, &stamp, params);
                }
            });
        }
        if params.publish_limb_poses {
            let limbs = outputs.limbs(q, qd);
            self.limbs.send(|message| {
                header(&mut message.header, &stamp, params, &params.base_frame);
                fill_names(&mut message.joint_names, limbs.iter().map(|limb| limb.name.as_str()));
                message.transforms.clear();
                message.transforms.extend(limbs.iter().map(|limb| transform(&limb.pose)));
                message.twist.clear();
                message.twist.extend(limbs.iter().map(|limb| twist(&limb.twist.0)));
            });
        }
    }
}

fn stamped(message: &mut geometry::TransformStamped, frame: &Frame, stamp: &Time, params: &OdometryParams) {
    header(&mut message.header, stamp, params, &frame.parent);
    prefixed(&mut message.child_frame_id, params, &frame.child);
    message.transform = transform(&frame.pose);
}

fn body(message: &mut MultiDOFJointState, estimate: &Estimate, stamp: &Time, params: &OdometryParams) {
    header(&mut message.header, stamp, params, &params.odom_frame);
    fill_names(&mut message.joint_names, [params.base_frame.as_str()]);
    fill(&mut message.transforms, &[transform(&estimate.pose)]);
    fill(&mut message.twist, &[twist(&estimate.twist_in_odom().0)]);
}

fn odom(message: &mut Odometry, estimate: &Estimate, stamp: &Time, params: &OdometryParams) {
    let geometry::Transform { translation: geometry::Vector3 { x, y, z }, rotation } =
        transform(&estimate.pose);
    header(&mut message.header, stamp, params, &params.odom_frame);
    prefixed(&mut message.child_frame_id, params, &params.base_frame);
    message.pose.pose = geometry::Pose { position: geometry::Point { x, y, z }, orientation: rotation };
    message.twist.twist = twist(&estimate.twist.0);
    // Row by row; covariances are symmetric, so columns will do.
    fill(&mut message.pose.covariance, estimate.pose_covariance.as_slice());
    fill(&mut message.twist.covariance, estimate.twist_covariance.as_slice());
}

fn header(header: &mut Header, stamp: &Time, params: &OdometryParams, frame: &str) {
    header.stamp = stamp.clone();
    prefixed(&mut header.frame_id, params, frame);
}

/// A frame as others know it. Without an allocation once it has been as long.
fn prefixed(own: &mut String, params: &OdometryParams, frame: &str) {
    own.clear();
    own.push_str(&params.robot.0.frame_prefix);
    own.push_str(frame);
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

/// Linear, then angular, in whichever axes the message has them.
fn twist(rates: &Vector6<f64>) -> geometry::Twist {
    let part = |from: usize| vector(rates.fixed_rows::<3>(from).into());
    geometry::Twist { linear: part(0), angular: part(3) }
}
