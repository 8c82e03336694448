//! Measured positions on their two topics.

use crate::bus::Reading;
use crate::posture::Posture;
use node_lib::r2r::sensor_msgs::msg::JointState;
use node_lib::{Port, RosClock, fill, fill_names};

/// `joint_states`, complete and once per cycle, and `joint_readings`, each position once.
pub struct States {
    joints: Vec<String>,
    /// What the servos said last, and when by ROS time.
    posture: Posture,
    complete: Port<JointState>,
    fresh: Port<JointState>,
}

impl States {
    pub fn new(joints: Vec<String>, mut complete: Port<JointState>, mut fresh: Port<JointState>) -> States {
        // The first messages lack joints that were not read yet.
        complete.reserve(|state| {
            fill_names(&mut state.name, joints.iter().map(String::as_str));
            for array in [&mut state.position, &mut state.velocity, &mut state.effort] {
                array.resize(joints.len(), 0.0);
            }
        });
        // One joint at a time, whose names differ in length.
        let longest = joints.iter().max_by_key(|name| name.len()).cloned();
        fresh.reserve(|state| {
            state.name.extend(longest);
            for array in [&mut state.position, &mut state.velocity, &mut state.effort] {
                array.push(0.0);
            }
        });
        States { posture: Posture::new(joints.len()), joints, complete, fresh }
    }

    /// A servo was read at this time.
    pub fn reading(&mut self, reading: &Reading, at: i64) {
        let (Some(name), m) = (self.joints.get(reading.servo), reading.measured) else { return };
        self.posture.reading(reading.servo, &m, at);
        self.fresh.send(|state| {
            state.header.stamp = RosClock::stamp(at);
            fill_names(&mut state.name, [name.as_str()]);
            for (array, value) in [
                (&mut state.position, m.position),
                (&mut state.velocity, m.velocity),
                (&mut state.effort, m.effort),
            ] {
                fill(array, &[value]);
            }
        });
    }

    /// A cycle has begun: the joints as they were at one moment.
    pub fn cycle(&mut self, now: i64) {
        let Some(moment) = self.posture.meet(now) else { return };
        let (joints, posture) = (&self.joints, &self.posture);
        self.complete.send(|state| {
            state.header.stamp = RosClock::stamp(moment);
            let known =
                || joints.iter().enumerate().filter_map(|(n, name)| Some((name, posture.at_moment(n, now)?)));
            fill_names(&mut state.name, known().map(|(name, _)| name.as_str()));
            state.position.clear();
            state.position.extend(known().map(|(_, sample)| sample.position));
            state.velocity.clear();
            state.velocity.extend(known().map(|(_, sample)| sample.velocity));
            state.effort.clear();
            state.effort.extend(known().map(|(_, sample)| sample.effort));
        });
    }
}
