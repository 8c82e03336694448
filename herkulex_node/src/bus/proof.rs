//! What an answer proves about the step that asked for it.

use super::phase::{Phase, Refusal, Verdict};
use super::reply::Asked;
use super::servo::{Measured, Servo};
use super::torque::{Found, Mark, Torque};
use super::{Joint, Ns};
use crate::codec::{Status, reg, torque};

/// A servo may stand so many counts outside its limits and still be held: the tremble of its converter.
const TREMBLE: u16 = 1;

/// Two positions in a row, within this time (ns) and so many counts, are where a servo is: one alone may be an accident that
/// the checksum does not see.
const STEADY: (Ns, u16) = (200_000_000, 4);

impl Servo {
    /// Looks at the answer to a step.
    pub(super) fn prove(&mut self, asked: &Asked, values: &[u8], status: Status) -> Verdict {
        match asked.phase {
            Phase::Greet => Verdict::Proved,
            Phase::Locate if self.steady => Verdict::Proved,
            // The checksum does not see two bytes that change alike: what is believed for long is read twice.
            Phase::Identify | Phase::Inspect | Phase::Find if !self.said_twice(asked.phase, values) => {
                Verdict::Unproved
            }
            Phase::Identify => self.identify(values),
            Phase::Inspect => self.inspect(values),
            Phase::Find => match values {
                &[torque, led] => {
                    self.found = Some(Found { torque: Torque::from_register(torque), mark: Mark(led & 7) });
                    Verdict::Proved
                }
                _ => Verdict::Unproved,
            },
            // What the line does to packets is no error of the servo.
            Phase::Settle if values == [0, 0] && status.is_minor() => Verdict::Proved,
            Phase::Seed => self.seeded(values),
            Phase::Engage if values.first() == Some(&torque::ON) && status.motor_on() => Verdict::Proved,
            Phase::Relax | Phase::Refused(_) => self.relaxed(values),
            _ => Verdict::Unproved,
        }
    }

    fn said_twice(&mut self, phase: Phase, values: &[u8]) -> bool {
        let mut said = [0; 4];
        said.iter_mut().zip(values).for_each(|(to, from)| *to = *from);
        self.witness.replace((phase, said)) == Some((phase, said))
    }

    fn identify(&self, values: &[u8]) -> Verdict {
        let &[a, b, c, d] = values else { return Verdict::Unproved };
        if [a, b] != self.config.number {
            return Verdict::Refused(Refusal::Model([a, b]));
        }
        match self.config.firmware {
            Some(version) if version != [c, d] => Verdict::Refused(Refusal::Firmware([c, d])),
            _ => Verdict::Proved,
        }
    }

    /// Position limits (14, 16). Goals stay within the servo's own: one beyond them would be refused, and the servo would
    /// stay with an older one.
    fn inspect(&mut self, values: &[u8]) -> Verdict {
        let &[low0, low1, high0, high1] = values else { return Verdict::Unproved };
        let (least, most) = (u16::from_le_bytes([low0, low1]), u16::from_le_bytes([high0, high1]));
        let (low, high) = self.config.joint.counts;
        let counts = (low.max(least), high.min(most));
        if counts.0 >= counts.1 {
            return Verdict::Refused(Refusal::Limits(least, most));
        }
        self.joint = Joint { counts, ..self.config.joint };
        Verdict::Proved
    }

    /// Compares the goal register with where the servo is. A jog may be lost on the way, and torque with an old goal is a
    /// jump, so this is asked before. The register is absolute, a jog is calibrated; the position has both.
    fn seeded(&self, values: &[u8]) -> Verdict {
        let (Some(at), Some(raw)) = (self.measured, reg::ABSOLUTE_GOAL.decode(values)) else {
            return Verdict::Unproved;
        };
        if self.seed_counts().abs_diff(at.counts) > TREMBLE {
            return Verdict::Refused(Refusal::Outside(at.counts));
        }
        let shift = i32::from(at.absolute) - i32::from(at.counts);
        let seed = i32::from(self.seed_counts()) + shift;
        let shown = i32::from(self.joint.scale.position(raw as u16));
        if (shown - seed).abs() <= 1 { Verdict::Proved } else { Verdict::Unproved }
    }

    fn relaxed(&mut self, values: &[u8]) -> Verdict {
        let (Some(wanted), &[shown, led]) = (self.fsm.wanted, values) else { return Verdict::Unproved };
        let marked = wanted.mark.is_none_or(|mark| led & 7 == mark.0);
        if wanted.mark.is_some() && marked && shown != torque::ON {
            // From here on the servo itself remembers.
            self.undelivered = false;
        }
        if shown == wanted.torque.register() && marked {
            Verdict::Proved
        } else if shown == torque::ON {
            Verdict::Unproved
        } else {
            Verdict::Slack
        }
    }

    /// Takes a position read.
    pub(super) fn locate(&mut self, values: &[u8], at: Ns, uncertainty: Ns) -> Option<Measured> {
        let joint = self.joint;
        let &[p0, p1, a0, a1, v0, v1, ref drive @ ..] = values else { return None };
        let (position, absolute) = (u16::from_le_bytes([p0, p1]), u16::from_le_bytes([a0, a1]));
        let counts = joint.scale.position(position);
        self.steady = false;
        if let Some(last) = self.measured {
            let interval = at.saturating_sub(last.at);
            self.statistics.polled(interval);
            self.steady = interval <= STEADY.0 && counts.abs_diff(last.counts) <= STEADY.1;
        }
        let velocity = joint.to_velocity(i16::from_le_bytes([v0, v1]));
        let effort = match (drive, self.supply, self.config.model.motor()) {
            (&[d0, d1, ..], Some(supply), Some(motor)) => {
                let drive = f64::from(i16::from_le_bytes([d0, d1])) / 1023.0;
                motor.torque(drive, supply.volts, velocity * joint.gear) * joint.gear
            }
            _ => f64::NAN,
        };
        let measured = Measured {
            position: joint.to_angle(position),
            velocity,
            effort,
            counts,
            absolute: joint.scale.position(absolute),
            at,
            uncertainty,
        };
        self.measured = Some(measured);
        Some(measured)
    }
}
