//! What a bench prints for people, written beside it for programs: `out/bench/NAME.json`.
//!
//! ```no_run
//! let mut figures = bench_lib::Figures::default();
//! figures.set("24 joints, ns", 690.0);
//! figures.write("agregator").expect("out/bench can be written");
//! ```

use serde_json::{Map, Value, to_string_pretty};
use std::path::Path;

/// Numbers with their names.
#[derive(Debug, Default)]
pub struct Figures(Map<String, Value>);

impl Figures {
    /// Notes a number; what is none becomes null.
    pub fn set(&mut self, name: impl Into<String>, value: f64) {
        self.0.insert(name.into(), Value::from(value));
    }

    /// Writes `out/bench/NAME.json` in the project.
    pub fn write(self, name: &str) -> std::io::Result<()> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../out/bench");
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join(format!("{name}.json")), to_string_pretty(&self.0)? + "\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_their_names_and_what_is_no_number_is_null() {
        let mut figures = Figures::default();
        figures.set("p50, µs", 1.5);
        figures.set("ratio", f64::NAN);
        assert_eq!(Value::Object(figures.0).to_string(), r#"{"p50, µs":1.5,"ratio":null}"#);
    }
}
