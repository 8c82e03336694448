//! Files that are gone when they are no longer needed.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// A file that is removed, unless it is kept under a name.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// Makes it; what was there before is gone.
    pub(crate) fn create(path: PathBuf) -> anyhow::Result<(Self, File)> {
        // Removed first: in a shared folder the name could be a link to somebody else's file.
        let _ = std::fs::remove_file(&path);
        let file = File::create_new(&path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok((Self(path), file))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn cannot_write(&self) -> String {
        format!("cannot write {}", self.0.display())
    }

    /// Gives it its name.
    pub(crate) fn keep_as(self, path: &Path) -> anyhow::Result<()> {
        std::fs::rename(&self.0, path).with_context(|| format!("cannot write {}", path.display()))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nobody is left to be told of a file that stays; after `keep_as` there is none.
        let _ = std::fs::remove_file(&self.0);
    }
}
