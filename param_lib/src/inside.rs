//! Files that somebody else names: inside one folder, plain, and of a size that fits.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// Why a file is not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InsideError {
    /// It, or its folder, cannot be read.
    #[error("{0}")]
    Disk(#[from] io::Error),
    /// The name leads out of the folder, through `..`, a link or a path of its own.
    #[error("it is not inside the folder {0}")]
    Outside(PathBuf),
    /// A folder, a pipe or a device.
    #[error("it is no plain file")]
    NoFile,
    /// More than anybody needs.
    #[error("it has more than {0} bytes")]
    TooLarge(u64),
}

/// What a file of a folder, or of its sub-folders, holds: at most so many bytes. Links count as what they lead to. Where the
/// name leads out of the folder nothing is read, so that nobody learns what other files say.
pub fn read_inside(folder: &Path, name: &str, most_bytes: u64) -> Result<Vec<u8>, InsideError> {
    let folder = folder.canonicalize()?;
    let path = folder.join(name);
    let found = path.canonicalize();
    // Whether there is something outside is nobody's business either.
    let inside = match &found {
        Ok(path) => path.starts_with(&folder),
        Err(_) => Path::new(name).components().all(|part| matches!(part, std::path::Component::Normal(_))),
    };
    if !inside {
        return Err(InsideError::Outside(folder));
    }
    let path = found?;
    // Before it is opened: opening a pipe waits for its other end.
    if !path.metadata()?.is_file() {
        return Err(InsideError::NoFile);
    }
    let mut bytes = vec![];
    File::open(path)?.take(most_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most_bytes {
        return Err(InsideError::TooLarge(most_bytes));
    }
    Ok(bytes)
}
