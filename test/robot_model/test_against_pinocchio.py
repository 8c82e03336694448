"""Poses and Jacobians of the `kinematics` example equal those of Pinocchio (PyPI `pin`).

The robots: the pony, the test robots of robot_model_lib, and 200 random trees with random axes, sliding and mimic
joints. Only text goes between the two, so nothing is shared but the URDF.
"""

import json
import os
import pathlib
import random
import re
import subprocess

import pytest

np = pytest.importorskip("numpy")
pin = pytest.importorskip("pinocchio")

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOLERANCE = 1e-12
SOLE = [[0.035, 0.03, 0.05], [0.035, -0.03, 0.05], [-0.035, -0.03, 0.05], [-0.035, 0.03, 0.05]]


@pytest.fixture(scope="session")
def kinematics():
    """The command that runs the example."""
    folder = os.environ.get("GAITWAY_BIN_DIR")
    if folder:
        return [str(pathlib.Path(folder) / "examples" / "kinematics")]
    return ["cargo", "run", "-q", "--release", "-p", "robot_model_lib", "--example", "kinematics", "--"]


class Reference:
    """Pinocchio's view of a robot, every movable joint on its own; mimics are applied here."""

    def __init__(self, text, joints, chains):
        self.model = pin.buildModelFromXML(text)
        self.data = self.model.createData()
        self.joints = joints  # name -> (master, gain, offset)
        self.chains = chains  # name -> (its own joints, last link, contact points)

    def answer(self, q):
        full = pin.neutral(self.model)
        for name, (master, gain, offset) in self.joints.items():
            joint = self.model.joints[self.model.getJointId(name)]
            value = gain * q[master] + offset
            if joint.nq == 2:
                full[joint.idx_q : joint.idx_q + 2] = np.cos(value), np.sin(value)
            else:
                full[joint.idx_q] = value
        pin.computeJointJacobians(self.model, self.data, full)
        pin.updateFramePlacements(self.model, self.data)
        links, jacobians = {}, {}
        for number, frame in enumerate(self.model.frames):
            if frame.type == pin.FrameType.BODY and frame.name != "universe":
                place = self.data.oMf[number]
                links[frame.name] = (place.translation.copy(), place.rotation.copy())
        for name, (joints, last, points) in self.chains.items():
            frame = self.model.getFrameId(last, pin.FrameType.BODY)
            whole = pin.getFrameJacobian(self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED)
            whole = np.array(whole).reshape(6, self.model.nv)  # a single column comes as a plain vector
            lever = links[last][1] @ np.mean(points, axis=0)
            whole[:3] -= pin.skew(lever) @ whole[3:]
            rows = np.zeros((6, len(joints)))
            for joint, (master, gain, _) in self.joints.items():
                if master in joints:
                    column = self.model.joints[self.model.getJointId(joint)].idx_v
                    rows[:, joints.index(master)] += gain * whole[:, column]
            jacobians[name] = (joints, rows)
        return links, jacobians


def config_text(chains, points):
    """The parameter file of chains name -> (first, last), all with one contact."""
    lines = ["/**:", "  ros__parameters:", "    chains:"]
    for name, (first, last) in chains.items():
        lines.append(f"      {name}: {{first_link: {first}, last_link: {last}, default_contact: sole}}")
    flat = ", ".join(repr(float(x)) for point in points for x in point)
    return "\n".join(lines + ["    contacts:", "      sole:", f"        points: [{flat}]"]) + "\n"


def movable(text):
    """From the URDF: name -> (type, parent, child, mimic); independent of both readers."""
    joints = {}
    for name, kind, body in re.findall(r'<joint name="([^"]+)" type="(\w+)">(.*?)</joint>', text, re.S):
        parent = re.search(r'<parent link="([^"]+)"', body).group(1)
        child = re.search(r'<child link="([^"]+)"', body).group(1)
        mimic = re.search(r"<mimic ([^>]*)/>", body)
        joints[name] = (kind, parent, child, dict(re.findall(r'(\w+)="([^"]*)"', mimic.group(1))) if mimic else None)
    return joints


def reference(text, chains, points):
    joints = movable(text)

    def follow(name):
        gain, offset = 1.0, 0.0
        while joints[name][3]:
            mimic = joints[name][3]
            offset += gain * float(mimic.get("offset", 0))
            gain *= float(mimic.get("multiplier", 1))
            name = mimic["joint"]
        return name, gain, offset

    drives = {name: follow(name) for name, joint in joints.items() if joint[0] != "fixed"}
    above = {child: (name, parent) for name, (_, parent, child, _) in joints.items()}
    limbs = {}
    for name, (first, last) in chains.items():
        path, link = [], last
        while link != first:
            joint, link = above[link]
            path.insert(0, joint)
        limbs[name] = ([j for j in path if j in drives and drives[j][0] == j], last, points)
    return Reference(text, drives, limbs)


def worst_difference(command, tmp_path, text, chains, points, poses, dice, config=None):
    """Largest difference of any number over some random poses."""
    urdf, yaml = tmp_path / "robot.urdf", tmp_path / "robot.yaml"
    urdf.write_text(text)
    yaml.write_text(config or config_text(chains, points))
    peer = reference(text, chains, points)
    masters = sorted({master for master, _, _ in peer.joints.values()})
    requests = [{name: dice.uniform(-1.5, 1.5) for name in masters} for _ in range(poses)]
    lines = "".join(json.dumps({"q": q}) + "\n" for q in requests)
    run = subprocess.run(command + [str(urdf), str(yaml)], input=lines, capture_output=True, text=True, cwd=ROOT)
    assert run.returncode == 0, run.stderr
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(answers) == poses
    worst = 0.0
    for q, ours in zip(requests, answers):
        links, jacobians = peer.answer(q)
        assert set(links) == set(ours["links"])
        for name, (place, turn) in links.items():
            numbers = np.array(ours["links"][name])
            theirs = pin.Quaternion(turn).coeffs()
            theirs = theirs if theirs @ numbers[3:] > 0 else -theirs
            worst = max(worst, np.abs(numbers[:3] - place).max(), np.abs(numbers[3:] - theirs).max())
        for name, (joints, rows) in jacobians.items():
            assert ours["jacobians"][name]["joints"] == joints
            worst = max(worst, np.abs(np.array(ours["jacobians"][name]["rows"]) - rows).max())
    return worst


def legs(count, first, tip):
    return {f"leg{n}": (first, f"leg{n}_{tip}") for n in range(1, count + 1)}


def test_the_pony_with_its_own_config(kinematics, tmp_path):
    text = (ROOT / "config" / "pony.urdf").read_text()
    config = (ROOT / "config" / "robot.yaml").read_text()
    worst = worst_difference(kinematics, tmp_path, text, legs(4, "base_link", "hoof"), SOLE, 200, random.Random(1), config)
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
def test_the_small_robots(kinematics, tmp_path, name, chains):
    text = (ROOT / "robot_model_lib" / "tests" / "urdf" / f"{name}.urdf").read_text()
    worst = worst_difference(kinematics, tmp_path, text, chains, SOLE, 100, random.Random(2))
    print(f"{name}: worst difference {worst:.2e}")
    assert worst <= TOLERANCE


def random_tree(dice):
    """A tree of 3 to 25 links, and one chain in it that has a joint of its own."""
    vector = lambda reach: " ".join(repr(dice.uniform(-reach, reach)) for _ in range(3))
    while True:
        count = dice.randint(3, 25)
        text, parents, free = '<robot name="random">\n<link name="l0"/>\n', {}, []
        for link in range(1, count):
            parents[link] = dice.randrange(link) if dice.random() < 0.3 else link - 1
            kind = dice.choice(["revolute", "revolute", "continuous", "prismatic", "fixed"])
            axis = dice.choice(["1 0 0", "0 1 0", "0 0 -1"]) if dice.random() < 0.2 else vector(1)
            mimic = ""
            if kind in ("revolute", "prismatic") and free and dice.random() < 0.15:
                mimic = f'<mimic joint="j{dice.choice(free)}" multiplier="{dice.uniform(-2, 2)}" offset="{dice.uniform(-1, 1)}"/>'
            elif kind != "fixed":
                free.append(link)
            text += f'<link name="l{link}"/>\n<joint name="j{link}" type="{kind}"><parent link="l{parents[link]}"/>'
            text += f'<child link="l{link}"/><origin xyz="{vector(0.3)}" rpy="{vector(3)}"/><axis xyz="{axis}"/>'
            text += f'<limit lower="-9" upper="9" effort="1" velocity="1"/>{mimic}</joint>\n'
        last = dice.randrange(1, count)
        path = [last]
        while path[-1] != 0 and (len(path) == 1 or dice.random() < 0.9):
            path.append(parents[path[-1]])
        if any(link in free for link in path[:-1]):
            return text + "</robot>\n", {"limb": (f"l{path[-1]}", f"l{last}")}


def test_two_hundred_random_trees(kinematics, tmp_path):
    dice = random.Random(3)
    worst = 0.0
    for _ in range(200):
        text, chains = random_tree(dice)
        points = [[dice.uniform(-0.1, 0.1) for _ in range(3)] for _ in range(dice.randint(1, 4))]
        worst = max(worst, worst_difference(kinematics, tmp_path, text, chains, points, 3, dice))
    print(f"200 random trees: worst difference {worst:.2e}")
    assert worst <= TOLERANCE
