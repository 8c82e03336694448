"""The pose of the body beside B. Horn's closed-form solution with unit quaternions (1987), in NumPy."""

import subprocess

import numpy as np
import pytest
from conftest import BIN
from gait import exp, matrix


def horn(seen, normals, anchors, anchor_normals, weights):
    """The same weighted problem: points, and normals with the points' spread as their lever."""
    total = weights.sum()
    mean, anchor_mean = weights @ seen / total, weights @ anchors / total
    a, b = seen - mean, anchors - anchor_mean
    spread = weights @ (a**2).sum(axis=1) / total
    s = (a * weights[:, None]).T @ b + spread * (normals * weights[:, None]).T @ anchor_normals
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = s
    n = np.array(
        [
            [xx + yy + zz, yz - zy, zx - xz, xy - yx],
            [yz - zy, xx - yy - zz, xy + yx, zx + xz],
            [zx - xz, xy + yx, -xx + yy - zz, yz + zy],
            [xy - yx, zx + xz, yz + zy, -xx - yy + zz],
        ]
    )
    w, x, y, z = np.linalg.eigh(n)[1][:, -1]
    turn = matrix([x, y, z, w])
    return anchor_mean - turn @ mean, turn


def unit(v):
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


@pytest.fixture
def fit():
    program = subprocess.Popen([BIN / "examples" / "fit_lines"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(*arrays):
        program.stdin.write(" ".join(repr(float(x)) for x in np.column_stack(arrays).ravel()) + "\n")
        program.stdin.flush()
        answer = program.stdout.readline().split()
        return None if answer == ["none"] else np.array([float(x) for x in answer])

    yield ask
    program.stdin.close()
    program.wait()


@pytest.mark.parametrize("noise", [0.0, 0.001, 0.05])
def test_horns_quaternion_gives_the_same_pose(fit, noise):
    dice = np.random.default_rng(6)
    for _ in range(1000):
        feet = dice.integers(2, 9)
        # Feet on a plane: the case in which a reflection fits as well as a rotation.
        plane = exp(dice.normal(size=3))
        seen = np.column_stack([dice.uniform(-0.4, 0.4, (feet, 2)), np.zeros(feet)]) @ plane.T + dice.normal(size=3)
        normals = np.tile(-plane[:, 2], (feet, 1))
        if np.ptp(seen, axis=0).max() < 0.1:
            continue
        turn, shift = exp(dice.uniform(-3, 3, 3)), dice.normal(size=3) * 3
        anchors = seen @ turn.T + shift + dice.normal(size=(feet, 3)) * noise
        anchor_normals = unit(normals @ turn.T + dice.normal(size=(feet, 3)) * noise)
        weights = dice.uniform(0.1, 1, feet)
        found = fit(seen, normals, anchors, anchor_normals, weights)
        place, expected = horn(seen, normals, anchors, anchor_normals, weights)
        assert np.abs(found[:3] - place).max() < 1e-9
        assert np.abs(matrix(found[3:]) - expected).max() < 1e-9
        if noise == 0:
            assert np.abs(matrix(found[3:]) - turn).max() < 1e-9 and np.abs(found[:3] - shift).max() < 1e-9


def test_feet_above_each_other_or_in_one_place_leave_a_rotation_free(fit):
    normals = np.tile([0.0, 0.0, -1.0], (2, 1))
    for seen in ([[0, 0, 0], [0, 0, 0.3]], [[0.1, 0, 0], [0.1, 0, 0]]):
        assert fit(np.array(seen, float), normals, np.array(seen, float), normals, np.ones(2)) is None
