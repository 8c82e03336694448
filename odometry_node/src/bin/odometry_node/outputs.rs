//! What the node publishes.

use super::{Node, Robot};
use filters_lib::Twist;
use nalgebra::{Isometry3, Matrix6, UnitQuaternion};
use node_lib::r2r::builtin_interfaces::msg::Time;
use node_lib::r2r::gait_msgs::msg::SupportState;
use node_lib::r2r::geometry_msgs::msg as geometry;
use node_lib::r2r::nav_msgs::msg::Odometry;
use node_lib::r2r::sensor_msgs::msg::MultiDOFJointState;
use node_lib::r2r::std_msgs::msg::Header;
use node_lib::r2r::tf2_msgs::msg::TFMessage;
use node_lib::r2r::{self, Publisher};
use node_lib::{RosClock, Setup, qos};
use odometry_node::OdometryParams;

pub struct Outputs {
    body: Publisher<MultiDOFJointState>,
    odom: Publisher<Odometry>,
    tf: Publisher<TFMessage>,
    support: Publisher<SupportState>,
    limbs: Publisher<MultiDOFJointState>,
}

impl Outputs {
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
        robot.cycles += 1;
        let stamp = RosClock::stamp(robot.feed.estimate().stamp);
        self.body.publish(&body(robot, params, &stamp))?;
        self.odom.publish(&odom(robot, params, &stamp))?;
        self.support.publish(&support(robot, params, &stamp))?;
        let transforms = transforms(robot, params, &stamp);
        if !transforms.is_empty() {
            self.tf.publish(&TFMessage { transforms })?;
        }
        if params.publish_limb_poses {
            self.limbs.publish(&limbs(robot, params, &stamp))?;
        }
        Ok(())
    }
}

fn header(stamp: &Time, frame: &str) -> Header {
    Header { stamp: stamp.clone(), frame_id: frame.into() }
}

fn vector(v: nalgebra::Vector3<f64>) -> geometry::Vector3 {
    geometry::Vector3 { x: v.x, y: v.y, z: v.z }
}

fn quaternion(q: &UnitQuaternion<f64>) -> geometry::Quaternion {
    geometry::Quaternion { x: q.i, y: q.j, z: q.k, w: q.w }
}

fn transform(pose: &Isometry3<f64>) -> geometry::Transform {
    geometry::Transform { translation: vector(pose.translation.vector), rotation: quaternion(&pose.rotation) }
}

fn twist(twist: &Twist) -> geometry::Twist {
    geometry::Twist { linear: vector(twist.linear()), angular: vector(twist.angular()) }
}

/// Row by row; a covariance is symmetric, so columns will do.
fn rows(covariance: &Matrix6<f64>) -> Vec<f64> {
    covariance.as_slice().to_vec()
}

fn body(robot: &Robot, params: &OdometryParams, stamp: &Time) -> MultiDOFJointState {
    let estimate = robot.feed.estimate();
    MultiDOFJointState {
        header: header(stamp, &params.odom_frame),
        joint_names: vec![params.base_frame.clone()],
        transforms: vec![transform(&estimate.pose)],
        twist: vec![twist(&estimate.twist_in_odom())],
        wrench: vec![],
    }
}

fn odom(robot: &Robot, params: &OdometryParams, stamp: &Time) -> Odometry {
    let estimate = robot.feed.estimate();
    let place = estimate.pose.translation.vector;
    let position = geometry::Point { x: place.x, y: place.y, z: place.z };
    let pose = geometry::Pose { position, orientation: quaternion(&estimate.pose.rotation) };
    Odometry {
        header: header(stamp, &params.odom_frame),
        child_frame_id: params.base_frame.clone(),
        pose: geometry::PoseWithCovariance { pose, covariance: rows(&estimate.pose_covariance) },
        twist: geometry::TwistWithCovariance {
            twist: twist(&estimate.twist),
            covariance: rows(&estimate.twist_covariance),
        },
    }
}

fn support(robot: &Robot, params: &OdometryParams, stamp: &Time) -> SupportState {
    let mut message = SupportState {
        header: header(stamp, &params.odom_frame),
        cycle: robot.feed.cycle(),
        ..SupportState::default()
    };
    for leg in &robot.feed.estimate().legs {
        let chain = &robot.model.chains()[leg.chain];
        let contact = leg.footing.map(|footing| footing.contact).or(chain.default_contact);
        message.name.push(chain.name.clone());
        message.contact.push(contact.map_or_else(String::new, |at| robot.model.contacts()[at].name.clone()));
        message.support.push(leg.footing.map_or(0.0, |footing| footing.weight));
    }
    message
}

fn transforms(robot: &mut Robot, params: &OdometryParams, stamp: &Time) -> Vec<geometry::TransformStamped> {
    let estimate = robot.feed.estimate();
    let stamped = |parent: &str, child: &str, pose: &Isometry3<f64>| geometry::TransformStamped {
        header: header(stamp, parent),
        child_frame_id: child.into(),
        transform: transform(pose),
    };
    let mut transforms = vec![];
    if params.publish_tf {
        transforms.push(stamped(&params.odom_frame, &params.base_frame, &estimate.pose));
    }
    if params.publish_footprint {
        transforms.push(stamped(&params.odom_frame, "base_footprint", &estimate.footprint()));
    }
    if params.publish_link_tf {
        robot.links.update(robot.feed.posture().0);
        let names: Vec<&str> = robot.model.link_names().collect();
        for (link, name) in names.iter().enumerate() {
            let Some(parent) = robot.model.parent_link(link) else { continue };
            let pose = robot.links.pose(parent).inverse() * robot.links.pose(link);
            let pose =
                Isometry3::from_parts(pose.translation, UnitQuaternion::from_rotation_matrix(&pose.rotation));
            let parent = if parent == 0 { params.base_frame.as_str() } else { names[parent] };
            transforms.push(stamped(parent, name, &pose));
        }
    }
    transforms
}

fn limbs(robot: &mut Robot, params: &OdometryParams, stamp: &Time) -> MultiDOFJointState {
    let (q, qd) = robot.feed.posture();
    robot.limbs.update(q);
    let mut message =
        MultiDOFJointState { header: header(stamp, &params.base_frame), ..MultiDOFJointState::default() };
    for (chain, limb) in robot.model.chains().iter().enumerate() {
        let frame = robot.limbs.contact_frame(chain);
        let pose =
            Isometry3::from_parts(frame.translation, UnitQuaternion::from_rotation_matrix(&frame.rotation));
        let motion = robot.limbs.contact_twist(chain, qd);
        message.joint_names.push(limb.name.clone());
        message.transforms.push(transform(&pose));
        message.twist.push(twist(&Twist::new(motion.linear, motion.angular)));
    }
    message
}
