"""A film of a robot from its URDF's boxes: a small software renderer (z-buffer, flat shading) and an animated PNG, with numpy alone."""

import struct
import xml.etree.ElementTree as ET
import zlib

import numpy as np

FLOOR = ((0.80, 0.83, 0.80), (0.60, 0.67, 0.60))
SKY = (0.93, 0.96, 0.99)
SUN = np.array([0.35, -0.5, 0.8]) / np.linalg.norm([0.35, -0.5, 0.8])
# A box's corners as signs, and its faces as corners, each seen from outside.
CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / 2
FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def rotation(axis, angle):
    """Rodrigues' formula."""
    x, y, z = axis
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def numbers(element, key, default):
    text = element.get(key) if element is not None else None
    return np.array([float(word) for word in (text or default).split()])


def origin(element):
    """Rotation and translation of a URDF element."""
    at = element.find("origin")
    roll, pitch, yaw = numbers(at, "rpy", "0 0 0")
    turn = rotation((0, 0, 1), yaw) @ rotation((0, 1, 0), pitch) @ rotation((1, 0, 0), roll)
    return turn, numbers(at, "xyz", "0 0 0")


class Robot:
    """Links with their boxes, joints from the root on."""

    def __init__(self, urdf):
        root = ET.parse(urdf).getroot()
        colours = {m.get("name"): numbers(m.find("color"), "rgba", "0.6 0.6 0.6 1")[:3] for m in root.findall("material")}
        self.boxes = {}
        for link in root.findall("link"):
            for visual in link.findall("visual"):
                box, material = visual.find("geometry/box"), visual.find("material")
                if box is not None:
                    colour = colours.get(material.get("name") if material is not None else None, np.full(3, 0.6))
                    self.boxes.setdefault(link.get("name"), []).append((*origin(visual), numbers(box, "size", "0 0 0"), colour))
        joints = root.findall("joint")
        children = {j.find("child").get("link") for j in joints}
        self.root = next(link.get("name") for link in root.findall("link") if link.get("name") not in children)
        self.joints, reached = [], {self.root}
        while len(self.joints) < len(joints):
            for joint in joints:
                parent, child = joint.find("parent").get("link"), joint.find("child").get("link")
                if parent in reached and child not in reached:
                    axis = numbers(joint.find("axis"), "xyz", "1 0 0")
                    self.joints.append((joint.get("name"), parent, child, *origin(joint), axis))
                    reached.add(child)

    def triangles(self, base, angles):
        """Corners (n, 3, 3) and shaded colours (n, 3) of all boxes; `base` is rotation and translation in the world."""
        poses = {self.root: base}
        for name, parent, child, turn, at, axis in self.joints:
            r, p = poses[parent]
            poses[child] = (r @ turn @ rotation(axis, angles.get(name, 0.0)), p + r @ at)
        corners, shades = [], []
        for link, boxes in self.boxes.items():
            r, p = poses[link]
            for turn, at, size, colour in boxes:
                points = (CORNERS * size) @ (r @ turn).T + p + r @ at
                for a, b, c, d in FACES:
                    normal = np.cross(points[b] - points[a], points[d] - points[a])
                    light = 0.55 + 0.45 * max(0.0, normal @ SUN / (np.linalg.norm(normal) or 1.0))
                    corners += [points[[a, b, c]], points[[a, c, d]]]
                    shades += [colour * light] * 2
        return np.array(corners), np.array(shades)


class Camera:
    """Looks from `eye` at `target`."""

    def __init__(self, eye, target, width, height, zoom=1.35):
        ahead = np.asarray(target, float) - eye
        ahead /= np.linalg.norm(ahead)
        right = np.cross(ahead, (0, 0, 1))
        right /= np.linalg.norm(right)
        self.eye, self.axes = np.asarray(eye, float), np.array([right, np.cross(ahead, right), ahead])
        self.width, self.height, self.focus = width, height, zoom * height

    def project(self, points):
        """Pixels and depth."""
        seen = (points - self.eye) @ self.axes.T
        depth = np.maximum(seen[..., 2], 1e-6)
        return np.stack([self.width / 2 + self.focus * seen[..., 0] / depth, self.height / 2 + self.focus * seen[..., 1] / depth, depth], -1)

    def floor(self):
        """A chequered floor of 0.25 m squares under a sky."""
        x, y = np.meshgrid(np.arange(self.width) + 0.5 - self.width / 2, np.arange(self.height) + 0.5 - self.height / 2)
        rays = np.stack([x / self.focus, y / self.focus, np.ones_like(x)], -1) @ self.axes
        down = rays[..., 2] < -1e-3
        way = np.where(down, -self.eye[2] / np.where(down, rays[..., 2], -1.0), 0.0)
        at = self.eye + rays * way[..., None]
        odd = (np.floor(at[..., 0] / 0.25) + np.floor(at[..., 1] / 0.25)) % 2 > 0
        # Far away squares are smaller than pixels: there they fade into their mean.
        fade = np.exp(-way / 2.5)[..., None]
        image = fade * np.where(odd[..., None], FLOOR[0], FLOOR[1]) + (1 - fade) * np.mean(FLOOR, axis=0)
        return np.where(down[..., None], image, SKY)

    def draw(self, corners, shades):
        """An image of 8-bit colours: the floor with shadows, then the triangles with a z-buffer."""
        image = self.floor()
        depth = np.full((self.height, self.width), np.inf)
        shadow = corners - SUN * (corners[..., 2:3] / SUN[2])
        shadow[..., 2] = 0.0
        self._fill(image, np.full_like(depth, np.inf), self.project(shadow), np.full_like(shades, 0.5))
        self._fill(image, depth, self.project(corners), shades)
        return (255 * np.clip(image, 0, 1)).astype(np.uint8)

    def _fill(self, image, depth, triangles, shades):
        for (a, b, c), colour in zip(triangles, shades):
            left, right = int(max(min(a[0], b[0], c[0]), 0)), int(min(max(a[0], b[0], c[0]) + 1, self.width - 1))
            top, bottom = int(max(min(a[1], b[1], c[1]), 0)), int(min(max(a[1], b[1], c[1]) + 1, self.height - 1))
            area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
            if left > right or top > bottom or abs(area) < 1e-9:
                continue
            x, y = np.arange(left, right + 1)[None, :] + 0.5, np.arange(top, bottom + 1)[:, None] + 0.5
            v = ((x - a[0]) * (c[1] - a[1]) - (y - a[1]) * (c[0] - a[0])) / area
            w = ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / area
            z = 1 / ((1 - v - w) / a[2] + v / b[2] + w / c[2])
            part = (slice(top, bottom + 1), slice(left, right + 1))
            inside = (v >= 0) & (w >= 0) & (v + w <= 1) & (z < depth[part])
            depth[part] = np.where(inside, z, depth[part])
            image[part] = np.where(inside[..., None], colour, image[part])


def write_apng(path, frames, rate):
    """Frames of 8-bit colours as an animated PNG with a palette of 6·7·6 colours, which keeps it small."""
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    height, width, _ = frames[0].shape
    levels = (6, 7, 6)
    palette = bytes(round(255 * v / (n - 1)) for r in range(6) for g in range(7) for b in range(6) for v, n in zip((r, g, b), levels))
    out = [b"\x89PNG\r\n\x1a\n", chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)), chunk(b"PLTE", palette)]
    out.append(chunk(b"acTL", struct.pack(">II", len(frames), 0)))
    order = 0
    for number, frame in enumerate(frames):
        r, g, b = (np.rint(frame[..., i] / 255.0 * (n - 1)).astype(np.uint8) for i, n in enumerate(levels))
        rows = np.concatenate([np.zeros((height, 1), np.uint8), (r * 7 + g) * 6 + b], axis=1)
        data = zlib.compress(rows.tobytes(), 9)
        out.append(chunk(b"fcTL", struct.pack(">IIIIIHHBB", order, width, height, 0, 0, 1000, int(1000 * rate), 0, 0)))
        order += 1
        out.append(chunk(b"IDAT", data) if number == 0 else chunk(b"fdAT", struct.pack(">I", order) + data))
        order += number > 0
    out.append(chunk(b"IEND", b""))
    with open(path, "wb") as file:
        file.write(b"".join(out))
