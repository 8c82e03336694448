//! Files of one folder by name, and nothing outside of it: recordings to download, parameters that were saved.

use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Entries that are listed at the most.
const MOST: usize = 1000;

/// Why a file is not given.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum NameError {
    /// It could lead elsewhere.
    #[error("not a name of a recording: letters, digits, . - _ only, at most one folder deep")]
    Name,
    /// A link leads elsewhere, or there is none.
    #[error("there is no such recording")]
    Absent,
}

/// A file that can be downloaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Recording {
    /// Its name inside the folder; one folder deep, as rosbag2 writes them.
    pub name: String,
    /// Its size.
    pub bytes: u64,
}

/// Whether it is one plain name: nothing hidden, nothing that a shell, a header or a path reads as more.
pub fn is_plain(name: &str) -> bool {
    let is_fit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    !name.is_empty() && name.len() <= 200 && !name.starts_with('.') && name.chars().all(is_fit)
}

/// The file of a name, inside the folder also when links are followed.
pub fn find(folder: &Path, name: &str) -> Result<PathBuf, NameError> {
    if name.split('/').count() > 2 || !name.split('/').all(is_plain) {
        return Err(NameError::Name);
    }
    let folder = folder.canonicalize().map_err(|_| NameError::Absent)?;
    let file = folder.join(name).canonicalize().map_err(|_| NameError::Absent)?;
    if file.starts_with(&folder) && file.is_file() { Ok(file) } else { Err(NameError::Absent) }
}

/// What there is, the newest name last.
pub fn list(folder: &Path) -> Vec<Recording> {
    let mut found = vec![];
    collect(folder, "", &mut found);
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

fn collect(folder: &Path, prefix: &str, found: &mut Vec<Recording>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (name, Ok(kind)) = (entry.file_name(), entry.file_type()) else { continue };
        let Some(name) = name.to_str().filter(|name| is_plain(name)) else { continue };
        if kind.is_dir() && prefix.is_empty() {
            collect(&entry.path(), &format!("{name}/"), found);
        }
        if kind.is_file() && found.len() < MOST {
            let bytes = entry.metadata().map_or(0, |data| data.len());
            found.push(Recording { name: format!("{prefix}{name}"), bytes });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A folder with a recording, beside a secret and a link to it.
    fn folder(test: &str) -> PathBuf {
        let root = std::env::temp_dir().join(format!("gaitway_page_{test}_{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(root.join("bags/walk")).unwrap();
        fs::write(root.join("secret"), "s").unwrap();
        fs::write(root.join("bags/walk/walk_0.mcap"), "bag").unwrap();
        fs::write(root.join("bags/.hidden"), "h").unwrap();
        std::os::unix::fs::symlink(root.join("secret"), root.join("bags/link")).unwrap();
        root
    }

    #[test]
    fn recordings_are_found_and_listed_but_no_link_leads_out() {
        let root = folder("listed");
        let bags = root.join("bags");
        assert_eq!(list(&bags), [Recording { name: "walk/walk_0.mcap".into(), bytes: 3 }]);
        assert!(find(&bags, "walk/walk_0.mcap").is_ok());
        assert_eq!(find(&bags, "link"), Err(NameError::Absent));
        assert_eq!(find(&bags, "walk"), Err(NameError::Absent));
        for bad in [
            "../secret",
            "walk/../../secret",
            "/etc/passwd",
            ".hidden",
            "",
            "a\0b",
            "walk//x",
            "a\\b",
            "%2e%2e",
            "walk/..",
        ] {
            assert_eq!(find(&bags, bad), Err(NameError::Name), "{bad:?}");
        }
        fs::remove_dir_all(root).unwrap();
    }

    proptest! {
        #[test]
        fn whatever_is_asked_for_lies_inside(name in "[./a-z_\\\\%0-9]{0,30}") {
            let root = std::env::temp_dir();
            if let Ok(file) = find(&root, &name) {
                prop_assert!(file.starts_with(root.canonicalize().unwrap()));
            }
        }
    }
}
