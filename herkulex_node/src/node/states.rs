//! Measured positions on their two topics.

use crate::bus::{Measured, Reading};
use node_lib::r2r::sensor_msgs::msg::JointState;
use node_lib::{Port, RosClock, fill, fill_names};

/// A joint that was not read for so long is left out of `joint_states`, ns.
const FORGOTTEN: i64 = 1_000_000_000;

/// `joint_states`, complete and once per cycle, and `joint_readings`, each position once.
pub struct States {
    joints: Vec<String>,
    /// What each servo said last, and when by ROS time, ns.
    last: Vec<Option<(Measured, i64)>>,
    /// Times of the joints in a message, for their middle.
    times: Vec<i64>,
    stamp: i64,
    complete: Port<JointState>,
    fresh: Port<JointState>,
}

impl States {
    pub fn new(joints: Vec<String>, complete: Port<JointState>, mut fresh: Port<JointState>) -> States {
        let n = joints.len();
        // One joint at a time, whose names differ in length.
        let longest = joints.iter().max_by_key(|name| name.len()).cloned();
        fresh.reserve(|state| {
            state.name.extend(longest);
            for array in [&mut state.position, &mut state.velocity, &mut state.effort] {
                array.push(0.0);
            }
        });
        States { joints, last: vec![None; n], times: Vec::with_capacity(n), stamp: 0, complete, fresh }
    }

    /// A servo was read at this time.
    pub fn reading(&mut self, reading: &Reading, at: i64) {
        let (Some(name), m) = (self.joints.get(reading.servo), reading.measured) else { return };
        self.last[reading.servo] = Some((m, at));
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

    /// A cycle has begun. One stamp cannot be right for joints that were read one after another; the middle one of their
    /// times is off by half a round at the most, either way, and one lost servo does not drag it back.
    pub fn cycle(&mut self, now: i64) {
        self.times.clear();
        let known = |last: &Option<(Measured, i64)>| last.filter(|(_, at)| now - at < FORGOTTEN);
        self.times.extend(self.last.iter().filter_map(known).map(|(_, at)| at));
        if self.times.is_empty() {
            return;
        }
        if self.stamp > now {
            // The clock was set back, or a simulation began anew.
            self.stamp = 0;
        }
        let middle = self.times.len() / 2;
        self.stamp = self.stamp.max(*self.times.select_nth_unstable(middle).1);
        let (joints, last, stamp) = (&self.joints, &self.last, self.stamp);
        self.complete.send(|state| {
            state.header.stamp = RosClock::stamp(stamp);
            let named = joints.iter().zip(last).filter(|(_, l)| known(l).is_some());
            fill_names(&mut state.name, named.map(|(name, _)| name.as_str()));
            let measured = || last.iter().filter_map(known).map(|(m, _)| m);
            state.position.clear();
            state.position.extend(measured().map(|m| m.position));
            state.velocity.clear();
            state.velocity.extend(measured().map(|m| m.velocity));
            state.effort.clear();
            state.effort.extend(measured().map(|m| m.effort));
        });
    }
}
