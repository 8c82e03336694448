//! The committed step responses are those of today's filters, and the README shows every one of them.
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "../peers/pictures/mod.rs"]
mod pictures;

use std::path::Path;

#[test]
fn committed_pictures_are_current_and_shown() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let pictures = pictures::all();
    assert_eq!(pictures.len(), 43, "a filter without a picture, or one that failed");
    for (name, svg) in &pictures {
        let committed = std::fs::read_to_string(root.join("doc").join(name)).unwrap();
        assert!(committed == *svg, "doc/{name} is old: run the example step_responses");
        assert!(readme.contains(&format!("doc/{name}")), "README.md does not show {name}");
    }
    assert_eq!(
        std::fs::read_dir(root.join("doc")).unwrap().count(),
        pictures.len(),
        "a picture nobody draws"
    );
}
