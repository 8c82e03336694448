"""Runs odometry_replay on bags of one exact trot; fixtures for the tests that import them."""

import subprocess

import conftest
import numpy as np
import pytest
from bags import START, trot_messages
from gait import Trot, matrix

CYCLES = 150


@pytest.fixture(scope="module")
def messages():
    return list(trot_messages(CYCLES))


def command(root, bag, *args):
    words = [conftest.BIN / "odometry_replay", bag, "--urdf", root / "config" / "pony.urdf", "--config", root / "config" / "robot.yaml"]
    return [str(word) for word in [*words, *args]]


@pytest.fixture
def replay(root, tmp_path):
    """Replays a bag with tolerances for exact hooves: the file that was written, and all that was said."""
    tight = tmp_path / "tight.yaml"
    tight.write_text("odometry_node: {ros__parameters: {method: fit, position_tolerance: 0.001, angle_tolerance: 0.01}}")

    def run(bag, *args, out="out.mcap", code=0):
        # What exists is never replaced.
        (tmp_path / out).unlink(missing_ok=True)
        words = command(root, bag, "--config", tight, "--out", tmp_path / out, *args)
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=conftest.LIMIT)
        assert done.returncode == code, done.stdout
        return tmp_path / out, done.stdout

    return run


def assert_exact(found, cycles=CYCLES):
    trot = Trot()
    odom = found["/odom"]
    assert len(odom) == cycles
    for cycle in (0, 1, cycles // 2, cycles - 1):
        _, message = odom[cycle]
        stamp = message.header.stamp
        place, turn = trot.body(stamp.sec - START / 10**9 + stamp.nanosec * 1e-9)
        p, q = message.pose.pose.position, message.pose.pose.orientation
        assert np.abs(np.array([p.x, p.y, p.z]) - place).max() < 1e-9
        assert np.abs(matrix([q.x, q.y, q.z, q.w]) - turn).max() < 1e-9
