//! Finds packets in a stream of bytes that may be torn, noisy or shifted.

use super::frame::checksum;
use super::{MAX_PACKET, MIN_PACKET, MIN_REPLY, REPLY, Status};

/// A packet with a good checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<'a> {
    /// Who it is for, or, in a reply, who sent it.
    pub id: u8,
    /// The command, with [`REPLY`] set in a reply.
    pub command: u8,
    /// Everything after the checksums.
    pub data: &'a [u8],
}

/// A packet from a servo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply<'a> {
    /// Id of the servo that it is from or for.
    pub id: u8,
    /// The command that it answers.
    pub command: u8,
    /// The data without the status.
    pub data: &'a [u8],
    /// How the servo is.
    pub status: Status,
}

impl<'a> Packet<'a> {
    /// The packet as a reply; `None` for a request, which a host hears when its adapter echoes.
    pub fn reply(&self) -> Option<Reply<'a>> {
        let (data, &[error, detail]) = self.data.split_last_chunk()?;
        (self.command & REPLY != 0).then_some(Reply {
            id: self.id,
            command: self.command & !REPLY,
            data,
            status: Status { error, detail },
        })
    }
}

impl<'a> Reply<'a> {
    /// Address and values of a reply to a read or write; `None` if the length in it is not that of the values.
    pub fn memory(&self) -> Option<(u8, &'a [u8])> {
        match self.data {
            [address, len, values @ ..] if values.len() == usize::from(*len) => Some((*address, values)),
            _ => None,
        }
    }
}

/// What the parser came upon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParserEvent<'a> {
    /// A packet whose checksums are right.
    Packet(Packet<'a>),
    /// Something that looked like a packet, whose checksum is wrong.
    Corrupt {
        /// Whose packet it looked like.
        id: u8,
    },
}

/// Takes bytes in pieces of any size. After anything wrong it looks again from the byte behind the header that misled it,
/// so a good packet inside a broken one is found.
#[derive(Clone, Debug)]
pub struct Parser {
    bytes: [u8; MAX_PACKET],
    len: usize,
    /// Bytes of the packet handed out last, to go before the next look.
    used: usize,
    skipped: u64,
}

impl Default for Parser {
    fn default() -> Self {
        Parser { bytes: [0; MAX_PACKET], len: 0, used: 0, skipped: 0 }
    }
}

enum Verdict {
    /// Nothing can be said before there are so many bytes; no packet ends before that.
    NeedMore(usize),
    Nonsense,
    Whole(usize),
    Corrupt,
}

impl Parser {
    /// Takes bytes off the front of `input` until something is heard or `input` is empty.
    pub fn next<'a>(&'a mut self, input: &mut &[u8]) -> Option<ParserEvent<'a>> {
        self.forget_used();
        loop {
            match self.look() {
                Verdict::NeedMore(target) => {
                    let (now, later) = input.split_at((target - self.len).min(input.len()));
                    if now.is_empty() {
                        return None;
                    }
                    *input = later;
                    self.bytes[self.len..self.len + now.len()].copy_from_slice(now);
                    self.len += now.len();
                }
                Verdict::Nonsense => self.skip(),
                Verdict::Corrupt => {
                    let id = self.bytes[3];
                    self.skip();
                    return Some(ParserEvent::Corrupt { id });
                }
                Verdict::Whole(size) => return Some(ParserEvent::Packet(self.hand_out(size))),
            }
        }
    }

    /// The line has been quiet for longer than a packet may pause: what has begun will not be finished. Call until `None`
    /// to get the packets that were held up behind a false start.
    pub fn idle(&mut self) -> Option<ParserEvent<'_>> {
        self.forget_used();
        while self.len > 0 {
            match self.look() {
                Verdict::Whole(size) => return Some(ParserEvent::Packet(self.hand_out(size))),
                _ => self.skip(),
            }
        }
        None
    }

    /// Whether a packet has begun and is not finished.
    pub fn is_waiting(&self) -> bool {
        self.len > self.used
    }

    /// Bytes so far that belonged to no packet.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Counts from 0 again.
    pub fn reset_skipped(&mut self) {
        self.skipped = 0;
    }

    fn forget_used(&mut self) {
        let used = std::mem::take(&mut self.used);
        self.drop_front(used);
    }

    fn hand_out(&mut self, size: usize) -> Packet<'_> {
        self.used = size;
        Packet { id: self.bytes[3], command: self.bytes[4], data: &self.bytes[MIN_PACKET..size] }
    }

    fn drop_front(&mut self, n: usize) {
        if n > 0 {
            self.bytes.copy_within(n..self.len, 0);
            self.len -= n;
        }
    }

    /// Drops the first byte and everything up to the next one that could begin a packet.
    fn skip(&mut self) {
        let next = self.bytes[1..self.len].iter().position(|b| *b == 0xFF).map_or(self.len, |i| i + 1);
        self.skipped += next as u64;
        self.drop_front(next);
    }

    fn look(&self) -> Verdict {
        let bytes = &self.bytes[..self.len];
        if bytes.iter().take(2).any(|b| *b != 0xFF) {
            return Verdict::Nonsense;
        }
        let Some(size) = bytes.get(2).map(|s| usize::from(*s)) else { return Verdict::NeedMore(3) };
        // FF here is a header that began one byte later; it is refused by its size.
        if !(MIN_PACKET..=MAX_PACKET).contains(&size) || bytes.get(3) == Some(&0xFF) {
            return Verdict::Nonsense;
        }
        if bytes.get(4).is_some_and(|command| command & REPLY != 0 && size < MIN_REPLY) {
            return Verdict::Nonsense;
        }
        let [_, _, _, _, _, cs1, cs2, ..] = bytes else { return Verdict::NeedMore(MIN_PACKET) };
        // The second checksum follows from the first, so a false start is often known before its data.
        if cs1 & 1 != 0 || *cs2 != !cs1 & 0xFE {
            return Verdict::Corrupt;
        }
        if bytes.len() < size {
            return Verdict::NeedMore(size);
        }
        match checksum(&[&bytes[2..5], &bytes[MIN_PACKET..size]]) == (bytes[5], bytes[6]) {
            true => Verdict::Whole(size),
            false => Verdict::Corrupt,
        }
    }
}
