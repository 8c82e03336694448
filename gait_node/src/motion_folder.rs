//! The folder of motions.

use crate::motion_file::read_motion;
use crate::trajectory::Trajectory;
use anyhow::ensure;
use param_lib::{InsideError, read_inside};
use std::path::Path;

/// A motion of more is a mistake: forty joints at 100 Hz for a quarter of an hour.
const MOST_BYTES: u64 = 64 << 20;

/// What a file of the folder says; nothing for no name. Where there is no such file the error names those that there are.
pub fn motion_of_folder(folder: &Path, file: &str) -> anyhow::Result<Option<Trajectory>> {
    if file.is_empty() {
        return Ok(None);
    }
    ensure!(!folder.as_os_str().is_empty(), "set the parameter motions to the folder that {file:?} is in");
    let wrong = |e: &dyn std::fmt::Display| anyhow::anyhow!("{}: {e}", folder.join(file).display());
    let bytes = read_inside(folder, file, MOST_BYTES).map_err(|e| match e {
        InsideError::Disk(e) => wrong(&format!("{e}; {}", listed(folder))),
        e => wrong(&e),
    })?;
    Ok(Some(read_motion(&bytes).map_err(|e| wrong(&e))?))
}

/// The motions of a folder, in words.
fn listed(folder: &Path) -> String {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(e) => return format!("the folder of motions, {}, cannot be read: {e}", folder.display()),
    };
    let is_motion = |name: &String| [".yaml", ".yml", ".json", ".mcap"].iter().any(|end| name.ends_with(end));
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(is_motion).collect();
    names.sort();
    if names.is_empty() {
        "the folder has no motions".into()
    } else {
        format!("there are {}", names.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_file_names_those_that_there_are() {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../config/motions"));
        let why = |folder: &Path, file: &str| motion_of_folder(folder, file).unwrap_err().to_string();
        assert!(why(folder, "bow").ends_with("there are bow.yaml, nod.json"));
        assert!(why(Path::new(""), "no/such/bow").contains("set the parameter motions"));
        assert!(why(folder, "../gait.yaml").contains("is not inside the folder"));
        assert!(why(&folder.join("none"), "bow").contains("cannot be read"));
        assert!(motion_of_folder(folder, "bow.yaml").unwrap().is_some());
        assert!(motion_of_folder(folder, "").unwrap().is_none());
    }
}
