"""The node over DDS: topics, frames, services, refusals, time."""

import numpy as np
import pytest
from gait import HEIGHT, LEGS, URDF, Trot, matrix, quaternion
from gait_msgs.msg import SupportState, SyncStep
from gait_msgs.srv import SetPose
from geometry_msgs.msg import Transform, Twist
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState, MultiDOFJointState
from std_msgs.msg import String
from std_srvs.srv import Trigger
from tf2_msgs.msg import TFMessage

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
START = 1000 * 10**9


class Rig:
    """The node with the pony, and everything that it says."""

    def __init__(self, ros, root, describe=True, **params):
        self.ros = ros
        config = ["--params-file", str(root / "config" / "robot.yaml")]
        defaults = {"method": "fit", "position_tolerance": 0.001, "angle_tolerance": 0.01}
        self.node = ros.start("odometry_node", ros_args=config, params={**defaults, **params})
        self.description = ros.publisher(String, "/robot_description", LATCHED, wait=False)
        if describe:
            self.description.publish(String(data=URDF))
        self.body, self.odom = ros.listen(MultiDOFJointState, "body"), ros.listen(Odometry, "odom")
        self.tf, self.support_out = ros.listen(TFMessage, "/tf"), ros.listen(SupportState, "support_out")
        self.limbs = ros.listen(MultiDOFJointState, "limb_poses")
        self.joints = ros.publisher(JointState, "joints")
        self.support = ros.publisher(SupportState, "support")
        for topic in ("body", "odom", "/tf", "support_out"):
            ros.wait(lambda: ros.node.count_publishers(topic) > 0, f"a publisher of {topic}")
        if describe:
            ros.wait(lambda: "31 joints, 8 chains" in self.node.output, "the robot")
        self.trot = Trot()

    def message(self, cycle, start=START):
        message = JointState(name=self.trot.names, position=list(self.trot.posture(cycle)))
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(start + cycle * 10**7, 10**9)
        return message

    def walk(self, cycles, start=START):
        """Sends joints and waits for every answer: nothing depends on the machine's speed."""
        for cycle in cycles:
            count = len(self.odom)
            self.joints.publish(self.message(cycle, start))
            self.ros.wait(lambda: len(self.odom) > count, "an answer")
        self.ros.wait(lambda: len(self.body) >= len(self.odom), "body")
        return self.odom[-1]


def pose(message):
    p, q = message.pose.pose.position, message.pose.pose.orientation
    return np.array([p.x, p.y, p.z]), np.array([q.x, q.y, q.z, q.w])


def assert_at(message, place, turn, tolerance=1e-9):
    p, q = pose(message)
    assert np.abs(p - place).max() < tolerance
    assert np.abs(matrix(q) - turn).max() < tolerance


def test_the_way_of_an_exact_trot_comes_back_on_all_topics(ros, root):
    rig = Rig(ros, root, publish_footprint=True, publish_limb_poses=True, publish_link_tf=True)
    odom = rig.walk(range(120))
    place, turn = rig.trot.body(1.19)
    assert_at(odom, place, turn)
    assert (odom.header.frame_id, odom.child_frame_id) == ("odom", "base_link")
    ros.wait(lambda: len(rig.tf) == 120 and len(rig.limbs) == 120 and len(rig.support_out) == 120, "every answer")
    covariance = np.array(odom.pose.covariance).reshape(6, 6)
    assert np.allclose(covariance, covariance.T) and np.linalg.eigvalsh(covariance).min() > 0

    body = rig.body[-1]
    assert body.joint_names == ["base_link"] and body.header.frame_id == "odom"
    t, twist = body.transforms[0].translation, body.twist[0]
    assert (t.x, t.y, t.z) == tuple(pose(odom)[0])
    # body: odom axes; odom: base axes; both at the base's origin.
    for ours, theirs in ((twist.linear, odom.twist.twist.linear), (twist.angular, odom.twist.twist.angular)):
        assert np.allclose([ours.x, ours.y, ours.z], matrix(pose(odom)[1]) @ [theirs.x, theirs.y, theirs.z], atol=1e-12)
    # Velocities were absent: differences over the last cycle, so half a cycle late.
    middle = (np.array(rig.trot.body(1.19)[0]) - rig.trot.body(1.18)[0]) / 0.01
    assert np.abs(np.array([twist.linear.x, twist.linear.y, twist.linear.z]) - middle).max() < 0.01

    frames = {f.child_frame_id: f for f in rig.tf[-1].transforms}
    assert frames["base_link"].header.frame_id == "odom" == frames["base_footprint"].header.frame_id
    foot = frames["base_footprint"].transform
    assert foot.translation.z == 0 and foot.rotation.x == 0 == foot.rotation.y
    assert (foot.translation.x, foot.translation.y) == tuple(pose(odom)[0][:2])
    hoof, link = np.eye(4), "leg3_hoof"
    while link != "odom":
        f = frames[link].transform
        step = np.eye(4)
        step[:3, :3] = matrix([f.rotation.x, f.rotation.y, f.rotation.z, f.rotation.w])
        step[:3, 3] = f.translation.x, f.translation.y, f.translation.z
        hoof, link = step @ hoof, frames[link].header.frame_id
    expected, axes = rig.trot.hoof(2, 119)
    assert np.abs(hoof[:3, :3] @ [0, 0, 0.05] + hoof[:3, 3] - expected).max() < 1e-9
    assert np.abs(hoof[:3, :3] - axes).max() < 1e-9

    limb = rig.limbs[-1]
    assert limb.header.frame_id == "base_link" and limb.joint_names[:5] == [*LEGS, "head"]
    at = limb.transforms[2].translation
    assert np.abs(np.array([at.x, at.y, at.z]) - turn.T @ (expected - place)).max() < 1e-9
    out = rig.support_out[-1]
    assert out.name == list(LEGS) and out.contact == ["hoof"] * 4
    assert list(out.support) == [float(rig.trot.is_down(leg, 119)) for leg in range(4)]


def test_supports_are_used_when_given_and_malformed_messages_change_nothing(ros, root):
    rig = Rig(ros, root, position_tolerance=0.0001)
    rig.walk(range(3))
    message = SupportState(name=["leg2", "leg3"], contact=["", "toe"], support=[1.0, 0.5])
    rig.support.publish(message)
    sync = ros.publisher(SyncStep, "sync")
    step = SyncStep(cycle=41, period=0.01)
    step.header.stamp.sec, step.header.stamp.nanosec = divmod(START + 3 * 10**7, 10**9)

    def used():
        # Heard or not the first time: the same beat twice is one.
        sync.publish(step)
        rig.joints.publish(rig.message(3))
        return [s for s in rig.support_out if list(s.support) == [0.0, 1.0, 0.5, 0.0] and s.cycle == 41]

    assert ros.wait(used, "the supports")[-1].contact == ["hoof", "hoof", "toe", "hoof"]
    before = rig.odom[-1]
    rig.support.publish(SupportState(name=["leg9"], support=[1.0]))
    ros.wait(lambda: 'support refused: no chain "leg9"' in rig.node.output, "the refusal")
    bad = rig.message(4)
    bad.position[5] = float("nan")
    rig.joints.publish(bad)
    ros.wait(lambda: "joints refused" in rig.node.output, "the refusal")
    assert np.allclose(np.concatenate(pose(rig.odom[-1])), np.concatenate(pose(before)), atol=1e-12)


def placed(x=0.0, z=0.0, w=1.0, frame=""):
    request = SetPose.Request()
    request.pose.header.frame_id = frame
    request.pose.pose.position.x, request.pose.pose.position.z, request.pose.pose.orientation.w = x, z, w
    return request


def test_services_without_a_robot_say_so(ros, root):
    Rig(ros, root, describe=False)
    for kind, name, request in ((Trigger, "reset", Trigger.Request()), (SetPose, "set_pose", placed())):
        answer = ros.call(kind, f"/odometry_node/{name}", request)
        assert not answer.success and "no robot is known" in answer.message


def test_reset_set_pose_and_body_in(ros, root):
    rig = Rig(ros, root)
    rig.walk(range(10))
    assert ros.call(Trigger, "/odometry_node/reset", Trigger.Request()).success
    place, _ = pose(rig.walk(range(10, 11)))
    assert np.allclose(place, [0, 0, rig.trot.body(0.1)[0][2]], atol=1e-9)

    before = pose(rig.odom[-1])
    assert np.allclose(before[0], place)
    for bad, why in (({"w": 2.0}, "length 2"), ({"frame": "map"}, '"map"'), ({"x": float("nan")}, "finite"), ({"w": 0.0}, "length 0")):
        answer = ros.call(SetPose, "/odometry_node/set_pose", placed(**bad))
        assert not answer.success and why in answer.message
    place, _ = pose(rig.walk(range(11, 12)))
    assert np.linalg.norm(place[:2]) < 0.01, "a refused pose changes nothing"
    answer = ros.call(SetPose, "/odometry_node/set_pose", placed(x=5.0, z=HEIGHT, frame="odom"))
    assert answer.success and "5.000 0.000 0.418" in answer.message
    # The pose is that of the last joints; the body goes on from there.
    place, _ = pose(rig.walk(range(12, 13)))
    moved = rig.trot.body(0.12)[0] - rig.trot.body(0.11)[0]
    heading = np.arctan2(*(rig.trot.body(0.11)[1][:2, 0][::-1]))
    back = np.array([[np.cos(heading), np.sin(heading)], [-np.sin(heading), np.cos(heading)]])
    assert np.abs(place[:2] - [5, 0] - back @ moved[:2]).max() < 1e-3

    told = ros.publisher(MultiDOFJointState, "body_in")
    twist = Twist()
    twist.linear.x = 0.7
    transform = Transform()
    transform.translation.y = -3.0
    body = MultiDOFJointState(joint_names=["base_link"], transforms=[transform], twist=[twist])

    def obeyed():
        told.publish(body)
        rig.joints.publish(rig.message(13))
        return [o for o in rig.odom if o.pose.pose.position.y == -3.0]

    assert ros.wait(obeyed, "the told body")[0].twist.twist.linear.x == 0.7


def test_a_bad_description_is_an_error_and_a_better_one_is_taken(ros, root):
    rig = Rig(ros, root, describe=False)
    rig.description.publish(String(data="<robot name='x'><link name='base_link'/></robot>"))
    ros.wait(lambda: "ERROR" in rig.node.output and "waiting for another" in rig.node.output, "the error")
    rig.joints.publish(rig.message(0))
    ros.wait(lambda: "no robot is known" in rig.node.output, "the warning")
    rig.description.publish(String(data=URDF))
    ros.wait(lambda: "31 joints, 8 chains" in rig.node.output, "the robot")
    rig.walk(range(3))


def test_a_bad_parameter_robot_ends_the_node_with_one_line(ros, root):
    code, text = ros.run(
        "odometry_node",
        ros_args=["--params-file", str(root / "config" / "robot.yaml"), "-p", "robot_description:=<robot/>"],
    )
    assert code == 1 and "robot_description" in text.splitlines()[-1]
    code, text = ros.run("odometry_node", ros_args=["-p", "ground_z_zero:=true", "-p", "start_at_identity:=true"])
    assert code == 1 and "ground_z_zero" in text


def test_a_looped_bag_on_simulated_time_resets(ros, root):
    rig = Rig(ros, root, use_sim_time=True)
    clock = ros.publisher(Clock, "/clock")
    clock.publish(Clock())
    first = [pose(rig.walk([cycle])) for cycle in range(60)]
    second = [pose(rig.walk([cycle])) for cycle in range(60)]
    assert "time was set back" in rig.node.output
    for (p, q), (r, s) in zip(first, second):
        # Inverse kinematics start from where the last loop ended, so the joints agree to rounding only.
        assert np.abs(p - r).max() < 1e-9 and np.abs(q - s).max() < 1e-9


def test_parameters_are_checked_and_take_effect(ros, root):
    rig = Rig(ros, root)
    rig.walk(range(2))
    results = ros.set_params("/odometry_node", position_tolerance=0.5)
    assert not results[0].successful and "outside" in results[0].reason
    assert not ros.set_params("/odometry_node", base_frame="x")[0].successful
    assert ros.set_params("/odometry_node", publish_tf=False)[0].successful
    ros.wait(lambda: len(rig.tf) == 2, "both transforms")
    rig.walk(range(2, 5))
    assert len(rig.tf) == 2


@pytest.mark.parametrize("seed", range(3))
def test_the_quaternion_of_these_tests_is_right(seed):
    """A test of the tests' own mathematics."""
    from gait import exp

    turn = exp(np.random.default_rng(seed).normal(size=3))
    assert np.abs(matrix(quaternion(turn)) - turn).max() < 1e-12
