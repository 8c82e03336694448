//! `herkulex_tool`: what is done to servos one at a time, before they meet on a robot. No ROS.

mod args;
mod client;
mod commands;
mod monitor;

pub use args::{Args, Task};
pub use client::{Answer, Client, REBOOT};

use crate::codec::{Memory, Register};
use std::io::{self, BufRead, Write};

/// Why the tool did not do it.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// The command line makes no sense.
    #[error("{0}\n\n{usage}", usage = args::USAGE)]
    Usage(String),
    /// The port cannot be opened, or somebody has it.
    #[error("port {path}: {source}")]
    Port {
        /// Path of the serial device.
        path: String,
        /// Why it cannot be opened.
        source: io::Error,
    },
    /// The port failed.
    #[error("the port failed: {0}")]
    Line(io::Error),
    /// What it prints has no reader.
    #[error("could not print: {0}")]
    Print(#[from] io::Error),
    /// A servo does not answer.
    #[error(
        "servo {id} does not answer; is it powered, is the baud rate its own (scan finds it), is the id right?"
    )]
    NoAnswer {
        /// Id of the servo.
        id: u8,
    },
    /// There is no such register.
    #[error("no register {register:?} in {memory:?}; `herkulex_tool registers` lists them")]
    UnknownRegister {
        /// What was asked for.
        register: String,
        /// Which memory it should be in.
        memory: Memory,
    },
    /// The servo kept its old value.
    #[error("servo {id} shows {shown} in {register} after {wanted} was written")]
    NotTaken {
        /// Id of the servo.
        id: u8,
        /// Name of the register.
        register: &'static str,
        /// What was written.
        wanted: i32,
        /// What was read back.
        shown: i32,
    },
    /// It would be wrong or dangerous.
    #[error("refused: {0}")]
    Refused(String),
}

impl ToolError {
    fn unknown(register: &str, memory: Memory) -> ToolError {
        ToolError::UnknownRegister { register: register.into(), memory }
    }
}

impl Register {
    /// Where it is in a memory.
    pub fn at(&self, memory: Memory) -> Option<u8> {
        match memory {
            Memory::Ram => self.ram,
            Memory::Eep => self.eep,
        }
    }
}

/// Runs one command; `input` is asked where something must be confirmed.
pub fn run(args: &[String], input: &mut dyn BufRead, out: &mut dyn Write) -> Result<(), ToolError> {
    let args = Args::parse(args)?;
    match &args.task {
        Task::Help => Ok(writeln!(out, "{}", args::USAGE)?),
        Task::Registers => commands::registers(out),
        Task::Scan => commands::scan(&args, out),
        task => {
            let mut client = Client::open(&args.port, args.baud.unwrap_or(args::BAUD))?;
            match task {
                Task::Info(id) => commands::info(&mut client, *id, out),
                Task::SetId(old, new) => commands::set_id(&mut client, *old, *new, out),
                Task::SetBaud(id, baud) => commands::set_baud(client, &args.port, *id, *baud, out),
                Task::Read(id, register) => commands::read(&mut client, *id, register, args.memory, out),
                Task::Write(id, register, value) => {
                    commands::write(&mut client, *id, register, *value, args.memory, out)
                }
                Task::FactoryReset(id) => commands::factory_reset(&mut client, *id, args.yes, input, out),
                Task::Monitor(ids) => monitor::monitor(&mut client, ids, args.count, out),
                Task::Help | Task::Registers | Task::Scan => Ok(()),
            }
        }
    }
}
