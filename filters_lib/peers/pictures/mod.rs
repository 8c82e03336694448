//! Step responses as SVG. Shared by the example that writes them and the test that compares them.

mod curves;
mod svg;

/// Every picture: file name and content.
pub fn all() -> Vec<(String, String)> {
    curves::all().into_iter().map(|curve| (format!("{}.svg", curve.file), svg::draw(&curve))).collect()
}
