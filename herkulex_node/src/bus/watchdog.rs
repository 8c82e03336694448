//! Old goals: hold, then release.

use super::machine::{Bus, Event};
use super::servo::{Goal, Phase, Torque};
use super::{Ns, Release, ns};

/// What the watchdog sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// No goals have come yet: servos stay where they got torque.
    Waiting,
    /// Goals come.
    Following,
    /// Goals stopped: servos stay at the last.
    Holding,
    /// They stopped for too long: torque is released.
    Released,
}

impl Bus {
    /// Follows the age of the goals.
    pub(super) fn watch(&mut self, now: Ns) {
        let tuning = self.config.tuning;
        let (timeout, release_after) = (ns(tuning.goal_timeout), ns(tuning.release_after));
        if timeout == 0 || self.last_goals == 0 {
            return;
        }
        let age = now.saturating_sub(self.last_goals);
        if self.watch == Watch::Following && age >= timeout {
            self.watch = Watch::Holding;
            self.events.push_back(Event::Hold);
            for servo in &mut self.servos {
                // A servo that has not caught up stops where it is on its way.
                if servo.approaching {
                    servo.goal = Some(Goal { position: servo.setpoint, arrival: now, own: true });
                }
            }
        }
        if self.watch == Watch::Holding && release_after > 0 && age >= timeout + release_after {
            self.watch = Watch::Released;
            self.events.push_back(Event::Release);
            let torque = match tuning.release {
                Release::Free => Torque::Free,
                Release::Brake => Torque::Brake,
            };
            for i in 0..self.servos.len() {
                if self.servos[i].wanted == Torque::On {
                    self.released[i] = true;
                    self.set_torque(i, torque);
                }
            }
        }
    }

    /// Goals have come.
    pub(super) fn awake(&mut self, now: Ns) {
        self.last_goals = now.max(1);
        if self.watch == Watch::Released && self.config.tuning.resume {
            for i in 0..self.servos.len() {
                if std::mem::take(&mut self.released[i]) {
                    self.set_torque(i, Torque::On);
                }
            }
        }
        if self.watch != Watch::Following {
            self.events.push_back(Event::Follow);
            // Goals that come back may be far from where the servos wait.
            self.servos.iter_mut().for_each(|servo| servo.approaching = true);
        }
        self.watch = Watch::Following;
    }

    /// When the watchdog next has something to do.
    pub(super) fn watch_due(&self) -> Ns {
        let tuning = &self.config.tuning;
        let timeout = ns(tuning.goal_timeout);
        match self.watch {
            Watch::Following if timeout > 0 => self.last_goals + timeout,
            Watch::Holding if tuning.release_after > 0.0 => {
                self.last_goals + timeout + ns(tuning.release_after)
            }
            _ => Ns::MAX,
        }
    }

    /// A servo got torque: it stays where it is, or goes gently to the goal that the others follow already.
    pub(super) fn engaged(&mut self, i: usize, now: Ns) {
        let following = self.watch == Watch::Following;
        let servo = &mut self.servos[i];
        servo.enter(Phase::Ready);
        let here = servo.measured.map_or(servo.setpoint, |m| m.position);
        servo.setpoint = here;
        servo.approaching = true;
        if !following || servo.goal.is_none() {
            servo.goal = Some(Goal { position: here, arrival: now, own: true });
        }
        self.events.push_back(Event::Ready(i));
    }
}
