//! Puts the page into the executable: what `tools/page_bundle` made of `web/`, or nothing where there was no Node to make it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() -> std::io::Result<()> {
    let web = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("web");
    let bundle = web.join("dist");
    println!("cargo:rerun-if-changed={}", bundle.display());
    let mut list = String::from("&[");
    let names = ["index.html", "app.js", "app.css"];
    // All of it or none: half a page is worse than the plain one.
    if names.iter().all(|name| bundle.join(name).is_file()) {
        for name in names {
            let path = bundle.join(name);
            let _ = write!(list, "({name:?}, include_str!({:?})),", path.display().to_string());
        }
    }
    list.push(']');
    let out = std::env::var("OUT_DIR").unwrap_or_default();
    std::fs::write(Path::new(&out).join("bundle.rs"), list)
}
