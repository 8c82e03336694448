//! Estimates as the messages that the node would publish.

use super::output::Entry;
use crate::{Estimate, OdometryParams, Outputs, numbers};
use bag_lib::Writer;

/// Makes one message at a time, in the same room.
pub(crate) struct Messages {
    cdr: Writer,
    outputs: Outputs,
    params: OdometryParams,
    /// Frames of the ground and of the base, as others know them.
    odom: String,
    base: String,
}

impl Messages {
    pub(crate) fn new(outputs: Outputs, params: OdometryParams) -> Self {
        let prefixed = |frame: &String| format!("{}{frame}", params.robot.0.frame_prefix);
        let (odom, base) = (prefixed(&params.odom_frame), prefixed(&params.base_frame));
        Self { cdr: Writer::default(), outputs, params, odom, base }
    }

    /// The message that was made last.
    pub(crate) fn message(&self) -> &[u8] {
        self.cdr.message()
    }

    pub(crate) fn body(&mut self, estimate: &Estimate) {
        let cdr = self.cdr.begin().header(estimate.stamp, &self.odom);
        cdr.u32(1).text(&self.params.base_frame);
        cdr.u32(1).f64s(&numbers(&estimate.pose));
        cdr.u32(1).f64s(estimate.twist_in_odom().0.as_slice()).u32(0);
    }

    pub(crate) fn odom(&mut self, estimate: &Estimate) {
        let cdr = self.cdr.begin().header(estimate.stamp, &self.odom);
        cdr.text(&self.base);
        cdr.f64s(&numbers(&estimate.pose)).f64s(estimate.pose_covariance.as_slice());
        cdr.f64s(estimate.twist.0.as_slice()).f64s(estimate.twist_covariance.as_slice());
    }

    /// The number of transforms.
    pub(crate) fn tf(&mut self, entry: &Entry) -> usize {
        let frames = self.outputs.frames(&entry.estimate, &entry.q, &self.params);
        let count = frames.iter().map(|frames| frames.len()).sum();
        let cdr = self.cdr.begin().u32(count as u32);
        for frame in frames.into_iter().flatten() {
            let prefix = &self.params.robot.0.frame_prefix;
            let [parent, child] = [&frame.parent, &frame.child].map(|name| prefix.clone() + name);
            cdr.header(entry.estimate.stamp, &parent).text(&child).f64s(&numbers(&frame.pose));
        }
        count
    }

    pub(crate) fn support(&mut self, entry: &Entry) {
        let legs = self.outputs.supports(&entry.estimate);
        let count = legs.len() as u32;
        let cdr = self.cdr.begin().header(entry.estimate.stamp, &self.odom);
        cdr.u32(entry.cycle).u32(count);
        legs.clone().for_each(|leg| {
            cdr.text(leg.chain);
        });
        cdr.u32(count);
        legs.clone().for_each(|leg| {
            cdr.text(leg.contact);
        });
        cdr.u32(count);
        legs.for_each(|leg| {
            cdr.f64s(&[leg.weight]);
        });
    }

    /// Whether it is written.
    pub(crate) fn limbs(&mut self, entry: &Entry) -> bool {
        if !self.params.publish_limb_poses {
            return false;
        }
        let limbs = self.outputs.limbs(&entry.q, &entry.qd);
        let count = limbs.len() as u32;
        let cdr = self.cdr.begin().header(entry.estimate.stamp, &self.base).u32(count);
        for limb in limbs {
            cdr.text(&limb.name);
        }
        cdr.u32(count);
        for limb in limbs {
            cdr.f64s(&numbers(&limb.pose));
        }
        cdr.u32(count);
        for limb in limbs {
            cdr.f64s(limb.twist.0.as_slice());
        }
        cdr.u32(0);
        true
    }
}
