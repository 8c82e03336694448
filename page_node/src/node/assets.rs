//! The page itself, inside the executable: no file and no other host is asked for it.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

/// (name, text) of the bundle; empty where it could not be made (see build.rs).
const BUNDLE: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/bundle.rs"));
/// The essentials without any library: stop, state, drive.
const PLAIN: &str = include_str!("../../web/plain.html");
const PLAIN_SCRIPT: &str = include_str!("../../web/plain.js");

fn with_type(name: &str, text: &'static str) -> Response {
    let kind = match name.rsplit('.').next() {
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "text/html; charset=utf-8",
    };
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}

/// The page, or the plain one where there is no bundle.
pub(super) fn index() -> Response {
    file_of("index.html").map_or_else(plain, |text| with_type("index.html", text))
}

/// The plain page.
pub(super) fn plain() -> Response {
    with_type("plain.html", PLAIN)
}

/// A file of the page.
pub(super) fn file(name: &str) -> Response {
    match (name, file_of(name)) {
        ("plain.js", _) => with_type(name, PLAIN_SCRIPT),
        (_, Some(text)) => with_type(name, text),
        _ => (StatusCode::NOT_FOUND, "no such page\n").into_response(),
    }
}

fn file_of(name: &str) -> Option<&'static str> {
    BUNDLE.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
