//! What `page_node` can be told.

use crate::access::{Access, AccessError};
use param_lib::{Flat, params};
use robot_model_lib::RobotParams;

/// The nodes of a Gaitway robot, as the page asks for them.
const NODES: [&str; 11] = [
    "gait_node",
    "herkulex_node",
    "odometry_node",
    "agregator_node",
    "dynamics_node",
    "servo_inv_param",
    "servo_inv_lead",
    "sync_node",
    "robot_sim",
    "herkulex_sim",
    "page_node",
];

params! {
    /// What `page_node` can be told.
    pub struct PageParams {
        /// How often browsers are sent what is new.
        rate: f64 = 30.0, unit "Hz", range 1.0..=60.0;
        /// The dead-man's switch: a browser that holds the stick and is not heard for this long drives no more, and the robot is halted.
        lease: f64 = 0.4, unit "s", range 0.05..=5.0;
        /// Fastest walk ahead and back that the page may command.
        forward_speed: f64 = 0.12, unit "m/s", range 0.0..=2.0;
        /// Fastest walk sideways that the page may command.
        sideways_speed: f64 = 0.05, unit "m/s", range 0.0..=2.0;
        /// Fastest turn that the page may command.
        turn_speed: f64 = 0.4, unit "rad/s", range 0.0..=5.0;
        /// Address that the page is served at; 0.0.0.0 for everybody on the network, who then needs the token.
        address: String = "127.0.0.1".into(), read_only true;
        /// TCP port of the page; 0 for any free one, which the log names.
        http_port: i64 = 8090, range 0..=65535, read_only true;
        /// What browsers have to know, 16 letters, digits, - or _ at least; needed with any address beyond this machine.
        token: String = String::new(), read_only true;
        /// Browsers that may watch at once; more are refused.
        max_clients: i64 = 16, range 1..=256, read_only true;
        /// cmd_vel is a TwistStamped, as gait_node has it.
        cmd_vel_stamped: bool = false, read_only true;
        /// The nodes whose parameters are shown and whose silence is told, in the namespace of this one.
        nodes: Vec<String> = NODES.map(String::from).to_vec(), read_only true;
        /// Folder of the parameter files: what differs from them is marked. Empty: from what was found at first.
        config: String = String::new(), read_only true;
        /// Folder in which tuned parameters are saved; empty for nowhere.
        saved: String = String::new(), read_only true;
        /// Folder of the recordings that are made, listed and downloaded; empty for none.
        recordings: String = String::new(), read_only true;
        /// A recording ends by itself when its messages are this large: a robot's disk is small, and people forget.
        recording_size: i64 = 2000, unit "MB", range 1..=1_000_000, read_only true;
        /// The robot.
        robot: Flat<RobotParams> = Flat::default(), read_only true;
    }
}

impl PageParams {
    /// Who may come in, by these parameters.
    pub fn access(&self) -> Result<Access, AccessError> {
        Access::new(&self.address, &self.token)
    }

    /// A command within what the page may command: each part of a stick's deflection, -1 … 1, at its own top speed.
    pub fn velocity(&self, stick: [f64; 3]) -> [f64; 3] {
        let top = [self.forward_speed, self.sideways_speed, self.turn_speed];
        let part = |i: usize| if stick[i].is_finite() { stick[i].clamp(-1.0, 1.0) * top[i] } else { 0.0 };
        [part(0), part(1), part(2)]
    }
}
