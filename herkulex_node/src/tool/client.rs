//! One question and its answer at a time, on a port that nobody else has.

use super::ToolError;
use crate::codec::{Frame, Memory, Parser, ParserEvent, Register, Status, command};
use crate::port::{Port, wait};
use rustix::event::{PollFd, PollFlags};
use std::time::{Duration, Instant};

/// How often a question is asked before there is no answer.
const TRIES: usize = 3;
/// Beyond its time on the wire, an answer may take so long: an adapter's latency and the servo's.
const PATIENCE: Duration = Duration::from_millis(25);
/// It is waited in parts of this. One that takes longer counts as one: the machine was away, and perhaps the adapter with it.
const PART: Duration = Duration::from_millis(1);
/// A servo that starts anew is away for so long.
pub const REBOOT: Duration = Duration::from_millis(700);

/// What a servo answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What was read.
    pub values: Vec<u8>,
    /// How the servo is.
    pub status: Status,
}

/// The port, and whoever is on it.
#[derive(Debug)]
pub struct Client {
    port: Port,
    baud: u32,
    frame: Frame,
    /// Broken packets since the last question: more than one servo may have answered.
    pub broken: u32,
}

impl Client {
    /// Opens the port, which fails while the node has it.
    pub fn open(path: &str, baud: u32) -> Result<Client, ToolError> {
        let port = Port::open(path, baud).map_err(|source| ToolError::Port { path: path.into(), source })?;
        Ok(Client { port, baud, frame: Frame::default(), broken: 0 })
    }

    /// The status of a servo; `None` if nobody answers.
    pub fn status(&mut self, id: u8, tries: usize) -> Result<Option<Status>, ToolError> {
        let request = self.frame.stat(id).to_vec();
        Ok(self.ask(&request, id, command::STAT, (0, 0), tries)?.map(|answer| answer.status))
    }

    /// Reads `len` bytes.
    pub fn read(&mut self, id: u8, memory: Memory, address: u8, len: u8) -> Result<Answer, ToolError> {
        let request = self.frame.read(id, memory, address, len).to_vec();
        self.ask(&request, id, memory.read(), (address, len), TRIES)?.ok_or(ToolError::NoAnswer { id })
    }

    /// Reads a register.
    pub fn get(&mut self, id: u8, memory: Memory, register: &Register) -> Result<i32, ToolError> {
        let address = register.at(memory).ok_or_else(|| ToolError::unknown(register.key, memory))?;
        let answer = self.read(id, memory, address, register.size)?;
        register.decode(&answer.values).ok_or(ToolError::NoAnswer { id })
    }

    /// Writes a register and reads it back.
    pub fn set(&mut self, id: u8, memory: Memory, register: &Register, value: i32) -> Result<(), ToolError> {
        let address = register.at(memory).ok_or_else(|| ToolError::unknown(register.key, memory))?;
        let bytes = value.to_le_bytes();
        let size = usize::from(register.size).min(bytes.len());
        let request = self.frame.write(id, memory, address, &bytes[..size]).map(<[u8]>::to_vec);
        self.send(&request.unwrap_or_default())?;
        // The servo writes its settings memory for some milliseconds and does not listen meanwhile.
        std::thread::sleep(Duration::from_millis(15));
        let shown = self.get(id, memory, register)?;
        if shown == value {
            return Ok(());
        }
        Err(ToolError::NotTaken { id, register: register.key, wanted: value, shown })
    }

    /// Sends what is not answered.
    pub fn send(&mut self, bytes: &[u8]) -> Result<(), ToolError> {
        self.port.write(bytes).map_err(ToolError::Line)
    }

    /// Starts a servo anew and waits until that is over.
    pub fn reboot(&mut self, id: u8) -> Result<(), ToolError> {
        let request = self.frame.reboot(id).to_vec();
        self.send(&request)?;
        std::thread::sleep(REBOOT);
        Ok(())
    }

    /// Asks until there is an answer that fits, or no more tries.
    fn ask(
        &mut self,
        request: &[u8],
        id: u8,
        command: u8,
        place: (u8, u8),
        tries: usize,
    ) -> Result<Option<Answer>, ToolError> {
        self.broken = 0;
        for _ in 0..tries {
            let mut buffer = [0; 256];
            while self.port.read(&mut buffer).map_err(ToolError::Line)? > 0 {}
            self.send(request)?;
            let bits = 10 * (request.len() + 11 + usize::from(place.1)) as u64;
            let wire = Duration::from_micros(bits * 1_000_000 / u64::from(self.baud.max(1)));
            if let Some(answer) = self.listen(wire + PATIENCE, id, command, place)? {
                return Ok(Some(answer));
            }
        }
        Ok(None)
    }

    fn listen(
        &mut self,
        mut left: Duration,
        id: u8,
        command: u8,
        place: (u8, u8),
    ) -> Result<Option<Answer>, ToolError> {
        let (mut parser, mut buffer) = (Parser::default(), [0; 256]);
        loop {
            let n = self.port.read(&mut buffer).map_err(ToolError::Line)?;
            let mut bytes = &buffer[..n];
            while let Some(event) = parser.next(&mut bytes) {
                let ParserEvent::Packet(packet) = event else {
                    self.broken += 1;
                    continue;
                };
                let Some(reply) = packet.reply().filter(|r| r.id == id && r.command == command) else {
                    continue;
                };
                match (command, reply.memory()) {
                    (command::STAT, _) => return Ok(Some(Answer { values: vec![], status: reply.status })),
                    (_, Some((address, values))) if (address, values.len()) == (place.0, place.1.into()) => {
                        return Ok(Some(Answer { values: values.to_vec(), status: reply.status }));
                    }
                    _ => {}
                }
            }
            if left.is_zero() {
                // Bytes that are no packet: more than one servo spoke.
                self.broken += u32::from(parser.is_waiting() || parser.skipped() > 0);
                return Ok(None);
            }
            let fds = &mut [PollFd::new(&self.port, PollFlags::IN)];
            let (start, part) = (Instant::now(), left.min(PART));
            wait(fds, part.as_nanos() as u64).map_err(ToolError::Line)?;
            left -= start.elapsed().min(part);
        }
    }
}
