//! What `~/save` writes, where, and what it leaves alone.
#![allow(clippy::unwrap_used)]

use servo_inv_node::save::{SaveError, save};
use std::fs;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("servo_inv_save_{name}_{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).unwrap();
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_file_is_replaced_whole_and_nothing_stays_beside_it() {
    let folder = folder("whole");
    let path = folder.join("models.yaml");
    for text in ["first, and rather long", "second"] {
        save(&path, text).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    assert_eq!(names(&folder), ["models.yaml"]);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn links_folders_and_devices_are_left_alone() {
    let folder = folder("kinds");
    fs::write(folder.join("precious"), "do not touch").unwrap();
    std::os::unix::fs::symlink(folder.join("precious"), folder.join("link")).unwrap();
    std::os::unix::fs::symlink(folder.join("nowhere"), folder.join("dangling")).unwrap();
    fs::create_dir(folder.join("folder")).unwrap();
    for path in ["link", "dangling", "folder"].map(|n| folder.join(n)).into_iter().chain(["/dev/null".into()])
    {
        assert!(matches!(save(&path, "x"), Err(SaveError::NoFile(p)) if p == path));
    }
    assert_eq!(fs::read_to_string(folder.join("precious")).unwrap(), "do not touch");
    assert_eq!(names(&folder), ["dangling", "folder", "link", "precious"]);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn names_that_lead_elsewhere_or_nowhere_are_refused() {
    assert!(matches!(save(Path::new("../models.yaml"), "x"), Err(SaveError::Outside(_))));
    assert!(matches!(save(Path::new("a/../../models.yaml"), "x"), Err(SaveError::Outside(_))));
    assert!(matches!(save(Path::new(""), "x"), Err(SaveError::NoName(_))));
    assert!(matches!(save(Path::new("/"), "x"), Err(SaveError::NoName(_))));
    let missing = std::env::temp_dir().join("no_such_folder/models.yaml");
    let error = save(&missing, "x").unwrap_err().to_string();
    assert!(error.contains("no_such_folder/models.yaml"), "{error}");
}

/// What a process of the same number left behind does not block; a link in its place does.
#[test]
fn a_stale_temporary_file_is_replaced() {
    let folder = folder("stale");
    let (path, stale) = (folder.join("models.yaml"), format!("models.yaml.{}.new", std::process::id()));
    fs::write(folder.join(&stale), "half of it").unwrap();
    save(&path, "whole").unwrap();
    assert_eq!(
        (fs::read_to_string(&path).unwrap().as_str(), names(&folder)),
        ("whole", vec!["models.yaml".into()])
    );
    fs::write(folder.join("precious"), "do not touch").unwrap();
    std::os::unix::fs::symlink(folder.join("precious"), folder.join(&stale)).unwrap();
    assert!(matches!(save(&path, "again"), Err(SaveError::Disk { .. })));
    assert_eq!(fs::read_to_string(folder.join("precious")).unwrap(), "do not touch");
    fs::remove_dir_all(folder).unwrap();
}
