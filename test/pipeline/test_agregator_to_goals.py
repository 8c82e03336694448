"""Sync, agregator and servo_inv as separate processes: what a source wants comes out as goals, and `lead` can be tuned live."""

import math

import pytest
from gait_msgs.msg import JointLimbState, LimbJoints, ServoGoal, SyncStep
from sensor_msgs.msg import JointState

SPEED = 0.2
PERIOD = 0.01
PERIOD_NS = 10_000_000


@pytest.fixture
def pipeline(ros, root):
    """The pony's pipeline at 100 Hz, and a source that moves leg1 evenly and holds the rest."""
    config = lambda name: ["--params-file", str(root / "config" / name)]
    urdf = (root / "config/pony.urdf").read_text()
    ros.start("sync_node", params={"period": PERIOD})
    ros.start(
        "agregator_node",
        params={"robot_description": urdf, "require_full_pose": False, "update_method": "extrapolate"},
        ros_args=config("robot.yaml"),
    )
    ros.start("servo_inv_lead", params={"period": PERIOD, "lead": 0.05})
    limbs = ros.publisher(JointLimbState, "limbs_joints_in")
    ros.said = {}

    def answer(step):
        phase = step.cycle * step.period
        # A triangle wave: even motion, so that the lead is exact but for the turns.
        up = phase % 4 < 2
        position = SPEED * (phase % 2 if up else 2 - phase % 2) - SPEED
        ros.said[nanoseconds(step)] = position
        limb = LimbJoints(name="leg1", position=[position] * 6, velocity=[SPEED if up else -SPEED] * 6)
        limbs.publish(JointLimbState(cycle=step.cycle, limbs=[limb]))

    ros.node.create_subscription(SyncStep, "sync", answer, 100)
    return ros


def nanoseconds(message):
    return message.header.stamp.sec * 10**9 + message.header.stamp.nanosec


def stamped(topic):
    """The last message of each stamp, ns."""
    return {nanoseconds(m): m for m in list(topic.messages)}


def steps(joints, goals):
    """(pose of the cycle before, pose, goal) of cycles that follow each other: on a busy machine some fall out."""
    poses, found = stamped(joints), stamped(goals)
    return [(poses[at - PERIOD_NS], poses[at], found[at]) for at in sorted(found) if at in poses and at - PERIOD_NS in poses]


def check(ros, joints, goals, lead):
    """Every goal lies ahead of its pose by the lead, at the speed of the last cycle: target = q + (q − q_prev)·lead/period. How many were in motion, and as the
    source said it: where the busy machine made it late, the pose is a prediction that may go past the wave's turn."""
    checked = 0
    is_heard = lambda pose: pose.position[0] == pytest.approx(ros.said.get(nanoseconds(pose) - PERIOD_NS, math.nan), abs=1e-9)
    # The first goal of all has nothing before it.
    for before, pose, goal in steps(joints, goals)[1:]:
        assert list(goal.name) == list(pose.name) == list(before.name)
        assert all(p == pytest.approx(lead + PERIOD, rel=1e-9) for p in goal.playtime)
        for q_prev, q, target in zip(before.position, pose.position, goal.target_pos):
            assert target == pytest.approx(q + (q - q_prev) * lead / PERIOD, abs=1e-9)
        leg = slice(0, 6)
        if is_heard(before) and is_heard(pose):
            assert all(abs(t) <= SPEED * (1 + lead) + 1e-9 for t in goal.target_pos[leg]), "no further than where the wave turns"
            checked += any(abs(abs(v) - SPEED) < 1e-9 for v in pose.velocity[leg])
    return checked


def test_goals_lead_the_pose_and_lead_is_tuned_live(pipeline):
    ros = pipeline
    joints = ros.listen(JointState, "joints")
    goals = ros.listen(ServoGoal, "goals")
    ros.wait(lambda: len(steps(joints, goals)) > 100, "goals")
    ros.wait(lambda: check(ros, joints, goals, 0.05) > 50, "goals in motion")
    assert ros.set_params("/servo_inv_lead", lead=0.02)[0].successful
    ros.wait(lambda: goals[-1].playtime[0] == pytest.approx(0.03), "the new lead")
    # Those of the old lead are gone; one may have been on its way.
    goals.clear()
    ros.wait(lambda: len(steps(joints, goals)) > 100, "goals with the new lead")
    assert check(ros, joints, goals, 0.02) > 0
    refused = ros.set_params("/servo_inv_lead", lead=math.nan)[0]
    assert not refused.successful and "lead" in refused.reason
