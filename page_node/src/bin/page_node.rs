//! Serves the live page.

fn main() -> std::process::ExitCode {
    node_lib::run::<page_node::node::PageNode>()
}
