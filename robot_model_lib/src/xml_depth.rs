//! A guard before the XML reader, which recurses into elements and would overflow its stack.

use crate::ModelError;

/// Deepest nesting of elements that is accepted. A URDF needs about six levels, its extensions
/// (`<gazebo>`, `<transmission>`) a dozen.
pub(crate) const MAX_NESTING: usize = 64;

/// Refuses text whose elements are nested deeper than [`MAX_NESTING`].
///
/// Counts tags only, skipping comments, CDATA and processing instructions; whether the text is
/// well formed is left to the reader behind it.
pub(crate) fn check(text: &str) -> Result<(), ModelError> {
    let mut depth = 0_usize;
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        rest = &rest[start..];
        let (end, change) = if rest.starts_with("<!--") {
            ("-->", 0)
        } else if rest.starts_with("<![CDATA[") {
            ("]]>", 0)
        } else if rest.starts_with("<?") {
            ("?>", 0)
        } else if rest.starts_with("<!") {
            (">", 0)
        } else if rest.starts_with("</") {
            (">", -1)
        } else {
            (">", 1)
        };
        let close = match change {
            0 => rest.find(end).map(|at| at + end.len()),
            _ => tag_end(rest),
        };
        let Some(close) = close else {
            let start: String = rest.chars().take(40).collect();
            return Err(ModelError::Malformed(format!("nothing closes {start}")));
        };
        let closes_itself = rest[..close].ends_with("/>");
        depth = match change {
            1 if !closes_itself => depth + 1,
            -1 => depth.saturating_sub(1),
            _ => depth,
        };
        if depth > MAX_NESTING {
            return Err(ModelError::NestedTooDeep { limit: MAX_NESTING });
        }
        rest = &rest[close..];
    }
    Ok(())
}

/// The index behind the tag's closing bracket; brackets inside quoted attributes do not close it.
fn tag_end(tag: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at + 1),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flat_document_of_any_length_passes() {
        let text = format!("<robot>{}</robot>", "<link name=\"a>b\"/><!-- <a><b> -->".repeat(10_000));
        assert!(check(&text).is_ok());
    }

    #[test]
    fn nesting_is_limited_even_when_nothing_is_closed() {
        assert!(check(&"<a>".repeat(MAX_NESTING)).is_ok());
        assert!(check(&"<a>".repeat(MAX_NESTING + 1)).is_err());
        assert!(check(&"<a b='/'>".repeat(1_000_000)).is_err());
    }
}
