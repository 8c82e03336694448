//! A node of one's own, whole: the pony wags its tail.
//!
//!     ./gaitway env cargo run --release -p examples --features ros --example 05_new_node
//!     ros2 param set /wag_node swing 0.6
//!
//! It is a source like any other: the agregator takes the tail from it, and everything else from whoever gives it. `params!` makes
//! declaration, checks, rqt's sliders and `--print-params`; `node_lib::run` the rest (log, parameter services, `use_sim_time`, signals).

use node_lib::param_lib::params;
use node_lib::r2r::gait_msgs::msg::SyncStep;
use node_lib::r2r::sensor_msgs::msg::JointState;
use node_lib::{About, Node, Port, Setup, input, output, qos};
use std::f64::consts::TAU;

params! {
    /// How it wags.
    pub struct WagParams {
        /// How far the tail goes to either side.
        swing: f64 = 0.3, unit "rad", range 0.0..=1.0;
        /// How often it goes there and back in a second.
        rate: f64 = 1.0, unit "Hz", range 0.1..=5.0;
        /// Which joint it is.
        joint: String = "tail_yaw".into(), read_only true;
    }
}

/// The core: a phase that goes on evenly, whatever the parameters do. No ROS, no clock; a test needs neither.
#[derive(Default)]
struct Wag {
    phase: f64,
}

impl Wag {
    /// Position and velocity of this cycle, and one period on.
    fn step(&mut self, swing: f64, rate: f64, period: f64) -> (f64, f64) {
        let (sin, cos) = (TAU * self.phase).sin_cos();
        self.phase = (self.phase + rate * period).fract();
        (swing * sin, swing * TAU * rate * cos)
    }
}

struct WagNode {
    joints: Port<JointState>,
    params: WagParams,
    wag: Wag,
}

impl Node for WagNode {
    type Params = WagParams;
    const ABOUT: About = About {
        name: "wag_node",
        purpose: "Wags the tail.",
        endpoints: &[
            input("sync", "gait_msgs/SyncStep", "a pose per cycle"),
            output("joints_in", "sensor_msgs/JointState", "the tail's joint"),
        ],
    };

    fn build(setup: &mut Setup<Self>, params: WagParams) -> anyhow::Result<Self> {
        // The newest beat counts; every pose counts.
        setup.on("sync", qos::NEWEST, Self::sync)?;
        setup.on_params(|node, params| {
            node.params = params.clone();
            Ok(())
        });
        Ok(WagNode { joints: setup.port("joints_in", qos::EVENTS)?, params, wag: Wag::default() })
    }
}

impl WagNode {
    fn sync(&mut self, sync: &SyncStep) {
        let (position, velocity) = self.wag.step(self.params.swing, self.params.rate, sync.period);
        let name = &self.params.joint;
        // The stamp says which cycle the pose is for. What is sent keeps its room: nothing is allocated after the first cycle.
        self.joints.send(|message| {
            message.header.stamp = sync.header.stamp.clone();
            message.name.resize(1, String::new());
            message.name[0].clone_from(name);
            message.position.clear();
            message.position.push(position);
            message.velocity.clear();
            message.velocity.push(velocity);
        });
    }
}

fn main() -> std::process::ExitCode {
    node_lib::run::<WagNode>()
}
