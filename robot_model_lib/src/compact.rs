//! XML as one line.

/// The same document on one line, without comments, and such that YAML takes it for one plain text: what would end that
/// (`: ` and ` #`) is written with a character reference. Text that is no XML, or has CDATA, comes back as it is.
pub fn compact_xml(xml: &str) -> String {
    let xml = xml.trim();
    if !xml.starts_with('<') || xml.contains("<![CDATA[") {
        return xml.into();
    }
    let mut out = String::with_capacity(xml.len());
    let mut rest = xml;
    let mut quote = None;
    while let Some(c) = rest.chars().next() {
        if quote.is_none() && rest.starts_with("<!--") {
            // One without an end is an error for the reader to tell.
            let Some(end) = rest.find("-->") else { return xml.into() };
            rest = rest[end + 3..].trim_start();
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match (c, quote) {
            ('"' | '\'', None) if is_in_tag(&out) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            _ => {}
        }
        if c == '#' && out.ends_with(' ') {
            out.pop();
            out.push_str("&#32;#");
        } else if !c.is_whitespace() {
            out.push(c);
        } else if quote.is_some() {
            // A reader makes a space of any of them; here it has to be one that YAML does not see.
            out.push_str(if out.ends_with(':') { "&#32;" } else { " " });
        } else if !out.ends_with(['>', ' ']) && !rest.trim_start().starts_with('<') {
            out.push_str(if out.ends_with(':') { "&#32;" } else { " " });
        }
    }
    out
}

fn is_in_tag(out: &str) -> bool {
    out.rfind('<') > out.rfind('>')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_lines_go_and_values_stay() {
        let xml = "<?xml version=\"1.0\"?>\n<!-- a: b -->\n<robot name=\"a: b #1\">\n  <link\n   name='x  y'/> <!-- <link/> -->\n</robot>\n";
        let compact = compact_xml(xml);
        assert_eq!(
            compact,
            "<?xml version=\"1.0\"?><robot name=\"a:&#32;b&#32;#1\"><link name='x  y'/></robot>"
        );
        assert_eq!(compact_xml(&compact), compact);
        for odd in ["", "no xml: at all", "<a><!-- open", "<a><![CDATA[ b: c ]]></a>"] {
            assert_eq!(compact_xml(odd), odd);
        }
    }

    #[test]
    fn the_robots_are_the_same_and_one_plain_text() {
        for urdf in [
            include_str!("../../config/pony.urdf"),
            include_str!("../../config/hexapod.urdf"),
            include_str!("../../config/quadruped.urdf"),
        ] {
            let compact = compact_xml(urdf);
            assert!(!compact.contains(['\n', '\t']) && !compact.contains(": ") && !compact.contains(" #"));
            let read = |text: &str| format!("{:?}", urdf_rs::read_from_string(text).unwrap());
            assert_eq!(read(&compact), read(urdf));
        }
    }
}
