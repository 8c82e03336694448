"""Exact gaits for the tests, made without our code: kinematics in NumPy from the URDF, a body path in closed form,
inverse kinematics by Newton's method."""

import pathlib
import xml.etree.ElementTree as xml

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
URDF = (ROOT / "config" / "pony.urdf").read_text()
LEGS = ("leg1", "leg2", "leg3", "leg4")
HEIGHT = 0.418
SOLE = np.array([0.0, 0.0, 0.05])


def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def exp(v):
    """Rotation by the vector v (Rodrigues)."""
    angle = np.linalg.norm(v)
    if angle < 1e-12:
        return np.eye(3) + skew(v)
    k = skew(v / angle)
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def log(r):
    """Rotation vector of r, for angles well below a half turn."""
    v = np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]]) / 2
    sine = np.linalg.norm(v)
    return v if sine < 1e-9 else v * (np.arctan2(sine, (np.trace(r) - 1) / 2) / sine)


def rpy(r, p, y):
    return exp(np.array([0, 0, y])) @ exp(np.array([0, p, 0])) @ exp(np.array([r, 0, 0]))


def quaternion(r):
    """x y z w by the eigenvector of the largest eigenvalue (Bar-Itzhack), good everywhere."""
    k = np.array(
        [
            [r[0, 0] - r[1, 1] - r[2, 2], r[1, 0] + r[0, 1], r[2, 0] + r[0, 2], r[2, 1] - r[1, 2]],
            [r[1, 0] + r[0, 1], r[1, 1] - r[0, 0] - r[2, 2], r[2, 1] + r[1, 2], r[0, 2] - r[2, 0]],
            [r[2, 0] + r[0, 2], r[2, 1] + r[1, 2], r[2, 2] - r[0, 0] - r[1, 1], r[1, 0] - r[0, 1]],
            [r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1], np.trace(r)],
        ]
    )
    values, vectors = np.linalg.eigh(k)
    return vectors[:, -1] * np.sign(vectors[3, -1] or 1)


def matrix(q):
    x, y, z, w = q
    v = np.array([x, y, z])
    return np.eye(3) + 2 * w * skew(v) + 2 * skew(v) @ skew(v)


class Leg:
    def __init__(self, name, tree):
        joints = {j.find("child").get("link"): j for j in tree.iter("joint")}
        link, self.joints = f"{name}_hoof", []
        while link in joints:
            joint = joints[link]
            origin, numbers = joint.find("origin"), lambda e, k: np.array([float(x) for x in e.get(k, "0 0 0").split()])
            axis = numbers(joint.find("axis"), "xyz")
            self.joints.insert(0, (joint.get("name"), numbers(origin, "xyz"), rpy(*numbers(origin, "rpy")), axis))
            link = joint.find("parent").get("link")
        self.names = [name for name, *_ in self.joints]

    def pose(self, q):
        """Place of the sole's centre, axes of the hoof, and the Jacobian."""
        place, axes, columns = np.zeros(3), np.eye(3), []
        for (_, shift, turn, axis), value in zip(self.joints, q):
            place, axes = place + axes @ shift, axes @ turn
            columns.append((place, axes @ axis))
            axes = axes @ exp(axis * value)
        centre = place + axes @ SOLE
        jacobian = np.array([np.concatenate([np.cross(a, centre - p), a]) for p, a in columns]).T
        return centre, axes, jacobian

    def solve(self, centre, axes, q):
        for _ in range(30):
            at, turned, jacobian = self.pose(q)
            miss = np.concatenate([centre - at, turned @ log(turned.T @ axes)])
            if np.abs(miss).max() < 1e-14:
                break
            q = q + np.linalg.solve(jacobian, miss)
        assert np.abs(miss).max() < 1e-11, "the gait asks too much of the leg"
        return q


class Trot:
    """The pony trots an arc: v ahead, w to the left, swaying a little."""

    PERIOD, DOWN, LIFT, DT = 40, 20, 0.03, 0.01

    def __init__(self, v=0.2, w=0.3):
        self.v, self.w = v, w
        tree = xml.fromstring(URDF)
        self.legs = [Leg(name, tree) for name in LEGS]
        self.others = [
            j.get("name") for j in tree.iter("joint") if j.get("type") != "fixed" and not j.get("name").startswith("leg")
        ]
        self.nominal = [leg.pose(np.zeros(6)) for leg in self.legs]
        self.q = [np.zeros(6) for _ in self.legs]
        self.names = [name for leg in self.legs for name in leg.names] + self.others
        self.phase = [0, 20, 20, 0]

    def plane(self, t):
        turn = self.w * t
        shift = np.array([self.v * t, 0, 0])
        if self.w:
            shift = np.array([self.v * np.sin(turn), self.v * (1 - np.cos(turn)), 0]) / self.w
        return shift, exp(np.array([0, 0, turn]))

    def body(self, t):
        place, turn = self.plane(t)
        sway = np.sin(7.3 * t)
        return place + turn @ (np.array([0.004, 0.006, 0.005]) * sway + [0, 0, HEIGHT]), turn @ exp(
            np.array([0.03, 0.04, 0]) * sway
        )

    def is_down(self, leg, cycle):
        return (cycle + self.phase[leg]) % self.PERIOD <= self.DOWN

    def hoof(self, leg, cycle):
        step, since = divmod(cycle + self.phase[leg], self.PERIOD)

        def stand(step):
            place, turn = self.plane((step * self.PERIOD - self.phase[leg] + self.DOWN / 2) * self.DT)
            centre, axes, _ = self.nominal[leg]
            return place + turn @ (centre * [1, 1, 0]), turn @ axes

        place, turn = stand(step)
        if since <= self.DOWN:
            return place, turn
        ahead, turned = stand(step + 1)
        share = (since - self.DOWN) / (self.PERIOD - self.DOWN)
        lift = np.array([0, 0, self.LIFT * np.sin(np.pi * share)])
        return place + (ahead - place) * share + lift, turn @ exp(log(turn.T @ turned) * share)

    def posture(self, cycle):
        """All joints at a cycle, in the order of `names`."""
        place, turn = self.body(cycle * self.DT)
        for leg in range(4):
            at, axes = self.hoof(leg, cycle)
            self.q[leg] = self.legs[leg].solve(turn.T @ (at - place), turn.T @ axes, self.q[leg])
        return np.concatenate(self.q + [np.zeros(len(self.others))])
