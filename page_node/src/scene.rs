//! What is known of the robot at this moment: the newest of every topic, and how old it is.
//!
//! Whatever was not heard, or not lately, is left out of a [`Snapshot`]: the page shows it as unknown, not as it once was.

use crate::heard::{Heard, STALE};
use crate::joint_tracks::{JointTracks, Track};
use crate::snapshot::{Body, Force, MotionProgress, Snapshot};

/// Nobody walks further than this, m; beyond it a picture has no place for it.
const FARTHEST: f64 = 1e5;

/// The newest of everything.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// What is known of every joint.
    pub joints: JointTracks,
    support: Option<Heard<Vec<(String, f64)>>>,
    contacts: Option<Heard<Vec<(String, f64)>>>,
    odom: Option<Heard<Body>>,
    truth: Option<Heard<Body>>,
    forces: Option<Heard<Vec<Force>>>,
    fallen: Option<bool>,
    cycle: Option<Heard<(u32, f64)>>,
    latency: Option<Heard<f64>>,
    battery: Option<Heard<f64>>,
    margin: Option<Heard<f64>>,
    motion: Option<Heard<MotionProgress>>,
    /// What was asked for last holds until another one is.
    pose: Option<[f64; 6]>,
}

impl Scene {
    /// Another robot: nothing is known of it.
    pub fn forget(&mut self) {
        self.joints.forget();
        *self = Scene { joints: std::mem::take(&mut self.joints), ..Scene::default() };
    }

    /// What the servos are told, and how long after their cycle's start that is heard, s.
    pub fn goals(&mut self, names: &[String], targets: &[f64], age: f64, now: f64) {
        self.joints.take(Track::Goal, names, targets, now);
        // Goals without a stamp, or of another clock, have no age.
        self.latency = (0.0..STALE).contains(&age).then_some(Heard { at: now, value: age });
    }

    /// Which chains stand.
    pub fn support(&mut self, names: &[String], support: &[f64], now: f64) {
        self.support = Heard::new(now, pairs(names, support));
    }

    /// Share of the weight on each foot, in simulation.
    pub fn contacts(&mut self, names: &[String], share: &[f64], now: f64) {
        self.contacts = Heard::new(now, pairs(names, share));
    }

    /// The body by the odometry; one that is nowhere is unknown.
    pub fn odom(&mut self, body: Body, now: f64) {
        self.odom = Heard::new(now, body).filter(|heard| is_somewhere(&heard.value));
    }

    /// The body as it is.
    pub fn truth(&mut self, body: Body, now: f64) {
        self.truth = Heard::new(now, body).filter(|heard| is_somewhere(&heard.value));
    }

    /// The ground's push on the feet.
    pub fn forces(&mut self, forces: Vec<Force>, now: f64) {
        self.forces = Heard::new(now, forces);
    }

    /// Whether it fell; said once.
    pub fn fallen(&mut self, fallen: bool) {
        self.fallen = Some(fallen);
    }

    /// A cycle began.
    pub fn sync(&mut self, cycle: u32, period: f64, now: f64) {
        self.cycle = Heard::new(now, (cycle, period));
    }

    /// The battery's voltage, V.
    pub fn battery(&mut self, volts: f64, now: f64) {
        self.battery = Heard::new(now, volts);
    }

    /// The stability margin, m.
    pub fn margin(&mut self, metres: f64, now: f64) {
        self.margin = Heard::new(now, metres);
    }

    /// How far a motion is.
    pub fn motion(&mut self, motion: MotionProgress, now: f64) {
        self.motion = Heard::new(now, motion);
    }

    /// What is added to the body's pose above its feet, by whomever: x y z, m; roll, pitch, yaw, rad.
    pub fn pose(&mut self, pose: [f64; 6]) {
        self.pose = Some(pose).filter(|pose| pose.iter().all(|x| x.is_finite()));
    }

    /// What is known at the time `now`, s.
    pub fn snapshot(&self, now: f64) -> Snapshot<'_> {
        let track = |track: Track| self.joints.of(track, now);
        let cycle = Heard::fresh(&self.cycle, now);
        let truth = Heard::fresh(&self.truth, now);
        Snapshot {
            time: now,
            names: self.joints.revision(),
            cycle: cycle.map(|(cycle, _)| *cycle),
            period: cycle.map(|(_, period)| *period),
            latency: Heard::fresh(&self.latency, now).copied(),
            commanded: track(Track::Commanded),
            goal: track(Track::Goal),
            measured: track(Track::Measured),
            true_: track(Track::True),
            load: track(Track::Load),
            torque: self.joints.holding(now),
            support: Heard::fresh(&self.support, now).map(Vec::as_slice),
            contacts: Heard::fresh(&self.contacts, now).map(Vec::as_slice),
            odom: Heard::fresh(&self.odom, now),
            truth,
            forces: Heard::fresh(&self.forces, now).map(Vec::as_slice),
            fallen: self.fallen.filter(|_| truth.is_some()),
            battery: Heard::fresh(&self.battery, now).copied().filter(|volts| volts.is_finite()),
            margin: Heard::fresh(&self.margin, now).copied().filter(|metres| metres.is_finite()),
            motion: Heard::fresh(&self.motion, now),
            pose: self.pose.as_ref(),
        }
    }
}

fn pairs(names: &[String], values: &[f64]) -> Vec<(String, f64)> {
    names.iter().cloned().zip(values.iter().copied()).collect()
}

/// Whether it can be drawn: in numbers, and not beyond the horizon.
fn is_somewhere(body: &Body) -> bool {
    let all = body.position.iter().chain(&body.orientation).chain(&body.velocity);
    all.copied().all(f64::is_finite) && body.position.iter().all(|x| x.abs() < FARTHEST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json, to_value};

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|n| n.to_string()).collect()
    }

    #[test]
    fn a_goal_is_as_late_as_its_stamp_says_and_one_without_is_not() {
        let mut scene = Scene::default();
        let mut late = |age, now, seen| {
            scene.goals(&names(&["a"]), &[0.1], age, now);
            to_value(scene.snapshot(seen)).unwrap()["latency"].clone()
        };
        assert_eq!(late(0.0025, 1.0, 1.01), json!(0.0025));
        assert_eq!(late(0.0025, 1.0, 3.0), Value::Null, "old");
        for age in [f64::NAN, -0.001, 1.7e9] {
            assert_eq!(late(age, 1.0, 1.0), Value::Null, "{age}");
        }
    }

    #[test]
    fn what_is_old_or_was_never_heard_is_unknown() {
        let mut scene = Scene::default();
        assert_eq!(to_value(scene.snapshot(5.0)).unwrap(), json!({"time": 5.0, "names": 0}));
        scene.sync(7, 0.01, 0.0);
        scene.battery(11.1, 0.5);
        scene.fallen(false);
        let at = |now| to_value(scene.snapshot(now)).unwrap();
        assert_eq!((&at(STALE)["cycle"], &at(STALE)["battery"]), (&json!(7), &json!(11.1)));
        assert_eq!((&at(STALE + 0.01)["cycle"], &at(STALE + 0.01)["battery"]), (&Value::Null, &json!(11.1)));
        assert_eq!(at(1.6), json!({"time": 1.6, "names": 0}));
    }

    #[test]
    fn a_body_that_is_nowhere_is_unknown_and_so_is_a_pose_that_is_none() {
        let body =
            |x: f64| Body { position: [x, 0.0, 0.3], orientation: [0.0, 0.0, 0.0, 1.0], velocity: [0.0; 3] };
        let mut scene = Scene::default();
        for (x, is_known) in
            [(0.1, true), (f64::NAN, false), (-1e4, true), (1e300, false), (f64::INFINITY, false)]
        {
            scene.odom(body(x), 0.0);
            scene.truth(Body { velocity: [x, 0.0, 0.0], ..body(x) }, 0.0);
            let sent = to_value(scene.snapshot(0.0)).unwrap();
            assert_eq!(
                (sent.get("odom").is_some(), sent.get("truth").is_some()),
                (is_known, is_known),
                "{x}"
            );
            scene.pose([x; 6]);
            assert_eq!(to_value(scene.snapshot(9.0)).unwrap().get("pose").is_some(), x.is_finite());
        }
    }
}
