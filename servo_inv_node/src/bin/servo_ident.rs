//! `servo_ident`: finds the alphas of servos from what goals did to positions.

fn main() -> std::process::ExitCode {
    node_lib::run::<servo_inv_node::node::ident::IdentNode>()
}
