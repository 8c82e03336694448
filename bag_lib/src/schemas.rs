//! Definitions of message types that are written where no ROS is installed.

use crate::definition::definition;

const XYZ: &str = "float64 x\nfloat64 y\nfloat64 z\n";
const XYZW: &str = "float64 x\nfloat64 y\nfloat64 z\nfloat64 w\n";

/// The text of each type, without those inside it.
const TYPES: &[(&str, &str)] = &[
    ("builtin_interfaces/Time", "int32 sec\nuint32 nanosec\n"),
    ("std_msgs/Header", "builtin_interfaces/Time stamp\nstring frame_id\n"),
    ("geometry_msgs/Vector3", XYZ),
    ("geometry_msgs/Point", XYZ),
    ("geometry_msgs/Quaternion", XYZW),
    ("geometry_msgs/Pose", "Point position\nQuaternion orientation\n"),
    ("geometry_msgs/PoseWithCovariance", "Pose pose\nfloat64[36] covariance\n"),
    ("geometry_msgs/Transform", "Vector3 translation\nQuaternion rotation\n"),
    (
        "geometry_msgs/TransformStamped",
        "std_msgs/Header header\nstring child_frame_id\nTransform transform\n",
    ),
    ("geometry_msgs/Twist", "Vector3 linear\nVector3 angular\n"),
    ("geometry_msgs/TwistWithCovariance", "Twist twist\nfloat64[36] covariance\n"),
    ("geometry_msgs/Wrench", "Vector3 force\nVector3 torque\n"),
    (
        "sensor_msgs/MultiDOFJointState",
        "std_msgs/Header header\nstring[] joint_names\ngeometry_msgs/Transform[] transforms\n\
         geometry_msgs/Twist[] twist\ngeometry_msgs/Wrench[] wrench\n",
    ),
    (
        "sensor_msgs/JointState",
        "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort\n",
    ),
    (
        "sensor_msgs/Imu",
        "std_msgs/Header header\ngeometry_msgs/Quaternion orientation\nfloat64[9] orientation_covariance\n\
         geometry_msgs/Vector3 angular_velocity\nfloat64[9] angular_velocity_covariance\n\
         geometry_msgs/Vector3 linear_acceleration\nfloat64[9] linear_acceleration_covariance\n",
    ),
    (
        "nav_msgs/Odometry",
        "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/PoseWithCovariance pose\n\
         geometry_msgs/TwistWithCovariance twist\n",
    ),
    ("tf2_msgs/TFMessage", "geometry_msgs/TransformStamped[] transforms\n"),
    ("gait_msgs/SupportState", include_str!("../../msg/msg/SupportState.msg")),
    ("gait_msgs/SyncStep", include_str!("../../msg/msg/SyncStep.msg")),
];

fn whole(kind: &str) -> String {
    let is = |known: &str, package: &str, name: &str| known.split_once('/') == Some((package, name));
    let read = |package: &str, name: &str| {
        TYPES.iter().find(|(known, _)| is(known, package, name)).map(|(_, text)| (*text).into())
    };
    definition(kind, read).unwrap_or_default()
}

/// Definition of `sensor_msgs/msg/MultiDOFJointState`.
pub fn multi_dof() -> String {
    whole("sensor_msgs/MultiDOFJointState")
}

/// Definition of `nav_msgs/msg/Odometry`.
pub fn odometry() -> String {
    whole("nav_msgs/Odometry")
}

/// Definition of `tf2_msgs/msg/TFMessage`.
pub fn tf() -> String {
    whole("tf2_msgs/TFMessage")
}

/// Definition of `gait_msgs/msg/SupportState`.
pub fn support() -> String {
    whole("gait_msgs/SupportState")
}

/// Definition of `sensor_msgs/msg/JointState`.
pub fn joint_state() -> String {
    whole("sensor_msgs/JointState")
}

/// Definition of `sensor_msgs/msg/Imu`.
pub fn imu() -> String {
    whole("sensor_msgs/Imu")
}

/// Definition of `gait_msgs/msg/SyncStep`.
pub fn sync() -> String {
    whole("gait_msgs/SyncStep")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_is_whole() {
        for (name, text) in TYPES {
            let whole = whole(name);
            assert!(whole.starts_with(text) && !text.is_empty(), "{name}: something inside it is not known");
        }
        assert_eq!(odometry().matches("MSG: ").count(), 9, "{}", odometry());
    }
}
