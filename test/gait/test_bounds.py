"""A check that cannot fail checks nothing: made-up goals, right and wrong."""

import pytest
from bounds import FOR_A_GOAL, SERVO_INV, check_steps
from builtin_interfaces.msg import Time
from gait_msgs.msg import ServoGoal
from pony import urdf_limits
from sensor_msgs.msg import JointState

LIMITS = urdf_limits()
NAMES = list(LIMITS)
KNEE = "leg1_knee"
MS = 1_000_000


def at_rest(ms, **moved):
    """Pose and goals of a time; all joints as near to 0 as they can be but those that are named."""
    places = [moved.get(name, min(max(0.0, LIMITS[name][0]), LIMITS[name][1])) for name in NAMES]
    pose, goals = JointState(name=NAMES, position=places), ServoGoal(name=NAMES, target_pos=places)
    for message in (pose, goals):
        message.header.stamp = Time(sec=100 + ms // 1000, nanosec=ms % 1000 * MS)
    return pose, goals


def after_a_silence(ms, step, pose=None):
    """A second at rest, a silence, and goals from there on that are a step away; the knee's own pose is given, or is at rest."""
    times = [*range(0, 1000, 10), *range(990 + ms, 2000 + ms, 10)]
    rows = [at_rest(time, **({KNEE: step} if time >= 990 + ms else {})) for time in times]
    poses = [at_rest(time, **({KNEE: pose} if pose is not None and time >= 990 + ms else {}))[0] for time in times]
    return [goals for _, goals in rows], poses


@pytest.mark.parametrize("ms", [10, 20, 300, 500, 900, 2000])
def test_a_goal_that_jumps_after_a_silence_is_found(ms):
    speed = LIMITS[KNEE][2]
    for step in (1.0, 1.01 * SERVO_INV["max_goal_speed"] * speed * FOR_A_GOAL):
        goals, poses = after_a_silence(ms, step)
        if ms > 1000 * SERVO_INV["timeout"] and step < 1:
            continue  # begun anew: as near to its pose as a model may put it
        with pytest.raises(AssertionError, match=KNEE):
            check_steps(goals, poses)


@pytest.mark.parametrize("ms", [20, 300, 900])
def test_a_goal_may_go_as_far_as_its_servo_can_in_its_playtime(ms):
    check_steps(*after_a_silence(ms, SERVO_INV["max_goal_speed"] * LIMITS[KNEE][2] * FOR_A_GOAL))
    with pytest.raises(AssertionError, match=KNEE):
        check_steps(*after_a_silence(ms, 0.5, pose=0.5))


def test_only_after_the_timeout_it_begins_anew_and_at_its_pose():
    check_steps(*after_a_silence(2000, 0.5, pose=0.5))
    with pytest.raises(AssertionError, match=KNEE):
        check_steps(*after_a_silence(2000, 1.0, pose=0.0))


def test_a_goal_beyond_the_limits_is_found():
    lower, upper, _ = LIMITS[KNEE]
    for beyond in (lower - 0.001, upper + 0.001):
        with pytest.raises(AssertionError, match=KNEE):
            check_steps([at_rest(0, **{KNEE: beyond})[1]], [])
