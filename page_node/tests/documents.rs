//! What people read must be what the node declares.

use page_node::PageParams;

#[test]
fn the_config_file_is_the_one_that_the_parameters_print() {
    param_lib::assert_config_is_current::<PageParams>("page_node", include_str!("../../config/page.yaml"));
}

#[test]
fn the_readme_shows_the_parameters_as_declared() {
    param_lib::assert_readme_is_current::<PageParams>("page_node", include_str!("../README.md"));
}
