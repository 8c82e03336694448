"""Sync, agregator and servo_inv as separate processes: what a source wants comes out as goals, and `lead` can be tuned live."""

import math

import pytest
from gait_msgs.msg import JointLimbState, LimbJoints, ServoGoal, SyncStep
from sensor_msgs.msg import JointState

SPEED = 0.2


@pytest.fixture
def pipeline(ros, root):
    """The pony's pipeline at 100 Hz, and a source that moves leg1 evenly and holds the rest."""
    config = lambda name: ["--params-file", str(root / "config" / name)]
    urdf = (root / "config/pony.urdf").read_text()
    ros.start("sync_node", params={"period": 0.01})
    ros.start(
        "agregator_node",
        params={"robot_description": urdf, "require_full_pose": False, "update_method": "extrapolate"},
        ros_args=config("robot.yaml"),
    )
    ros.start("servo_inv_lead", params={"period": 0.01, "lead": 0.05})
    limbs = ros.publisher(JointLimbState, "limbs_joints_in")

    def answer(step):
        phase = step.cycle * step.period
        # A triangle wave: even motion, so that the lead is exact but for the turns.
        up = phase % 4 < 2
        position = SPEED * (phase % 2 if up else 2 - phase % 2) - SPEED
        limb = LimbJoints(name="leg1", position=[position] * 6, velocity=[SPEED if up else -SPEED] * 6)
        limbs.publish(JointLimbState(cycle=step.cycle, limbs=[limb]))

    ros.node.create_subscription(SyncStep, "sync", answer, 100)
    return ros


def lead_of(joints, goals):
    """How far each goal is ahead of the pose of the same stamp, s, for goals in even motion."""
    pose = {(m.header.stamp.sec, m.header.stamp.nanosec): m for m in joints.messages}
    leads = []
    for goal in goals.messages:
        message = pose.get((goal.header.stamp.sec, goal.header.stamp.nanosec))
        if message is not None and abs(message.velocity[0]) == pytest.approx(SPEED):
            leads.append((goal.target_pos[0] - message.position[0]) / message.velocity[0])
    return leads


def test_goals_lead_the_pose_and_lead_is_tuned_live(pipeline):
    ros = pipeline
    joints = ros.listen(JointState, "joints")
    goals = ros.listen(ServoGoal, "goals")
    median = lambda: sorted(lead_of(joints, goals))[len(lead_of(joints, goals)) // 2]
    ros.wait(lambda: len(lead_of(joints, goals)) > 100, "goals")
    assert median() == pytest.approx(0.05, rel=1e-6)
    assert set(round(p, 9) for p in goals[-1].playtime) == {0.06}
    assert list(goals[-1].name) == list(joints[-1].name)
    assert ros.set_params("/servo_inv_lead", lead=0.02)[0].successful
    ros.wait(lambda: goals[-1].playtime[0] == pytest.approx(0.03), "the new lead")
    goals.clear()
    ros.wait(lambda: len(lead_of(joints, goals)) > 100, "goals with the new lead")
    assert median() == pytest.approx(0.02, rel=1e-6)
    # Nothing that nobody asked for: every goal within the lead's reach of the pose.
    assert all(abs(t) < SPEED * 2 for g in goals.messages for t in g.target_pos)
    refused = ros.set_params("/servo_inv_lead", lead=math.nan)[0]
    assert not refused.successful and "lead" in refused.reason
