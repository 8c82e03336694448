//! Files and folders that are gone when they are no longer needed, unless they are kept under a name.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use super::target::{exists, holds_only_a_bag};

/// As many names are tried; more leftovers than this are no accident.
const MOST_TRIES: u32 = 1000;

/// A file or folder that is removed, unless it is kept.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

/// Makes something under a new name in a folder: nothing that is there is touched, nor any link followed.
fn make<T>(folder: &Path, name: &str, make: impl Fn(&Path) -> io::Result<T>) -> anyhow::Result<(Scratch, T)> {
    for number in 0..MOST_TRIES {
        let path = folder.join(format!(".{name}.{}_{number}.part", std::process::id()));
        match make(&path) {
            Ok(made) => return Ok((Scratch(path), made)),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e).with_context(|| format!("cannot write {}", folder.join(name).display())),
        }
    }
    bail!("cannot write {}: too many unfinished ones lie beside it", folder.join(name).display())
}

/// The folder and the name of a path.
fn parts(path: &Path) -> anyhow::Result<(&Path, String)> {
    let Some(name) = path.file_name() else { bail!("{} is no name for a file", path.display()) };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    Ok((folder.unwrap_or(Path::new(".")), name.to_string_lossy().into_owned()))
}

impl Scratch {
    /// A file beside the one that it is to become.
    pub(crate) fn beside(path: &Path) -> anyhow::Result<(Self, File)> {
        let (folder, name) = parts(path)?;
        make(folder, &name, |path| OpenOptions::new().write(true).create_new(true).open(path))
    }

    /// A folder beside the one that it is to become.
    pub(crate) fn folder_beside(path: &Path) -> anyhow::Result<Self> {
        let (folder, name) = parts(path)?;
        Ok(make(folder, &name, |path| DirBuilder::new().create(path))?.0)
    }

    /// A file among temporary ones that nobody else may read.
    pub(crate) fn temporary(name: &str) -> anyhow::Result<(Self, File)> {
        let private =
            |path: &Path| OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path);
        make(&std::env::temp_dir(), name, private)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Gives it its name. Without `replace` what has come to be there meanwhile stays.
    pub(crate) fn keep_as(self, path: &Path, replace: bool) -> anyhow::Result<()> {
        let cannot = || format!("cannot write {}", path.display());
        if self.0.is_dir() {
            if replace && path.is_dir() {
                clear_bag(path).with_context(cannot)?;
            }
            // Into the place of an empty folder at the most.
            return fs::rename(&self.0, path).with_context(cannot);
        }
        if replace {
            return fs::rename(&self.0, path).with_context(cannot);
        }
        // A link is made only where nothing is; file systems without links leave a moment between looking and renaming.
        match fs::hard_link(&self.0, path) {
            Ok(()) => Ok(()),
            Err(e) if e.kind() != io::ErrorKind::AlreadyExists && !exists(path) => {
                fs::rename(&self.0, path).with_context(cannot)
            }
            Err(e) => Err(e).with_context(cannot),
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nobody is left to be told of what stays; after `keep_as` there is at most a second name.
        let _ = if self.0.is_dir() { fs::remove_dir_all(&self.0) } else { fs::remove_file(&self.0) };
    }
}

/// Removes the files of a bag, and nothing else.
fn clear_bag(folder: &Path) -> anyhow::Result<()> {
    if !holds_only_a_bag(folder)? {
        bail!("the folder holds more than a bag");
    }
    let names: Vec<OsString> =
        fs::read_dir(folder)?.map(|e| Ok(e?.file_name())).collect::<io::Result<_>>()?;
    names.iter().try_for_each(|name| fs::remove_file(folder.join(name)))?;
    Ok(())
}

/// A new private folder for tests.
#[cfg(test)]
pub(crate) fn test_folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("gaitway_{name}_{}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir(&path).unwrap();
    path
}
