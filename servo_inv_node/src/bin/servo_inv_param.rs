//! `servo_inv_param`: goals from the inverted models of the servos.

fn main() -> std::process::ExitCode {
    servo_inv_node::node::param::run()
}
