"""A flat-footed quadruped in MuJoCo: an MJCF model of the pony with position servos, which trots, turns and sidesteps."""

import dataclasses
import xml.etree.ElementTree as xml

import mujoco
import numpy as np
from gait import HEIGHT, URDF, Trot, exp, log, quaternion, rpy

STEP = 0.002


@dataclasses.dataclass(frozen=True)
class World:
    """Servos as stiff as good hobby ones (N m/rad, N m s/rad, their torque at the stop), and the friction of the floor."""

    stiffness: float = 60.0
    damping: float = 1.2
    torque: float = 7.5
    friction: float = 0.9


def mjcf(world):
    """The model: bodies, masses and joints of the pony; the soles are boxes, and nothing else touches anything."""
    friction = f'friction="{world.friction} 0.02 0.001"'
    tree = xml.fromstring(URDF)
    links = {link.get("name"): link for link in tree.iter("link")}
    below = {}
    for joint in tree.iter("joint"):
        below.setdefault(joint.find("parent").get("link"), []).append(joint)
    numbers = lambda text: np.array([float(x) for x in text.split()])
    words = lambda values: " ".join(repr(float(v)) for v in values)

    def pose(element):
        if element is None:
            return 'pos="0 0 0"'
        x, y, z, w = quaternion(rpy(*numbers(element.get("rpy", "0 0 0"))))
        return f'pos="{element.get("xyz", "0 0 0")}" quat="{words([w, x, y, z])}"'

    def body(name, joint):
        link, text = links[name], ""
        if joint is None:
            text += f'<body name="{name}" pos="0 0 {HEIGHT + 0.002}"><freejoint/>'
        else:
            text += f'<body name="{name}" {pose(joint.find("origin"))}>'
            if joint.get("type") != "fixed":
                text += f'<joint name="{joint.get("name")}" axis="{joint.find("axis").get("xyz")}" armature="0.01"/>'
        inertial = link.find("inertial")
        if inertial is not None:
            i = inertial.find("inertia")
            full = " ".join(i.get(k) for k in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
            text += f'<inertial pos="{inertial.find("origin").get("xyz")}" mass="{inertial.find("mass").get("value")}"'
            text += f' fullinertia="{full}"/>'
        if name.endswith("_hoof"):
            text += '<geom type="box" size="0.035 0.03 0.015" pos="0 0 0.035" ' + friction + "/>"
        return text + "".join(body(j.find("child").get("link"), j) for j in below.get(name, [])) + "</body>"

    servos = "".join(
        f'<position joint="{j.get("name")}" kp="{world.stiffness}" kv="{world.damping}" forcerange="-{world.torque} {world.torque}"/>'
        for j in tree.iter("joint")
        if j.get("type") != "fixed"
    )
    return f"""<mujoco model="pony"><compiler angle="radian" autolimits="true" balanceinertia="true"/>
      <option timestep="{STEP}" integrator="implicitfast"/>
      <worldbody><geom type="plane" size="50 50 1" {friction}/>{body("base_link", None)}</worldbody>
      <actuator>{servos}</actuator></mujoco>"""


class Course(Trot):
    """A trot along stretches of constant velocity: (seconds, ahead, to the left, turning)."""

    PERIOD, DOWN, LIFT, DT = 50, 28, 0.03, 0.01

    def __init__(self, stretches):
        super().__init__(v=0.0, w=0.0)
        self.phase = [0, 25, 25, 0]
        total = sum(seconds for seconds, *_ in stretches)
        self.way, (place, turn) = [], (np.zeros(2), 0.0)
        ends = np.cumsum([seconds for seconds, *_ in stretches])
        smooth = np.zeros(3)
        for cycle in range(int((total + 2) / self.DT)):
            self.way.append((*place, turn))
            wanted = np.array(stretches[min(np.searchsorted(ends, cycle * self.DT), len(stretches) - 1)][1:])
            smooth += (wanted - smooth) * 0.03
            c, s = np.cos(turn), np.sin(turn)
            place = place + np.array([c * smooth[0] - s * smooth[1], s * smooth[0] + c * smooth[1]]) * self.DT
            turn += smooth[2] * self.DT

    def plane(self, t):
        x, y, turn = self.way[int(np.clip(round(t / self.DT), 0, len(self.way) - 1))]
        return np.array([x, y, 0]), exp(np.array([0, 0, turn]))

    def body(self, t):
        place, turn = self.plane(t)
        return place + [0, 0, HEIGHT], turn

    def posture(self, cycle):
        """One step of Newton's method from the last posture: servos are not that exact themselves."""
        place, turn = self.body(cycle * self.DT)
        for leg, chain in enumerate(self.legs):
            at, axes = self.hoof(leg, cycle)
            centre, turned, jacobian = chain.pose(self.q[leg])
            miss = np.concatenate([turn.T @ (at - place) - centre, turned @ log(turned.T @ turn.T @ axes)])
            self.q[leg] = self.q[leg] + np.linalg.solve(jacobian, miss)
        return np.concatenate(self.q + [np.zeros(len(self.others))])

    def hoof(self, leg, cycle):
        step, since = divmod(cycle + self.phase[leg], self.PERIOD)
        if since <= self.DOWN:
            return super().hoof(leg, cycle)
        (place, turn), (ahead, turned) = (super(Course, self).hoof(leg, (step + n) * self.PERIOD - self.phase[leg]) for n in (0, 1))
        share = (since - self.DOWN) / (self.PERIOD - self.DOWN)
        # Up first, then ahead, then down: the hoof stands still over the ground when it meets it.
        ease = np.clip((share - 0.15) / 0.7, 0, 1)
        ease = ease * ease * (3 - 2 * ease)
        lift = np.array([0, 0, self.LIFT * np.sin(np.pi * share) ** 2])
        return place + (ahead - place) * ease + lift, turn @ exp(log(turn.T @ turned) * ease)


def walk(stretches, world=World()):
    """Yields (time, joint names, positions, velocities, planned supports, true place, true axes) at 100 Hz."""
    model = mujoco.MjModel.from_xml_string(mjcf(world))
    data = mujoco.MjData(model)
    course = Course(stretches)
    joints = [model.joint(name) for name in course.names]
    places, rates = [j.qposadr[0] for j in joints], [j.dofadr[0] for j in joints]
    servos = {model.actuator(i).trnid[0]: i for i in range(model.nu)}
    orders = [servos[j.id] for j in joints]
    total = sum(seconds for seconds, *_ in stretches)
    for _ in range(500):
        mujoco.mj_step(model, data)
    for cycle in range(int(total / course.DT)):
        # Orders come at 50 Hz: the inverse kinematics in NumPy are what takes the time here.
        if cycle % 2 == 0:
            data.ctrl[orders] = course.posture(cycle)
        down = [course.is_down(leg, cycle) for leg in range(4)]
        axes = data.xmat[model.body("base_link").id].reshape(3, 3).copy()
        yield cycle * course.DT, course.names, data.qpos[places].copy(), data.qvel[rates].copy(), down, data.qpos[:3].copy(), axes
        for _ in range(round(course.DT / STEP)):
            mujoco.mj_step(model, data)
