"""What is true of the demo's walk, beside what was commanded and what the odometry believes: figures, pictures, the film."""

import math

import numpy as np
from film import Camera, Robot, write_apng
from lag import lag_and_error
from pictures import COLOURS, WIDTH, Chart, page

FEET = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd")
# A joint that moves by less than this has no lag that could be seen, rad.
MOVES = 0.05
FRAMES_PER_SECOND = 12.5


def seconds(stamp):
    return stamp.sec + 1e-9 * stamp.nanosec


def planar(odom):
    """x, y, heading."""
    p, q = odom.pose.pose.position, odom.pose.pose.orientation
    return p.x, p.y, math.atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z))


def tilt(odom):
    """Between the base's up and the world's, rad."""
    q = odom.pose.pose.orientation
    return math.acos(max(-1.0, min(1.0, 1 - 2 * (q.x * q.x + q.y * q.y))))


def twist_between(first, last):
    """Forward, left, turn: the constant twist that leads from one pose to the other, the logarithm of SE(2)."""
    time = seconds(last.header.stamp) - seconds(first.header.stamp)
    (x0, y0, yaw0), (x1, y1, yaw1) = planar(first), planar(last)
    angle = math.remainder(yaw1 - yaw0, math.tau)
    c, s = math.cos(yaw0), math.sin(yaw0)
    x, y, half = c * (x1 - x0) + s * (y1 - y0), c * (y1 - y0) - s * (x1 - x0), angle / 2
    k = half / math.tan(half) if abs(half) > 1e-6 else 1.0
    return (k * x + half * y) / time, (k * y - half * x) / time, angle / time


def path(messages):
    """Times and poses, in the axes of the first."""
    times = np.array([seconds(m.header.stamp) for m in messages])
    poses = np.array([planar(m) for m in messages])
    x, y, yaw = poses[0]
    c, s = math.cos(yaw), math.sin(yaw)
    moved = poses[:, :2] - (x, y)
    return times, moved @ np.array([[c, -s], [s, c]]), np.unwrap(poses[:, 2]) - yaw


def tracks(messages):
    """name → (times, angles) of the legs' joints."""
    times = np.array([seconds(m.header.stamp) for m in messages])
    names = [name for name in messages[0].name if name.startswith("leg")]
    at = [list(messages[0].name).index(name) for name in names]
    angles = np.array([[m.position[i] for i in at] for m in messages])
    return {name: (times, angles[:, k]) for k, name in enumerate(names)}


def figures(commanded, true_joints, true_odom, odom, fell):
    """What out/demo.json says of the walk."""
    wanted, true = tracks(commanded), tracks(true_joints)
    found = {name: lag_and_error(wanted[name], true[name]) for name in true if name in wanted}
    moving = [found[name][0] for name in found if np.ptp(wanted[name][1]) > MOVES]
    start, end = odom[0].header.stamp, odom[-1].header.stamp
    inside = [m for m in true_odom if seconds(start) <= seconds(m.header.stamp) <= seconds(end)]
    (t, way, heading), (to, believed, turned) = path(inside), path(odom)
    # Swaying is no way: a point a second.
    length = float(np.linalg.norm(np.diff(way[::100], axis=0), axis=1).sum())
    at_end = np.array([np.interp(to[-1], t, way[:, k]) for k in (0, 1)])
    return {
        "tracking_rms_deg": math.degrees(math.sqrt(np.mean([rms**2 for _, _, rms in found.values()]))),
        "lag_ms": 1e3 * float(np.median(moving)) if moving else math.nan,
        "way_m": length,
        "odometry_drift_percent": 100 * float(np.linalg.norm(believed[-1] - at_end)) / max(length, 1e-9),
        "heading_error_deg": math.degrees(abs(math.remainder(turned[-1] - np.interp(to[-1], t, heading), math.tau))),
        "tilt_max_deg": math.degrees(max(map(tilt, inside))),
        "fell": fell,
    }


def draw(file, true_odom, odom, forces, margins):
    """The path, true and estimated; tilt; stability margin, as (time, m); what the ground gives each foot."""
    (t, way, _), (_, believed, _) = path(true_odom), path(odom)
    both = np.concatenate([way, believed])
    (x0, y0), (x1, y1) = both.min(axis=0), both.max(axis=0)
    # The same scale both ways: the picture is as high as the path is wide.
    height = int(min(700, max(220, 68 + (WIDTH - 90) * (y1 - y0) / max(x1 - x0, 1e-3) * 1.12)))
    charts = [Chart(10, "path of the body, m: true and by the odometry", "m", [x0, x1], [y0, y1], height)]
    charts[0].line(way[::5, 0], way[::5, 1], COLOURS[0], "true")
    charts[0].line(believed[::5, 0], believed[::5, 1], COLOURS[1], "odometry")
    tilts = [math.degrees(tilt(m)) for m in true_odom]
    chart = Chart(10 + height, "tilt of the body, degrees", "s", [0, t[-1] - t[0]], [0, *tilts])
    chart.line(t - t[0], tilts, COLOURS[0], "true")
    charts.append(chart)
    y = 10 + height + chart.height
    chart = Chart(y, "stability margin, mm: how far the weight is inside the standing feet", "s", [0, t[-1] - t[0]], [1e3 * m for _, m in margins])
    chart.line([at - t[0] for at, _ in margins], [1e3 * m for _, m in margins], COLOURS[2], "commanded")
    charts.append(chart)
    middle = len(forces) // 4
    some = [m for m in forces[middle : middle + 400]]
    times = [seconds(m.header.stamp) - t[0] for m in some]
    chart = Chart(y + chart.height, "force of the ground on each foot, N (4 s)", "s", times, [w.force.z for m in some for w in m.wrench], 260)
    for k, name in enumerate(some[0].joint_names):
        chart.line(times, [m.wrench[k].force.z for m in some], FEET[k % 4], name)
    page(file, [*charts, chart])


def film(urdf, true_odom, true_joints, files):
    """The walk from beside; `files` are (path, first s, last s, width, height)."""
    robot = Robot(urdf)
    angles = {round(seconds(m.header.stamp), 3): dict(zip(m.name, m.position)) for m in true_joints}
    start = seconds(true_odom[0].header.stamp)
    for file, first, last, width, height in files:
        frames, due = [], first
        for odom in true_odom:
            at = seconds(odom.header.stamp)
            pose = angles.get(round(at, 3))
            if at - start < due or at - start > last or pose is None:
                continue
            due += 1 / FRAMES_PER_SECOND
            p, q = odom.pose.pose.position, odom.pose.pose.orientation
            frames.append(frame(robot, p, q, pose, width, height))
        if frames:
            write_apng(file, frames, FRAMES_PER_SECOND)


def frame(robot, p, q, pose, width, height):
    x, y, z, w = q.x, q.y, q.z, q.w
    turn = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip
    camera = Camera((p.x + 0.75, p.y - 1.25, 0.62), (p.x + 0.04, p.y, 0.29), width, height)
    return camera.draw(*robot.triangles((turn, np.array([p.x, p.y, p.z])), pose))
