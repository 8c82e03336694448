"""The body above its feet: leaned by a topic, swaying over three feet, told how safely it stands; and a cmd_vel with a stamp."""

import pytest
from conftest import ROOT
from gait_msgs.msg import JointLimbState
from geometry_msgs.msg import PointStamped, Pose, TwistStamped
from pony import Pony
from std_msgs.msg import Float64


@pytest.fixture
def pony(ros):
    pony = Pony(ros)
    yield pony
    pony.stop()


def test_the_body_leans_as_the_topic_says_and_the_margin_is_told(ros, pony):
    pony.stands()
    margin = ros.listen(Float64, "gait_node/stability_margin")
    capture = ros.listen(PointStamped, "gait_node/capture_point")
    ros.wait(lambda: len(margin) > 10 and len(capture) > 10, "margin and capture point")
    # On four feet that stand 0.2 m apart and more the weight is well inside.
    assert margin[-1].data > 0.05
    at_rest = capture[-1].point
    start = pony.odom[-1].pose.pose.position
    lean = ros.publisher(Pose, "body_pose")
    pose = Pose()
    pose.position.x, pose.position.z = 0.02, -0.02
    lean.publish(pose)
    there = lambda: abs(pony.odom[-1].pose.pose.position.x - start.x - 0.02) < 5e-4 and abs(pony.odom[-1].pose.pose.position.z - start.z + 0.02) < 5e-4
    ros.wait(there, "the body is where the topic says")
    bad = Pose()
    bad.orientation.w = float("nan")
    lean.publish(bad)
    ros.wait(lambda: pony.says("gait_node", "body_pose refused"), "a bad pose is refused")
    assert there()
    # At rest the capture point is the weight, which goes along with the body, and the legs by half.
    assert abs(capture[-1].point.x - at_rest.x) < 0.02


def test_with_sway_the_margin_stays_above_zero(ros, pony):
    pony.stands()
    assert all(result.successful for result in ros.set_params("gait_node", sway_margin=0.02, gait="crawl"))
    margin = ros.listen(Float64, "gait_node/stability_margin")
    pony.go(0.03)
    ros.wait(lambda: pony.says("gait_node", "walking"), "it walks")
    pony.wait_cycles(700)
    pony.go(0.0)
    assert len(margin) > 500
    values = [m.data for m in margin.messages]
    assert min(values) > 0.0, min(values)
    assert max(values) - min(values) > 0.02, "it lifted legs"


def test_cmd_vel_may_have_a_stamp(ros):
    files = ["--params-file", str(ROOT / "config/robot.yaml")]
    urdf = (ROOT / "config/pony.urdf").read_text()
    node = ros.start(
        "gait_node", params={"cmd_vel_stamped": True, "wait_for_pose": False, "robot_description": urdf}, ros_args=files
    )
    ros.start("sync_node", params={"period": 0.01})
    limbs = ros.listen(JointLimbState, "limbs_joints_in")
    ros.wait(lambda: "standing" in node.output and len(limbs) > 0, "it stands")
    command = ros.publisher(TwistStamped, "cmd_vel")
    message = TwistStamped()
    message.twist.linear.x = 0.05

    def walks():
        command.publish(message)
        return "walking" in node.output

    ros.wait(walks, "it walks")
