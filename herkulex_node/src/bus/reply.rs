//! A request that is under way, and what its answer is taken for.

use super::Ns;
use super::phase::Phase;
use crate::codec::{ParserEvent, Status, command};

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The present step of the servo's way.
    Step,
    /// Position, velocity and drive.
    Position,
    /// Torque, mark, voltage and temperature.
    Supply,
    /// Its status only.
    Status,
    /// Who is there?
    Scan,
}

/// A request that waits for its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub servo: usize,
    pub id: u8,
    pub command: u8,
    /// Address and length; zero for STAT.
    pub place: (u8, u8),
    /// When its first byte was sent.
    pub begun: Ns,
    /// When its last byte is on the wire.
    pub sent: Ns,
    /// When its answer has come at the latest if all is well.
    pub expected: Ns,
    pub deadline: Ns,
    pub purpose: Purpose,
    /// The phase in which it was asked: an answer that comes after the phase changed proves nothing about the new one.
    pub phase: Phase,
}

impl Asked {
    /// When the servo took what its answer tells, and how far off that may be: between the request's last byte and the
    /// answer's first.
    pub fn sampled(&self, now: Ns, reply_time: Ns) -> (Ns, Ns) {
        let latest = now.saturating_sub(reply_time).max(self.sent);
        let half = (latest - self.sent) / 2;
        (self.sent + half, half)
    }
}

/// The longest answer to what the bridge asks, in values.
const VALUES: usize = 8;

/// The answer to a request, as a copy: it outlives the parser's buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    pub asked: Asked,
    pub status: Status,
    pub values: [u8; VALUES],
}

impl Answer {
    pub fn values(&self) -> &[u8] {
        &self.values[..usize::from(self.asked.place.1).min(VALUES)]
    }
}

/// Something that came in.
#[derive(Clone, Copy, Debug)]
pub(super) enum Received {
    /// The answer to a request.
    Answer(Answer),
    /// A broken packet, while this servo was to answer.
    Broken(usize),
    /// Nothing that concerns anybody.
    Nothing,
}

/// A packet without its buffer.
pub(super) enum Digest {
    Corrupt,
    Echo,
    Reply { id: u8, command: u8, place: (u8, u8), status: Status, values: [u8; VALUES] },
}

impl Digest {
    pub fn of(heard: &ParserEvent<'_>) -> Digest {
        let ParserEvent::Packet(packet) = heard else { return Digest::Corrupt };
        let Some(reply) = packet.reply() else { return Digest::Echo };
        let mut values = [0; VALUES];
        let place = match (reply.command, reply.memory()) {
            (command::STAT, _) => (0, 0),
            (_, Some((address, read))) => {
                values.iter_mut().zip(read).for_each(|(to, from)| *to = *from);
                (address, read.len() as u8)
            }
            _ => (0xFF, 0xFF),
        };
        Digest::Reply { id: reply.id, command: reply.command, place, status: reply.status, values }
    }
}
