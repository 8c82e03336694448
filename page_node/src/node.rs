//! `page_node`: the live page.
//!
//! Nothing of it runs on the thread of the cycle: topics are watched where DDS is waited for, browsers are served by tokio. Between the two
//! lies one short lock, and queues that lose rather than wait.

mod assets;
mod calls;
mod deadman;
mod hub;
mod listener;
mod orders;
mod parameters;
mod recorder;
mod replay;
mod server;
mod session;
mod ticker;
mod topics;

use crate::PageParams;
use calls::Calls;
use hub::{Hub, Outputs};
use node_lib::r2r::QosProfile;
use node_lib::{About, Node, Report, Setup, input, output, qos, service};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::watch;

/// The node: what the thread of the cycle knows of it, which is next to nothing.
pub struct PageNode {
    params: watch::Sender<PageParams>,
    hub: Arc<Hub>,
}

impl Node for PageNode {
    type Params = PageParams;
    const ABOUT: About = About {
        name: "page_node",
        purpose: "Serves the live page: the robot in 3D, plots, servos and log; drives it with a dead-man's switch, tunes every\n\
                  parameter, stops it. For this machine only unless it is given an address and a token.",
        endpoints: &[
            input("sync", "gait_msgs/SyncStep", "number and duration of the cycle"),
            input("joints", "sensor_msgs/JointState", "joints as commanded"),
            input("goals", "gait_msgs/ServoGoal", "what the servos are told"),
            input("joint_states", "sensor_msgs/JointState", "joints as measured"),
            input("support", "gait_msgs/SupportState", "which legs stand"),
            input("odom", "nav_msgs/Odometry", "where the body is"),
            input("torque", "gait_msgs/TorqueState", "which servos hold"),
            input("battery_state", "sensor_msgs/BatteryState", "the voltage"),
            input(
                "gait_node/stability_margin",
                "std_msgs/Float64",
                "of the weight inside the feet that stand, m",
            ),
            input("gait_node/motion", "gait_msgs/MotionState", "how far a motion is"),
            input("truth/odom", "nav_msgs/Odometry", "the same as it is, in simulation"),
            input("truth/joint_states", "sensor_msgs/JointState", "the same"),
            input("truth/contacts", "gait_msgs/SupportState", "the same"),
            input("truth/forces", "sensor_msgs/MultiDOFJointState", "the ground's push on each foot"),
            input("truth/fallen", "std_msgs/Bool", "whether it fell"),
            input("robot_description", "std_msgs/String", "URDF, unless a parameter"),
            input(
                "/diagnostics",
                "diagnostic_msgs/DiagnosticArray",
                "which nodes are there, and how they are",
            ),
            input(
                "cmd_vel",
                "geometry_msgs/Twist",
                "what anybody commands: for recordings; TwistStamped with cmd_vel_stamped",
            ),
            input("body_pose", "geometry_msgs/Pose", "the body above its feet, as anybody asks for it"),
            input("/rosout", "rcl_interfaces/Log", "the log"),
            input("/parameter_events", "rcl_interfaces/ParameterEvent", "what others tune"),
            output(
                "cmd_vel",
                "geometry_msgs/Twist",
                "while somebody drives; TwistStamped with cmd_vel_stamped",
            ),
            output("body_pose", "geometry_msgs/Pose", "the body above its feet"),
            output("~/driver", "std_msgs/String", "who drives, empty for nobody; latched"),
            service(
                "gait_node/…",
                "std_srvs/Trigger",
                "asked: stand, sit, halt, resume; and gait_msgs/PlayMotion",
            ),
            service(
                "herkulex_node/…",
                "std_srvs/Trigger",
                "asked: stop, clear_stop, torque_on, torque_off, clear_errors",
            ),
            service("odometry_node/reset", "std_srvs/Trigger", "asked: where the body is now is the origin"),
        ],
    };

    fn build(setup: &mut Setup<Self>, params: PageParams) -> anyhow::Result<Self> {
        let access = params.access()?;
        let stamped = params.cmd_vel_stamped;
        let outputs = Outputs {
            twist: (!stamped).then(|| setup.background("cmd_vel", qos::EVENTS)).transpose()?,
            stamped: stamped.then(|| setup.background("cmd_vel", qos::EVENTS)).transpose()?,
            body_pose: setup.background("body_pose", QosProfile::default())?,
            driver: setup.background("~/driver", qos::LATCHED)?,
            clock: setup.clock(),
        };
        let calls = Calls::open(setup, &params.nodes)?;
        let (sender, settings) = watch::channel(params);
        let hub = Hub::new(setup, access, settings, outputs, calls)?;
        topics::watch(setup, &hub)?;
        tokio::spawn(ticker::run(hub.clone()));
        tokio::spawn(deadman::keep(hub.clone()));
        tokio::spawn(orders::keep_stopping(hub.clone()));
        tokio::spawn(parameters::keep(hub.clone()));
        tokio::spawn(server::run(hub.clone()));
        setup.on_params(|node, params| {
            node.params.send_replace(params.clone());
            Ok(())
        });
        setup.diagnostics(Self::report);
        Ok(PageNode { params: sender, hub })
    }
}

impl Drop for PageNode {
    /// A recording that runs when the node ends is whole.
    fn drop(&mut self) {
        if self.hub.recorder.is_running() {
            match self.hub.recorder.end() {
                Ok(text) => self.hub.log.info(text),
                Err(e) => self.hub.log.error(format!("recording: {e:#}")),
            }
        }
    }
}

impl PageNode {
    /// Runs on the thread of the cycle: nothing that is locked by others is asked.
    fn report(&mut self, report: &mut Report) {
        report.value("browsers", self.hub.clients.load(Ordering::Relaxed));
        report.value("browsers refused", self.hub.refused.load(Ordering::Relaxed));
        report.value("browsers dropped", self.hub.dropped.load(Ordering::Relaxed));
    }
}
