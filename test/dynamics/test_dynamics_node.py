"""dynamics_node as a process and composed, with rclpy in the place of its neighbours and Pinocchio for what efforts should be."""

import math
import threading
import time

import pytest
import yaml
from builtin_interfaces.msg import Time
from conftest import ROOT
from diagnostic_msgs.msg import DiagnosticArray
from gait_msgs.msg import JointAccelState, ServoGoal, SupportState
from geometry_msgs.msg import Transform
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import Imu, JointState, MultiDOFJointState

LEGS = ["leg1", "leg2", "leg3", "leg4"]
URDF = (ROOT / "config/pony.urdf").read_text()
ROBOT = ["--params-file", str(ROOT / "config/robot.yaml")]


def pinocchio():
    pin = pytest.importorskip("pinocchio")
    model = pin.buildModelFromXML(URDF, pin.JointModelFreeFlyer())
    names = list(model.names)[2:]

    def hung(turn=(0.0, 0.0, 0.0, 1.0)):
        """Efforts of the standing pose, hung up by its base, which is turned so (x y z w)."""
        q = pin.neutral(model)
        q[3:7] = turn
        zeros = pin.utils.zero(model.nv)
        return dict(zip(names, pin.rnea(model, model.createData(), q, zeros, zeros)[6:]))

    return names, hung


class Node:
    def __init__(self, ros, **params):
        self.ros = ros
        self.out = ros.listen(JointAccelState, "joints_effort")
        self.process = ros.start("dynamics_node", params={"robot_description": URDF, **params}, ros_args=ROBOT)
        self.poses = ros.publisher(JointAccelState, "joints_accel")
        self.supports = ros.publisher(SupportState, "support")
        self.bodies = ros.publisher(MultiDOFJointState, "body")
        ros.wait(lambda: ros.node.count_publishers("joints_effort") > 0, "its efforts")
        self.cycle = 0

    def send(self, **fields):
        """The answer to a pose a cycle later."""
        self.cycle += 1
        message = JointAccelState(**fields)
        ns = 10**12 + self.cycle * 10**7
        message.header.stamp = Time(sec=ns // 10**9, nanosec=ns % 10**9)
        asked = 0.0

        def answered():
            nonlocal asked
            # The node may not know its first listener yet; the same pose again leads to the same efforts.
            if time.monotonic() - asked > 3:
                asked = time.monotonic()
                self.poses.publish(message)
            return next((m for m in reversed(self.out.messages) if m.header.stamp == message.header.stamp), None)

        return message, self.ros.wait(answered, "efforts")


def test_efforts_are_those_of_pinocchio_and_the_pose_stays_as_it_is(ros):
    names, hung = pinocchio()
    node = Node(ros, effort_time=0.0, body_timeout=10.0)
    still = dict(name=names, position=[0.0] * len(names), velocity=[0.0] * len(names), acceleration=[0.0] * len(names))
    sent, found = node.send(**still)
    assert (found.header, found.name, found.position, found.velocity, found.acceleration) == (
        sent.header, sent.name, sent.position, sent.velocity, sent.acceleration)
    assert list(found.effort) == pytest.approx(list(hung().values()), abs=1e-12)
    # The base leans.
    turn = (math.sin(0.1), 0.0, 0.0, math.cos(0.1))
    body = MultiDOFJointState(joint_names=["base_link"], transforms=[Transform()])
    body.header.stamp = sent.header.stamp
    body.transforms[0].rotation.x, body.transforms[0].rotation.w = turn[0], turn[3]
    node.bodies.publish(body)
    leaning = list(hung(turn).values())
    ros.wait(lambda: list(node.send(**still)[1].effort) == pytest.approx(leaning, abs=1e-12), "a leaning base")
    # Off: as it came. An effort that the source gave is added while on. Either comes in fade_time, 0.2 s, without a jump.
    given, before = [0.25] * len(names), leaning
    for on, wanted in ((False, given), (True, [e + 0.25 for e in leaning])):
        assert ros.set_params("/dynamics_node", enabled=on)[0].successful
        for _ in range(25):
            now = list(node.send(**still, effort=given)[1].effort)
            # Evenly: of the motion's part and of the given one a twentieth each in 10 ms.
            for joint, (a, b, e) in enumerate(zip(now, before, leaning)):
                assert abs(a - b) <= (abs(e) + 0.25) / 20 + 1e-12, names[joint]
            before = now
        assert before == pytest.approx(wanted, abs=1e-12)
    # Refused with a line that names the reason; the next one is served.
    count = len(node.out)
    node.poses.publish(JointAccelState(name=names, position=[math.nan] * len(names)))
    node.poses.publish(JointAccelState(name=names[1:], position=[0.0] * (len(names) - 1)))
    node.supports.publish(SupportState(name=["wing"], support=[1.0]))
    ros.wait(lambda: "support refused" in node.process.output, "a refused support")
    ros.wait(lambda: "joints_accel refused" in node.process.output, "a refused pose")
    assert len(node.send(**still)[1].effort) == len(names) and len(node.out) >= count + 1


def test_the_ground_carries_the_weight(ros):
    names, hung = pinocchio()
    reports = ros.listen(DiagnosticArray, "/diagnostics")
    node = Node(ros)
    support = SupportState(name=LEGS, support=[1.0] * 4)
    support.header.stamp = Time(sec=1000)
    node.supports.publish(support)
    still = dict(name=names, position=[0.0] * len(names))
    knee = names.index("leg1_knee")
    free = hung()["leg1_knee"]

    def said():
        node.send(**still)
        values = [{v.key: v.value for v in s.values} for r in reports.messages[-3:] for s in r.status if s.name == "dynamics_node"]
        return values and float(values[-1].get("normal force, N", 0)) == pytest.approx(7.57 * 9.81, abs=0.05) and values[-1]

    report = ros.wait(said, "feet that carry the robot")
    assert " of 5.060" in report["highest load"] or " of 2.350" in report["highest load"], report
    # The hoof stands beside the knee, not below it: a quarter of the weight bends the knee the other way than the shank's own.
    assert abs(node.send(**still)[1].effort[knee] - free) > 0.1


@pytest.mark.parametrize("composed", [True, False], ids=["composed", "separate"])
def test_goals_lie_beyond_the_pose_by_what_the_servo_sags(ros, composed):
    """At rest kp (q_ref - q) V = alpha3 torque: the effort of dynamics_node has reached servo_inv_param."""
    shared = {"robot_description": URDF, "require_full_pose": False}
    config = [a for n in ("agregator", "dynamics", "servo_inv", "robot") for a in ("--params-file", f"{ROOT}/config/{n}.yaml")]
    remap = ["-r", "servo_inv_param:joints_accel:=joints_effort"]
    if composed:
        nodes = ["sync_node", "agregator_node", "dynamics_node", "servo_inv_param"]
        ros.start("pipeline_node", *nodes, params=shared, ros_args=config + remap)
    else:
        ros.start("sync_node")
        ros.start("agregator_node", params=shared, ros_args=config)
        ros.start("dynamics_node", params={"robot_description": URDF}, ros_args=config)
        ros.start("servo_inv_param", params={"robot_description": URDF}, ros_args=config + ["-r", "joints_accel:=joints_effort"])
    poses, goals = ros.listen(JointAccelState, "joints_effort"), ros.listen(ServoGoal, "goals")
    support = ros.publisher(SupportState, "support_in")
    joints = ros.publisher(JointState, "joints_in")
    models = yaml.safe_load((ROOT / "config/servo_inv.yaml").read_text())["/**/servo_inv_param"]["ros__parameters"]
    names = list(models["servo_models"])
    stop = threading.Event()

    def source():
        while not stop.wait(0.01):
            support.publish(SupportState(name=LEGS, support=[1.0] * 4))
            joints.publish(JointState(name=names, position=[0.0] * len(names), velocity=[0.0] * len(names)))

    thread = threading.Thread(target=source, daemon=True)
    thread.start()

    def compared():
        """Each goal beside its pose, once all is at rest: (goal, expected, effort)."""
        by_stamp = {(p.header.stamp.sec, p.header.stamp.nanosec): p for p in poses.messages[-20:]}
        for goal in reversed(goals.messages[-20:]):
            pose = by_stamp.get((goal.header.stamp.sec, goal.header.stamp.nanosec))
            if pose is None:
                continue
            rows = []
            for name, target in zip(goal.name, goal.target_pos):
                at = list(pose.name).index(name)
                if name in names:
                    model = models["servo_models"][name]
                    sag = model["alpha"][3] * pose.effort[at] / (model["kp"] * models["battery_voltage"])
                    rows.append((target, pose.position[at] + sag, pose.effort[at]))
            return rows
        return None

    def settled():
        rows = compared()
        return rows and max(abs(e) for _, _, e in rows) > 0.1 and all(abs(a - b) < 1e-4 for a, b, _ in rows)

    try:
        ros.wait(settled, "goals that make up for the load")
    finally:
        stop.set()
        thread.join()


def test_an_imu_says_how_the_base_leans(ros):
    """Best effort, as drivers of sensors publish; a sensor whose place is not known is refused by name."""
    names, hung = pinocchio()
    node = Node(ros, effort_time=0.0, imu_timeout=10.0)
    imus = ros.publisher(Imu, "imu", QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT))
    still = dict(name=names, position=[0.0] * len(names), velocity=[0.0] * len(names), acceleration=[0.0] * len(names))
    sent, found = node.send(**still)
    assert list(found.effort) == pytest.approx(list(hung().values()), abs=1e-12)
    imu = Imu()
    imu.header.stamp, imu.header.frame_id = sent.header.stamp, "base_link"
    imu.linear_acceleration.y, imu.linear_acceleration.z = 9.81 * math.sin(0.2), 9.81 * math.cos(0.2)
    leaning = list(hung((math.sin(0.1), 0.0, 0.0, math.cos(0.1))).values())

    def leans():
        imus.publish(imu)
        return list(node.send(**still)[1].effort) == pytest.approx(leaning, abs=1e-9)

    ros.wait(leans, "a leaning base")
    imu.header.frame_id = "head"

    def refused():
        imus.publish(imu)
        return '"head" is no link that is fixed to the base' in node.process.output

    ros.wait(refused, "a refused sensor")
    assert list(node.send(**still)[1].effort) == pytest.approx(leaning, abs=1e-9)
