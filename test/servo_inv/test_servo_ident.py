"""servo_ident as a process, with rclpy as the robot: goals, measured positions, battery."""

import collections
import math
import time

import pytest
from gait_msgs.msg import JointAccelState, ServoGoal, ServoModel
from sensor_msgs.msg import BatteryState, JointState
from std_srvs.srv import Trigger

ALPHA = [1.39, 52.1, 7.09, 212.0]
KP, VOLT = 100.0, 7.4
STEP = 0.005


def robot(seconds):
    """A servo that obeys the model equation, sampled: (time, goal, torque, measured position)."""
    fine, position, velocity, reference, wanted = 20, 0.2, 0.0, 0.2, 0.2
    for k in range(int(seconds / STEP)):
        t = k * STEP
        phase = 2 * math.pi * 0.8 * t
        goal = 0.2 + 0.5 * math.sin(phase + 0.85 * math.sin(phase))
        torque = 0.6 + 0.8 * math.sin(phase + 2.6)
        yield t, goal, torque, position
        start, h = reference, STEP / fine
        for i in range(fine):
            reference = start + (goal - start) * (i + 1) / fine
            load = 0.6 + 0.8 * math.sin(2 * math.pi * 0.8 * (t + (i + 1) * h) + 2.6)
            push = ALPHA[0] * velocity + h * (KP * VOLT * (reference - position) - ALPHA[3] * load)
            rest = math.copysign(max(0.0, abs(push) - h * ALPHA[2]), push)
            velocity = rest / (ALPHA[0] + h * ALPHA[1] + h * h * KP * VOLT)
            position += h * velocity


def trigger(ros, service):
    return ros.call(Trigger, f"/servo_ident/{service}", Trigger.Request())


def start(ros, tmp_path, **params):
    params = {"joints": ["knee", "tail"], "default_servo_model.kp": KP, **params}
    process = ros.start("servo_ident", params={**params, "save_file": str(tmp_path / "models.yaml")})
    ros.models = ros.listen(ServoModel, "servo_model")
    ros.goal_topic = ros.publisher(ServoGoal, "goals", 5000)
    ros.accel_topic = ros.publisher(JointAccelState, "joints_accel", 5000)
    ros.measured_topic = ros.publisher(JointState, "joint_readings", 5000)
    battery = ros.publisher(BatteryState, "battery_state")
    battery.publish(BatteryState(voltage=VOLT))
    return process


def walk(ros, seconds):
    """Sends a stretch of motion, with its own time, no faster than the node can take it."""
    measured = collections.deque()
    for t, goal, torque, position in robot(seconds):
        ns = round((1000 + t) * 1e9)
        goals = ServoGoal(name=["knee"], target_pos=[goal], playtime=[STEP])
        accel = JointAccelState(name=["knee"], position=[goal], velocity=[0.0], acceleration=[0.0], effort=[torque])
        measured.append(JointState(name=["tail", "knee"], position=[math.nan, position]))
        for message in (goals, accel, measured[-1]):
            message.header.stamp.sec, message.header.stamp.nanosec = divmod(ns, 10**9)
        ros.goal_topic.publish(goals)
        ros.accel_topic.publish(accel)
        # Topics have no order among each other; what is measured comes a little later, as from a real bus.
        if len(measured) > 20:
            ros.measured_topic.publish(measured.popleft())
        time.sleep(0.001)
    for message in measured:
        ros.measured_topic.publish(message)


def used(process_diagnostics):
    return [v for d in process_diagnostics for s in d.status for v in s.values if v.key == "knee"]


def test_a_servo_is_identified_published_and_saved(ros, tmp_path):
    from diagnostic_msgs.msg import DiagnosticArray

    diagnostics = ros.listen(DiagnosticArray, "/diagnostics")
    start(ros, tmp_path)
    answer = trigger(ros, "knee/stop")
    assert not answer.success and '"knee" is not being identified' in answer.message
    assert trigger(ros, "knee/start").success
    answer = trigger(ros, "knee/stop")
    assert not answer.success and "0 windows of motion of 50" in answer.message
    walk(ros, 8)
    # All that was sent has been taken once the figures stand still.
    seen = lambda: used(diagnostics)[-1].value if used(diagnostics) else ""
    ros.wait(lambda: len(used(diagnostics)) > 2 and used(diagnostics)[-2].value == seen() and not seen().startswith("0 "), "motion")
    answer = trigger(ros, "knee/stop")
    assert answer.success, answer.message
    assert "position error" in answer.message and "torque error" in answer.message
    assert "pure delay" in answer.message and "best lead + delay" in answer.message
    model = ros.wait(lambda: ros.models.messages, "the model")[0]
    assert model.name == "knee" and model.kp == KP
    assert list(model.alpha) == pytest.approx(ALPHA, rel=0.02)
    answer = trigger(ros, "save")
    assert answer.success, answer.message
    # servo_inv_param starts with what was saved.
    from rcl_interfaces.srv import GetParameters

    ros.start("servo_inv_param", ros_args=["--params-file", str(tmp_path / "models.yaml")])
    request = GetParameters.Request(names=["servo_models.knee.alpha", "joints.knee.lead", "joints.knee.delay"])
    alpha, lead, delay = ros.call(GetParameters, "/servo_inv_param/get_parameters", request).values
    assert list(alpha.double_array_value) == list(model.alpha)
    # Goals come every 5 ms and are reached after 5 ms; nothing else delays them.
    assert lead.double_value == 0.0 and delay.double_value == pytest.approx(STEP, abs=0.002)


def test_abort_forgets_and_all_joints_can_be_ordered_at_once(ros, tmp_path):
    start(ros, tmp_path)
    answer = trigger(ros, "start")
    assert answer.success and '"knee": started' in answer.message and '"tail": started' in answer.message
    answer = trigger(ros, "tail/start")
    assert not answer.success and "already" in answer.message
    assert trigger(ros, "tail/abort").success
    answer = trigger(ros, "abort")
    assert not answer.success and '"knee": aborted' in answer.message and '"tail" is not being' in answer.message
    assert len(ros.models) == 0


def test_malformed_measurements_are_refused(ros, tmp_path):
    process = start(ros, tmp_path)
    trigger(ros, "start")
    ros.measured_topic.publish(JointState(name=["knee"], position=[math.inf]))
    ros.wait(lambda: 'joint_readings refused: position of joint "knee" is inf' in process.output, "the refusal")
    ros.goal_topic.publish(ServoGoal(name=["knee"], target_pos=[]))
    ros.wait(lambda: "goals refused" in process.output, "the refusal")


def test_a_first_guess_is_not_saved(ros, tmp_path):
    start(ros, tmp_path)
    answer = trigger(ros, "save")
    assert not answer.success and "nothing to save" in answer.message and not (tmp_path / "models.yaml").exists()


def test_a_file_that_cannot_be_written_is_told(ros, tmp_path):
    start(ros, tmp_path, **{"servo_models.knee.kp": KP})
    (result,) = ros.set_params("/servo_ident", save_file=str(tmp_path / "no" / "such" / "folder.yaml"))
    assert result.successful
    answer = trigger(ros, "save")
    assert not answer.success and "folder.yaml" in answer.message
    (tmp_path / "link").symlink_to(tmp_path / "precious")
    ros.set_params("/servo_ident", save_file=str(tmp_path / "link"))
    answer = trigger(ros, "save")
    assert not answer.success and "link" in answer.message and not (tmp_path / "precious").exists()
