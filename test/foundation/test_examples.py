"""The example that needs ROS: a node of one's own, as a reader of it would try it."""

import math

import pytest
from conftest import BIN
from gait_msgs.msg import SyncStep
from sensor_msgs.msg import JointState


def test_the_node_of_the_example_wags_with_the_cycle_and_can_be_tuned(ros):
    ros.start(BIN / "examples/05_new_node", params={"rate": 2.0})
    ros.start("sync_node", params={"period": 0.01})
    poses, steps = ros.listen(JointState, "joints_in"), ros.listen(SyncStep, "sync")
    ros.wait(lambda: len(poses) > 200, "two seconds of poses")
    stamps = {(step.header.stamp.sec, step.header.stamp.nanosec) for step in steps.messages[:]}
    seen = [pose for pose in poses.messages[:] if (pose.header.stamp.sec, pose.header.stamp.nanosec) in stamps]
    assert len(seen) > 100, "poses are stamped with their cycles"
    # Position and velocity of one sine of 0.3 rad and 2 Hz lie on one ellipse, whatever the phase, and it goes all the way round.
    for pose in seen:
        assert pose.name == ["tail_yaw"]
        assert math.hypot(pose.position[0], pose.velocity[0] / (2 * math.pi * 2.0)) == pytest.approx(0.3, abs=1e-12)
    assert min(pose.position[0] for pose in seen) < -0.29 and max(pose.position[0] for pose in seen) > 0.29
    assert not ros.set_params("/wag_node", swing=2.0)[0].successful
    assert ros.set_params("/wag_node", swing=0.6)[0].successful
    ros.wait(lambda: poses and max(abs(pose.position[0]) for pose in poses.messages[-60:]) > 0.59, "the new swing")
