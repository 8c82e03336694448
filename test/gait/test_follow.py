"""The action FollowJointTrajectory, with rclpy's action client on the other side."""

import pytest
from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTolerance
from pony import Pony, seconds, urdf_limits
from rclpy.action import ActionClient
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

Result = FollowJointTrajectory.Result


@pytest.fixture
def pony(ros):
    pony = Pony(ros)
    yield pony
    pony.stop()


def duration(seconds):
    return Duration(sec=int(seconds), nanosec=round(1e9 * (seconds % 1)))


def trajectory(times, **joints):
    """joint → its positions, one for each time."""
    points = [
        JointTrajectoryPoint(positions=[float(p[k]) for p in joints.values()], time_from_start=duration(time))
        for k, time in enumerate(times)
    ]
    return JointTrajectory(joint_names=list(joints), points=points)


class Goal:
    """A goal, followed by rclpy's client."""

    def __init__(self, ros, trajectory, **fields):
        self.ros, self.feedback = ros, []
        self.client = ActionClient(ros.node, FollowJointTrajectory, "gait_node/follow_joint_trajectory")
        ros.wait(self.client.server_is_ready, "the action server")
        goal = FollowJointTrajectory.Goal(trajectory=trajectory, **fields)
        sent = self.client.send_goal_async(goal, feedback_callback=lambda m: self.feedback.append(m.feedback))
        ros.wait(sent.done, "an answer to the goal")
        self.handle = sent.result()
        assert self.handle.accepted
        self.future = self.handle.get_result_async()

    def cancel(self):
        answer = self.handle.cancel_goal_async()
        self.ros.wait(answer.done, "an answer to the cancel")
        return answer.result()

    def end(self):
        """(status, result)"""
        self.ros.wait(self.future.done, "the result")
        answer = self.future.result()
        # The status topic says the same as the result.
        self.ros.wait(lambda: self.handle.status == answer.status, "the status")
        return answer.status, answer.result


def names_of(message):
    return dict(zip(message.name, message.position))


def test_a_goal_is_followed_to_its_end_and_held(ros, pony):
    pony.stands()
    goal = Goal(
        ros,
        trajectory([0.5, 1.5, 2.5], neck_yaw=[0.0, 0.3, 0.2], tail_yaw=[0.0, -0.4, 0.1]),
        goal_tolerance=[JointTolerance(name="neck_yaw", position=0.01), JointTolerance(name="tail_yaw", position=0.01)],
        path_tolerance=[JointTolerance(name="neck_yaw", position=0.3)],
    )
    status, result = goal.end()
    assert (status, result.error_code) == (GoalStatus.STATUS_SUCCEEDED, Result.SUCCESSFUL), result.error_string
    # That the measured joints are there is what the goal tolerance means; the messages that say so may be under way.
    near = lambda now: abs(now["neck_yaw"] - 0.2) < 0.02 and abs(now["tail_yaw"] - 0.1) < 0.02
    ros.wait(lambda: near(names_of(pony.measured[-1])), "the measured joints are there")
    # 20 times a second while it lasts. What comes after the result rclpy's client drops.
    assert len(goal.feedback) > 10
    times = [f.desired.time_from_start.sec + 1e-9 * f.desired.time_from_start.nanosec for f in goal.feedback]
    assert times == sorted(times) and times[-1] > 0.5
    last = goal.feedback[-1]
    assert last.joint_names == ["neck_yaw", "tail_yaw"]
    for desired, actual, error in zip(last.desired.positions, last.actual.positions, last.error.positions):
        assert error == pytest.approx(desired - actual)
    # Held until somebody says otherwise.
    ended = seconds(ros.now())
    ros.wait(lambda: seconds(pony.joints[-1].header.stamp) > ended + 1.0, "a second more")
    assert abs(names_of(pony.joints[-1])["neck_yaw"] - 0.2) < 1e-6
    stood = sum("gait_node]: standing" in line for line in list(pony.launch.lines))
    assert ros.call(Trigger, "gait_node/stand", Trigger.Request()).success
    ros.wait(lambda: sum("gait_node]: standing" in line for line in list(pony.launch.lines)) > stood, "it stands")


def test_a_cancelled_goal_brakes_and_says_so(ros, pony):
    pony.stands()
    goal = Goal(ros, trajectory([0.5, 20.0], neck_yaw=[-0.5, 0.5], tail_yaw=[-0.5, 0.5]))
    moving = lambda: len(goal.feedback) > 0 and goal.feedback[-1].desired.velocities[0] > 0.02
    ros.wait(moving, "it moves")
    answer = goal.cancel()
    assert len(answer.goals_canceling) == 1
    status, _ = goal.end()
    assert status == GoalStatus.STATUS_CANCELED
    # The result comes when all joints rest: what is commanded after it is one pose.
    ended = seconds(ros.now())
    later = lambda: [m for m in list(pony.joints.messages) if seconds(m.header.stamp) > ended]
    ros.wait(lambda: len(later()) > 50, "poses of after the end")
    assert all(names_of(m) == names_of(later()[0]) for m in later())
    assert -0.5 < names_of(later()[0])["neck_yaw"] < 0.5, "on its way"
    assert goal.cancel().return_code != 0, "it is over"
    # And the next goal is taken.
    status, result = Goal(ros, trajectory([0.5, 1.0], neck_yaw=[0.0, 0.1])).end()
    assert status == GoalStatus.STATUS_SUCCEEDED, result.error_string


def test_a_joint_that_leaves_its_tolerance_ends_the_goal(ros, pony):
    pony.stands()
    # No servo follows without any lag.
    tight = [JointTolerance(name="neck_yaw", position=1e-6)]
    status, result = Goal(ros, trajectory([0.5, 5.0], neck_yaw=[-0.5, 0.5]), path_tolerance=tight).end()
    assert (status, result.error_code) == (GoalStatus.STATUS_ABORTED, Result.PATH_TOLERANCE_VIOLATED)
    assert "neck_yaw" in result.error_string
    # A servo measures in steps of 0.163° = 2.8e-3 rad: none is ever within a nanoradian of 0.1234.
    tight = [JointTolerance(name="neck_yaw", position=1e-9)]
    goal = Goal(
        ros,
        trajectory([0.5, 1.0], neck_yaw=[0.0, 0.1234]),
        goal_tolerance=tight,
        goal_time_tolerance=duration(0.3),
    )
    status, result = goal.end()
    assert (status, result.error_code) == (GoalStatus.STATUS_ABORTED, Result.GOAL_TOLERANCE_VIOLATED)
    assert "neck_yaw" in result.error_string


def test_refusals_say_why_and_another_goal_takes_over(ros, pony):
    pony.stands()
    status, result = Goal(ros, trajectory([0.5, 1.0], wing=[0.0, 0.1])).end()
    assert (status, result.error_code) == (GoalStatus.STATUS_ABORTED, Result.INVALID_JOINTS)
    assert "wing" in result.error_string
    upper = urdf_limits()["neck_yaw"][1]
    status, result = Goal(ros, trajectory([0.5, 1.0], neck_yaw=[0.0, upper + 1.0])).end()
    assert (status, result.error_code) == (GoalStatus.STATUS_ABORTED, Result.INVALID_GOAL)
    assert "neck_yaw" in result.error_string
    old = trajectory([0.5, 1.0], neck_yaw=[0.0, 0.1])
    old.header.stamp.sec = 1
    status, result = Goal(ros, old).end()
    assert (status, result.error_code) == (GoalStatus.STATUS_ABORTED, Result.OLD_HEADER_TIMESTAMP)
    first = Goal(ros, trajectory([0.5, 20.0], neck_yaw=[-0.5, 0.5]))
    ros.wait(lambda: len(first.feedback) > 0, "it begins")
    second = Goal(ros, trajectory([0.5, 1.0], neck_yaw=[0.0, 0.1]))
    status, result = first.end()
    assert status == GoalStatus.STATUS_ABORTED and "new goal" in result.error_string
    status, result = second.end()
    assert status == GoalStatus.STATUS_SUCCEEDED, result.error_string
    # An order of another kind ends a goal, too.
    third = Goal(ros, trajectory([0.5, 20.0], neck_yaw=[-0.5, 0.5]))
    ros.wait(lambda: len(third.feedback) > 0, "it begins")
    assert ros.call(Trigger, "gait_node/stand", Trigger.Request()).success
    status, result = third.end()
    assert status == GoalStatus.STATUS_ABORTED and "another order" in result.error_string


def test_a_halt_aborts_a_goal_that_waits_for_the_walk_to_end_and_says_why(ros, pony):
    pony.stands()
    # So slow a gait that its last steps take long: the goal waits for them, however busy the machine is.
    ros.set_params("gait_node", **{"gaits.crawl.period": 20.0, "gait": "crawl"})
    pony.go(forward=0.005)
    ros.wait(lambda: pony.says("gait_node", "walking"), "it walks")
    ros.wait(lambda: any(support == 0.0 for support in pony.support[-1].support), "a leg in the air")
    goal = Goal(ros, trajectory([0.5, 1.5], neck_yaw=[0.0, 0.4]))
    ros.wait(lambda: len(goal.feedback) > 0, "it is pursued")
    answer = ros.call(Trigger, "gait_node/halt", Trigger.Request())
    assert answer.success and "follow_joint_trajectory had not begun" in answer.message, answer.message
    status, result = goal.end()
    assert (status, result.error_code) == (GoalStatus.STATUS_ABORTED, Result.INVALID_GOAL)
    assert "halted before it began" in result.error_string
    assert not ros.call(Trigger, "gait_node/resume", Trigger.Request()).success, "it does not come back"
    # The next goal is taken, and played when the walk has ended.
    ros.set_params("gait_node", **{"gaits.crawl.period": 3.0})
    pony.go()
    status, result = Goal(ros, trajectory([0.5, 1.0], neck_yaw=[0.0, 0.1])).end()
    assert status == GoalStatus.STATUS_SUCCEEDED, result.error_string
