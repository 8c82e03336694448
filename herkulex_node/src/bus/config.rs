//! What the bus is told, and whether it can work.

use super::torque::Torque;
use super::{Joint, Ns, ns};
use crate::codec::{MIN_PACKET, Model, S_JOG_MAX};

/// A servo on the line and the joint that it moves.
#[derive(Clone, Debug, PartialEq)]
pub struct ServoConfig {
    /// The joint's name.
    pub name: String,
    /// On the bus.
    pub id: u8,
    /// Which model the servo is.
    pub model: Model,
    /// What it must say that it is before it gets torque; the model's number, unless servos of one's own say otherwise.
    pub number: [u8; 2],
    /// The firmware that it must have; `None` for any.
    pub firmware: Option<[u8; 2]>,
    /// From the joint to the servo.
    pub joint: Joint,
}

/// What the watchdog does to torque in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    /// The shaft turns freely.
    Free,
    /// Shorts the motor.
    Brake,
}

impl Release {
    /// What the motor does.
    pub fn torque(self) -> Torque {
        match self {
            Release::Free => Torque::Free,
            Release::Brake => Torque::Brake,
        }
    }
}

/// What may change while the bus runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tuning {
    /// The control cycle, s.
    pub period: f64,
    /// Playtime of goals that bring none, s.
    pub playtime: f64,
    /// Goals older than this make servos hold, s; 0 for never.
    pub goal_timeout: f64,
    /// Holding for longer than this releases torque, s; 0 for never.
    pub release_after: f64,
    /// How it is released.
    pub release: Release,
    /// Whether goals after a release switch torque on again; else the service must.
    pub resume: bool,
    /// The speed with which a servo that just got torque goes to its goal, rad/s.
    pub approach_speed: f64,
    /// A goal that would have to move faster than this has jumped: it is approached, rad/s.
    pub jump_speed: f64,
    /// How long after its expected end a reply is given up, s.
    pub reply_timeout: f64,
    /// How often a read is asked again at once.
    pub retries: u32,
    /// Replies missing in a row that make a servo lost.
    pub lost_after: u32,
}

impl Default for Tuning {
    fn default() -> Self {
        Tuning {
            period: 0.01,
            playtime: 0.0224,
            goal_timeout: 0.5,
            release_after: 0.0,
            release: Release::Brake,
            resume: false,
            approach_speed: 1.0,
            jump_speed: 15.0,
            reply_timeout: 0.01,
            retries: 1,
            lost_after: 8,
        }
    }
}

/// Everything that the state machine of the line is given at its start.
#[derive(Clone, Debug, PartialEq)]
pub struct BusConfig {
    /// Bits per second.
    pub baud: u32,
    /// Whether requests may be sent while a reply comes in.
    pub full_duplex: bool,
    /// The longest that a healthy servo takes to begin its reply, s.
    pub turnaround: f64,
    /// Whether the servos of a bus that was never ours get torque at the start.
    pub torque_at_start: bool,
    /// What may change.
    pub tuning: Tuning,
    /// The servos, in the order of `joint_states`.
    pub servos: Vec<ServoConfig>,
}

/// Bytes of a position read: the request, and the reply with eight bytes of values.
const READ: (usize, usize) = (9, 19);

/// The cycle's time, as the wire has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// One jog for all servos, s.
    pub jog: f64,
    /// One read of a position, s.
    pub read: f64,
    /// The cycle, s.
    pub period: f64,
    /// The slowest baud rate of the servos at which both fit, if there is one.
    pub baud: Option<u32>,
}

impl Budget {
    /// Whether a jog and a read fit into the cycle.
    pub fn fits(&self) -> bool {
        self.jog + self.read <= self.period
    }

    /// Reads that fit beside the jog.
    pub fn reads(&self) -> usize {
        ((self.period - self.jog) / self.read).max(0.0) as usize
    }
}

impl std::fmt::Display for Budget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ms = |s: f64| s * 1e3;
        let (jog, read, period) = (ms(self.jog), ms(self.read), ms(self.period));
        write!(f, "jog {jog:.2} ms + read {read:.2} ms in a cycle of {period:.2} ms: ")?;
        if self.fits() {
            return write!(f, "{} reads fit", self.reads());
        }
        write!(f, "does not fit; a period of {:.2} ms would", jog + read)?;
        match self.baud {
            Some(baud) => write!(f, ", or {baud} baud"),
            None => write!(f, "; no baud rate would"),
        }
    }
}

impl BusConfig {
    /// The rates that the servos know (1000000 on the 0602).
    pub const BAUDS: [u32; 8] = [57_600, 115_200, 200_000, 250_000, 400_000, 500_000, 666_666, 1_000_000];

    /// Time on the wire.
    pub fn wire(&self, bytes: usize) -> Ns {
        bytes as Ns * 10_000_000_000 / Ns::from(self.baud.max(1))
    }

    /// From the first byte of a request to the last of its reply at the latest.
    pub fn exchange(&self, request: usize, reply: usize) -> Ns {
        self.wire(request + reply) + ns(self.turnaround)
    }

    /// How the cycle's time is spent.
    pub fn budget(&self) -> Budget {
        let n = self.servos.len();
        let jog_bytes = 4 * n + (MIN_PACKET + 1) * n.div_ceil(S_JOG_MAX).max(1);
        let period = self.tuning.period;
        let times = |baud: u32| {
            let byte = 10.0 / f64::from(baud.max(1));
            (jog_bytes as f64 * byte, (READ.0 + READ.1) as f64 * byte + self.turnaround)
        };
        let (jog, read) = times(self.baud);
        let fits = |baud: &u32| times(*baud).0 + times(*baud).1 <= period;
        Budget { jog, read, period, baud: Self::BAUDS.into_iter().find(fits) }
    }
}
