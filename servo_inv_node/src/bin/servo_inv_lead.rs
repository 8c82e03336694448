//! `servo_inv_lead`: goals ahead of the trajectory, for servos that track their goals.

fn main() -> std::process::ExitCode {
    node_lib::run::<servo_inv_node::node::lead::LeadNode>()
}
