"""A walk in MuJoCo, where feet press, tip and slide, recorded and replayed."""

import subprocess
import xml.etree.ElementTree as xml

import conftest
import numpy as np
from bags import START, read, stamped, write_mcap
from gait import LEGS, URDF, Leg, matrix
from gait_msgs.msg import SupportState
from physics import walk
from sensor_msgs.msg import JointState

# 60 s: ahead, arcs both ways, turns on the spot, backward, sideways.
COURSE = [
    (12, 0.20, 0, 0), (8, 0.15, 0, 0.3), (6, 0, 0, 0.5), (8, 0.2, 0, 0),
    (8, 0.15, 0, -0.3), (6, 0, 0, -0.5), (6, 0, 0.08, 0), (6, -0.15, 0, 0),
]  # fmt: skip


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
            wrap = lambda a: (a + np.pi) % (2 * np.pi) - np.pi
            turned = -np.mean([wrap(angle(feet[n]) - angle(last[0][n])) for n in both])
            c, s = np.cos(turn), np.sin(turn)
            place = place + np.array([c * shift[0] - s * shift[1], s * shift[0] + c * shift[1]])
            turn += turned
        last = feet, down
    return place, turn


# Measured joints: hooves land later than planned and slide a little before they stand.
SETTINGS = "odometry_node: {ros__parameters: {settle_speed: 0.05, ground_z_zero: true}}"
# Shares of the distance; what was reached, with some room.
BOUNDS = {"planned supports": 0.05, "contacts searched for": 0.15}


def test_drift_in_simulated_physics_stays_below_its_bound(root, tmp_path, capsys):
    record = list(walk(COURSE))
    messages = []
    for time, names, q, qd, down, *_ in record:
        ns = START + round(time * 1e9)
        supports = SupportState(name=list(LEGS), support=[float(d) for d in down])
        messages.append(("/support", ns, stamped(supports, ns)))
        messages.append(("/joints", ns + 1, stamped(JointState(name=names, position=list(q), velocity=list(qd)), ns)))
    write_mcap(tmp_path / "walk.mcap", messages)
    settings = tmp_path / "settings.yaml"
    settings.write_text(SETTINGS)

    true = np.array([place for *_, place, _ in record])
    distance = np.linalg.norm(np.diff(true[:, :2], axis=0), axis=1).sum()
    axes = record[0][-1]
    first = np.arctan2(axes[1, 0], axes[0, 0])
    back = np.array([[np.cos(first), np.sin(first)], [-np.sin(first), np.cos(first)]])
    target = back @ (true[-1] - true[0])[:2]
    last = record[-1][-1]
    heading = np.arctan2(last[1, 0], last[0, 0]) - first
    wrap = lambda a: (a + np.pi) % (2 * np.pi) - np.pi

    results = {"naive": naive(record)}
    for name, extra in (("planned supports", []), ("contacts searched for", ["--support", ""])):
        out = tmp_path / "out.mcap"
        command = [conftest.BIN / "odometry_replay", tmp_path / "walk.mcap", "--urdf", root / "config" / "pony.urdf"]
        command += ["--config", root / "config" / "robot.yaml", "--config", settings, "--out", out, "--plot", tmp_path / "plot.svg", *extra]
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        end = read(out)["/odom"][-1][1].pose.pose
        m = matrix([end.orientation.x, end.orientation.y, end.orientation.z, end.orientation.w])
        results[name] = np.array([end.position.x, end.position.y]), np.arctan2(m[1, 0], m[0, 0])
        with capsys.disabled():
            print(f"\n--- {name}\n{done.stdout}", end="")
    drift = {}
    with capsys.disabled():
        print(f"\n{distance:.2f} m in MuJoCo, drift at the end:")
        for name, (place, turn) in results.items():
            drift[name] = np.linalg.norm(place - target) / distance
            print(f"  {name:<22} {100 * drift[name]:6.2f} % of the distance, heading off by {np.degrees(wrap(turn - heading)):+.1f}°")
    for name, bound in BOUNDS.items():
        assert drift[name] < bound, name
