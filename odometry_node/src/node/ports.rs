//! What `--help` says of the node.

use node_lib::{About, Port};

const fn port(name: &'static str, kind: &'static str, role: &'static str, doc: &'static str) -> Port {
    Port { name, kind, role, doc }
}

pub const ABOUT: About = About {
    name: "odometry_node",
    purpose: "Says where the body is and how it moves, from the joints alone: hooves that stand do not move.",
    ports: &[
        port("joints", "sensor_msgs/JointState", "in", "the complete posture, in any order"),
        port("support", "gait_msgs/SupportState", "in", "which legs stand, when it is known"),
        port("body_in", "sensor_msgs/MultiDOFJointState", "in", "the body, when it is known better"),
        port("sync", "gait_msgs/SyncStep", "in", "the control cycle"),
        port("/robot_description", "std_msgs/String", "in", "the URDF, unless it is a parameter"),
        port("body", "sensor_msgs/MultiDOFJointState", "out", "pose and twist in odom axes"),
        port("odom", "nav_msgs/Odometry", "out", "the same, twist in base axes, covariances"),
        port("/tf", "tf2_msgs/TFMessage", "out", "odom to base, footprint, links"),
        port("support_out", "gait_msgs/SupportState", "out", "the contacts that were used"),
        port("limb_poses", "sensor_msgs/MultiDOFJointState", "out", "ends of the chains, when asked"),
        port("~/reset", "std_srvs/Trigger", "service", "back to the start pose"),
        port("~/set_pose", "gait_msgs/SetPose", "service", "puts the base there"),
    ],
};
