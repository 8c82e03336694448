//! What is known of the robot at this moment: the newest of every topic, and how old it is.
//!
//! Whatever was not heard, or not lately, is left out of a [`Snapshot`]: the page shows it as unknown, not as it once was.

use crate::snapshot::{Body, Force, MotionProgress, Snapshot};
use std::collections::HashMap;

/// Joints that are kept at the most: whoever makes up names does not fill the memory.
const MOST: usize = 1000;

/// What was not heard for longer than this is unknown, s.
pub const STALE: f64 = 1.0;

/// One of the values that a joint has at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Track {
    /// Where it is wanted (`joints`).
    Commanded,
    /// What its servo was told (`goals`).
    Goal,
    /// Where its servo says it is (`joint_states`).
    Measured,
    /// Where it is, in simulation (`truth/joint_states`).
    True,
    /// How hard its servo says it pulls, N·m (`joint_states`).
    Load,
}

const TRACKS: usize = 5;

/// Something that came at a time, s.
#[derive(Clone, Debug)]
struct Heard<T> {
    at: f64,
    value: T,
}

impl<T> Heard<T> {
    fn fresh(heard: &Option<Heard<T>>, now: f64) -> Option<&T> {
        heard.as_ref().filter(|heard| now - heard.at <= STALE).map(|heard| &heard.value)
    }
}

/// The newest of everything.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    names: Vec<String>,
    /// Counts changes of the names.
    revision: u64,
    index: HashMap<String, usize>,
    tracks: [Option<Heard<Vec<f64>>>; TRACKS],
    torque: Option<Heard<Vec<Option<bool>>>>,
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
}

impl Scene {
    /// The joints, in the order of the lists; they get more until another robot comes.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Of the names: another number, other names.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Another robot: nothing is known of it.
    pub fn forget(&mut self) {
        *self = Scene { revision: self.revision + 1, ..Scene::default() };
    }

    /// Its place in the lists; none when there are too many.
    fn joint(&mut self, name: &str) -> Option<usize> {
        if let Some(&index) = self.index.get(name) {
            return Some(index);
        }
        if self.names.len() == MOST {
            return None;
        }
        self.names.push(name.into());
        self.revision += 1;
        self.index.insert(name.into(), self.names.len() - 1);
        Some(self.names.len() - 1)
    }

    /// Values of some joints; those that are not named keep theirs, NaN changes nothing.
    pub fn joints(&mut self, track: Track, names: &[String], values: &[f64], now: f64) {
        for (name, value) in names.iter().zip(values).filter(|(_, value)| value.is_finite()) {
            let Some(joint) = self.joint(name) else { continue };
            let heard = self.tracks[track as usize].get_or_insert_with(|| Heard { at: now, value: vec![] });
            if heard.value.len() <= joint {
                heard.value.resize(joint + 1, f64::NAN);
            }
            (heard.value[joint], heard.at) = (*value, now);
        }
    }

    /// What the servos are told, and how long after their cycle's start that is heard, s.
    pub fn goals(&mut self, names: &[String], targets: &[f64], age: f64, now: f64) {
        self.joints(Track::Goal, names, targets, now);
        // Goals without a stamp, or of another clock, have no age.
        self.latency = (0.0..STALE).contains(&age).then_some(Heard { at: now, value: age });
    }

    /// Which servos have torque; it is said once a second.
    pub fn torque(&mut self, names: &[String], torque: &[bool], now: f64) {
        let mut value = vec![None; self.names.len()];
        for (name, on) in names.iter().zip(torque) {
            let Some(joint) = self.joint(name) else { continue };
            value.resize(self.names.len(), None);
            value[joint] = Some(*on);
        }
        // Twice as long as others: so that a beat of a second is no silence.
        self.torque = Some(Heard { at: now + STALE, value });
    }

    /// Which chains stand.
    pub fn support(&mut self, names: &[String], support: &[f64], now: f64) {
        self.support = Some(Heard { at: now, value: pairs(names, support) });
    }

    /// Share of the weight on each foot, in simulation.
    pub fn contacts(&mut self, names: &[String], share: &[f64], now: f64) {
        self.contacts = Some(Heard { at: now, value: pairs(names, share) });
    }

    /// The body by the odometry.
    pub fn odom(&mut self, body: Body, now: f64) {
        self.odom = Some(Heard { at: now, value: body });
    }

    /// The body as it is.
    pub fn truth(&mut self, body: Body, now: f64) {
        self.truth = Some(Heard { at: now, value: body });
    }

    /// The ground's push on the feet.
    pub fn forces(&mut self, forces: Vec<Force>, now: f64) {
        self.forces = Some(Heard { at: now, value: forces });
    }

    /// Whether it fell; said once.
    pub fn fallen(&mut self, fallen: bool) {
        self.fallen = Some(fallen);
    }

    /// A cycle began.
    pub fn sync(&mut self, cycle: u32, period: f64, now: f64) {
        self.cycle = Some(Heard { at: now, value: (cycle, period) });
    }

    /// The battery's voltage, V.
    pub fn battery(&mut self, volts: f64, now: f64) {
        self.battery = Some(Heard { at: now, value: volts });
    }

    /// The stability margin, m.
    pub fn margin(&mut self, metres: f64, now: f64) {
        self.margin = Some(Heard { at: now, value: metres });
    }

    /// How far a motion is.
    pub fn motion(&mut self, motion: MotionProgress, now: f64) {
        self.motion = Some(Heard { at: now, value: motion });
    }

    /// What is known at the time `now`, s.
    pub fn snapshot(&self, now: f64) -> Snapshot<'_> {
        let track = |track: Track| Heard::fresh(&self.tracks[track as usize], now).map(Vec::as_slice);
        let cycle = Heard::fresh(&self.cycle, now);
        let truth = Heard::fresh(&self.truth, now);
        Snapshot {
            time: now,
            names: self.revision,
            cycle: cycle.map(|(cycle, _)| *cycle),
            period: cycle.map(|(_, period)| *period),
            latency: Heard::fresh(&self.latency, now).copied(),
            commanded: track(Track::Commanded),
            goal: track(Track::Goal),
            measured: track(Track::Measured),
            true_: track(Track::True),
            load: track(Track::Load),
            torque: Heard::fresh(&self.torque, now).map(Vec::as_slice),
            support: Heard::fresh(&self.support, now).map(Vec::as_slice),
            contacts: Heard::fresh(&self.contacts, now).map(Vec::as_slice),
            odom: Heard::fresh(&self.odom, now),
            truth,
            forces: Heard::fresh(&self.forces, now).map(Vec::as_slice),
            fallen: self.fallen.filter(|_| truth.is_some()),
            battery: Heard::fresh(&self.battery, now).copied().filter(|volts| volts.is_finite()),
            margin: Heard::fresh(&self.margin, now).copied().filter(|metres| metres.is_finite()),
            motion: Heard::fresh(&self.motion, now),
        }
    }
}

fn pairs(names: &[String], values: &[f64]) -> Vec<(String, f64)> {
    names.iter().cloned().zip(values.iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json, to_value};

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|n| n.to_string()).collect()
    }

    #[test]
    fn joints_keep_their_places_however_messages_name_them() {
        let mut scene = Scene::default();
        scene.joints(Track::Commanded, &names(&["a", "b"]), &[0.1, 0.2], 0.0);
        scene.joints(Track::Measured, &names(&["c", "a"]), &[3.0, f64::NAN], 0.0);
        scene.joints(Track::Measured, &names(&["b"]), &[2.000001], 0.1);
        let sent = to_value(scene.snapshot(0.1)).unwrap();
        assert_eq!(scene.names(), names(&["a", "b", "c"]));
        assert_eq!(sent["commanded"], json!([0.1, 0.2]));
        assert_eq!(sent["measured"], json!([null, 2.0, 3.0]), "what nobody measured is unknown");
        assert_eq!(sent["names"], json!(scene.revision()));
    }

    #[test]
    fn another_robot_has_other_names_though_as_many() {
        let mut scene = Scene::default();
        scene.joints(Track::Commanded, &names(&["a", "b"]), &[0.1, 0.2], 0.0);
        let before = scene.revision();
        scene.forget();
        scene.joints(Track::Commanded, &names(&["c", "d"]), &[0.3, 0.4], 0.0);
        assert_eq!(scene.names(), names(&["c", "d"]));
        assert_ne!(
            scene.revision(),
            before,
            "browsers would take the values of the new joints for those of the old"
        );
    }

    #[test]
    fn names_that_somebody_makes_up_do_not_fill_the_memory() {
        let mut scene = Scene::default();
        for k in 0..3 * MOST {
            scene.joints(Track::Measured, &[format!("joint {k}")], &[1.0], 0.0);
            scene.torque(&[format!("servo {k}")], &[true], 0.0);
        }
        assert_eq!(scene.names().len(), MOST);
        assert!(scene.snapshot(0.0).measured.unwrap().len() <= MOST);
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
}
