//! Definitions of message types, for those who open the file without ROS.

const SEPARATOR: &str = "================================================================================";
const HEADER: &str = "builtin_interfaces/Time stamp\nstring frame_id\n";
const TIME: &str = "int32 sec\nuint32 nanosec\n";
const XYZ: &str = "float64 x\nfloat64 y\nfloat64 z\n";
const XYZW: &str = "float64 x\nfloat64 y\nfloat64 z\nfloat64 w\n";

const TRANSFORM: (&str, &str) =
    ("geometry_msgs/Transform", "geometry_msgs/Vector3 translation\ngeometry_msgs/Quaternion rotation\n");
const TWIST: (&str, &str) =
    ("geometry_msgs/Twist", "geometry_msgs/Vector3 linear\ngeometry_msgs/Vector3 angular\n");
const STAMP: [(&str, &str); 2] = [("std_msgs/Header", HEADER), ("builtin_interfaces/Time", TIME)];
const VECTOR: (&str, &str) = ("geometry_msgs/Vector3", XYZ);
const QUATERNION: (&str, &str) = ("geometry_msgs/Quaternion", XYZW);

/// A message definition with all that it is made of.
fn whole(own: &str, parts: &[(&str, &str)]) -> String {
    let mut text = own.to_owned();
    for (name, part) in STAMP.iter().chain(parts) {
        text.push_str(&format!("{SEPARATOR}\nMSG: {name}\n{part}"));
    }
    text
}

/// Definition of `sensor_msgs/msg/MultiDOFJointState`.
pub fn multi_dof() -> String {
    let own = "std_msgs/Header header\nstring[] joint_names\ngeometry_msgs/Transform[] transforms\n\
               geometry_msgs/Twist[] twist\ngeometry_msgs/Wrench[] wrench\n";
    let wrench = ("geometry_msgs/Wrench", "geometry_msgs/Vector3 force\ngeometry_msgs/Vector3 torque\n");
    whole(own, &[TRANSFORM, TWIST, wrench, VECTOR, QUATERNION])
}

/// Definition of `nav_msgs/msg/Odometry`.
pub fn odometry() -> String {
    let own = "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/PoseWithCovariance pose\n\
               geometry_msgs/TwistWithCovariance twist\n";
    let parts = [
        ("geometry_msgs/PoseWithCovariance", "geometry_msgs/Pose pose\nfloat64[36] covariance\n"),
        ("geometry_msgs/TwistWithCovariance", "geometry_msgs/Twist twist\nfloat64[36] covariance\n"),
        ("geometry_msgs/Pose", "geometry_msgs/Point position\ngeometry_msgs/Quaternion orientation\n"),
        ("geometry_msgs/Point", XYZ),
        TWIST,
        VECTOR,
        QUATERNION,
    ];
    whole(own, &parts)
}

/// Definition of `tf2_msgs/msg/TFMessage`.
pub fn tf() -> String {
    let stamped = "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/Transform transform\n";
    let own = "geometry_msgs/TransformStamped[] transforms\n";
    whole(own, &[("geometry_msgs/TransformStamped", stamped), TRANSFORM, VECTOR, QUATERNION])
}

/// Definition of `gait_msgs/msg/SupportState`.
pub fn support() -> String {
    whole(include_str!("../../msg/msg/SupportState.msg"), &[])
}

/// Definition of `sensor_msgs/msg/JointState`.
pub fn joint_state() -> String {
    whole(
        "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort\n",
        &[],
    )
}

/// Definition of `sensor_msgs/msg/Imu`.
pub fn imu() -> String {
    let own = "std_msgs/Header header\ngeometry_msgs/Quaternion orientation\nfloat64[9] orientation_covariance\n\
               geometry_msgs/Vector3 angular_velocity\nfloat64[9] angular_velocity_covariance\n\
               geometry_msgs/Vector3 linear_acceleration\nfloat64[9] linear_acceleration_covariance\n";
    whole(own, &[QUATERNION, VECTOR])
}

/// Definition of `gait_msgs/msg/SyncStep`.
pub fn sync() -> String {
    whole(include_str!("../../msg/msg/SyncStep.msg"), &[])
}
