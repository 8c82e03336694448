"""Sits, stands, halts, and gets up again after its servos had no torque."""

import math

import pytest
from gait_msgs.msg import MotionState, TorqueState
from gait_msgs.srv import PlayMotion
from pony import Pony, seconds, urdf_limits
from std_srvs.srv import Trigger


@pytest.fixture
def pony(ros):
    pony = Pony(ros)
    yield pony
    pony.stop()


def said(pony, word):
    return sum(f"gait_node]: {word}" in line for line in list(pony.launch.lines))


def order(ros, name):
    answer = ros.call(Trigger, name, Trigger.Request())
    assert answer.success, answer.message


def test_it_sits_and_stands_where_it_was(ros, pony):
    pony.stands()
    start = pony.odom[-1].pose.pose.position
    order(ros, "gait_node/sit")
    ros.wait(lambda: abs(pony.odom[-1].pose.pose.position.z - 0.31) < 1e-3, "the body is down")
    assert pony.says("gait_node", "sitting")
    pony.go(0.1)
    pony.wait_cycles(100)
    low = pony.odom[-1].pose.pose.position
    assert abs(low.z - 0.31) < 1e-3 and abs(low.x - start.x) < 1e-3, "it does not walk there"
    pony.go(0.0)
    stood = said(pony, "standing")
    order(ros, "gait_node/stand")
    ros.wait(lambda: said(pony, "standing") > stood, "it stands")
    end = pony.odom[-1].pose.pose.position
    assert max(abs(end.x - start.x), abs(end.y - start.y)) < 1e-3, "on the same spot"


def test_a_motion_is_halted_resumed_and_tells_its_progress(ros, pony):
    pony.stands()
    progress = ros.listen(MotionState, "gait_node/motion")
    answer = ros.call(PlayMotion, "gait_node/play", PlayMotion.Request(file="bow.yaml", speed=0.5, limits="refuse", repeat=True))
    assert answer.success, answer.message
    ros.wait(lambda: len(progress) > 0 and progress[-1].time > 0.5, "it bows")
    order(ros, "gait_node/halt")
    ros.wait(lambda: progress[-1].paused, "it holds")
    order(ros, "gait_node/resume")
    ros.wait(lambda: not progress[-1].paused and progress[-1].rounds > 0, "it goes on, and begins again")
    assert progress[-1].name == "bow.yaml" and abs(progress[-1].duration - 6.4) < 1e-6
    order(ros, "gait_node/stand")
    ros.wait(lambda: progress[-1].done, "it ends")
    bad = ros.call(PlayMotion, "gait_node/play", PlayMotion.Request(file="bow.yaml", limits="soft"))
    assert not bad.success and "soft" in bad.message


def test_after_torque_was_off_it_gets_up_from_where_it_is(ros, pony):
    pony.stands()
    pony.go(0.05)
    ros.wait(lambda: pony.says("gait_node", "walking"), "it walks")
    order(ros, "herkulex_node/torque_off")
    ros.wait(lambda: pony.says("gait_node", "limp"), "it learns that it has no torque")
    pony.go(0.0)
    pony.wait_cycles(50)
    stood, start = said(pony, "standing"), len(pony.joints)
    order(ros, "herkulex_node/torque_on")
    ros.wait(lambda: said(pony, "standing") > stood, "it stands again")
    rows = [(seconds(m.header.stamp), dict(zip(m.name, m.position))) for m in pony.joints.messages[start:]]
    # No faster than the joint can, over the time that the stamps say (messages may be lost). Cycles that fell out are made up for at
    # 1.2 times the pace. Without torque the pose is what servos measure, in steps of 0.163°.
    for name, (_, _, velocity) in urdf_limits().items():
        for (then, before), (now, after) in zip(rows, rows[1:]):
            step = abs(after[name] - before[name])
            most = 1.2 * velocity * max(now - then, 0.0) + math.radians(0.163)
            assert step <= most, f"{name}: {step} rad in {now - then} s"
