"""A walk in MuJoCo, where feet press, tip and slide, recorded and replayed."""

import subprocess
import xml.etree.ElementTree as xml

import conftest
import numpy as np
import pytest
from bags import START, read, stamped, write_mcap
from gait import LEGS, URDF, Leg, exp, matrix
from gait_msgs.msg import SupportState
from physics import World, walk
from sensor_msgs.msg import JointState

# Ahead, arcs both ways, turns on the spot, backward, sideways: (seconds, ahead, to the left, turning). Each on another
# floor with other servos, so that no setting suits one of them by chance.
COURSES = {
    "60 s": (
        [
            (12, 0.20, 0, 0), (8, 0.15, 0, 0.3), (6, 0, 0, 0.5), (8, 0.2, 0, 0),
            (8, 0.15, 0, -0.3), (6, 0, 0, -0.5), (6, 0, 0.08, 0), (6, -0.15, 0, 0),
        ],
        World(),
    ),
    "soft servos, slippery": (
        [(8, 0.15, 0, -0.25), (6, 0, 0, -0.6), (8, -0.12, 0.04, 0), (8, 0.22, 0, 0.1)],
        World(stiffness=40.0, damping=1.0, friction=0.6),
    ),
    "stiff servos, more slippery": (
        [(8, 0.1, 0, 0.2), (8, 0.22, 0, -0.15), (6, -0.1, 0, 0.25), (6, 0, -0.1, 0), (6, 0, 0, 0.6)],
        World(stiffness=100.0, damping=2.0, friction=0.5),
    ),
}  # fmt: skip


def wrap(angle):
    return (angle + np.pi) % (2 * np.pi) - np.pi


def naive(record):
    """Mean motion of the stance feet in the plane, turned by their mean turn about the base: what common open-source
    controllers publish as odometry."""
    legs = [Leg(name, xml.fromstring(URDF)) for name in LEGS]
    place, turn, last = np.zeros(2), 0.0, None
    for _, _, q, _, down, *_ in record:
        feet = [leg.pose(q[6 * n : 6 * n + 6])[0][:2] for n, leg in enumerate(legs)]
        if last is not None:
            both = [n for n in range(4) if down[n] and last[1][n]]
            shift = -np.mean([feet[n] - last[0][n] for n in both], axis=0)
            angle = lambda p: np.arctan2(p[1], p[0])
            turned = -np.mean([wrap(angle(feet[n]) - angle(last[0][n])) for n in both])
            c, s = np.cos(turn), np.sin(turn)
            place = place + np.array([c * shift[0] - s * shift[1], s * shift[0] + c * shift[1]])
            turn += turned
        last = feet, down
    return place, turn


# All as it comes, but for what the user knows of the floor: it is level.
SETTINGS = {
    "fit": "odometry_node: {ros__parameters: {method: fit, ground_z_zero: true}}",
    "filter": "odometry_node: {ros__parameters: {method: filter}}",
}
# Share of the distance.
BOUND = 0.05


def heading(axes):
    return np.arctan2(axes[1, 0], axes[0, 0])


@pytest.mark.parametrize("method", SETTINGS)
@pytest.mark.parametrize("course", COURSES)
def test_drift_in_simulated_physics_stays_below_its_bound(root, tmp_path, capsys, course, method):
    record = list(walk(*COURSES[course]))
    messages = []
    for time, names, q, qd, down, *_ in record:
        ns = START + round(time * 1e9)
        supports = SupportState(name=list(LEGS), support=[float(d) for d in down])
        messages.append(("/support", ns, stamped(supports, ns)))
        messages.append(("/joints", ns + 1, stamped(JointState(name=names, position=list(q), velocity=list(qd)), ns)))
    write_mcap(tmp_path / "walk.mcap", messages)
    settings = tmp_path / "settings.yaml"
    settings.write_text(SETTINGS[method])

    true = np.array([place for *_, place, _ in record])
    distance = np.linalg.norm(np.diff(true[:, :2], axis=0), axis=1).sum()
    first, last = heading(record[0][-1]), heading(record[-1][-1])
    target = (exp(np.array([0, 0, -first])) @ (true[-1] - true[0]))[:2]

    results = {"naive": naive(record)}
    for name, extra in (("planned supports", []), ("contacts searched for", ["--support", ""])):
        out = tmp_path / "out.mcap"
        command = [conftest.BIN / "odometry_replay", tmp_path / "walk.mcap", "--urdf", root / "config" / "pony.urdf"]
        command += ["--config", root / "config" / "robot.yaml", "--config", settings, "--out", out, "--plot", tmp_path / f"{name}.svg", "--force"]
        done = subprocess.run([str(c) for c in command] + extra, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        end = read(out)["/odom"][-1][1].pose.pose
        turn = matrix([end.orientation.x, end.orientation.y, end.orientation.z, end.orientation.w])
        results[name] = np.array([end.position.x, end.position.y]), heading(turn)
    drift = {}
    with capsys.disabled():
        print(f"\n{course}, {method}: {distance:.2f} m in MuJoCo, drift at the end:")
        for name, (place, turn) in results.items():
            drift[name] = np.linalg.norm(place - target) / distance
            off = np.degrees(wrap(turn - (last - first)))
            print(f"  {name:<22} {100 * drift[name]:6.2f} % of the distance, heading off by {off:+.1f}°")
    assert drift["planned supports"] < BOUND and drift["contacts searched for"] < BOUND
