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
    /// When the servo took what its answer tells, and how far off that may be: between the request's last byte and the answer's
    /// first. A servo answers at once; what comes later than that waited for the machine.
    pub fn sampled(&self, now: Ns, reply_time: Ns) -> (Ns, Ns) {
        let latest = now.saturating_sub(reply_time).max(self.sent);
        let at_once = self.expected.saturating_sub(reply_time).clamp(self.sent, latest);
        let at = self.sent + (at_once - self.sent) / 2;
        (at, latest - at)
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

#[cfg(test)]
mod tests {
    use super::super::wire::Wire;
    use super::*;

    /// A request whose last byte is out at 1 ms, an answer of 0.3 ms that begins within 0.5 ms.
    #[test]
    fn an_answer_that_waited_for_the_machine_is_as_old_as_it_is() {
        let (sent, reply) = (1_000_000, 300_000);
        let asked = Asked {
            sent,
            expected: sent + 500_000 + reply,
            ..Wire::ask(0, 0, Purpose::Position, Phase::Locate, 0.01)
        };
        for (began, at) in
            [(sent, sent), (sent + 200_000, sent + 100_000), (sent + 60_000_000, sent + 250_000)]
        {
            let (taken, uncertainty) = asked.sampled(began + reply, reply);
            assert_eq!(taken, at);
            // Whatever the line did, the value was taken after the request and before the answer.
            assert!(taken - sent <= uncertainty && taken + uncertainty >= began);
        }
    }
}
