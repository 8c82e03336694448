//! A rosbag2: a folder with metadata.yaml and storage files, or one such file.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use super::topics::{Role, Topics};
use super::{mcap_file, sqlite_file};

/// A message of a topic that is read.
#[derive(Debug, Clone, Copy)]
pub struct Recorded<'a> {
    /// What its topic is for.
    pub role: Role,
    /// The topic.
    pub topic: &'a str,
    /// When it was recorded, ns.
    pub log_time: i64,
    /// The share of the bag that is behind it.
    pub share: f64,
    /// CDR.
    pub data: &'a [u8],
}

/// How the reading of a file ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// At its end.
    Whole,
    /// Before its end, for this reason: the recording was interrupted, or the file is cut off or damaged.
    Early(String),
}

/// Takes a message.
pub type Visit<'a> = dyn FnMut(&Recorded<'_>) -> anyhow::Result<()> + 'a;

/// The files of a bag, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bag {
    files: Vec<PathBuf>,
    /// Whether each message is compressed by itself.
    compressed_messages: bool,
}

impl Bag {
    /// A folder, or a single storage file.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        if path.is_file() {
            return Ok(Self { files: vec![path.to_owned()], compressed_messages: false });
        }
        if !path.is_dir() {
            bail!("there is no bag {}", path.display());
        }
        let metadata = match fs::read_to_string(path.join("metadata.yaml")) {
            Ok(text) => Metadata::read(&text),
            // A recording that was interrupted leaves none.
            Err(_) => Metadata::default(),
        };
        let named: Vec<PathBuf> = metadata.files.iter().map(|file| path.join(file)).collect();
        let files = if named.is_empty() { storage_files(path)? } else { named };
        if files.is_empty() {
            bail!("{} holds no .mcap and no .db3 file", path.display());
        }
        Ok(Self { files, compressed_messages: metadata.compressed_messages })
    }

    /// Reads every message of the topics, file after file; the warnings say what could not be read.
    pub fn read(&self, topics: &mut Topics, visit: &mut Visit<'_>) -> anyhow::Result<Vec<String>> {
        let mut warnings = vec![];
        let sizes: Vec<f64> =
            self.files.iter().map(|file| fs::metadata(file).map_or(0.0, |m| m.len() as f64)).collect();
        let total = sizes.iter().sum::<f64>().max(1.0);
        let mut behind = 0.0;
        for (file, size) in self.files.iter().zip(sizes) {
            let name = file.display();
            let mut visit_file = |message: &Recorded<'_>| {
                let share = (behind + message.share * size) / total;
                if !self.compressed_messages {
                    return visit(&Recorded { share, ..*message });
                }
                let data = zstd::decode_all(message.data).context("a compressed message is damaged")?;
                visit(&Recorded { share, data: &data, ..*message })
            };
            let ending = match kind(file) {
                Some(Kind::Mcap { zstd }) => mcap_file::read(file, zstd, topics, &mut visit_file),
                Some(Kind::Sqlite { zstd }) => sqlite_file::read(file, zstd, topics, &mut visit_file),
                None => bail!("{name}: the name ends neither in .mcap nor in .db3 (nor in .zstd after that)"),
            };
            if let Ending::Early(reason) = ending.with_context(|| name.to_string())? {
                warnings.push(format!(
                    "{name} ends early ({reason}); all complete messages before that were used"
                ));
            }
            behind += size;
        }
        Ok(warnings)
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Mcap { zstd: bool },
    Sqlite { zstd: bool },
}

fn kind(file: &Path) -> Option<Kind> {
    let name = file.file_name()?.to_str()?;
    let bare = name.strip_suffix(".zstd").or_else(|| name.strip_suffix(".zst"));
    let zstd = bare.is_some();
    match bare.unwrap_or(name).rsplit_once('.')?.1 {
        "mcap" => Some(Kind::Mcap { zstd }),
        "db3" => Some(Kind::Sqlite { zstd }),
        _ => None,
    }
}

/// Storage files of a folder, `bag_2` before `bag_10`.
fn storage_files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = vec![];
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if kind(&path).is_some() {
            files.push(path);
        }
    }
    let number = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let stem = name.split('.').next().unwrap_or_default();
        let digits = stem.rsplit('_').next().and_then(|digits| digits.parse::<u64>().ok());
        (digits.unwrap_or(0), name.to_owned())
    };
    files.sort_by_key(number);
    Ok(files)
}

/// What of metadata.yaml matters; rosbag2 writes it in block style, one entry a line.
#[derive(Debug, Default, PartialEq, Eq)]
struct Metadata {
    files: Vec<String>,
    compressed_messages: bool,
}

impl Metadata {
    fn read(text: &str) -> Self {
        let mut metadata = Self::default();
        let mut in_files = false;
        for line in text.lines().map(str::trim) {
            if let Some(file) = line.strip_prefix("- ").filter(|_| in_files) {
                metadata.files.push(unquoted(file).into());
                continue;
            }
            in_files = line == "relative_file_paths:";
            if let Some(mode) = line.strip_prefix("compression_mode:") {
                metadata.compressed_messages = unquoted(mode.trim()).eq_ignore_ascii_case("message");
            }
        }
        metadata
    }
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_names_the_files_and_the_compression() {
        let text = "rosbag2_bagfile_information:\n  version: 9\n  relative_file_paths:\n    - walk_0.mcap\n    - \"walk_1.mcap\"\n  \
                    files:\n    - path: other.mcap\n  compression_format: zstd\n  compression_mode: MESSAGE\n";
        let files = vec!["walk_0.mcap".to_owned(), "walk_1.mcap".to_owned()];
        assert_eq!(Metadata::read(text), Metadata { files, compressed_messages: true });
        assert!(!Metadata::read("  compression_mode: \"\"\n").compressed_messages);
    }
}
