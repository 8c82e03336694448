//! YAML (and with it JSON) as a tree of words with their lines.

use crate::error::ParamError;
use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use std::collections::HashSet;

/// Deeper nesting than any file here needs; keeps hostile files off the stack.
const MAX_DEPTH: usize = 32;

/// A piece of the text.
#[derive(Clone, Debug)]
pub struct Tree {
    /// The line in which it begins, from 1; of a value with a name, that of its name.
    pub line: usize,
    /// What it is.
    pub node: Node,
}

/// What a piece of the text is.
#[derive(Clone, Debug)]
pub enum Node {
    /// Text, and whether it stands without quotes.
    Scalar(String, bool),
    /// A list.
    List(Vec<Tree>),
    /// Names and values; no name stands twice.
    Map(Vec<(String, Tree)>),
}

pub(crate) fn yaml_error(line: usize, reason: impl Into<String>) -> ParamError {
    ParamError::Yaml { line, reason: reason.into() }
}

type Events<'i> = Parser<'i, saphyr_parser::StrInput<'i>>;

fn next<'i>(events: &mut Events<'i>) -> Result<(Event<'i>, Span), ParamError> {
    match events.next_event() {
        Some(Ok(event)) => Ok(event),
        Some(Err(e)) => Err(yaml_error(e.marker().line(), e.info())),
        None => Ok((Event::StreamEnd, Span::default())),
    }
}

/// The only document of the text, if it has one.
pub fn read_tree(text: &str) -> Result<Option<Tree>, ParamError> {
    let mut events = Parser::new_from_str(text);
    let mut tree = None;
    loop {
        let (event, span) = next(&mut events)?;
        match event {
            Event::StreamEnd => return Ok(tree),
            Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing => {}
            event if tree.is_none() => tree = Some(build(event, span, &mut events, 0)?),
            _ => return Err(yaml_error(span.start.line(), "a second YAML document")),
        }
    }
}

fn build(event: Event<'_>, span: Span, events: &mut Events<'_>, depth: usize) -> Result<Tree, ParamError> {
    let line = span.start.line();
    if depth > MAX_DEPTH {
        return Err(yaml_error(line, format!("nested deeper than {MAX_DEPTH} levels")));
    }
    let node = match event {
        Event::Scalar(text, style, _, tag) => {
            let is_text = tag.is_some_and(|t| t.suffix == "str");
            Node::Scalar(whole(text.into_owned(), line)?, style == ScalarStyle::Plain && !is_text)
        }
        Event::SequenceStart(..) => {
            let mut items = vec![];
            loop {
                match next(events)? {
                    (Event::SequenceEnd, _) => break Node::List(items),
                    (event, span) => items.push(build(event, span, events, depth + 1)?),
                }
            }
        }
        Event::MappingStart(..) => {
            let (mut pairs, mut keys) = (vec![], HashSet::new());
            loop {
                let (event, span) = next(events)?;
                let line = span.start.line();
                let key = match event {
                    Event::MappingEnd => break Node::Map(pairs),
                    Event::Scalar(text, ..) => whole(text.into_owned(), line)?,
                    _ => return Err(yaml_error(line, "a key must be a plain word")),
                };
                if !keys.insert(key.clone()) {
                    return Err(yaml_error(line, format!("\"{key}\" stands twice")));
                }
                let (event, span) = next(events)?;
                pairs.push((key, Tree { line, ..build(event, span, events, depth + 1)? }));
            }
        }
        Event::Alias(_) => return Err(yaml_error(line, "aliases are not understood here")),
        _ => return Err(yaml_error(line, "the text ends too early")),
    };
    Ok(Tree { line, node })
}

/// ROS ends every text at the first NUL, so there is no way to pass one on.
fn whole(text: String, line: usize) -> Result<String, ParamError> {
    if text.contains('\0') { Err(yaml_error(line, "a text with a NUL in it")) } else { Ok(text) }
}
