//! One sqlite3 file of a rosbag2, read in the order of time.

use std::fs::File;
use std::path::Path;

use anyhow::{Context as _, bail};
use rusqlite::{Connection, OpenFlags};

use super::bag::{Ending, Recorded, Visit};
use super::scratch::Scratch;
use super::topics::{Role, Topics};

/// A decompressed copy (SQLite needs to seek, which a compressed file does not allow), and why it is not whole.
fn decompressed(path: &Path) -> anyhow::Result<(Scratch, Option<String>)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let copy = std::env::temp_dir().join(format!("odometry_replay_{}_{name}.db3", std::process::id()));
    let (copy, mut file) = Scratch::create(copy)?;
    let mut decoder = zstd::Decoder::new(File::open(path).context("cannot be opened")?)?;
    let cut = std::io::copy(&mut decoder, &mut file).err().map(|e| e.to_string());
    Ok((copy, cut))
}

/// Reads the messages of one file by their time of recording.
pub(crate) fn read(
    path: &Path,
    zstd: bool,
    topics: &mut Topics,
    visit: &mut Visit<'_>,
) -> anyhow::Result<Ending> {
    let copy = if zstd { Some(decompressed(path)?) } else { None };
    let file = copy.as_ref().map_or(path, |(copy, _)| copy.path());
    let connection =
        Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY).context("cannot be opened")?;
    // SQLite gives up on a file that is shorter than its first page says, unless it may be repaired.
    connection.execute_batch("PRAGMA writable_schema = ON").context("cannot be opened")?;
    let roles = roles(&connection, topics).context("is no sqlite3 bag")?;
    let ending = messages(&connection, &roles, visit)?;
    Ok(match (ending, copy.and_then(|(_, cut)| cut)) {
        (Ending::Whole, Some(cut)) => Ending::Early(cut),
        (ending, _) => ending,
    })
}

fn roles(connection: &Connection, topics: &mut Topics) -> anyhow::Result<Vec<(i64, Role, String)>> {
    let mut statement =
        connection.prepare("SELECT id, name, type, serialization_format FROM topics ORDER BY id")?;
    let mut rows = statement.query([])?;
    let mut roles = vec![];
    while let Some(row) = rows.next()? {
        let (id, name, kind, format): (i64, String, String, String) =
            (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
        if let Some(role) = topics.role(&name, &kind)? {
            if format != "cdr" {
                bail!("topic {name} is encoded as {format}, not as cdr");
            }
            roles.push((id, role, name));
        }
    }
    Ok(roles)
}

fn messages(
    connection: &Connection,
    roles: &[(i64, Role, String)],
    visit: &mut Visit<'_>,
) -> anyhow::Result<Ending> {
    let wanted: Vec<String> = roles.iter().map(|(id, ..)| id.to_string()).collect();
    // The numbers come from the file's own table; SQLite has no list parameters.
    let filter = format!("WHERE topic_id IN ({})", wanted.join(", "));
    let ends = connection.query_row(
        &format!("SELECT min(timestamp), max(timestamp) FROM messages {filter}"),
        [],
        |row| Ok((row.get::<_, Option<i64>>(0)?, row.get::<_, Option<i64>>(1)?)),
    );
    // Without its index a damaged file still holds its messages as they were written, which is nearly the order of time.
    let (order, damage, (first, last)) = match ends {
        Ok((first, last)) => ("ORDER BY timestamp, id", None, (first.unwrap_or(0), last.unwrap_or(0))),
        Err(e) => ("ORDER BY id", Some(e.to_string()), (0, 0)),
    };
    let source = if damage.is_some() { "messages NOT INDEXED" } else { "messages" };
    let mut statement =
        connection.prepare(&format!("SELECT topic_id, timestamp, data FROM {source} {filter} {order}"))?;
    let mut rows = statement.query([])?;
    loop {
        let row = match rows.next() {
            Ok(Some(row)) => row,
            Ok(None) => return Ok(damage.map_or(Ending::Whole, Ending::Early)),
            Err(e) => return Ok(Ending::Early(e.to_string())),
        };
        let (topic, log_time): (i64, i64) = (row.get(0)?, row.get(1)?);
        let Some((_, role, topic)) = roles.iter().find(|(id, ..)| *id == topic) else { continue };
        let Ok(data) = row.get_ref(2)?.as_blob() else {
            return Ok(Ending::Early("a message is no blob".into()));
        };
        let share = (log_time - first) as f64 / (last - first).max(1) as f64;
        visit(&Recorded { role: *role, topic, log_time, share, data })?;
    }
}
