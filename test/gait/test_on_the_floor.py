"""The gaits carry a pony with mass, friction and servos of limited stiffness: it does not fall, and gets where it is told."""

import os
import pathlib
import subprocess

import numpy as np
import floor
import pytest
from conftest import BIN, ROOT

SECONDS = 10
# How far the real body may be from the planned one: hooves slip a little and servos give way.
TOLERANCE = 0.12


def course(part):
    files = [str(ROOT / "config" / name) for name in ("pony.urdf", "robot.yaml", "gait.yaml")]
    program = pathlib.Path(os.environ.get("GAITWAY_BIN_DIR", BIN)) / "examples/course"
    run = subprocess.run([str(program), *files, part], capture_output=True, text=True, check=True)
    assert not run.stderr, run.stderr
    names, *rows = run.stdout.splitlines()
    return names.split(), np.array([[float(word) for word in row.split()] for row in rows])


@pytest.mark.parametrize(
    "gait, forward, left, turn",
    [("crawl", 0.03, 0, 0), ("walk", 0.07, 0, 0), ("walk", 0, 0, 0.3), ("trot", 0.11, 0, 0), ("trot", -0.1, 0, 0), ("trot", 0, 0.1, 0), ("trot", 0, 0, -0.5)],
)
def test_it_does_not_fall_and_gets_there(gait, forward, left, turn):
    names, rows = course(f"{gait}:{SECONDS}:{forward}:{left}:{turn}")
    # With all joints at zero the base is 0.13 + 0.32·cos 0.45 m high.
    path = floor.walk(rows, names, 0.13 + 0.32 * np.cos(0.45))
    walked = path[-100 * SECONDS :]
    x, y, z, roll, pitch, _ = walked.T
    yaw = np.unwrap(walked[:, 5])
    print(f"{gait} {forward} {left} {turn}: x {x[-1] - x[0]:.3f} y {y[-1] - y[0]:.3f} m, yaw {yaw[-1] - yaw[0]:.3f} rad, tilt at most {np.abs([roll, pitch]).max():.3f} rad, height {z.min():.3f} … {z.max():.3f} m")
    assert np.abs([roll, pitch]).max() < 0.1 and 0.37 < z.min() and z.max() < 0.4
    # The velocity rises with 0.3 m/s² and 1 rad/s².
    speed = np.hypot(forward, left)
    way = speed * (SECONDS - speed / 0.3 / 2)
    angle = turn * (SECONDS - abs(turn) / 1.0 / 2)
    assert abs(np.hypot(x[-1] - x[0], y[-1] - y[0]) - way) < TOLERANCE * way + 0.02
    assert abs(yaw[-1] - yaw[0] - angle) < TOLERANCE * abs(angle) + 0.25


@pytest.mark.parametrize("forward", [0.06, -0.06])
def test_a_pace_has_no_time_to_fall(forward):
    """Open loop it slips more than other gaits do; here only that it stays on its feet and goes the right way."""
    names, rows = course(f"pace:{SECONDS}:{forward}:0:0")
    walked = floor.walk(rows, names, 0.13 + 0.32 * np.cos(0.45))[-100 * SECONDS :]
    x, _, z, roll, pitch, _ = walked.T
    assert np.abs([roll, pitch]).max() < 0.1 and 0.37 < z.min() and z.max() < 0.4
    assert np.sign(forward) * (x[-1] - x[0]) > 0.5 * abs(forward) * SECONDS
