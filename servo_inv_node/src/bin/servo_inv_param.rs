//! `servo_inv_param`: goals from the inverted models of the servos.

fn main() -> std::process::ExitCode {
    node_lib::run::<servo_inv_node::node::param::ParamNode>()
}
