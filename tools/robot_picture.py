"""A robot from its left side and from above, with its legs' names and the points where they touch the ground, as an SVG."""

from html import escape

import numpy as np

# Pixels: the longer side of a view, the space around it.
SIZE, MARGIN = 420, 40
# What of (x, y, z) goes to the right and up: from the left side, where ahead is left; from above, where ahead is up.
VIEWS = {"from its left side": ((-1, 0, 0), (0, 0, 1)), "from above": ((0, -1, 0), (1, 0, 0))}


def hull(points):
    """Convex hull in the plane (Andrew's monotone chain)."""
    points = sorted(set(map(tuple, np.round(points, 6))))
    if len(points) < 3:
        return points

    def half(points):
        side = []
        for x, y in points:
            while len(side) > 1 and (side[-1][0] - side[-2][0]) * (y - side[-2][1]) - (side[-1][1] - side[-2][1]) * (x - side[-2][0]) <= 0:
                side.pop()
            side.append((x, y))
        return side[:-1]

    return half(points) + half(points[::-1])


def moved(pose, points):
    return np.asarray(points) @ pose[:3, :3].T + pose[:3, 3]


def picture(robot, legs):
    """The SVG's text; all joints at zero."""
    colours = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#e377c2", "#17becf"]
    solids = [moved(robot.poses[link], shape.corners()) for link, shapes in robot.links.items() for shape in shapes]
    paths = [[robot.poses[robot.base], *(robot.poses[joint.child] for joint in leg.joints), robot.poses[leg.foot]] for leg in legs]
    bones = [np.array([pose[:3, 3] for pose in path]) for path in paths]
    feet = [moved(robot.poses[leg.foot], robot.contact(leg)[1]) for leg in legs]
    everything = np.concatenate([*solids, *bones, *feet])
    parts, left, height = [], 0.0, 0.0
    for title, axes in VIEWS.items():
        flat = lambda points: np.asarray(points) @ np.array(axes, float).T
        low, high = flat(everything).min(axis=0), flat(everything).max(axis=0)
        scale = SIZE / max(*(high - low), 1e-6)
        at = lambda points: [(left + MARGIN + scale * (x - low[0]), MARGIN + scale * (high[1] - y)) for x, y in points]
        text = lambda points: " ".join(f"{x:.1f},{y:.1f}" for x, y in at(points))
        parts.append(f'<text x="{left + MARGIN:.0f}" y="20" font-weight="bold">{escape(robot.name)} {title}</text>')
        parts += [f'<polygon points="{text(hull(flat(solid)))}" fill="#0001" stroke="#999"/>' for solid in solids]
        for number, (leg, bone, points) in enumerate(zip(legs, bones, feet)):
            colour = colours[number % len(colours)]
            parts.append(f'<polyline points="{text(flat(bone))}" fill="none" stroke="{colour}" stroke-width="2"/>')
            parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colour}"/>' for x, y in at(flat(bone[1:-1]))]
            parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="none" stroke="{colour}"/>' for x, y in at(flat(points))]
            [(x, y)] = at(flat([points.mean(axis=0)]))
            parts.append(f'<text x="{x:.1f}" y="{y + 18:.1f}" text-anchor="middle" fill="{colour}">{escape(leg.name)}</text>')
        left += scale * (high[0] - low[0]) + 2 * MARGIN
        height = max(height, scale * (high[1] - low[1]) + 2 * MARGIN)
    body = "\n".join(parts)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left:.0f} {height:.0f}" font-family="sans-serif" font-size="12">\n{body}\n</svg>\n'
