//! Files that the mutations begin with.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// The root of the project.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The files of `corpus/TARGET`, by their names, then these of the project.
pub fn corpus(target: &str, others: &[&str]) -> anyhow::Result<Vec<Vec<u8>>> {
    let folder = root().join("fuzz_lib/corpus").join(target);
    let mut paths = vec![];
    if folder.is_dir() {
        for entry in std::fs::read_dir(&folder)? {
            paths.push(entry?.path());
        }
    }
    paths.sort();
    paths.extend(others.iter().map(|other| root().join(other)));
    let read = |path: &PathBuf| std::fs::read(path).with_context(|| path.display().to_string());
    paths.iter().map(read).collect()
}

/// Where inputs go that were found.
pub(crate) fn found(target: &str, case: u64) -> PathBuf {
    root().join("out/fuzz").join(format!("{target}_{case}"))
}
