//! What can be seen of the robot, and who may touch it.

use super::{EPOCH, Inertial, Lockstep, Measured};
use crate::{ImuSample, Truth, World};
use gait_node::Walker;

impl Lockstep {
    /// The gait, for those who want more of it than a velocity.
    pub fn gait(&mut self) -> &mut Walker {
        &mut self.walker
    }

    /// How the robot really is.
    pub fn truth(&self) -> &Truth {
        &self.truth
    }

    /// Joints as commanded, and their names.
    pub fn commanded(&self) -> (&[String], &[f64]) {
        (&self.names, self.walker.positions())
    }

    /// Names of the driven joints.
    pub fn driven(&self) -> impl Iterator<Item = &str> {
        self.joint_of.iter().map(|&joint| self.names[joint].as_str())
    }

    /// The frame that truth is given in.
    pub fn world_frame(&self) -> &str {
        &self.world_frame
    }

    /// The base's link.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// The link on which the IMU sits.
    pub fn imu_link(&self) -> &str {
        if self.imu_link.is_empty() { &self.root } else { &self.imu_link }
    }

    /// Variances of what [`Lockstep::inertial`] shows of gyro and accelerometer, per axis.
    pub fn imu_variances(&self) -> (f64, f64) {
        self.inertial.as_ref().map_or((0.0, 0.0), Inertial::variances)
    }

    /// Of each driven joint where it is commanded to be, and where it truly is.
    pub fn commanded_and_true(&self) -> impl Iterator<Item = (f64, f64)> {
        let commanded = self.joint_of.iter().map(|&joint| self.walker.positions()[joint]);
        commanded.zip(self.truth.positions.iter().copied())
    }

    /// The joints as the bridge measured them.
    pub fn measured(&self) -> &Measured {
        &self.measured
    }

    /// What the IMU showed in the last cycle, at its own rate: stamps (ns) and samples in the axes of its link.
    pub fn inertial(&self) -> &[(i64, ImuSample)] {
        self.inertial.as_ref().map_or(&[], Inertial::samples)
    }

    /// Which legs stand by the gait's plan: chains, and their share of the weight.
    pub fn supports(&self) -> impl Iterator<Item = (&str, f64)> {
        let supports = self.chains.iter().zip(self.walker.supports());
        supports.filter_map(|(chain, support)| support.map(|support| (chain.as_str(), support)))
    }

    /// The time of messages, ns: the end of the last cycle.
    pub fn stamp(&self) -> i64 {
        EPOCH + self.line.now() as i64
    }

    /// The world, for somebody who stands beside the robot.
    pub fn world(&mut self) -> &mut World {
        &mut self.line.sim.plant
    }

    /// The largest tilt since the last call, rad.
    pub fn take_tilt(&mut self) -> f64 {
        std::mem::take(&mut self.tilt)
    }
}
