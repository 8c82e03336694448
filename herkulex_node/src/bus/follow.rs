//! Goals: which are followed, and what happens when they stop.

use super::machine::{Bus, Event};
use super::path::Goal;
use super::servo::Servo;
use super::torque::Standing;
use super::watchdog::{Watch, Watchdog};
use super::{Ns, ns};

/// One joint of a message of goals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GoalPoint {
    /// The servo, by index.
    pub servo: usize,
    /// Of the joint, rad.
    pub position: f64,
    /// Time to get there, s; not a positive number stands for the default.
    pub playtime: f64,
    /// When the goal was made, on the clock of the messages, ns; 0 if that is not told.
    pub stamp: Ns,
    /// Whether somebody commands this joint; else the goal is only the continuation of an older one.
    pub alive: bool,
}

impl Bus {
    /// Goals have come, `clock` being now on the clock of their stamps. Joints that are not named keep theirs; what is no
    /// number, or too old when it comes, is left out.
    pub fn goals(&mut self, now: Ns, clock: Ns, points: impl IntoIterator<Item = GoalPoint>) {
        self.wire.window.goals += 1;
        self.wire.window.overtaken += u64::from(self.scheduler.fresh);
        for point in points {
            self.goal(now, clock, point);
        }
    }

    fn goal(&mut self, now: Ns, clock: Ns, point: GoalPoint) {
        let tuning = self.config.tuning;
        let Some(servo) = self.servos.get_mut(point.servo) else { return };
        let Some(position) = servo.joint.limit(point.position).filter(|_| is_watched(servo)) else { return };
        // A stamp that does not move is one message over and over, however new it looks.
        let repeated = point.stamp != 0 && point.stamp == servo.last_stamp;
        // What was overtaken on its way is not gone back to; but a clock that was set back begins anew.
        if point.stamp != 0 && point.stamp < servo.last_stamp && servo.last_stamp <= clock {
            self.wire.window.stale += 1;
            return;
        }
        if point.stamp != 0 {
            servo.last_stamp = point.stamp;
        }
        let age = if point.stamp == 0 { 0 } else { clock.saturating_sub(point.stamp) };
        let timeout = ns(tuning.goal_timeout);
        if timeout > 0 && age >= timeout {
            self.wire.window.stale += 1;
            return;
        }
        let alive = point.alive && !repeated;
        // A joint that nobody commands any more goes on for as long as its watchdog allows, and begins nothing.
        if !alive && servo.watchdog.watch() != Watch::Following {
            return;
        }
        let playtime = if point.playtime > 0.0 { point.playtime } else { tuning.playtime };
        servo.path.set(Goal { position, arrival: now.saturating_add(ns(playtime)) });
        self.scheduler.goals(now, &tuning);
        if !alive || (servo.released && !tuning.resume) {
            return;
        }
        if servo.watchdog.feed(now.saturating_sub(age)) {
            // Goals that come back may be far from where the joint waits.
            servo.path.approach();
            self.events.push_back(Event::Follow(point.servo));
            if std::mem::take(&mut servo.released) {
                self.apply(now, point.servo);
            }
        }
    }

    /// Follows the age of each joint's goals.
    pub(super) fn watch(&mut self, now: Ns) {
        let tuning = self.config.tuning;
        let (timeout, release_after) = (ns(tuning.goal_timeout), ns(tuning.release_after));
        for i in 0..self.servos.len() {
            let servo = &mut self.servos[i];
            if !is_watched(servo) {
                continue;
            }
            match servo.watchdog.check(now, timeout, release_after) {
                Some(Watch::Holding) => {
                    servo.path.stop(now);
                    self.events.push_back(Event::Hold(i));
                }
                Some(Watch::Released) => {
                    servo.released = true;
                    self.events.push_back(Event::Release(i));
                    self.apply(now, i);
                }
                _ => {}
            }
        }
    }

    pub(super) fn watch_due(&self) -> Ns {
        let tuning = &self.config.tuning;
        let (timeout, release_after) = (ns(tuning.goal_timeout), ns(tuning.release_after));
        let watched = self.servos.iter().filter(|s| is_watched(s));
        watched.map(|s| s.watchdog.due(timeout, release_after)).min().unwrap_or(Ns::MAX)
    }

    /// A servo got torque: it stays where it is until goals come, and goes to them gently.
    pub(super) fn engaged(&mut self, i: usize, now: Ns) {
        let servo = &mut self.servos[i];
        let here = servo.measured.map_or(servo.path.at(now), |m| m.position);
        servo.path.hold(here, now);
        if servo.watchdog.watch() != Watch::Following {
            servo.watchdog = Watchdog::armed(now);
        }
    }
}

/// Only a joint that shall follow goals is watched.
fn is_watched(servo: &Servo) -> bool {
    servo.order == Some(Standing::On)
}
