//! Files that somebody else names.
#![allow(clippy::unwrap_used, missing_docs)]

use param_lib::{InsideError, read_inside};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

/// A folder of its own with a file outside of the one that is read from.
fn folder(name: &str) -> PathBuf {
    let outer = std::env::temp_dir().join(format!("gaitway_inside_{}_{name}", std::process::id()));
    let _ = fs::remove_dir_all(&outer);
    fs::create_dir_all(outer.join("motions/sub")).unwrap();
    fs::write(outer.join("secret"), "secret").unwrap();
    fs::write(outer.join("motions/bow"), "bow").unwrap();
    fs::write(outer.join("motions/sub/nod"), "nod").unwrap();
    outer.join("motions")
}

#[test]
fn names_stay_in_their_folder() {
    let folder = folder("stay");
    symlink("../secret", folder.join("out")).unwrap();
    symlink("bow", folder.join("in")).unwrap();
    let read = |name: &str| read_inside(&folder, name, 100);
    for (name, text) in [("bow", "bow"), ("sub/nod", "nod"), ("sub/../bow", "bow"), ("in", "bow")] {
        assert_eq!(read(name).unwrap(), text.as_bytes());
    }
    let whole = folder.join("bow");
    assert_eq!(read(whole.to_str().unwrap()).unwrap(), b"bow");
    for name in
        ["../secret", "out", "sub/../../secret", "/etc/passwd", "../nothing", "/nothing", "sub/../../x"]
    {
        assert!(matches!(read(name), Err(InsideError::Outside(_))), "{name}: {:?}", read(name));
    }
    assert!(matches!(read("none"), Err(InsideError::Disk(_))));
    assert!(matches!(read("bow\0"), Err(InsideError::Disk(_))));
    for name in ["", ".", "sub"] {
        assert!(matches!(read(name), Err(InsideError::NoFile)), "{name}");
    }
    fs::remove_dir_all(folder.parent().unwrap()).unwrap();
}

#[test]
fn pipes_devices_and_endless_files_are_not_read() {
    let folder = folder("plain");
    assert!(std::process::Command::new("mkfifo").arg(folder.join("pipe")).status().unwrap().success());
    assert!(matches!(read_inside(&folder, "pipe", 100), Err(InsideError::NoFile)));
    assert!(matches!(read_inside("/dev".as_ref(), "zero", 100), Err(InsideError::NoFile)));
    fs::write(folder.join("large"), "x".repeat(101)).unwrap();
    assert!(matches!(read_inside(&folder, "large", 100), Err(InsideError::TooLarge(100))));
    assert_eq!(read_inside(&folder, "large", 101).unwrap().len(), 101);
    fs::remove_dir_all(folder.parent().unwrap()).unwrap();
}
