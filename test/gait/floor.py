"""The pony of config/pony.urdf on a floor in MuJoCo, with servos that follow positions as far as their torque goes."""

import mujoco
import numpy as np
from conftest import ROOT

STEP = 0.001
# A hobby servo under load: stiff, damped, with the URDF's torque.
STIFFNESS, DAMPING = 60.0, 1.0
FRICTION = (0.8, 0.02, 0.001)


def model():
    spec = mujoco.MjSpec.from_file(str(ROOT / "config/pony.urdf"))
    spec.option.timestep = STEP
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    ground = spec.worldbody.add_geom()
    ground.type, ground.size, ground.friction = mujoco.mjtGeom.mjGEOM_PLANE, [20, 20, 0.1], FRICTION
    for geom in spec.geoms:
        # Only hooves and the floor touch: limbs pass through each other, as a real robot's would not have to.
        is_hoof = geom.parent is not None and geom.parent.name.endswith("hoof")
        geom.contype, geom.conaffinity = (1, 2) if is_hoof else (2, 1) if geom is ground else (0, 0)
        geom.friction = FRICTION
    base = spec.body("base_link") or next(iter(spec.worldbody.bodies))
    base.add_freejoint()
    for joint in spec.joints:
        if joint.type != mujoco.mjtJoint.mjJNT_HINGE:
            continue
        joint.armature = 0.01
        servo = spec.add_actuator()
        servo.name, servo.target, servo.trntype = joint.name, joint.name, mujoco.mjtTrn.mjTRN_JOINT
        servo.set_to_position(kp=STIFFNESS, kv=DAMPING)
    return spec.compile()


def walk(rows, names, height):
    """(x, y, z, roll, pitch, yaw) of the base after every row of joint positions."""
    m = model()
    d = mujoco.MjData(m)
    actuators = [m.actuator(name).id for name in names]
    joints = [m.joint(name).qposadr[0] for name in names]
    d.qpos[:7] = [0, 0, height + 0.002, 1, 0, 0, 0]
    d.qpos[joints] = rows[0]
    path = []
    for row in rows:
        d.ctrl[actuators] = row
        for _ in range(round(0.01 / STEP)):
            mujoco.mj_step(m, d)
        w, x, y, z = d.qpos[3:7]
        roll = np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
        pitch = np.arcsin(np.clip(2 * (w * y - z * x), -1, 1))
        yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        path.append([*d.qpos[:3], roll, pitch, yaw])
    return np.array(path)
