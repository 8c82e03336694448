"""agregator_node over real DDS: limb and joint sources in rclpy, a beat, and the pose that comes out."""

import math
import threading
import time

import pytest
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray
from gait_msgs.msg import JointAccelState, JointLimbState, LimbJoints, SupportState, SyncStep
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import String

PERIOD = 0.01


class Sources:
    """Plays the beat and the sources: each is called with every cycle, from one thread, at 100 Hz. With `poses` no cycle
    begins before the pose of the one before has come, from the first pose on."""

    def __init__(self, ros, sources, poses=()):
        self.sync, self.poses = ros.publisher(SyncStep, "sync"), poses
        self.ros, self.sources, self.cycle, self.running = ros, list(sources), 0, True
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        due = time.monotonic()
        while self.running:
            self.cycle += 1
            stamp = Time(sec=1000 + self.cycle // 100, nanosec=(self.cycle % 100) * 10_000_000)
            step = SyncStep(cycle=self.cycle, period=PERIOD)
            step.header.stamp = stamp
            before = len(self.poses)
            self.sync.publish(step)
            while self.running and before > 0 and len(self.poses) == before:
                time.sleep(0.001)
            # A real source hears the beat first and answers it: let it reach the node before the answers do.
            time.sleep(0.003)
            for source in list(self.sources):
                source(self.cycle, stamp)
            due += PERIOD
            time.sleep(max(0.0, due - time.monotonic()))

    def stop(self):
        self.running = False
        self.thread.join(10)


@pytest.fixture
def agregator(ros, root):
    """Starts the node for the pony and returns (ros, start, names of the joints)."""

    def start(**params):
        params["robot_description"] = (root / "config/pony.urdf").read_text()
        return ros.start("agregator_node", params=params, ros_args=["--params-file", str(root / "config/robot.yaml")])

    playing = []

    def play(*sources, poses=()):
        playing.append(Sources(ros, sources, poses))
        return playing[-1]

    yield ros, start, play
    for sources in playing:
        sources.stop()


def limb_source(ros, chains, value, velocity=None):
    publisher = ros.publisher(JointLimbState, "limbs_joints_in")

    def publish(cycle, stamp):
        limbs = [
            LimbJoints(name=c, position=[value(cycle)] * 6, velocity=[] if velocity is None else [velocity(cycle)] * 6)
            for c in chains
        ]
        publisher.publish(JointLimbState(cycle=cycle, limbs=limbs))

    return publish


def joint_source(ros, names, value):
    publisher = ros.publisher(JointState, "joints_in")

    def publish(cycle, stamp):
        message = JointState(name=names, position=[value(cycle)] * len(names))
        message.header.stamp = stamp
        publisher.publish(message)

    return publish


def rest_of(root):
    """The joints outside the legs, from the URDF."""
    import xml.etree.ElementTree as ET

    joints = ET.parse(root / "config/pony.urdf").getroot().findall("joint")
    movable = [j.get("name") for j in joints if j.get("type") != "fixed" and j.find("mimic") is None]
    return [n for n in movable if not n.startswith("leg")], [n for n in movable if n.startswith("leg")]


def test_three_sources_give_one_complete_sorted_pose_a_cycle(agregator, root):
    ros, start, play = agregator
    start()
    joints = ros.listen(JointState, "joints")
    accel = ros.listen(JointAccelState, "joints_accel")
    limbs = ros.listen(JointLimbState, "limbs_joints")
    rest, legs = rest_of(root)
    wave = lambda k: 0.05 * math.sin(0.05 * k)
    front = limb_source(ros, ["leg1", "leg2"], wave)
    rear = limb_source(ros, ["leg3", "leg4"], lambda k: -wave(k), lambda k: -0.05 * 0.05 / PERIOD * math.cos(0.05 * k))
    # Who has the last word on a joint is for the core's tests: messages of different topics have no order among each other.
    others = joint_source(ros, rest, lambda k: 0.01 + 1e-4 * (k % 7))
    sources = play(front, rear, others, poses=joints)
    ros.wait(lambda: len(joints) > 150, "150 poses")
    sources.stop()
    names = list(joints[0].name)
    assert sorted(names) == sorted(rest + legs)
    assert names[:24] == [n for leg in range(1, 5) for n in legs if n.startswith(f"leg{leg}")], "chains first, in order"
    # Once in every cycle.
    stamps = [m.header.stamp.sec * 100 + round(m.header.stamp.nanosec / 1e7) for m in joints.messages]
    assert stamps == list(range(stamps[0], stamps[0] + len(stamps)))
    whole = joints.messages[5:]
    met = {"front": 0, "rear": 0, "others": 0}
    for message in whole:
        k = message.header.stamp.sec * 100 - 100_000 + round(message.header.stamp.nanosec / 1e7) - 1
        assert list(message.name) == names and len(message.position) == len(message.velocity) == len(names)
        at = dict(zip(names, zip(message.position, message.velocity)))
        met["front"] += at[legs[1]][0] == pytest.approx(wave(k), abs=1e-12)
        met["rear"] += at[legs[-1]][1] == pytest.approx(-0.25 * math.cos(0.05 * k), abs=1e-12)
        met["others"] += at[rest[0]][0] == pytest.approx(0.01 + 1e-4 * (k % 7), abs=1e-12)
    # On a loaded machine a source may miss a cycle now and then; most it meets.
    assert all(count > len(whole) / 2 for count in met.values()), met
    assert list(accel[0].name) == names and len(accel[0].acceleration) == len(names)
    assert [l.name for l in limbs[0].limbs][:4] == ["leg1", "leg2", "leg3", "leg4"] and limbs[-1].cycle > 0
    assert list(limbs[-1].limbs[0].position) == list(joints.messages[-1].position[:6]) or len(limbs) != len(joints)


def test_a_source_that_dies_leaves_its_joints_to_the_update_method(agregator, root):
    ros, start, play = agregator
    start(update_method="brake", brake_time=0.1)
    joints = ros.listen(JointState, "joints")
    rest, legs = rest_of(root)
    moving = limb_source(ros, ["leg1"], lambda k: 0.0005 * (k % 400), lambda k: 0.05)
    others = joint_source(ros, rest + legs[6:], lambda k: 0.0)
    sources = play(moving, others)
    ros.wait(lambda: len(joints) > 20 and joints[-1].velocity[0] == 0.05, "the leg to move")
    sources.sources.remove(moving)
    ros.wait(lambda: joints[-1].velocity[0] == 0.0, "the leg to come to rest")
    speeds = [m.velocity[0] for m in joints.messages]
    steps = [abs(b - a) for a, b in zip(speeds, speeds[1:])][20:]
    # 0.1 s of braking at 100 Hz: a tenth of the speed per cycle and no jump.
    assert max(steps) <= 0.05 / 10 + 1e-12
    still = joints[-1].position[0]
    seen = len(joints)
    ros.wait(lambda: len(joints) > seen + 20, "poses after that")
    assert joints[-1].position[0] == still
    # And it may come back.
    sources.sources.append(moving)
    ros.wait(lambda: joints[-1].velocity[0] == 0.05, "the leg to move again")


def test_nothing_comes_out_before_every_joint_is_known_and_the_log_says_which(agregator, root):
    ros, start, play = agregator
    node = start()
    joints = ros.listen(JointState, "joints")
    rest, legs = rest_of(root)
    play(joint_source(ros, rest + legs[1:], lambda k: 0.0))
    ros.wait(lambda: f"no position for {legs[0]}" in node.output, "the log to name the joint")
    assert len(joints) == 0


def test_bad_messages_are_told_of_and_change_nothing(agregator, root):
    ros, start, play = agregator
    node = start(require_full_pose=False, publish_on="both")
    joints = ros.listen(JointState, "joints")
    support = ros.listen(SupportState, "support")
    inputs = ros.publisher(JointState, "joints_in")
    limbs = ros.publisher(JointLimbState, "limbs_joints_in")
    supports = ros.publisher(SupportState, "support_in")
    rest, legs = rest_of(root)
    inputs.publish(JointState(name=legs[:2], position=[0.1, 0.2]))
    ros.wait(lambda: len(joints) == 1, "the first pose")
    inputs.publish(JointState(name=legs[:2], position=[0.1]))
    inputs.publish(JointState(name=[legs[0], legs[0]], position=[0.1, 0.3]))
    inputs.publish(JointState(name=legs[:1], position=[math.inf]))
    limbs.publish(JointLimbState(limbs=[LimbJoints(name="leg1", position=[0.0] * 5)]))
    supports.publish(SupportState(name=["leg1"], support=[math.inf]))
    ros.wait(lambda: "message refused" in node.output, "an error in the log")
    inputs.publish(JointState(name=["nose", legs[2]], position=[0.1, 0.3]))
    ros.wait(lambda: 'unknown joint "nose" skipped' in node.output, "a warning")
    ros.wait(lambda: len(joints) == 2, "the second pose")
    assert list(joints[1].position[:3]) == [0.1, 0.2, 0.3] and len(support) == 0
    supports.publish(SupportState(name=["leg2", "leg1"], contact=["toe", ""], support=[1.0, 0.5]))
    ros.wait(lambda: len(support) == 1, "the supports")
    assert (list(support[0].name), list(support[0].contact), list(support[0].support)) == (
        ["leg1", "leg2"],
        ["hoof", "toe"],
        [0.5, 1.0],
    )
    diagnostics = ros.listen(DiagnosticArray, "/diagnostics")
    values = lambda: {v.key: v.value for d in diagnostics for s in d.status for v in s.values}
    ros.wait(lambda: values().get("refused messages") == "5", "five refused messages in the diagnostics")


def test_methods_and_policies_change_while_it_runs(agregator, root):
    ros, start, play = agregator
    start(require_full_pose=False)
    joints = ros.listen(JointState, "joints")
    rest, legs = rest_of(root)
    # As rqt would: a joint that gets a constant velocity, with one integration method after the other.
    publisher = ros.publisher(JointState, "joints_in")
    push = lambda k, stamp: publisher.publish(JointState(name=[legs[2]], velocity=[0.1 if k // 50 % 2 else -0.1]))
    play(push)
    ros.wait(lambda: len(joints) > 20, "poses")
    for change in [
        {"quad_method": "simpson", "diff_method": "savgol"},
        {"quad_method": "trapezoid", "diff_method": "inertial", "diff_tau": 0.05},
        {"update_method": "extrapolate", "limits": "warn"},
        {"publish_on": "message", "cycle_mismatch": "accept"},
        {"publish_on": "sync", "quad_method": "euler"},
    ]:
        assert ros.set_params("/agregator_node", atomically=True, **change).successful
        seen = len(joints)
        ros.wait(lambda: len(joints) > seen + 20, "poses after the change")
    positions = [m.position[2] for m in joints.messages]
    # The velocity is 0.1 rad/s; the higher orders weigh it with at most 2 when it turns, plus what a silent cycle adds.
    assert max(abs(b - a) for a, b in zip(positions, positions[1:])) <= 4 * 0.1 * PERIOD
    refused = ros.set_params("/agregator_node", atomically=True, savgol_window=3, savgol_order=5)
    assert not refused.successful and "savgol_order" in refused.reason
    (read_only,) = ros.set_params("/agregator_node", require_full_pose=True)
    assert not read_only.successful and "read-only" in read_only.reason


def test_the_robot_may_come_by_topic_and_a_bad_one_is_survived(ros, root):
    node = ros.start("agregator_node", ros_args=["--params-file", str(root / "config/robot.yaml")])
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    description = ros.publisher(String, "/robot_description", latched)
    description.publish(String(data="<robot name='x'>"))
    ros.wait(lambda: "waiting for another" in node.output, "the bad one to be refused")
    description.publish(String(data=(root / "config/pony.urdf").read_text()))
    ros.wait(lambda: "31 joints" in node.output, "the good one to be taken")


def test_a_robot_that_does_not_fit_its_chains_ends_it_with_one_line(ros, root):
    urdf = (root / "config/pony.urdf").read_text()
    node = ros.start("agregator_node", params={"robot_description": urdf, "chains.leg9.last_link": "wing"})
    node.may_end = True
    assert node.wait() == 1
    assert node.lines[-1].startswith("agregator_node: ") and "leg9" in node.lines[-1]
