//! What people read must be what the node declares.

use filter_node::{FilterParams, catalog_markdown};

#[test]
fn the_config_file_is_the_one_that_the_parameters_print() {
    param_lib::assert_config_is_current::<FilterParams>(
        "filter_node",
        include_str!("../../config/filter.yaml"),
    );
}

#[test]
fn the_readme_shows_the_parameters_as_declared() {
    param_lib::assert_readme_is_current::<FilterParams>("filter_node", include_str!("../README.md"));
}

#[test]
fn the_readme_shows_every_filter() {
    let table = catalog_markdown();
    let is_current = include_str!("../README.md").contains(&format!("<!-- filters -->\n{table}<!-- end -->"));
    assert!(is_current, "the README's table of filters is out of date; it should be:\n{table}");
}
