//! A walk as a bag: what a recording of the running robot would have, and the truth.

use super::Lockstep;
use crate::ImuSample;
use bag_lib::{Bag, Topic, Writer, schemas};
use std::path::{Path, PathBuf};

const JOINTS: &str = "sensor_msgs/msg/JointState";
const ODOM: &str = "nav_msgs/msg/Odometry";

/// A recording being made, cycle by cycle. The same walk gives the same file, byte for byte.
pub struct Recording {
    bag: Bag,
    cdr: Writer,
    topics: [Topic; 6],
}

impl Recording {
    /// Begins an mcap file; what is there already is left alone.
    pub fn create(path: &Path) -> anyhow::Result<Recording> {
        let topics = [
            Topic::new("/joints", JOINTS, schemas::joint_state()),
            Topic::new("/support", "gait_msgs/msg/SupportState", schemas::support()),
            Topic::new("/joint_states", JOINTS, schemas::joint_state()),
            Topic::new("/imu", "sensor_msgs/msg/Imu", schemas::imu()),
            Topic::new("/truth/odom", ODOM, schemas::odometry()),
            Topic::new("/truth/joint_states", JOINTS, schemas::joint_state()),
        ];
        Ok(Recording { bag: Bag::create(path, "gaitway robot_lockstep")?, cdr: Writer::default(), topics })
    }

    /// Writes how the robot is at the end of a cycle.
    pub fn take(&mut self, robot: &Lockstep) -> anyhow::Result<()> {
        let now = robot.stamp();
        for (stamp, sample) in robot.inertial() {
            self.imu(robot.imu_link(), *stamp, sample);
            self.write(3, now)?;
        }
        let (names, commanded) = robot.commanded();
        self.joints(now, names, commanded, &[]);
        self.write(0, now)?;
        let (chains, shares): (Vec<&str>, Vec<f64>) = robot.supports().unzip();
        self.cdr.begin().header(now, "").u32(0).texts(&chains).u32(0).f64_array(&shares);
        self.write(1, now)?;
        if let Some(stamp) = robot.measured().stamp() {
            self.joints(stamp, names, robot.measured().positions(), &[]);
            self.write(2, now)?;
        }
        let truth = robot.truth();
        let (at, q) = (truth.base.translation, truth.base.rotation);
        let velocity = q.inverse() * truth.velocity;
        self.cdr.begin().header(now, "world").text("base_link");
        self.cdr.f64s(&[at.x, at.y, at.z, q.i, q.j, q.k, q.w]).f64s(&[0.0; 36]);
        self.cdr.f64s(velocity.as_slice()).f64s(truth.turning.as_slice()).f64s(&[0.0; 36]);
        self.write(4, now)?;
        let driven: Vec<&str> = robot.driven().collect();
        self.joints(now, &driven, &truth.positions, &truth.efforts);
        self.write(5, now)
    }

    /// Ends the file and gives it its name.
    pub fn finish(self) -> anyhow::Result<PathBuf> {
        self.bag.finish()
    }

    fn joints<S: AsRef<str>>(&mut self, stamp: i64, names: &[S], positions: &[f64], efforts: &[f64]) {
        self.cdr.begin().header(stamp, "").texts(names);
        self.cdr.f64_array(positions).f64_array(&[]).f64_array(efforts);
    }

    fn imu(&mut self, frame: &str, stamp: i64, sample: &ImuSample) {
        // It knows no orientation: −1 says so.
        let unknown = [-1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        self.cdr.begin().header(stamp, frame).f64s(&[0.0, 0.0, 0.0, 1.0]).f64s(&unknown);
        for vector in [sample.gyro, sample.accel] {
            self.cdr.f64s(vector.as_slice()).f64s(&[0.0; 9]);
        }
    }

    fn write(&mut self, topic: usize, now: i64) -> anyhow::Result<()> {
        self.bag.write(topic, &self.topics[topic], now.unsigned_abs(), self.cdr.message())
    }
}
