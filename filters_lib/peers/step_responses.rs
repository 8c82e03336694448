//! Writes the step responses of every filter to `filters_lib/doc/`.
//!
//!     cargo run -p filters_lib --example step_responses

mod pictures;

use std::path::Path;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("doc");
    std::fs::create_dir_all(&folder)?;
    for (name, svg) in pictures::all() {
        std::fs::write(folder.join(&name), svg)?;
        println!("doc/{name}");
    }
    Ok(())
}
