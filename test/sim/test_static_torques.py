"""Torques of the standing robots in the world against Pinocchio's inverse dynamics: another physics' algorithm, another parser of the URDF."""

import json
import subprocess

import pytest
import yaml
from conftest import BIN, ROOT

np = pytest.importorskip("numpy")
pin = pytest.importorskip("pinocchio")

ROBOTS = {"pony": ROOT / "config", "hexapod": ROOT / "config/hexapod", "quadruped": ROOT / "config/quadruped"}


def last_link(name, chain):
    return yaml.safe_load((ROBOTS[name] / "robot.yaml").read_text())["/**"]["ros__parameters"]["chains"][chain]["last_link"]


@pytest.mark.parametrize("name", ROBOTS)
def test_servos_of_a_standing_robot_give_what_pinocchio_asks_for(name):
    urdf = ROOT / f"config/{name}.urdf"
    command = [str(BIN / "examples/standing"), str(ROBOTS[name]), str(urdf)]
    seen = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    model = pin.buildModelFromUrdf(str(urdf), pin.JointModelFreeFlyer())
    data = model.createData()
    q = pin.neutral(model)
    q[:7] = seen["base"]
    for joint, angle in zip(seen["joints"], seen["angles"]):
        q[model.joints[model.getJointId(joint)].idx_q] = angle
    # The ground's pushes, in the axes of the joint that carries the foot.
    pin.framesForwardKinematics(model, data, q)
    forces = pin.StdVec_Force()
    forces.extend([pin.Force.Zero()] * model.njoints)
    for foot in seen["feet"]:
        force, at = np.array(foot["force"]), np.array(foot["position"])
        moment = np.array(foot["moment"]) + np.cross(at, force)
        joint = model.frames[model.getFrameId(last_link(name, foot["chain"]))].parentJoint
        forces[joint] = forces[joint] + data.oMi[joint].actInv(pin.Force(force, moment))
    zero = np.zeros(model.nv)
    wanted = pin.rnea(model, data, q, zero, zero, forces)
    weight = pin.computeTotalMass(model) * 9.81
    largest = max(abs(wanted[6:]))
    rows = [(joint, torque, wanted[model.joints[model.getJointId(joint)].idx_v]) for joint, torque in zip(seen["joints"], seen["torques"])]
    for joint, torque, asked in rows:
        print(f"{joint:20} {torque:8.4f} {asked:8.4f}")
    # Nothing holds the base but the ground.
    assert np.linalg.norm(wanted[:3]) < 0.005 * weight and np.linalg.norm(wanted[3:6]) < 0.005 * weight * q[2]
    worst = max(abs(torque - asked) for _, torque, asked in rows)
    print(f"{name}: largest {largest:.3f} N·m, worst difference {worst:.5f} N·m, {100 * worst / largest:.3f} %")
    assert largest > 0.1 and worst < 0.02 * largest, f"{worst} of {largest} N·m"
