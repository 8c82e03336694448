//! For tests: what people read must be what the struct declares.

use crate::args::Overrides;
use crate::field::Params;
use crate::print::to_markdown;
use crate::table::Table;

/// The parameter file that a node's values print as, read from `file` first: equal to `file` when it is current.
pub fn printed_again<P: Params>(node: &str, file: &str) -> Result<String, crate::ParamError> {
    let overrides = Overrides::from_text(file)?.for_node(&format!("/{node}"));
    let table = Table::declare_all(P::specs_for(&overrides)?, &overrides)?;
    if let Some(stray) = overrides.iter().find(|o| table.get(&o.name).is_none()) {
        return Err(table.unknown(&stray.name));
    }
    P::read(&table)?;
    Ok(table.to_yaml(node))
}

/// Fails, with the text as it should be, unless the file of `config/` holds exactly what the struct prints (comments
/// above the node's name are free).
pub fn assert_config_is_current<P: Params>(node: &str, file: &str) {
    let body = file.find(&format!("/**/{node}:\n")).map_or("", |start| &file[start..]);
    let printed = printed_again::<P>(node, file).unwrap_or_else(|e| e.to_string());
    assert!(printed == body, "config of {node} is out of date; it should be:\n{printed}");
}

/// Fails unless the README has the struct's table between `<!-- parameters: NODE -->` and `<!-- end -->`.
pub fn assert_readme_is_current<P: Params>(node: &str, readme: &str) {
    let table = to_markdown(&P::specs());
    let is_current = readme.contains(&format!("<!-- parameters: {node} -->\n{table}<!-- end -->"));
    assert!(is_current, "README of {node} is out of date; its table should be:\n{table}");
}
