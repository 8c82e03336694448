//! A rosbag2: a folder with metadata.yaml and storage files, or one such file.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, bail};

use super::topics::{Topics, Wanted};
use super::{mcap_file, metadata, sqlite_file};

/// A topic of a bag, with all that its file says of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Channel {
    /// The topic.
    pub topic: String,
    /// Its type.
    pub kind: String,
    /// How its messages are written: `cdr`.
    pub encoding: String,
    /// The definition of the type; may be empty.
    pub definition: Vec<u8>,
    /// The language of the definition.
    pub definition_encoding: String,
    /// What else is said of it: `offered_qos_profiles`.
    pub metadata: BTreeMap<String, String>,
    /// What is done with it.
    pub wanted: Wanted,
}

/// A message of a topic that is read.
#[derive(Debug, Clone, Copy)]
pub struct Recorded<'a> {
    /// Its topic.
    pub channel: &'a Arc<Channel>,
    /// When it was recorded, ns.
    pub log_time: i64,
    /// The share of the bag that is behind it.
    pub share: f64,
    /// CDR, or that packed by zstd.
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
}

impl Bag {
    /// A folder, or a single storage file.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        if path.is_file() {
            return Ok(Self { files: vec![path.to_owned()] });
        }
        if !path.is_dir() {
            bail!("there is no bag {}", path.display());
        }
        let metadata = path.join("metadata.yaml");
        let named = match fs::read_to_string(&metadata) {
            Ok(text) => metadata::files(&text).with_context(|| {
                format!(
                    "{} is damaged (remove it to read the folder's files as they are)",
                    metadata.display()
                )
            })?,
            // A recording that was interrupted leaves none.
            Err(e) if e.kind() == ErrorKind::NotFound => vec![],
            Err(e) => return Err(e).with_context(|| metadata.display().to_string()),
        };
        let named: Vec<PathBuf> = named.iter().map(|file| path.join(file)).collect();
        let files = if named.is_empty() { storage_files(path)? } else { named };
        if files.is_empty() {
            bail!("{} holds no .mcap and no .db3 file", path.display());
        }
        Ok(Self { files })
    }

    /// The storage files.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Whether a file is named like a storage file.
    pub fn is_storage(file: &Path) -> bool {
        kind(file).is_some()
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
                visit(&Recorded { share: (behind + message.share * size) / total, ..*message })
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
