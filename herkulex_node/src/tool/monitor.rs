//! A live table.

use super::{Client, ToolError};
use crate::codec::{LAST_ID, Memory, Model, reg, torque};
use std::io::Write;
use std::time::Duration;

/// Between two rounds.
const PAUSE: Duration = Duration::from_millis(200);

/// Shows servos until interrupted, or for some rounds.
pub fn monitor(
    client: &mut Client,
    ids: &[u8],
    count: Option<u64>,
    out: &mut dyn Write,
) -> Result<(), ToolError> {
    let mut ids = ids.to_vec();
    if ids.is_empty() {
        for id in 0..=LAST_ID {
            if client.status(id, 1)?.is_some() {
                ids.push(id);
            }
        }
    }
    let models: Vec<Option<Model>> = ids.iter().map(|id| model(client, *id)).collect::<Result<_, _>>()?;
    let mut round = 0;
    while count.is_none_or(|n| round < n) {
        if round > 0 {
            // Back to the table's first line.
            write!(out, "\x1b[{}A", ids.len() + 1)?;
            std::thread::sleep(PAUSE);
        }
        writeln!(out, "\x1b[K  id model   position  velocity  drive  supply   temp  torque  status")?;
        for (id, model) in ids.iter().zip(&models) {
            writeln!(out, "\x1b[K{}", row(client, *id, *model)?)?;
        }
        out.flush()?;
        round += 1;
    }
    Ok(())
}

fn model(client: &mut Client, id: u8) -> Result<Option<Model>, ToolError> {
    match client.read(id, Memory::Eep, 0, 2) {
        Ok(told) => Ok(<[u8; 2]>::try_from(told.values).ok().and_then(Model::from_number)),
        Err(ToolError::NoAnswer { .. }) => Ok(None),
        Err(e) => Err(e),
    }
}

fn row(client: &mut Client, id: u8, model: Option<Model>) -> Result<String, ToolError> {
    let read = |client: &mut Client, address, len| match client.read(id, Memory::Ram, address, len) {
        Ok(answer) => Ok(Some(answer)),
        Err(ToolError::NoAnswer { .. }) => Ok(None),
        Err(e) => Err(e),
    };
    let supply = read(client, reg::TORQUE.address(), 4)?;
    let motion = read(client, reg::POSITION.address(), 8)?;
    let (Some(supply), Some(motion), Some(model)) = (supply, motion, model) else {
        return Ok(format!("{id:4} no answer"));
    };
    let scale = model.scale();
    let (&[on, _, volts, heat], &[p0, p1, _, _, v0, v1, d0, d1]) =
        (supply.values.as_slice(), motion.values.as_slice())
    else {
        return Ok(format!("{id:4} no answer"));
    };
    let counts = scale.position(u16::from_le_bytes([p0, p1]));
    let angle = scale.angle(f64::from(counts)).to_degrees();
    let velocity = f64::from(i16::from_le_bytes([v0, v1])) * scale.velocity;
    let drive = f64::from(i16::from_le_bytes([d0, d1])) / 10.23;
    let volts = f64::from(volts) * scale.voltage;
    let heat = model.celsius(heat).map_or("    –".into(), |c| format!("{c:3.0}°C"));
    let torque = match on {
        torque::ON => "on",
        torque::BRAKE => "brake",
        _ => "free",
    };
    let name = model.name();
    Ok(format!(
        "{id:4} {name}  {angle:8.2}°  {velocity:5.0}°/s  {drive:4.0}%  {volts:4.1} V  {heat}  {torque:6}  {}",
        motion.status
    ))
}
