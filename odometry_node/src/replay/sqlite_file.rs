//! One sqlite3 file of a rosbag2, read in the order of time.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use super::bag::{Channel, Ending, Recorded, Visit};
use super::limits::{LONGEST_MESSAGE, zstd_reader};
use super::scratch::Scratch;
use super::topics::Topics;

/// An unpacked copy (SQLite needs to seek, which a packed file does not allow), and why it is not whole.
fn unpacked(path: &Path) -> anyhow::Result<(Scratch, Option<String>)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let packed = File::open(path).context("cannot be opened")?;
    let size = packed.metadata().map_or(0, |metadata| metadata.len());
    let (copy, mut file) = Scratch::temporary(&format!("odometry_replay_{name}"))?;
    let cut = std::io::copy(&mut zstd_reader(packed, size)?, &mut file).err().map(|e| e.to_string());
    Ok((copy, cut))
}

/// Reads the messages of one file by their time of recording.
pub(crate) fn read(
    path: &Path,
    zstd: bool,
    topics: &mut Topics,
    visit: &mut Visit<'_>,
) -> anyhow::Result<Ending> {
    let copy = if zstd { Some(unpacked(path)?) } else { None };
    let file = copy.as_ref().map_or(path, |(copy, _)| copy.path());
    let connection =
        Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY).context("cannot be opened")?;
    // SQLite gives up on a file that is shorter than its first page says, unless it may be repaired.
    connection.execute_batch("PRAGMA writable_schema = ON").context("cannot be opened")?;
    // No row is longer: a damaged length reserves nothing.
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_MESSAGE as i32)?;
    let channels = channels(&connection, topics).context("is no sqlite3 bag")?;
    let ending = messages(&connection, &channels, visit)?;
    Ok(match (ending, copy.and_then(|(_, cut)| cut)) {
        (Ending::Whole, Some(cut)) => Ending::Early(cut),
        (ending, _) => ending,
    })
}

fn channels(connection: &Connection, topics: &mut Topics) -> anyhow::Result<Vec<(i64, Arc<Channel>)>> {
    // Columns differ from one version of rosbag2 to the next; these four have always been there.
    let qos = match connection.prepare("SELECT offered_qos_profiles FROM topics") {
        Ok(_) => "offered_qos_profiles",
        Err(_) => "''",
    };
    let mut statement = connection
        .prepare(&format!("SELECT id, name, type, serialization_format, {qos} FROM topics ORDER BY id"))?;
    let mut rows = statement.query([])?;
    let mut channels = vec![];
    while let Some(row) = rows.next()? {
        let (id, topic, kind, encoding): (i64, String, String, String) =
            (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
        let Some(wanted) = topics.wanted(&topic, &kind)? else { continue };
        if wanted.role.is_some() && encoding != "cdr" {
            bail!("topic {topic} is encoded as {encoding}, not as cdr");
        }
        let (definition, definition_encoding) = definition(connection, &kind);
        let metadata = BTreeMap::from([("offered_qos_profiles".to_owned(), row.get(4).unwrap_or_default())]);
        let channel = Channel { topic, kind, encoding, definition, definition_encoding, metadata, wanted };
        channels.push((id, Arc::new(channel)));
    }
    Ok(channels)
}

/// The definition of a type, which bags have since ROS 2 Iron, and its language.
fn definition(connection: &Connection, kind: &str) -> (Vec<u8>, String) {
    let query = "SELECT encoded_message_definition, encoding FROM message_definitions WHERE topic_type = ?1";
    let found = connection.query_row(query, [kind], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)));
    found.map_or_else(|_| (vec![], String::new()), |(text, encoding)| (text.into_bytes(), encoding))
}

fn messages(
    connection: &Connection,
    channels: &[(i64, Arc<Channel>)],
    visit: &mut Visit<'_>,
) -> anyhow::Result<Ending> {
    let wanted: Vec<String> = channels.iter().map(|(id, _)| id.to_string()).collect();
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
        let Some((_, channel)) = channels.iter().find(|(id, _)| *id == topic) else { continue };
        let Ok(data) = row.get_ref(2)?.as_blob() else {
            return Ok(Ending::Early("a message is no blob".into()));
        };
        // In doubles: times of a damaged file may lie farther apart than an integer holds.
        let share = (log_time as f64 - first as f64) / (last as f64 - first as f64).max(1.0);
        visit(&Recorded { channel, log_time, share, data })?;
    }
}
