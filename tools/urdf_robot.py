"""A robot's legs and feet, found in its URDF: what `./gaitway new-robot` proposes.

Read with Python's XML and numpy alone: what it says is checked by the nodes, which read the same file with other code."""

import math
import os
import pathlib
import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field

import numpy as np

MOVABLE = ("revolute", "continuous", "prismatic")
# Limbs are of one build when their lengths agree so well, and feet stand on one ground, as a share of the legs' length.
ALIKE, LEVEL = 0.05, 0.1
# A foot is kept parallel to the ground by its leg: three joints for the place, two for the tilt.
FLAT_JOINTS = 5


class UrdfError(Exception):
    """What is wrong with the robot, and the way out."""


def numbers(text, default):
    return np.array([float(word) for word in text.split()]) if text else np.array(default, float)


def transform(element):
    """The 4×4 matrix of an <origin>."""
    xyz, rpy = (numbers(element.get(key) if element is not None else None, [0, 0, 0]) for key in ("xyz", "rpy"))
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    matrix = np.eye(4)
    matrix[:3, :3] = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]]) @ [[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]] @ [[1, 0, 0], [0, cr, -sr], [0, sr, cr]]
    matrix[:3, 3] = xyz
    return matrix


@dataclass
class Joint:
    name: str
    kind: str
    parent: str
    child: str
    origin: np.ndarray
    lower: float
    upper: float
    effort: float
    is_mimic: bool


@dataclass
class Shape:
    """A piece of a link: what it is, its size, and where it is in the link."""

    kind: str
    size: np.ndarray
    at: np.ndarray

    def corners(self):
        """Points whose hull holds it, in the link's frame; a mesh is taken for its origin."""
        half = {"box": self.size / 2, "sphere": np.repeat(self.size[0], 3)}.get(self.kind)
        if self.kind == "cylinder":
            half = np.array([self.size[0], self.size[0], self.size[1] / 2])
        half = np.zeros(3) if half is None else half
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        return (self.at[:3, :3] @ (signs * half).T).T + self.at[:3, 3]


@dataclass
class Leg:
    name: str
    joints: list
    foot: str
    links: list = field(default_factory=list)


class Robot:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        try:
            root = ET.parse(path).getroot()
        except (OSError, ET.ParseError) as e:
            raise UrdfError(f"{path}: {e}") from None
        if root.tag != "robot":
            raise UrdfError(f"{path}: the root is <{root.tag}>, not <robot>; a xacro file is first made a URDF: xacro FILE > robot.urdf")
        self.name = root.get("name", "robot")
        self.links = {link.get("name"): self.shapes(link) for link in root.findall("link")}
        self.joints = [self.joint(element) for element in root.findall("joint")]
        children = {joint.child for joint in self.joints}
        roots = [link for link in self.links if link not in children]
        if len(roots) != 1:
            raise UrdfError(f"{path}: one link without a parent is needed, here are {len(roots)}: {', '.join(roots) or 'none'}")
        self.base = self.body(roots[0])
        self.poses = {roots[0]: np.eye(4)}
        self.place(roots[0])
        # What is said of the robot is seen from its body.
        inverse = np.linalg.inv(self.poses[self.base])
        self.poses = {link: inverse @ pose for link, pose in self.poses.items()}

    def shapes(self, link):
        """Of collisions, else of visuals."""
        for kind in ("collision", "visual"):
            if found := [self.shape(element) for element in link.findall(kind) if element.find("geometry") is not None]:
                return found
        return []

    def shape(self, element):
        geometry = next(iter(element.find("geometry")))
        size = {"box": numbers(geometry.get("size"), [0, 0, 0]), "sphere": numbers(geometry.get("radius"), [0])}.get(geometry.tag)
        if geometry.tag in ("cylinder", "capsule"):
            size = np.array([float(geometry.get("radius")), float(geometry.get("length"))])
        return Shape(geometry.tag, size if size is not None else np.zeros(3), transform(element.find("origin")))

    def joint(self, element):
        limit = element.find("limit")
        get = lambda key, default: float(limit.get(key, default)) if limit is not None else default
        ends = [element.find(end).get("link") for end in ("parent", "child")]
        for link in ends:
            if link not in self.links:
                raise UrdfError(f'{self.path}: joint "{element.get("name")}" names a link "{link}" that is not there')
        return Joint(
            element.get("name"), element.get("type"), *ends, transform(element.find("origin")),
            get("lower", -math.pi), get("upper", math.pi), get("effort", 0.0), element.find("mimic") is not None,
        )

    def below(self, link):
        return [joint for joint in self.joints if joint.parent == link]

    def body(self, link):
        """The first link that limbs hang on: footprints and other frames lie above it."""
        while len(joints := self.below(link)) == 1 and joints[0].kind == "fixed" and not self.links[link]:
            link = joints[0].child
        return link

    def place(self, link):
        for joint in self.below(link):
            self.poses[joint.child] = self.poses[link] @ joint.origin
            self.place(joint.child)

    def path_to(self, link):
        """The joints from the body to a link."""
        above = {joint.child: joint for joint in self.joints}
        path = []
        while link != self.base and link in above:
            path.insert(0, above[link])
            link = above[link].parent
        return path

    def lowest(self, link):
        """The lowest point of a link with all joints at zero, m."""
        points = [corner for shape in self.links[link] for corner in shape.corners()] or [np.zeros(3)]
        return min((self.poses[link] @ [*point, 1])[2] for point in points)

    def limbs(self):
        """What ends somewhere: (its movable joints, the link at its end)."""
        ends = {}
        for link in self.links:
            path = self.path_to(link)
            movable = [joint for joint in path if joint.kind in MOVABLE and not joint.is_mimic]
            if link == self.base or len(movable) < 2 or any(joint.kind != "fixed" for joint in self.everything_below(link)):
                continue
            # Of links that are fixed to each other the one that is farthest out.
            hip = self.poses[movable[0].child][:3, 3]
            reach = np.linalg.norm(self.poses[link][:3, 3] - hip)
            rank = (bool(re.search("foot|paw|hoof|toe", link, re.I)), reach)
            best = ends.get(movable[-1].name)
            if best is None or rank > best[0]:
                ends[movable[-1].name] = (rank, movable, link)
        return [(movable, link) for _, movable, link in ends.values()]

    def everything_below(self, link):
        for joint in self.below(link):
            yield joint
            yield from self.everything_below(joint.child)

    def lengths(self, movable, foot):
        """Between the joints, and from the last one to the foot: what two legs of one build have in common."""
        points = [self.poses[joint.child][:3, 3] for joint in movable] + [self.poses[foot][:3, 3]]
        return [float(np.linalg.norm(b - a)) for a, b in zip(points, points[1:])]

    def legs(self):
        """The largest family of limbs of one build, of two such the lower one; front to rear, left before right."""
        families = []
        for movable, foot in self.limbs():
            lengths = self.lengths(movable, foot)
            alike = lambda other: len(other) == len(lengths) and np.allclose(other, lengths, rtol=ALIKE, atol=ALIKE * sum(lengths))
            family = next((family for family in families if alike(family[0])), None)
            if family is None:
                families.append(family := (lengths, []))
            family[1].append((movable, foot))
        families = [family for family in families if len(family[1]) >= 2]
        if not families:
            raise UrdfError(f"{self.path}: no two limbs are of one build (two movable joints and more), so these are no legs")
        height = lambda family: np.mean([self.lowest(foot) for _, foot in family[1]])
        lengths, found = max(families, key=lambda family: (len(family[1]), -height(family)))
        hips = {foot: self.poses[movable[0].child][:3, 3] for movable, foot in found}
        rows = sorted(found, key=lambda limb: (-round(hips[limb[1]][0] / (ALIKE * sum(lengths))), -hips[limb[1]][1]))
        names = [os.path.commonprefix([joint.name for joint in movable]).rstrip("_-.") for movable, _ in rows]
        if not all(names) or len(set(names)) < len(names):
            names = [f"leg{number}" for number in range(1, len(rows) + 1)]
        return [Leg(name, movable, foot) for name, (movable, foot) in zip(names, rows)]

    def standing(self, legs):
        """The height of the base with all joints at zero; an error if that is no pose to stand in."""
        lows = [self.lowest(leg.foot) for leg in legs]
        size = max(sum(self.lengths(leg.joints, leg.foot)) for leg in legs)
        others = [self.lowest(link) for link in self.links if self.links[link] and link not in {leg.foot for leg in legs}]
        if max(lows) - min(lows) > LEVEL * size or min(others, default=0.0) < min(lows) - LEVEL * size or -min(lows) < LEVEL * size:
            said = ", ".join(f"{leg.foot} {low:.3f}" for leg, low in zip(legs, lows))
            raise UrdfError(
                f"{self.path}: with all joints at zero it does not stand (lowest points in m: {said}). Gaits start from that pose: "
                "turn the joints' origins (rpy) so that zero is the pose it stands in"
            )
        return -float(np.mean(lows))

    def contact(self, leg):
        """(kind, points in the foot's frame, radius of a ball): where a foot touches the ground in the standing pose."""
        inverse = np.linalg.inv(self.poses[leg.foot])
        down = inverse[:3, :3] @ [0, 0, -1]
        shapes = self.links[leg.foot]
        deepest = lambda shape: max(shape.corners() @ down)
        shape = max(shapes, key=deepest, default=None)
        if shape is None or shape.kind not in ("box", "sphere", "cylinder"):
            return "point", [np.zeros(3)], 0.0
        if shape.kind == "sphere":
            return "point", [shape.at[:3, 3] + shape.size[0] * down], float(shape.size[0])
        corners = shape.corners()
        depth = corners @ down
        sole = [corner for corner, deep in zip(corners, depth) if deep > max(depth) - 0.1 * np.ptp(depth)]
        is_level = np.ptp(sole @ down) < 1e-3 and len(sole) == 4
        if is_level and len(leg.joints) >= FLAT_JOINTS:
            around = np.mean(sole, axis=0)
            first = sole[0] - around
            angle = lambda corner: math.atan2(np.cross(first, corner - around) @ down, first @ (corner - around)) % math.tau
            return "flat", sorted(sole, key=angle), 0.0
        return "point", [np.mean(sole, axis=0)], 0.0
