"""Motions: files and messages, with supports that the odometry follows."""

import json
import math
import os

import pytest
from builtin_interfaces.msg import Duration
from gait_msgs.srv import PlayMotion
from pony import LEGS, Pony, seconds
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint


@pytest.fixture
def pony(ros):
    pony = Pony(ros)
    yield pony
    pony.stop()


def leg_angles(leg, shift, drop):
    """Hip pitch, knee and ankle pitch that put the hoof `shift` m behind its place below the hip, with the hip `drop` m lower
    than with all joints at zero; plane geometry of two links of 0.16 m, drawn from the URDF's figures."""
    link, bend = 0.16, 0.45
    front = leg in ("leg1", "leg2")
    down = 2 * link * math.cos(bend) - drop
    reach = math.hypot(shift, down)
    # A turn by a positive pitch swings a link backwards, so the hoof behind is at a positive angle.
    aim = math.atan2(shift, down)
    inner = math.acos(reach / (2 * link))
    # Front knees point forward, rear ones backward.
    thigh, shank = (aim - inner, aim + inner) if front else (aim + inner, aim - inner)
    rest = -bend if front else bend
    hip, knee = thigh - rest, (shank - thigh) - (-2 * rest)
    return hip, knee, -hip - knee


def lean(steps):
    """A motion in which all hooves stand and the body goes (x, z) = (shift, −drop); its keyframes are near each other."""
    joints = {f"{leg}_{joint}": [] for leg in LEGS for joint in ("hip_pitch", "knee", "ankle_pitch")}
    for shift, drop in steps:
        for leg in LEGS:
            for joint, angle in zip(("hip_pitch", "knee", "ankle_pitch"), leg_angles(leg, shift, drop)):
                joints[f"{leg}_{joint}"].append(angle)
    for leg in LEGS:
        joints[f"support/{leg}"] = [1] * len(steps)
    return {"interpolation": "cubic", "times": [2.0 + 0.1 * k for k in range(len(steps))], "joints": joints}


def play(ros, file):
    """Plays a file of the folder that it lies in."""
    assert ros.set_params("gait_node", motions=str(file.parent))[0].successful
    return ros.call(PlayMotion, "gait_node/play", PlayMotion.Request(file=file.name))


def test_the_odometry_moves_as_a_motion_file_with_supports_says(ros, pony, tmp_path):
    pony.stands()
    smooth = lambda s: s * s * (3 - 2 * s)
    out = [(0.05 * smooth(k / 20), 0.03 * smooth(k / 20)) for k in range(21)]
    motion = lean(out + [out[-1]] * 10)
    (tmp_path / "lean.json").write_text(json.dumps(motion))
    start = pony.odom[-1].pose.pose.position
    answer = play(ros, tmp_path / "lean.json")
    assert answer.success, answer.message
    # With all joints at zero the base is 0.05 + 0.03 + 2·0.16·cos 0.45 + 0.05 m high.
    level = 0.13 + 0.32 * math.cos(0.45)
    there = lambda: abs(pony.odom[-1].pose.pose.position.z - (level - 0.03)) < 2e-4 and pony.odom[-1].pose.pose.position.x > start.x + 0.04
    ros.wait(there, "the body leans")
    place = pony.odom[-1].pose.pose.position
    assert abs(place.x - start.x - 0.05) < 1e-3 and abs(place.y - start.y) < 1e-6
    marks = sum("gait_node]: standing" in line for line in pony.launch.lines)
    ros.wait(lambda: sum("gait_node]: standing" in line for line in pony.launch.lines) > marks, "it stands again")
    pony.go(0.05)
    walks = sum("gait_node]: walking" in line for line in pony.launch.lines)
    ros.wait(lambda: sum("gait_node]: walking" in line for line in pony.launch.lines) > walks, "and walks")


def test_a_bad_motion_is_refused_and_the_culprit_named(ros, pony, root, tmp_path):
    pony.stands()
    good = {"times": [1.0, 2.0], "joints": {"neck_yaw": [0.0, 0.2]}}

    def refused(change, *words):
        motion = json.loads(json.dumps(good))
        change(motion)
        text = json.dumps(motion, indent=1)
        (tmp_path / "bad.json").write_text(text)
        answer = play(ros, tmp_path / "bad.json")
        assert not answer.success and all(word in answer.message for word in words), answer.message

    refused(lambda m: m["joints"].update(wing=[0.0, 0.1]), "wing", "no such joint")
    refused(lambda m: m["joints"].update({"support/wing": [1, 1]}), "support/wing", "no such leg")
    refused(lambda m: m.update(times=[2.0, 1.0]), "times", "number 2")
    refused(lambda m: m["joints"].update(neck_yaw=[0.0]), "neck_yaw", "1 positions for 2 times")
    refused(lambda m: m["joints"].update(neck_yaw=[0.0, None]), "line", "neck_yaw", "missing")
    refused(lambda m: m["joints"].update(neck_yaw=[0.0, math.nan]), "line", "neck_yaw", "not finite")
    refused(lambda m: m["joints"].update(neck_yaw=[0.0, 2.0]), "neck_yaw", "limits")
    assert ros.set_params("gait_node", motion_limits="refuse")[0].successful
    refused(lambda m: m.update(times=[1.0, 1.01]), "neck_yaw", "faster")
    refused(lambda m: m["joints"].update(neck_yaw=[0.0, 0.9055]), "neck_yaw", "limits")
    answer = play(ros, tmp_path / "none.yaml")
    assert not answer.success and "none.yaml" in answer.message
    motions = root / "config" / "motions"
    answer = play(ros, motions / "bow")
    assert not answer.success and "there are bow.yaml, nod.json" in answer.message
    assert play(ros, motions / "bow.yaml").success
    ros.wait(lambda: pony.says("gait_node", "playing"), "it bows")


def test_names_that_lead_elsewhere_play_nothing_and_say_nothing_of_what_is_there(ros, pony, tmp_path):
    pony.stands()
    (tmp_path / "secret").write_text("the secret: 42")
    folder = tmp_path / "motions"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path / "secret")
    os.mkfifo(folder / "pipe")
    (folder / "nul.json").write_text(json.dumps({"times": [1.0], "joints": {"neck\0pitch": [0.0]}}))
    joints = {f"joint{k}": [0.0] for k in range(50_000)}
    (folder / "many.json").write_text(json.dumps({"times": [1.0], "joints": joints}))
    assert ros.set_params("gait_node", motions=str(folder))[0].successful
    for file in ("../secret", "link", str(tmp_path / "secret"), "pipe", "/dev/zero", "nul.json", "nul\0.json", "many.json"):
        answer = ros.call(PlayMotion, "gait_node/play", PlayMotion.Request(file=file))
        assert not answer.success and "42" not in answer.message and len(answer.message) < 1000, file


def test_a_motion_that_is_too_fast_or_slightly_outside_is_stretched_and_said(ros, pony, tmp_path):
    pony.stands()
    # 1.8 rad in 0.3 s: at 1.5 times the mean speed 9 rad/s, and 6·1.8/0.3² = 120 rad/s² at the ends of a cubic from rest to rest.
    motion = {"times": [1.0, 1.3], "joints": {"neck_yaw": [-0.9, 0.9055]}}
    (tmp_path / "shake.json").write_text(json.dumps(motion))
    start = len(pony.joints)
    answer = play(ros, tmp_path / "shake.json")
    assert answer.success and "times as long (neck_yaw: " in answer.message and "by 0.0055 rad" in answer.message, answer.message
    ros.wait(lambda: pony.says("gait_node", "times as long"), "the log says it too")
    marks = sum("gait_node]: standing" in line for line in pony.launch.lines)
    ros.wait(lambda: sum("gait_node]: standing" in line for line in pony.launch.lines) > marks, "it stands again")
    necks = [dict(zip(m.name, m.position))["neck_yaw"] for m in pony.joints.messages[start:]]
    # Within what it moves in a cycle of 0.01 s at rest, ½·50·0.01².
    assert min(necks) < -0.9 + 0.0025 and 0.9 - 0.0025 < max(necks) <= 0.9


def test_a_trajectory_message_is_played_smoothly_from_any_pose(ros, pony):
    pony.stands()
    publisher = ros.publisher(JointTrajectory, "joint_trajectory")
    names = ["tail_yaw", "neck_pitch"]
    times = [0.5, 1.0, 2.0]
    points = [[0.5, 0.2], [-0.5, 0.4], [0.0, 0.0]]
    message = JointTrajectory(joint_names=names)
    for time, positions in zip(times, points):
        stamp = Duration(sec=int(time), nanosec=round(1e9 * (time % 1)))
        message.points.append(JointTrajectoryPoint(positions=positions, time_from_start=stamp))
    start = len(pony.joints)
    publisher.publish(message)
    ros.wait(lambda: pony.says("gait_node", "playing"), "it plays")
    marks = sum("gait_node]: standing" in line for line in pony.launch.lines)
    ros.wait(lambda: sum("gait_node]: standing" in line for line in pony.launch.lines) > marks, "it stands again")
    rows = [(seconds(m.header.stamp), dict(zip(m.name, m.position))) for m in pony.joints.messages[start:]]
    for name, values in zip(names, zip(*points)):
        for value in values[:2]:
            nearest = min(abs(row[name] - value) for _, row in rows)
            assert nearest < 0.02, f"{name} passes {value}"
        assert max(row[name] for _, row in rows) < max(values) + 0.02, "and does not pass its positions"
    # Half a second after the first positions come the second.
    first = min(rows, key=lambda row: abs(row[1]["tail_yaw"] - 0.5))[0]
    second = min(rows, key=lambda row: abs(row[1]["tail_yaw"] + 0.5))[0]
    assert 0.4 < second - first < 1.0
    # Without points it halts where it is, and holds; as joint_trajectory_controller does.
    played = sum("gait_node]: playing" in line for line in pony.launch.lines)
    publisher.publish(message)
    ros.wait(lambda: sum("gait_node]: playing" in line for line in pony.launch.lines) > played, "it plays again")
    publisher.publish(JointTrajectory(joint_names=names))
    ros.wait(lambda: pony.says("gait_node", "halted"), "it halts")
    message.joint_names = ["tail_yaw", "wing"]
    publisher.publish(message)
    ros.wait(lambda: pony.says("gait_node", "joint_trajectory refused"), "a refusal")
    assert pony.says("gait_node", "wing")
