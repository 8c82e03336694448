//! Where results may go: never over what is read and, unless that is wanted, over nothing at all.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use anyhow::{Context as _, bail};

use super::bag::Bag;
use super::scratch::Scratch;

/// Whether anything has this name, a link to nowhere included.
pub(crate) fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// What a path leads to in the end, through links and whatever its spelling.
fn identity(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

/// Whether a folder could be a bag and holds nothing else.
pub(crate) fn holds_only_a_bag(folder: &Path) -> std::io::Result<bool> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let part_of_bag = entry.file_name() == "metadata.yaml" || Bag::is_storage(&entry.path());
        if !part_of_bag || !entry.file_type()?.is_file() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Refuses results that would replace an input, each other or, without `force`, anything. Results are given with their
/// options, inputs as they are read.
pub fn check_targets(targets: &[(&str, &Path)], inputs: &[&Path], force: bool) -> anyhow::Result<()> {
    for (number, (option, path)) in targets.iter().enumerate() {
        let shown = path.display();
        let read = |input: &&&Path| identity(input).is_some() && identity(input) == identity(path);
        if inputs.iter().any(|input| read(&input)) {
            bail!("{option} {shown} is what is read; give another name");
        }
        let place = |path: &Path| {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            (identity(folder.unwrap_or(Path::new("."))), path.file_name().map(ToOwned::to_owned))
        };
        if let Some((other, _)) = targets[..number].iter().find(|(_, other)| place(other) == place(path)) {
            bail!("{option} {shown} is where {other} goes; give another name");
        }
        if !exists(path) {
            continue;
        }
        if !force {
            bail!("{option} {shown} exists; give another name, or --force to replace it");
        }
        if path.is_dir() && !holds_only_a_bag(path).unwrap_or(false) {
            bail!("{option} {shown} is a folder that holds more than a bag; --force does not replace it");
        }
    }
    Ok(())
}

/// Writes a file whole or not at all.
pub fn write_new(path: &Path, content: &[u8], force: bool) -> anyhow::Result<()> {
    let (part, mut file) = Scratch::beside(path)?;
    file.write_all(content).with_context(|| format!("cannot write {}", path.display()))?;
    drop(file);
    part.keep_as(path, force)
}

#[cfg(test)]
mod tests {
    use super::super::scratch::test_folder;
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn no_spelling_of_an_input_is_replaced_and_nothing_is_without_force() {
        let folder = test_folder("targets");
        let at = |name: &str| folder.join(name);
        fs::write(at("bag.mcap"), "recording").unwrap();
        fs::write(at("old.svg"), "old").unwrap();
        symlink(at("bag.mcap"), at("link.mcap")).unwrap();
        symlink(at("nowhere"), at("dangling")).unwrap();
        fs::hard_link(at("bag.mcap"), at("hard.mcap")).unwrap();
        fs::create_dir(at("sub")).unwrap();
        let bag = at("bag.mcap");
        let check = |path: &Path, force| check_targets(&[("--out", path)], &[&bag, &folder], force);
        for path in ["bag.mcap", "link.mcap", "hard.mcap", "sub/../bag.mcap", "."] {
            for force in [false, true] {
                let error = check(&at(path), force).unwrap_err().to_string();
                assert!(error.contains("is what is read"), "{path}: {error}");
            }
        }
        for path in ["old.svg", "dangling", "sub"] {
            assert!(check(&at(path), false).unwrap_err().to_string().contains("--force"), "{path}");
            check(&at(path), true).unwrap();
        }
        fs::write(at("sub/diary.txt"), "mine").unwrap();
        assert!(check(&at("sub"), true).unwrap_err().to_string().contains("more than a bag"));
        check(&at("new.mcap"), false).unwrap();
        let twice = [("--out", at("new")), ("--plot", at("sub/../new"))];
        let twice: Vec<_> = twice.iter().map(|(option, path)| (*option, path.as_path())).collect();
        assert!(check_targets(&twice, &[], true).unwrap_err().to_string().contains("where --out goes"));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_appears_meanwhile_stays_and_nothing_is_left_beside() {
        let folder = test_folder("meanwhile");
        let path = folder.join("plot.svg");
        fs::write(&path, "somebody else's").unwrap();
        assert!(write_new(&path, b"ours", false).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"somebody else's");
        write_new(&path, b"ours", true).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"ours");
        write_new(&folder.join("second.svg"), b"two", false).unwrap();
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
        fs::remove_dir_all(folder).unwrap();
    }
}
