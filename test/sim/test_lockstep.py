"""`robot_lockstep`: a walk with weight in virtual time is a bag that others read, the same every time."""

import math
import subprocess

import numpy
import pytest
from conftest import BIN, ROOT
from rosbags.highlevel import AnyReader

CONFIG = ROOT / "config"
SECONDS = 12
pytestmark = pytest.mark.skipif(not (BIN / "robot_lockstep").exists(), reason="no physics here")


def walk(bag):
    command = [BIN / "robot_lockstep", CONFIG, CONFIG / "pony.urdf", "--out", bag, f"0.06,0,0.05,{SECONDS}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def bag(tmp_path_factory):
    path = tmp_path_factory.mktemp("lockstep") / "walk.mcap"
    walk(path)
    return path


def test_two_walks_are_the_same_file_to_the_last_byte(bag, tmp_path):
    said = walk(tmp_path / "again.mcap")
    assert bag.read_bytes() == (tmp_path / "again.mcap").read_bytes()
    assert "times as fast as real time" in said


def test_a_reader_that_is_not_ours_finds_the_walk(bag):
    with AnyReader([bag]) as reader:
        counts = {c.topic: c.msgcount for c in reader.connections}
        poses = [reader.deserialize(raw, c.msgtype) for c, _, raw in reader.messages() if c.topic == "/truth/odom"]
        imu = [reader.deserialize(raw, c.msgtype) for c, _, raw in reader.messages() if c.topic == "/imu"]
        joints = [reader.deserialize(raw, c.msgtype) for c, _, raw in reader.messages() if c.topic == "/joint_states"]
    cycles = SECONDS * 100
    assert counts["/joints"] == counts["/truth/odom"] == counts["/truth/joint_states"] == cycles
    assert counts["/imu"] == 2 * cycles
    stamps = [p.header.stamp.sec * 10**9 + p.header.stamp.nanosec for p in poses]
    assert set(numpy.diff(stamps)) == {10_000_000}
    # Gravity, seen by a sensor with a bias of 0.05 m/s² and the shaking of a walk.
    up = numpy.mean([m.linear_acceleration.z for m in imu])
    assert up == pytest.approx(9.81, abs=0.2)
    # The way along its arc, within a tenth of the commanded.
    way = sum(math.hypot(b.pose.pose.position.x - a.pose.pose.position.x, b.pose.pose.position.y - a.pose.pose.position.y) for a, b in zip(poses[::100], poses[100::100]))
    assert way == pytest.approx(0.06 * (SECONDS - 1), rel=0.1)
    assert all(len(m.name) == len(m.position) > 20 for m in joints)


def test_the_odometry_of_the_bag_is_compared_with_its_truth(bag):
    command = [BIN / "odometry_replay", bag, "--joints", "/joint_states", "--urdf", CONFIG / "pony.urdf"]
    config = ["--config", CONFIG / "robot.yaml", "--config", CONFIG / "odometry.yaml"]
    said = subprocess.run([*command, *config], check=True, capture_output=True, text=True).stdout
    drift = float(said.split("at the end")[1].split("(")[1].split("%")[0])
    # What the project promises of measured joints.
    assert drift < 2.0, said
