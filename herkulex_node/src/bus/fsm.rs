//! One servo as a state machine: a pure function from (state, input) to (state, change), and from a state to what is asked
//! next. No clock, no bytes, no other servo; the drawing is in the README.

use super::Ns;
use super::phase::{Change, Input, Phase, Refusal, Request, Verdict};
use super::torque::{Demand, Torque};
use crate::codec::Status;

/// Failed tries of one step before it counts as failed.
const TRIES: u8 = 8;
/// Tries to brake a servo that is free already before that is taken as good enough.
const BRAKE_TRIES: u8 = 3;
/// Before the first new try after a fault, ns; each further one waits twice as long.
pub const FAULT_BACK_OFF: Ns = 250_000_000;
/// Faults without a good while between them after which a servo stays off.
pub const FAULT_LIMIT: u8 = 6;
/// With torque for so long, earlier faults are forgotten, ns. Longer than the longest back-off.
pub const GOOD_WHILE: Ns = 5_000_000_000;
/// Before a servo that moves is looked at again, ns.
const LOCATE_PAUSE: Ns = 20_000_000;
/// The longest pause between two tries to take torque from a servo that keeps it, ns.
const RELAX_PAUSE: Ns = 200_000_000;

/// The state of one servo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fsm {
    /// Where it stands.
    pub phase: Phase,
    /// What its motor shall do; `None` until that is decided.
    pub wanted: Option<Demand>,
    /// What its motor was last proved to do.
    pub confirmed: Option<Torque>,
    /// Failed tries of the present step.
    pub tries: u8,
    /// Faults without a good while between them.
    pub faults: u8,
    /// Not asked anything before this.
    pub due: Ns,
    /// Since when it has torque.
    ready_since: Ns,
    /// Model, firmware and limits were read since it was last away.
    proved: bool,
    /// What a node before us left on it was read. Once is enough: from then on this one remembers.
    found: bool,
    /// A minor error is to be cleared.
    clear: bool,
    /// Whether its last status showed torque.
    motor_on: bool,
    /// Its last status said that torque was lost. The checksum sees no two bytes that change alike, so one is not believed.
    doubt: bool,
}

impl Default for Fsm {
    fn default() -> Self {
        Fsm {
            phase: Phase::Greet,
            wanted: None,
            confirmed: None,
            tries: 0,
            faults: 0,
            due: 0,
            ready_since: 0,
            proved: false,
            found: false,
            clear: false,
            motor_on: false,
            doubt: false,
        }
    }
}

impl Fsm {
    /// The next state.
    pub fn next(self, now: Ns, input: Input) -> (Fsm, Option<Change>) {
        match input {
            Input::Answer(verdict, status) => {
                Fsm { motor_on: status.motor_on(), ..self }.answered(now, verdict, status)
            }
            Input::Status(status) => Fsm { motor_on: status.motor_on(), ..self }.judged(now, status),
            // One that waits goes on by whatever is decided.
            Input::Want(demand) if self.phase == Phase::Waiting => {
                (Fsm { wanted: Some(demand), confirmed: None, ..self }.begin(now), None)
            }
            Input::Want(demand) if self.wanted == Some(demand) => (self, None),
            Input::Want(demand) => {
                let both_on = |w: Demand| w.torque == Torque::On && demand.torque == Torque::On;
                if self.wanted.is_some_and(both_on) {
                    // They differ in the mark, which every jog carries.
                    return (Fsm { wanted: Some(demand), ..self }, None);
                }
                let fsm = Fsm { wanted: Some(demand), confirmed: None, ..self };
                // One that cannot be proved stays so; what torque it has is taken from there.
                let stays = matches!(self.phase, Phase::Refused(_)) && demand.torque != Torque::On;
                (if stays { fsm } else { fsm.begin(now) }, None)
            }
            Input::Confirm if self.wanted.is_none_or(|w| w.torque == Torque::On) => (self, None),
            Input::Confirm if matches!(self.phase, Phase::Refused(_)) => {
                (Fsm { confirmed: None, ..self }, None)
            }
            Input::Confirm => (Fsm { confirmed: None, ..self }.begin(now), None),
            Input::Stale if matches!(self.phase, Phase::Seed | Phase::Engage) => {
                (Fsm { phase: Phase::Locate, ..self }, None)
            }
            Input::Again => (Fsm { proved: false, confirmed: None, ..self }.begin(now), None),
            Input::Reboot(until) => (
                Fsm { proved: false, confirmed: None, due: until, ..self.enter(Phase::Rebooting { until }) },
                None,
            ),
            Input::Clear => (Fsm { faults: 0, clear: true, ..self }.cleared(now), None),
            Input::Time => (self.passed(now), None),
            Input::Stale => (self, None),
        }
    }

    /// What to ask next.
    pub fn request(&self) -> Request {
        let off = |d: Demand| Demand { torque: Torque::Free, ..d };
        match (self.phase, self.wanted) {
            (Phase::Greet, _) => Request::Status,
            (Phase::Identify, _) => Request::Model,
            (Phase::Inspect, _) => Request::Limits,
            (Phase::Find, _) => Request::Torque,
            (Phase::Settle, _) => Request::Settle,
            (Phase::Locate, _) => Request::Position,
            (Phase::Seed, _) => Request::Seed,
            (Phase::Engage, Some(wanted)) => Request::Write(wanted, false),
            // A latched error may be why it does not do as it is told.
            (Phase::Relax, Some(wanted)) => Request::Write(wanted, self.tries > 0),
            (Phase::Faulted { .. } | Phase::Locked | Phase::Refused(_), Some(wanted)) if self.motor_on => {
                Request::Write(off(wanted), false)
            }
            (Phase::Refused(_), Some(wanted)) if wanted.torque != Torque::On && self.confirmed.is_none() => {
                Request::Write(off(wanted), false)
            }
            (Phase::Ready | Phase::Resting, _) if self.clear => Request::Clear,
            _ => Request::Watch,
        }
    }

    /// Whether it is half-way to torque, or has torque to lose, and should not be left waiting there. Bounded by its tries: one
    /// that makes no progress must not keep others waiting.
    pub fn is_urgent(&self) -> bool {
        match self.phase {
            Phase::Seed | Phase::Engage => true,
            Phase::Relax => self.tries == 0,
            _ => self.doubt,
        }
    }

    /// Whether time alone may change it.
    pub fn waits(&self) -> bool {
        match self.phase {
            Phase::Rebooting { .. } | Phase::Faulted { .. } => true,
            Phase::Ready => self.faults > 0,
            _ => false,
        }
    }

    /// Whether a minor error waits to be cleared.
    pub fn is_clearing(&self) -> bool {
        self.clear
    }

    /// Whether it is proved to be without torque as wanted, or as nearly as it lets itself be.
    pub fn is_relaxed(&self) -> bool {
        matches!(self.confirmed, Some(Torque::Free | Torque::Brake))
    }

    fn enter(self, phase: Phase) -> Fsm {
        Fsm { phase, tries: 0, due: 0, doubt: false, ..self }
    }

    /// The first step of what is wanted. What shall be without torque is made so before anything else is asked.
    fn begin(self, now: Ns) -> Fsm {
        match (self.phase, self.wanted.map(|w| w.torque)) {
            (Phase::Rebooting { until }, _) if now < until => self,
            (_, Some(Torque::Free | Torque::Brake)) => self.enter(Phase::Relax),
            (_, Some(Torque::On)) if self.faults >= FAULT_LIMIT => self.enter(Phase::Locked),
            _ => self.enter(Phase::Greet),
        }
    }

    fn cleared(self, now: Ns) -> Fsm {
        match self.phase {
            Phase::Faulted { .. } | Phase::Locked | Phase::Refused(_) => self.begin(now),
            _ => self,
        }
    }

    fn passed(self, now: Ns) -> Fsm {
        match self.phase {
            Phase::Rebooting { until } if now >= until => self.begin(now),
            Phase::Faulted { retry } if now >= retry => self.enter(Phase::Greet),
            Phase::Ready if now >= self.ready_since + GOOD_WHILE => Fsm { faults: 0, ..self },
            _ => self,
        }
    }

    fn answered(self, now: Ns, verdict: Verdict, status: Status) -> (Fsm, Option<Change>) {
        use Phase::*;
        if matches!(self.phase, Locate | Seed | Engage) && !status.is_minor() {
            return self.fault(now, status);
        }
        let on = self.wanted.map(|w| w.torque);
        match (self.phase, verdict) {
            (_, Verdict::Refused(why)) => (self.enter(Refused(why)), Some(Change::Refused(why))),
            (Greet, _) => (self.enter(Identify), None),
            (Identify, Verdict::Proved) => (self.enter(Inspect), None),
            (Inspect, Verdict::Proved) => {
                let next = match on {
                    _ if !self.found => Find,
                    None => Waiting,
                    Some(Torque::On) => Settle,
                    Some(Torque::Free | Torque::Brake) => Resting,
                };
                (Fsm { proved: true, ..self.enter(next) }, None)
            }
            (Find, Verdict::Proved) => (Fsm { found: true, ..self.enter(Waiting) }, None),
            (Settle, Verdict::Proved) => (self.enter(Locate), None),
            // The tries of the seed count over all its places.
            (Locate, Verdict::Proved) => (Fsm { phase: Seed, due: 0, doubt: false, ..self }, None),
            (Seed, Verdict::Proved) => (self.enter(Engage), None),
            (Engage, Verdict::Proved) => {
                let ready = Fsm { confirmed: Some(Torque::On), ready_since: now, clear: false, ..self };
                (ready.enter(Ready), Some(Change::Ready))
            }
            (Refused(_), Verdict::Proved | Verdict::Slack) if on.is_some_and(|t| t != Torque::On) => {
                (Fsm { confirmed: Some(Torque::Free), ..self }, None)
            }
            (Relax, Verdict::Proved) => (self.relaxed(on), None),
            (Relax, Verdict::Slack) if self.tries >= BRAKE_TRIES => (self.relaxed(Some(Torque::Free)), None),
            (Relax, Verdict::Slack) => (Fsm { tries: self.tries + 1, ..self }, None),
            (Relax, _) => {
                let tries = self.tries.saturating_add(1);
                // It has torque that was ordered off: asked again at once, then in ever longer pauses, and never given up.
                let pause = (1_000_000 << u32::from(tries.min(16))).min(RELAX_PAUSE);
                (Fsm { tries, due: if tries < TRIES { 0 } else { now + pause }, ..self }, None)
            }
            (Seed, _) if self.tries + 1 >= TRIES => {
                (self.enter(Refused(Refusal::Seed)), Some(Change::Refused(Refusal::Seed)))
            }
            (Seed, _) => (Fsm { phase: Locate, tries: self.tries + 1, ..self }, None),
            (Settle, _) if self.tries + 1 >= TRIES && status.error == 0 => {
                (self.enter(Refused(Refusal::Settings)), Some(Change::Refused(Refusal::Settings)))
            }
            (Settle | Engage, _) if self.tries + 1 >= TRIES => self.fault(now, status),
            (Settle, _) if !status.is_minor() && self.tries > 0 => self.fault(now, status),
            // A second look at once; if it moves, nothing is lost by waiting.
            (Locate, _) if !self.doubt => (Fsm { doubt: true, ..self }, None),
            (Locate, _) => (Fsm { doubt: false, due: now + LOCATE_PAUSE, ..self }, None),
            (Settle | Engage | Identify | Inspect | Find, _) => {
                (Fsm { tries: self.tries.saturating_add(1), ..self }, None)
            }
            (_, _) => (self, None),
        }
    }

    fn relaxed(self, torque: Option<Torque>) -> Fsm {
        let next = match (self.proved, self.found) {
            (true, true) => Phase::Resting,
            (true, false) => Phase::Find,
            (false, _) => Phase::Greet,
        };
        Fsm { confirmed: torque, ..self.enter(next) }
    }

    /// What the status of a settled servo means.
    fn judged(self, now: Ns, status: Status) -> (Fsm, Option<Change>) {
        let minor = status.error != 0 && status.is_minor();
        match self.phase {
            Phase::Ready if !status.motor_on() && !self.doubt => (Fsm { doubt: true, ..self }, None),
            Phase::Ready if !status.motor_on() && status.error != 0 => self.fault(now, status),
            Phase::Ready if !status.motor_on() => {
                let (fsm, change) = self.fault(now, status);
                let restarted = matches!(change, Some(Change::Fault(_)));
                (fsm, if restarted { Some(Change::Restarted) } else { change })
            }
            // It has torque that was ordered off: somebody else's hand, or a packet that came late.
            Phase::Resting if status.motor_on() => {
                (Fsm { confirmed: None, ..self.enter(Phase::Relax) }, None)
            }
            Phase::Refused(_) if status.motor_on() => (Fsm { confirmed: None, ..self }, None),
            Phase::Ready | Phase::Resting => {
                let news = (minor && !self.clear).then_some(Change::Fault(status));
                (Fsm { clear: minor, doubt: false, ..self }, news)
            }
            _ => (self, None),
        }
    }

    fn fault(self, now: Ns, status: Status) -> (Fsm, Option<Change>) {
        let faults = self.faults.saturating_add(1);
        let fsm = Fsm { faults, proved: false, confirmed: None, ..self };
        if faults >= FAULT_LIMIT {
            return (fsm.enter(Phase::Locked), Some(Change::Locked(status)));
        }
        let retry = now + (FAULT_BACK_OFF << u32::from(faults - 1));
        (fsm.enter(Phase::Faulted { retry }), Some(Change::Fault(status)))
    }
}
