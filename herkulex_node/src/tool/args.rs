//! The command line.

use super::ToolError;
use crate::codec::{LAST_ID, Memory};

/// What `--help` says.
pub const USAGE: &str = "\
herkulex_tool [--port DEVICE] [--baud RATE] COMMAND

  scan                        who answers: ids, models, firmware; at every baud rate unless --baud is given
  info ID                     everything that a servo tells
  set-id OLD NEW              gives a servo an id (new ones have 253: one at a time on the line)
  set-baud ID RATE            57600, 115200, 200000, 250000, 400000, 500000, 666666; 1000000 on the 0602
  read ID REGISTER [--eep]    a register by name or address (0x34), from RAM or settings
  write ID REGISTER VALUE [--eep]
  monitor [ID …] [--count N]  a live table of these servos, or of all that answer
  factory-reset ID [--yes]    settings as from the factory; id and baud rate stay
  registers                   the names that read and write know

The port is /dev/ttyUSB0 and the rate 115200 unless told otherwise. The tool takes the same lock on the port as herkulex_node:
stop the node first.";

/// The rate of servos from the factory.
pub const BAUD: u32 = 115_200;

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// Say how it is used.
    Help,
    /// List the registers.
    Registers,
    /// Who is there?
    Scan,
    /// Everything of one servo.
    Info(u8),
    /// From one id to another.
    SetId(u8, u8),
    /// A servo's speed.
    SetBaud(u8, u32),
    /// Reads a register of a servo.
    Read(u8, String),
    /// A register and its value.
    Write(u8, String, i32),
    /// Puts a servo back to factory settings.
    FactoryReset(u8),
    /// A table of some, or all.
    Monitor(Vec<u8>),
}

/// The command line, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Args {
    /// Path of the serial device.
    pub port: String,
    /// Its speed, if told.
    pub baud: Option<u32>,
    /// Which memory is read or written.
    pub memory: Memory,
    /// Writes without asking first.
    pub yes: bool,
    /// Rounds of the monitor; for ever without.
    pub count: Option<u64>,
    /// What to do.
    pub task: Task,
}

fn usage(why: impl Into<String>) -> ToolError {
    ToolError::Usage(why.into())
}

/// A number in decimal or hexadecimal.
fn number(text: &str) -> Result<i64, ToolError> {
    let parsed = match text.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| usage(format!("{text:?} is not a number")))
}

fn id(text: &str) -> Result<u8, ToolError> {
    let n = number(text)?;
    let id = u8::try_from(n).ok().filter(|id| *id <= LAST_ID);
    id.ok_or_else(|| usage(format!("{n} is not an id: 0 … {LAST_ID}")))
}

impl Args {
    /// Takes the command line apart, without the program's name.
    pub fn parse(args: &[String]) -> Result<Args, ToolError> {
        let mut parsed = Args {
            port: "/dev/ttyUSB0".into(),
            baud: None,
            memory: Memory::Ram,
            yes: false,
            count: None,
            task: Task::Help,
        };
        let (mut words, mut rest) = (vec![], args.iter());
        while let Some(arg) = rest.next() {
            let mut value = || rest.next().ok_or_else(|| usage(format!("{arg} needs a value")));
            match arg.as_str() {
                "--port" => parsed.port = value()?.clone(),
                "--baud" => {
                    let n = number(value()?)?;
                    let baud = u32::try_from(n).ok().filter(|b| (9600..=3_000_000).contains(b));
                    parsed.baud = Some(baud.ok_or_else(|| usage(format!("{n} is not a baud rate")))?);
                }
                "--count" => parsed.count = Some(number(value()?)?.max(0) as u64),
                "--eep" => parsed.memory = Memory::Eep,
                "--yes" => parsed.yes = true,
                "--help" | "-h" => return Ok(Args { task: Task::Help, ..parsed }),
                flag if flag.starts_with("--") => return Err(usage(format!("unknown option {flag}"))),
                word => words.push(word),
            }
        }
        parsed.task = match words.as_slice() {
            [] | ["help"] => Task::Help,
            ["registers"] => Task::Registers,
            ["scan"] => Task::Scan,
            ["info", who] => Task::Info(id(who)?),
            ["set-id", old, new] => Task::SetId(id(old)?, id(new)?),
            ["set-baud", who, baud] => {
                let n = number(baud)?;
                Task::SetBaud(
                    id(who)?,
                    u32::try_from(n).map_err(|_| usage(format!("{n} is not a baud rate")))?,
                )
            }
            ["read", who, register] => Task::Read(id(who)?, (*register).into()),
            ["write", who, register, value] => {
                let n = number(value)?;
                let value = i32::try_from(n).map_err(|_| usage(format!("{n} fits into no register")))?;
                Task::Write(id(who)?, (*register).into(), value)
            }
            ["factory-reset", who] => Task::FactoryReset(id(who)?),
            ["monitor", ids @ ..] => Task::Monitor(ids.iter().map(|i| id(i)).collect::<Result<_, _>>()?),
            [command, ..] => return Err(usage(format!("{command:?} is no command, or has other arguments"))),
        };
        Ok(parsed)
    }
}
