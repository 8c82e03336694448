//! A message in a recording that somebody else wrote.

use mcap::records::Record;
use mcap::sans_io::{LinearReadEvent, LinearReader, LinearReaderOptions};
use std::collections::HashMap;

/// No record is longer, and none unpacks to more: a file's own numbers are claims.
const LONGEST: usize = 64 << 20;

/// Whether these bytes are those of an mcap file.
pub fn is_mcap(file: &[u8]) -> bool {
    file.starts_with(mcap::MAGIC)
}

/// The bytes of the first message of a type, `package/msg/Name`, in an mcap file; none where there is no such message. What a recording that was cut
/// off still has counts.
pub fn first_message(file: &[u8], kind: &str) -> anyhow::Result<Option<Vec<u8>>> {
    let options = LinearReaderOptions::default().with_skip_end_magic(true).with_record_length_limit(LONGEST);
    let mut reader = LinearReader::new_with_options(options);
    let (mut rest, mut schemas, mut channels) = (file, HashMap::new(), HashMap::new());
    while let Some(event) = reader.next_event() {
        match event? {
            LinearReadEvent::ReadRequest(wanted) => {
                let (now, later) = rest.split_at(wanted.min(rest.len()));
                reader.insert(now.len()).copy_from_slice(now);
                reader.notify_read(now.len());
                rest = later;
            }
            LinearReadEvent::Record { data, opcode } => match mcap::parse_record(opcode, data)? {
                Record::Schema { header, .. } => {
                    schemas.insert(header.id, header.name == kind);
                }
                Record::Channel(channel) => {
                    channels.insert(channel.id, schemas.get(&channel.schema_id) == Some(&true));
                }
                Record::Message { header, data } if channels.get(&header.channel_id) == Some(&true) => {
                    return Ok(Some(data.into_owned()));
                }
                _ => {}
            },
        }
    }
    Ok(None)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{Bag, Topic};
    use proptest::prelude::*;

    /// A recording of two topics; each message is its number.
    fn recorded(name: &str) -> Vec<u8> {
        let folder = std::env::temp_dir().join(format!("gaitway_find_{name}_{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let topics =
            [("/a", "p/msg/A"), ("/b", "p/msg/B")].map(|(n, kind)| Topic::new(n, kind, String::new()));
        let mut bag = Bag::create(&folder.join("x.mcap"), "a test").unwrap();
        for (k, topic) in [0, 0, 1, 1, 0].into_iter().enumerate() {
            bag.write(topic, &topics[topic], k as u64, &[k as u8]).unwrap();
        }
        let bytes = std::fs::read(bag.finish().unwrap()).unwrap();
        std::fs::remove_dir_all(folder).unwrap();
        bytes
    }

    #[test]
    fn the_first_message_of_its_type_is_found() {
        let bytes = recorded("first");
        assert!(is_mcap(&bytes) && !is_mcap(b"times: [1]"));
        let first = |kind| first_message(&bytes, kind).unwrap();
        assert_eq!(
            (first("p/msg/A"), first("p/msg/B"), first("p/msg/C")),
            (Some(vec![0]), Some(vec![2]), None)
        );
        assert!(first_message(b"times: [1]", "p/msg/A").is_err());
    }

    proptest! {
        #[test]
        fn damaged_files_end_in_words(at in any::<prop::sample::Index>(), byte: u8, cut in any::<prop::sample::Index>()) {
            let mut bytes = recorded("damaged");
            let at = at.index(bytes.len());
            bytes[at] = byte;
            bytes.truncate(cut.index(bytes.len()) + 1);
            let _ = first_message(&bytes, "p/msg/B");
        }
    }
}
