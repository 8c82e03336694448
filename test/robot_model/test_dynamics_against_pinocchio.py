"""Efforts of the `dynamics` example equal those of Pinocchio's RNEA (PyPI `pin`), with a floating base in any motion.

The robots: the pony, the test robots of robot_model_lib with masses, and 200 random trees with random axes, sliding and
mimic joints, links without mass and links behind fixed joints. Only text goes between the two. Forces of the ground are
handed to Pinocchio as external forces: whoever gives wrong ones gets another torque there, or a base that is not held.
"""

import json
import os
import pathlib
import random
import re
import subprocess

import pytest
from test_against_pinocchio import ROOT, SOLE, config_text, legs, random_tree, reference

np = pytest.importorskip("numpy")
pin = pytest.importorskip("pinocchio")

# Of the largest effort of a pose: both sum a few hundred products in different order.
TOLERANCE = 1e-10
PARTS = ("orientation", "angular_velocity", "angular_acceleration", "linear_acceleration")


@pytest.fixture(scope="session")
def dynamics():
    """The command that runs the example."""
    folder = os.environ.get("GAITWAY_BIN_DIR")
    if folder:
        return [str(pathlib.Path(folder) / "examples" / "dynamics")]
    return ["cargo", "run", "-q", "--release", "-p", "robot_model_lib", "--example", "dynamics", "--"]


class Reference:
    """Pinocchio's view of a robot on a free flyer, every movable joint on its own; mimics are applied here."""

    def __init__(self, text, drives):
        self.model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
        self.data = self.model.createData()
        self.drives = drives  # name -> (master, gain, offset)

    def state(self, request):
        """Configuration, velocity and acceleration in Pinocchio's order."""
        q, v, a = pin.neutral(self.model), np.zeros(self.model.nv), np.zeros(self.model.nv)
        base = request["base"]
        linear, omega = np.array(request["velocity"]), np.array(base["angular_velocity"])
        q[3:7] = base["orientation"]
        v[:6] = *linear, *omega
        # Pinocchio's acceleration is spatial: the rate of the velocity as seen in the body.
        a[:6] = *(np.array(base["linear_acceleration"]) - np.cross(omega, linear)), *base["angular_acceleration"]
        for name, (master, gain, offset) in self.drives.items():
            joint = self.model.joints[self.model.getJointId(name)]
            value = gain * request["q"][master] + offset
            q[joint.idx_q : joint.idx_q + joint.nq] = (np.cos(value), np.sin(value)) if joint.nq == 2 else value
            v[joint.idx_v], a[joint.idx_v] = gain * request["dq"][master], gain * request["ddq"][master]
        return q, v, a

    def efforts(self, request, forces=()):
        """Efforts of the masters and the wrench on the base; `forces` are (link, point, force), in the base's frame."""
        q, v, a = self.state(request)
        self.model.gravity.linear = np.array(request["gravity"])
        outside = [pin.Force.Zero() for _ in range(self.model.njoints)]
        if forces:
            pin.forwardKinematics(self.model, self.data, q)
            pin.updateFramePlacements(self.model, self.data)
            base = self.data.oMi[1]
            for link, point, force in forces:
                frame = self.model.getFrameId(link, pin.FrameType.BODY)
                joint = self.model.frames[frame].parentJoint
                here = base.actInv(self.data.oMi[joint])
                turned = here.rotation.T @ np.array(force)
                outside[joint] += pin.Force(turned, np.cross(here.actInv(np.array(point)), turned))
        tau = pin.rnea(self.model, self.data, q, v, a, outside) if forces else pin.rnea(self.model, self.data, q, v, a)
        efforts = {}
        for name, (master, gain, _) in self.drives.items():
            at = self.model.joints[self.model.getJointId(name)].idx_v
            efforts[master] = efforts.get(master, 0.0) + gain * tau[at]
        return efforts, tau[:6].copy()


def random_request(dice, masters):
    numbers = lambda reach, count=3: [dice.uniform(-reach, reach) for _ in range(count)]
    turn = np.array([dice.gauss(0, 1) for _ in range(4)])
    base = dict(zip(PARTS, (list(turn / np.linalg.norm(turn)), numbers(3), numbers(20), numbers(10))))
    request = {key: dict(zip(masters, numbers(reach, len(masters)))) for key, reach in (("q", 1.5), ("dq", 6), ("ddq", 80))}
    return request | {"base": base, "velocity": numbers(2), "gravity": numbers(10)}


def answers(command, tmp_path, text, config, requests):
    urdf, yaml = tmp_path / "robot.urdf", tmp_path / "robot.yaml"
    urdf.write_text(text)
    yaml.write_text(config)
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    run = subprocess.run(command + [str(urdf), str(yaml)], input=lines, capture_output=True, text=True, cwd=ROOT)
    assert run.returncode == 0, run.stderr
    found = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(found) == len(requests)
    return found


def difference(ours, theirs, base):
    """Largest difference, as a part of the largest effort."""
    efforts, wrench = theirs
    assert set(ours) == set(efforts)
    rest = [abs(ours[name] - value) for name, value in efforts.items()] + list(np.abs(np.array(base) - wrench))
    return max(rest) / max(1e-300, *map(abs, efforts.values()), *map(abs, wrench))


def worst_difference(command, tmp_path, text, chains, poses, dice):
    peer = Reference(text, reference(text, chains, SOLE).joints)
    masters = sorted({master for master, _, _ in peer.drives.values()})
    requests = [random_request(dice, masters) for _ in range(poses)]
    found = answers(command, tmp_path, text, config_text(chains, SOLE), requests)
    return max(difference(ours["efforts"], peer.efforts(r), ours["base"]) for r, ours in zip(requests, found))


def with_masses(text, dice):
    """Puts a body into most links: a few point masses, so that every moment is one that a body can have."""

    def inertial(match):
        name, slash, old = match.groups()
        if slash and dice.random() < 0.2:
            return match.group(0)
        points = np.array([[dice.uniform(-0.1, 0.1) for _ in range(3)] for _ in range(4)])
        mass = dice.uniform(0.05, 3)
        moment = sum((p @ p) * np.eye(3) - np.outer(p, p) for p in points) * mass / 4
        numbers = " ".join(f'i{"xyz"[i]}{"xyz"[j]}="{float(moment[i, j])!r}"' for i in range(3) for j in range(i, 3))
        place = " ".join(repr(dice.uniform(-0.1, 0.1)) for _ in range(3))
        turn = " ".join(repr(dice.uniform(-3, 3)) for _ in range(3))
        body = f'<inertial><origin xyz="{place}" rpy="{turn}"/><mass value="{mass!r}"/><inertia {numbers}/></inertial>'
        return f'<link name="{name}">{body}</link>' if slash else f'<link name="{name}">{body}'

    return re.sub(r'<link name="([^"]+)"(/?)>(\s*<inertial>.*?</inertial>)?', inertial, text, flags=re.S)


def test_the_pony(dynamics, tmp_path):
    text = (ROOT / "config" / "pony.urdf").read_text()
    worst = worst_difference(dynamics, tmp_path, text, legs(4, "base_link", "hoof"), 200, random.Random(1))
    print(f"pony: worst difference {worst:.2e}")
    assert worst <= TOLERANCE


@pytest.mark.parametrize(
    "name, chains",
    [
        ("hexapod", legs(6, "base_link", "foot")),
        ("skew", legs(3, "base_link", "foot")),
        ("telescope", legs(2, "waist", "claw1")),
    ],
)
def test_the_small_robots(dynamics, tmp_path, name, chains):
    text = (ROOT / "robot_model_lib" / "tests" / "urdf" / f"{name}.urdf").read_text()
    worst = worst_difference(dynamics, tmp_path, with_masses(text, random.Random(4)), chains, 100, random.Random(2))
    print(f"{name}: worst difference {worst:.2e}")
    assert worst <= TOLERANCE


def test_two_hundred_random_trees(dynamics, tmp_path):
    dice = random.Random(3)
    worst = 0.0
    for _ in range(200):
        text, chains = random_tree(dice)
        worst = max(worst, worst_difference(dynamics, tmp_path, with_masses(text, dice), chains, 3, dice))
    print(f"200 random trees: worst difference {worst:.2e}")
    assert worst <= TOLERANCE


def test_the_pony_on_its_feet(dynamics, tmp_path):
    """Level enough to stand: the ground's forces hold the base up to 1e-9 N, push only, and sum up to the weight."""
    text = (ROOT / "config" / "pony.urdf").read_text()
    config = (ROOT / "config" / "robot.yaml").read_text()
    chains, dice = legs(4, "base_link", "hoof"), random.Random(5)
    peer = Reference(text, reference(text, chains, SOLE).joints)
    masters = sorted({master for master, _, _ in peer.drives.values()})
    requests = []
    for number in range(200):
        request = random_request(dice, masters) | {"gravity": [0, 0, -9.81], "velocity": [0, 0, 0]}
        for key, reach in (("q", 0.05), ("dq", 0), ("ddq", 0)):
            request[key] = {name: dice.uniform(-reach, reach) for name in masters}
        request["base"] = {part: [0, 0, 0] for part in PARTS} | {"orientation": [dice.uniform(-0.01, 0.01), 0, 0, 1]}
        request["base"]["orientation"] /= np.linalg.norm(request["base"]["orientation"])
        request["base"]["orientation"] = list(request["base"]["orientation"])
        request["standing"] = {chain: dice.uniform(0.5, 1) for chain in chains}
        requests.append(request)
    found = answers(dynamics, tmp_path, text, config, requests)
    balance = worst = 0.0
    for request, ours in zip(requests, found):
        efforts, base = peer.efforts(request, ours["forces"])
        balance = max(balance, np.abs(base).max())
        worst = max(worst, *(abs(ours["efforts"][name] - value) for name, value in efforts.items()))
        turn = pin.Quaternion(np.array(request["base"]["orientation"])).toRotationMatrix()
        up = [(turn @ np.array(force))[2] for _, _, force in ours["forces"]]
        assert min(up) >= -1e-12 and len(up) == 16
        assert abs(ours["mass"] - 7.57) < 0.005 and abs(sum(up) - ours["mass"] * 9.81) < 1e-9
    print(f"pony on its feet: balance to {balance:.2e} N, efforts to {worst:.2e} N m")
    assert balance <= 1e-9 and worst <= 1e-9
