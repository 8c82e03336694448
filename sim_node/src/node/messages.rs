//! Truth and IMU as messages.

use super::RobotSim;
use crate::params::RobotSimParams;
use crate::{ImuSample, Truth};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use node_lib::r2r::gait_msgs::msg::SupportState;
use node_lib::r2r::geometry_msgs::msg::{Point, Quaternion, Transform, Twist, Vector3 as Vector, Wrench};
use node_lib::r2r::nav_msgs::msg::Odometry;
use node_lib::r2r::sensor_msgs::msg::{Imu, JointState, MultiDOFJointState};
use node_lib::r2r::std_msgs::msg::{Bool, Header};
use node_lib::{Background, RosClock, Setup, qos};

/// Where truth goes; from any thread.
#[derive(Clone)]
pub(super) struct Ports {
    odom: Background<Odometry>,
    joints: Background<JointState>,
    contacts: Background<SupportState>,
    forces: Background<MultiDOFJointState>,
    fallen: Background<Bool>,
    imu: Background<Imu>,
    pub clock: RosClock,
    world_frame: String,
    base_frame: String,
    imu_frame: String,
}

fn vector(v: &Vector3<f64>) -> Vector {
    Vector { x: v.x, y: v.y, z: v.z }
}

fn quaternion(q: &UnitQuaternion<f64>) -> Quaternion {
    Quaternion { x: q.i, y: q.j, z: q.k, w: q.w }
}

/// A covariance of three equal and independent parts.
fn diagonal(variance: f64) -> Vec<f64> {
    (0..9).map(|i| if i % 4 == 0 { variance } else { 0.0 }).collect()
}

impl Ports {
    pub fn open(setup: &mut Setup<RobotSim>) -> anyhow::Result<Ports> {
        Ok(Ports {
            odom: setup.background("truth/odom", qos::EVENTS)?,
            joints: setup.background("truth/joint_states", qos::EVENTS)?,
            contacts: setup.background("truth/contacts", qos::EVENTS)?,
            forces: setup.background("truth/forces", qos::EVENTS)?,
            fallen: setup.background("truth/fallen", qos::LATCHED)?,
            imu: setup.background("imu", qos::EVENTS)?,
            clock: setup.clock(),
            world_frame: String::new(),
            base_frame: String::new(),
            imu_frame: String::new(),
        })
    }

    /// With the frames of a robot whose base is `root`.
    pub fn of_robot(&self, root: &str, params: &RobotSimParams) -> Ports {
        let prefixed = |frame: &str| format!("{}{frame}", params.robot.0.frame_prefix);
        Ports {
            world_frame: prefixed(&params.world_frame),
            base_frame: prefixed(root),
            imu_frame: prefixed(if params.imu_link.is_empty() { root } else { &params.imu_link }),
            ..self.clone()
        }
    }

    fn header(&self, ns: i64, frame: &str) -> Header {
        Header { stamp: RosClock::stamp(ns), frame_id: frame.into() }
    }

    pub fn tell_fallen(&self, fallen: bool) {
        self.fallen.send(Bool { data: fallen });
    }

    pub fn tell_imu(&self, ns: i64, sample: &ImuSample, (gyro, accel): (f64, f64)) {
        self.imu.send(Imu {
            header: self.header(ns, &self.imu_frame),
            // A cheap sensor knows no orientation: −1 says so.
            orientation: Quaternion { w: 1.0, ..Quaternion::default() },
            orientation_covariance: [-1.0].into_iter().chain([0.0; 8]).collect(),
            angular_velocity: vector(&sample.gyro),
            angular_velocity_covariance: diagonal(gyro),
            linear_acceleration: vector(&sample.accel),
            linear_acceleration_covariance: diagonal(accel),
        });
    }

    pub fn tell_truth(&self, ns: i64, truth: &Truth, names: &[String]) {
        let mut odom = Odometry {
            header: self.header(ns, &self.world_frame),
            child_frame_id: self.base_frame.clone(),
            ..Odometry::default()
        };
        let Isometry3 { rotation, translation } = truth.base;
        odom.pose.pose.position = Point { x: translation.x, y: translation.y, z: translation.z };
        odom.pose.pose.orientation = quaternion(&rotation);
        odom.twist.twist =
            Twist { linear: vector(&(rotation.inverse() * truth.velocity)), angular: vector(&truth.turning) };
        self.odom.send(odom);
        self.joints.send(JointState {
            header: self.header(ns, ""),
            name: names.to_vec(),
            position: truth.positions.clone(),
            velocity: truth.velocities.clone(),
            effort: truth.efforts.clone(),
        });
        let chains: Vec<String> = truth.feet.iter().map(|foot| foot.chain.clone()).collect();
        self.contacts.send(SupportState {
            header: self.header(ns, ""),
            name: chains.clone(),
            support: truth.shares().collect(),
            ..SupportState::default()
        });
        let transform = |at: &Vector3<f64>| Transform {
            translation: vector(at),
            rotation: Quaternion { w: 1.0, ..Quaternion::default() },
        };
        self.forces.send(MultiDOFJointState {
            header: self.header(ns, &self.world_frame),
            joint_names: chains,
            transforms: truth.feet.iter().map(|foot| transform(&foot.position)).collect(),
            twist: vec![],
            wrench: truth
                .feet
                .iter()
                .map(|foot| Wrench { force: vector(&foot.force), torque: vector(&foot.moment) })
                .collect(),
        });
    }
}
