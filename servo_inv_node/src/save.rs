//! Files that are there whole or not at all, and nowhere else than meant.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};

/// Why a file was not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SaveError {
    /// Not the name of a file.
    #[error("\"{0}\" names no file")]
    NoName(PathBuf),
    /// A relative name that leads out of the working folder.
    #[error("\"{0}\" leads out of the working folder: give an absolute path")]
    Outside(PathBuf),
    /// Something else than a file has the name.
    #[error("\"{0}\" is a link, a folder or a device: only a plain file is replaced")]
    NoFile(PathBuf),
    /// The disk says no.
    #[error("\"{path}\": {error}")]
    Disk {
        /// Path of the file.
        path: PathBuf,
        /// What it says.
        error: io::Error,
    },
}

/// Writes a file: into a new one beside it, which then takes its name. Whoever reads it meanwhile, or after a power cut, has the
/// old text or the new one.
pub fn save(path: &Path, text: &str) -> Result<(), SaveError> {
    let Some(name) = path.file_name() else { return Err(SaveError::NoName(path.into())) };
    if path.is_relative() && path.components().any(|part| part == Component::ParentDir) {
        return Err(SaveError::Outside(path.into()));
    }
    let disk = |error| SaveError::Disk { path: path.into(), error };
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => return Err(SaveError::NoFile(path.into())),
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(disk(e)),
        _ => {}
    }
    let mut temporary = name.to_os_string();
    temporary.push(format!(".{}.new", std::process::id()));
    let temporary = path.with_file_name(temporary);
    // A plain file of that name is what a process of the same number left when it was ended. Anything else, links included, makes
    // the next line fail.
    if fs::symlink_metadata(&temporary).is_ok_and(|found| found.is_file()) {
        fs::remove_file(&temporary).map_err(disk)?;
    }
    let mut file = OpenOptions::new().write(true).create_new(true).open(&temporary).map_err(disk)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    written.and_then(|()| fs::rename(&temporary, path)).map_err(|error| {
        let _ = fs::remove_file(&temporary);
        disk(error)
    })
}
