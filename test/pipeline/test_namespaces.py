"""Several robots on one network: each in its namespace, with its own parameters and its own tf."""

import math
import sys

import pytest
import yaml
from conftest import ROOT
from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.srv import GetParameters
from tf2_msgs.msg import TFMessage

sys.path.insert(0, str(ROOT / "test/gait"))
from pony import Pony  # noqa: E402

SPEED = 0.1
SERVOS = yaml.safe_load((ROOT / "config/herkulex.yaml").read_text())["/**/herkulex_node"]["ros__parameters"]["servos"]


def frames(topic):
    return {(t.header.frame_id, t.child_frame_id) for message in list(topic.messages) for t in message.transforms}


def way(pony):
    """How far it has come, as its odometry says."""
    first, last = pony.odom[0].pose.pose.position, pony.odom[-1].pose.pose.position
    return math.hypot(last.x - first.x, last.y - first.y)


def test_two_robots_walk_in_two_namespaces_and_neither_hears_the_other(ros):
    common = ros.listen(TFMessage, "/tf")
    names = ["robot1", "robot2"]
    robots = [Pony(ros, namespace=name) for name in names]
    own = [ros.listen(TFMessage, f"/{name}/tf") for name in names]
    try:
        for robot in robots:
            robot.stands()
        # One after the other, so that it is plain who was meant.
        for walker, other in (robots, reversed(robots)):
            before = way(other)
            walker.go(forward=SPEED)
            start = way(walker)
            ros.wait(lambda: way(walker) > start + 0.1, f"{walker.namespace} walks", limit=180)
            # A robot that stands does not move at all; a tenth of the walker's way would be its neighbour's command.
            assert abs(way(other) - before) < 0.01, f"{other.namespace} heard its neighbour"
            walker.go()
            standing = lambda: all(abs(v) < 1e-9 for v in walker.joints[-1].velocity)
            ros.wait(standing, f"{walker.namespace} stands again", limit=120)
        assert all(frames(topic) == {("odom", "base_link")} for topic in own)
        assert not common.messages, "nobody speaks on the common /tf"
        for robot in robots:
            # Its own file was read: without it there are no servos.
            assert robot.says("herkulex_node", f"{len(SERVOS)} servos at"), robot.launch.output
            assert "has nothing for" not in robot.launch.output
    finally:
        for robot in robots:
            robot.stop()


def test_robots_with_a_prefix_share_one_tf(ros):
    common = ros.listen(TFMessage, "/tf")
    pony = Pony(ros, namespace="herd/robot1", frame_prefix="robot1/")
    try:
        pony.stands()
        ros.wait(lambda: common.messages, "transforms")
        assert frames(common) == {("robot1/odom", "robot1/base_link")}
        odom = pony.odom[-1]
        assert (odom.header.frame_id, odom.child_frame_id) == ("robot1/odom", "robot1/base_link")
        # Names of links and joints stay those of the URDF.
        assert "leg1_knee" in pony.joints[-1].name
        reports = ros.listen(DiagnosticArray, "/diagnostics")
        ros.wait(lambda: any("herd/robot1/gait_node" in s.name for r in reports.messages for s in r.status), "whose diagnostics they are")
    finally:
        pony.stop()


@pytest.mark.parametrize("executable, file", [("gait_node", "gait"), ("pipeline_node", "gait")])
def test_a_file_that_reaches_no_node_is_warned_of(ros, tmp_path, executable, file):
    text = (ROOT / f"config/{file}.yaml").read_text()
    bare = tmp_path / "bare.yaml"
    bare.write_text(text.replace("/**/gait_node:", "gait_node:"))
    args = ["sync_node", "gait_node"] if executable == "pipeline_node" else []
    others = ["--params-file", f"{ROOT}/config/servo_lead.yaml"] if args else []
    node = ros.start(executable, *args, ros_args=["-r", "__ns:=/robot1", "--params-file", str(bare), *others])
    ros.wait(lambda: "has nothing for /robot1/gait_node" in node.output, "the warning")
    assert '"/**/gait_node:"' in node.output
    assert node.output.count("has nothing for") == 1, node.output
    # And with the key that the shipped file has, the value is there.
    node.stop()
    ros.processes.remove(node)
    node = ros.start(executable, *args, ros_args=["-r", "__ns:=/robot2", "--params-file", f"{ROOT}/config/{file}.yaml", "-p", "gait_node:gait:=trot"])
    answer = ros.call(GetParameters, "/robot2/gait_node/get_parameters", GetParameters.Request(names=["gait", "max_stride"]))
    assert len(answer.values) == 2
    assert "has nothing for" not in node.output


@pytest.mark.parametrize("executable, args", [("sync_node", []), ("pipeline_node", ["sync_node", "agregator_node"])])
def test_a_misspelt_argument_is_warned_of_with_the_nearest_name(ros, executable, args):
    # One that only one of the nodes knows is no mistake.
    node = ros.start(executable, *args, params={"perod": 0.02, "realtime_priority": 0})
    ros.wait(lambda: 'parameter "perod" is not declared (did you mean "period"?)' in node.output, "the warning")
    assert node.output.count("is not declared") == 1, node.output
