//! What the bridge knows of the joints, as its `joint_states` says it.

use herkulex_node::bus::Reading;
use herkulex_node::posture::Posture;

/// The measured joints after a cycle.
#[derive(Clone, Debug)]
pub struct Measured {
    posture: Posture,
    /// Of each servo its joint in the pose.
    joint_of: Vec<usize>,
    stamp: Option<i64>,
    positions: Vec<f64>,
}

impl Measured {
    /// For servos that drive these joints of a pose with so many.
    pub(super) fn new(joint_of: Vec<usize>, joints: usize) -> Measured {
        let (posture, positions) = (Posture::new(joint_of.len()), vec![0.0; joints]);
        Measured { posture, joint_of, stamp: None, positions }
    }

    /// Takes what was read in a cycle, which ends now; the messages' clock began at `epoch`, ns.
    pub(super) fn take(&mut self, readings: impl Iterator<Item = Reading>, epoch: i64, now: i64) {
        for reading in readings {
            self.posture.reading(reading.servo, &reading.measured, epoch + reading.measured.at as i64);
        }
        self.stamp = self.posture.meet(now);
        for (servo, &joint) in self.joint_of.iter().enumerate() {
            if let Some(sample) = self.posture.at_moment(servo, now) {
                self.positions[joint] = sample.position;
            }
        }
    }

    /// The moment at which the joints were so, ns; None before the first was read.
    pub fn stamp(&self) -> Option<i64> {
        self.stamp
    }

    /// Positions in the order of the pose, rad; 0 of those that were never read.
    pub fn positions(&self) -> &[f64] {
        &self.positions
    }
}
