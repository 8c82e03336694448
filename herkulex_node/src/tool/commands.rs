//! Everything but the monitor.

use super::{Args, Client, ToolError};
use crate::bus::BusConfig;
use crate::bus::torque::Mark;
use crate::codec::{
    Access, BAUD_CODES, Frame, LAST_ID, Memory, Model, REGISTERS, Register, Unit, find, reg, torque,
};
use std::io::{BufRead, Write};
use std::time::Duration;

/// Lists the registers.
pub fn registers(out: &mut dyn Write) -> Result<(), ToolError> {
    let at = |a: Option<u8>| a.map_or("  –".into(), |a| format!("{a:#04x}"));
    for r in REGISTERS {
        let access = if r.access == Access::Read { "read" } else { "write" };
        writeln!(
            out,
            "{:22} RAM {:4} EEP {:4} {access:5}  {}",
            r.key.to_lowercase(),
            at(r.ram),
            at(r.eep),
            r.name
        )?;
    }
    Ok(())
}

/// Who answers, at one rate or at all.
pub fn scan(args: &Args, out: &mut dyn Write) -> Result<(), ToolError> {
    let rates = args.baud.map_or(BusConfig::BAUDS.to_vec(), |baud| vec![baud]);
    let mut found = 0;
    for baud in rates {
        let mut client = Client::open(&args.port, baud)?;
        for id in 0..=LAST_ID {
            match client.status(id, 1)? {
                Some(_) => {
                    found += 1;
                    writeln!(out, "{}", describe(&mut client, id, baud)?)?;
                }
                None if client.broken > 0 => {
                    writeln!(out, "id {id} at {baud} baud: several servos answer at once, or noise")?;
                }
                None => {}
            }
        }
    }
    writeln!(out, "{found} servos")?;
    Ok(())
}

fn describe(client: &mut Client, id: u8, baud: u32) -> Result<String, ToolError> {
    let told = client.read(id, Memory::Eep, 0, 4)?;
    let (model, firmware) = match told.values.as_slice() {
        &[a, b, c, d] => (model_name([a, b]), format!("{c:02X}{d:02X}")),
        _ => ("?".into(), "?".into()),
    };
    let new = if id == LAST_ID { ", as from the factory" } else { "" };
    Ok(format!("id {id} at {baud} baud: {model}, firmware {firmware}, {}{new}", told.status))
}

fn model_name(number: [u8; 2]) -> String {
    Model::from_number(number).map_or(format!("unknown model {number:02X?}"), |m| format!("DRS-{}", m.name()))
}

fn model_of(client: &mut Client, id: u8) -> Result<Option<Model>, ToolError> {
    let told = client.read(id, Memory::Eep, 0, 2)?;
    Ok(<[u8; 2]>::try_from(told.values).ok().and_then(Model::from_number))
}

/// A register's value in its unit, where the model is known.
pub(super) fn in_unit(register: &Register, value: i32, model: Option<Model>) -> String {
    let Some(scale) = model.map(Model::scale) else { return String::new() };
    match register.unit {
        Unit::Voltage => format!("{:.1} V", f64::from(value) * scale.voltage),
        Unit::Temperature => {
            let celsius = model.and_then(|m| m.celsius(value as u8));
            celsius.map_or(String::new(), |c| format!("{c:.0} °C"))
        }
        Unit::Counts => {
            let counts = f64::from(scale.position(value as u16));
            format!("{:.1}°", scale.angle(counts).to_degrees())
        }
        Unit::CountsPerTick => format!("{:.0} °/s", f64::from(value) * scale.velocity),
        Unit::Ticks => format!("{:.3} s", f64::from(value) * crate::codec::TICK),
        Unit::Percent => format!("{value} %"),
        Unit::None | Unit::Pwm => String::new(),
    }
}

/// Everything that a servo tells.
pub fn info(client: &mut Client, id: u8, out: &mut dyn Write) -> Result<(), ToolError> {
    let model = model_of(client, id)?;
    let told = client.read(id, Memory::Eep, 0, 4)?;
    if let &[a, b, c, d] = told.values.as_slice() {
        let model = model_name([a, b]);
        writeln!(out, "{model}, number {a:02X}{b:02X}, firmware {c:02X}{d:02X}, status {}", told.status)?;
    }
    for r in REGISTERS.iter().filter(|r| model.is_none_or(|m| r.models.contain(m))) {
        for memory in [Memory::Eep, Memory::Ram] {
            if r.at(memory).is_some() {
                let value = client.get(id, memory, r)?;
                let unit = in_unit(r, value, model);
                writeln!(out, "{memory:?}  {:22} {value:6}  {unit:10} {}", r.key.to_lowercase(), r.name)?;
            }
        }
    }
    Ok(())
}

fn must_answer(client: &mut Client, id: u8) -> Result<(), ToolError> {
    client.status(id, 3)?.map(drop).ok_or(ToolError::NoAnswer { id })
}

/// Settings are changed only while nothing can move.
fn must_rest(client: &mut Client, id: u8) -> Result<(), ToolError> {
    must_answer(client, id)?;
    if client.get(id, Memory::Ram, &reg::TORQUE)? == i32::from(torque::ON) {
        let why = format!("servo {id} has torque; `herkulex_tool write {id} torque 0` lets it go");
        return Err(ToolError::Refused(why));
    }
    Ok(())
}

/// Gives a servo another id.
pub fn set_id(client: &mut Client, old: u8, new: u8, out: &mut dyn Write) -> Result<(), ToolError> {
    if old == new {
        return Err(ToolError::Refused(format!("it is {new} already")));
    }
    must_rest(client, old)?;
    if client.broken > 0 {
        return Err(ToolError::Refused(format!("several servos answer to {old}: one at a time on the line")));
    }
    if client.status(new, 3)?.is_some() || client.broken > 0 {
        return Err(ToolError::Refused(format!("somebody answers to {new} already")));
    }
    client.set(old, Memory::Eep, &reg::ID, i32::from(new))?;
    client.reboot(old)?;
    must_answer(client, new)?;
    if client.status(old, 3)?.is_some() {
        return Err(ToolError::Refused(format!("{new} answers, but so does {old}: there were two of them")));
    }
    writeln!(out, "servo {old} is {new} now")?;
    Ok(())
}

/// Gives a servo another speed of the line.
pub fn set_baud(client: Client, port: &str, id: u8, baud: u32, out: &mut dyn Write) -> Result<(), ToolError> {
    let mut client = client;
    let Some((code, _)) = BAUD_CODES.into_iter().find(|(_, rate)| *rate == baud) else {
        let rates: Vec<String> = BusConfig::BAUDS.iter().map(u32::to_string).collect();
        return Err(ToolError::Refused(format!("{baud} is none of {}", rates.join(", "))));
    };
    must_rest(&mut client, id)?;
    let model = model_of(&mut client, id)?;
    if baud == 1_000_000 && model != Some(Model::Drs0602) {
        return Err(ToolError::Refused("only the 0602 knows 1000000".into()));
    }
    client.set(id, Memory::Eep, &reg::BAUD, i32::from(code))?;
    client.reboot(id)?;
    drop(client);
    let mut client = Client::open(port, baud)?;
    must_answer(&mut client, id)?;
    writeln!(out, "servo {id} answers at {baud} baud")?;
    Ok(())
}

/// A register's value.
pub fn read(
    client: &mut Client,
    id: u8,
    name: &str,
    memory: Memory,
    out: &mut dyn Write,
) -> Result<(), ToolError> {
    let register = find(name, memory).ok_or_else(|| ToolError::unknown(name, memory))?;
    let value = client.get(id, memory, register)?;
    let unit = in_unit(register, value, model_of(client, id)?);
    writeln!(out, "{value} ({value:#x}) {unit}")?;
    Ok(())
}

/// What may be written to a servo with torque. A gain, a limit or another id in working memory is a jump, too.
const MOVES_NOTHING: [&str; 4] =
    [reg::TORQUE.key, reg::LED.key, reg::STATUS_ERROR.key, reg::STATUS_DETAIL.key];

/// Sets a register.
pub fn write(
    client: &mut Client,
    id: u8,
    name: &str,
    value: i32,
    memory: Memory,
    out: &mut dyn Write,
) -> Result<(), ToolError> {
    let register = find(name, memory).ok_or_else(|| ToolError::unknown(name, memory))?;
    let refused = |why: String| Err(ToolError::Refused(why));
    if register.access == Access::Read {
        return refused(format!("{} can only be read", register.key));
    }
    let (low, high) = match (register.size, register.signed) {
        (1, false) => (0, 255),
        (1, true) => (-128, 127),
        (_, false) => (0, 65_535),
        (_, true) => (-32_768, 32_767),
    };
    if !(low..=high).contains(&value) {
        return refused(format!("{} holds {low} … {high}", register.key));
    }
    if register.key == reg::TORQUE.key {
        let off = [torque::FREE, torque::BRAKE].map(i32::from);
        if value == i32::from(torque::ON) {
            return refused(
                "torque on would throw the servo to an old goal: the node gives it with care".into(),
            );
        } else if !off.contains(&value) {
            return refused("torque is 0 (free) or 0x40 (brake)".into());
        }
    }
    if memory == Memory::Eep && [reg::ID.key, reg::BAUD.key].contains(&register.key) {
        return refused("set-id and set-baud do that, and check it".into());
    }
    if memory == Memory::Eep || !MOVES_NOTHING.contains(&register.key) {
        must_rest(client, id)?;
    } else {
        must_answer(client, id)?;
    }
    if register.key == reg::LED.key {
        let red = i32::from(Mark::STOP.0);
        if client.get(id, memory, register)? & 7 == red && value & 7 != red {
            writeln!(
                out,
                "note: it was stopped by herkulex_node; without its red LED the next one does not know"
            )?;
        }
    }
    client.set(id, memory, register, value)?;
    writeln!(out, "{} of servo {id} is {value}", register.key.to_lowercase())?;
    Ok(())
}

/// Settings as from the factory.
pub fn factory_reset(
    client: &mut Client,
    id: u8,
    yes: bool,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> Result<(), ToolError> {
    must_rest(client, id)?;
    if !yes {
        write!(out, "All settings of servo {id} but id and baud rate will be lost. Type its id to go on: ")?;
        out.flush()?;
        let mut line = String::new();
        input.read_line(&mut line)?;
        if line.trim() != id.to_string() {
            return Err(ToolError::Refused("not confirmed; nothing was changed".into()));
        }
    }
    let request = Frame::default().rollback(id, true, true).to_vec();
    client.send(&request)?;
    std::thread::sleep(Duration::from_millis(100));
    client.reboot(id)?;
    must_answer(client, id)?;
    writeln!(out, "servo {id} has its factory settings")?;
    Ok(())
}
