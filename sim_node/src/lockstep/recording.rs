//! A walk as a bag: what a recording of the running robot would have, and the truth.

use super::Lockstep;
use crate::{ImuSample, Truth};
use bag_lib::{Bag, Topic, Writer, schemas};
use std::path::{Path, PathBuf};

const JOINTS: &str = "sensor_msgs/msg/JointState";
const ODOM: &str = "nav_msgs/msg/Odometry";
const SUPPORT: &str = "gait_msgs/msg/SupportState";

/// A recording being made, cycle by cycle. The same walk gives the same file, byte for byte.
pub struct Recording {
    bag: Bag,
    cdr: Writer,
    topics: [Topic; 8],
}

impl Recording {
    /// Begins an mcap file; what is there already is left alone.
    pub fn create(path: &Path) -> anyhow::Result<Recording> {
        let topics = [
            Topic::new("/joints", JOINTS, schemas::joint_state()),
            Topic::new("/support", SUPPORT, schemas::support()),
            Topic::new("/joint_states", JOINTS, schemas::joint_state()),
            Topic::new("/imu", "sensor_msgs/msg/Imu", schemas::imu()),
            Topic::new("/truth/odom", ODOM, schemas::odometry()),
            Topic::new("/truth/joint_states", JOINTS, schemas::joint_state()),
            Topic::new("/truth/contacts", SUPPORT, schemas::support()),
            Topic::new("/truth/forces", "sensor_msgs/msg/MultiDOFJointState", schemas::multi_dof()),
        ];
        Ok(Recording { bag: Bag::create(path, "gaitway robot_lockstep")?, cdr: Writer::default(), topics })
    }

    /// Writes how the robot is at the end of a cycle.
    pub fn take(&mut self, robot: &Lockstep) -> anyhow::Result<()> {
        let now = robot.stamp();
        for (stamp, sample) in robot.inertial() {
            self.imu(robot.imu_link(), *stamp, sample, robot.imu_variances());
            self.write(3, now)?;
        }
        let (names, commanded) = robot.commanded();
        self.joints(now, names, [commanded, &[], &[]]);
        self.write(0, now)?;
        let (chains, shares): (Vec<&str>, Vec<f64>) = robot.supports().unzip();
        self.supports(now, &chains, &shares);
        self.write(1, now)?;
        if let Some(stamp) = robot.measured().stamp() {
            self.joints(stamp, names, [robot.measured().positions(), &[], &[]]);
            self.write(2, now)?;
        }
        self.truth(now, robot)
    }

    fn truth(&mut self, now: i64, robot: &Lockstep) -> anyhow::Result<()> {
        let truth = robot.truth();
        let (at, q) = (truth.base.translation, truth.base.rotation);
        let velocity = q.inverse() * truth.velocity;
        self.cdr.begin().header(now, robot.world_frame()).text(robot.root());
        self.cdr.f64s(&[at.x, at.y, at.z, q.i, q.j, q.k, q.w]).f64s(&[0.0; 36]);
        self.cdr.f64s(velocity.as_slice()).f64s(truth.turning.as_slice()).f64s(&[0.0; 36]);
        self.write(4, now)?;
        let driven: Vec<&str> = robot.driven().collect();
        self.joints(now, &driven, [&truth.positions, &truth.velocities, &truth.efforts]);
        self.write(5, now)?;
        let chains: Vec<&str> = truth.feet.iter().map(|foot| foot.chain.as_str()).collect();
        self.supports(now, &chains, &truth.shares().collect::<Vec<f64>>());
        self.write(6, now)?;
        self.forces(now, robot.world_frame(), &chains, truth);
        self.write(7, now)
    }

    /// Ends the file and gives it its name.
    pub fn finish(self) -> anyhow::Result<PathBuf> {
        self.bag.finish()
    }

    /// Positions, velocities and efforts.
    fn joints<S: AsRef<str>>(&mut self, stamp: i64, names: &[S], values: [&[f64]; 3]) {
        self.cdr.begin().header(stamp, "").texts(names);
        for values in values {
            self.cdr.f64_array(values);
        }
    }

    fn supports(&mut self, stamp: i64, chains: &[&str], shares: &[f64]) {
        self.cdr.begin().header(stamp, "").u32(0).texts(chains).u32(0).f64_array(shares);
    }

    fn forces(&mut self, stamp: i64, frame: &str, chains: &[&str], truth: &Truth) {
        let count = truth.feet.len() as u32;
        self.cdr.begin().header(stamp, frame).texts(chains).u32(count);
        for foot in &truth.feet {
            self.cdr.f64s(foot.position.as_slice()).f64s(&[0.0, 0.0, 0.0, 1.0]);
        }
        self.cdr.u32(0).u32(count);
        for foot in &truth.feet {
            self.cdr.f64s(foot.force.as_slice()).f64s(foot.moment.as_slice());
        }
    }

    fn imu(&mut self, frame: &str, stamp: i64, sample: &ImuSample, (gyro, accel): (f64, f64)) {
        // It knows no orientation: −1 says so.
        let unknown = [-1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        self.cdr.begin().header(stamp, frame).f64s(&[0.0, 0.0, 0.0, 1.0]).f64s(&unknown);
        for (vector, variance) in [(sample.gyro, gyro), (sample.accel, accel)] {
            let covariance: [f64; 9] = std::array::from_fn(|i| if i % 4 == 0 { variance } else { 0.0 });
            self.cdr.f64s(vector.as_slice()).f64s(&covariance);
        }
    }

    fn write(&mut self, topic: usize, now: i64) -> anyhow::Result<()> {
        self.bag.write(topic, &self.topics[topic], now.unsigned_abs(), self.cdr.message())
    }
}
