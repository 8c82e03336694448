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
from std_srvs.srv import Trigger

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


def by_stamp(messages):
    """Messages by the cycle of their stamp, each of which has one."""
    cycle = lambda stamp: (stamp.sec - 1000) * 100 + round(stamp.nanosec / 1e7)
    found = {cycle(m.header.stamp): m for m in messages}
    assert len(found) == len(messages), "two messages of one cycle"
    return found


def test_three_sources_give_one_complete_sorted_pose_a_cycle(agregator, root):
    ros, start, play = agregator
    start()
    joints = ros.listen(JointState, "joints")
    accel = ros.listen(JointAccelState, "joints_accel")
    limbs = ros.listen(JointLimbState, "limbs_joints")
    commanded = ros.listen(JointState, "commanded")
    topics = [joints, accel, limbs, commanded]
    rest, legs = rest_of(root)
    wave = lambda k: 0.05 * math.sin(0.05 * k)
    speed = lambda k: 0.05 * 0.05 / PERIOD * math.cos(0.05 * k)
    saw = lambda k: 0.01 + 1e-4 * (k % 7)
    # What each source says of the last of its joints, and whether with a velocity.
    front, rear = [n for n in legs if n[3] in "12"], [n for n in legs if n[3] in "34"]
    wanted = {front[-1]: (wave, None), rear[-1]: (lambda k: -wave(k), lambda k: -speed(k)), rest[-1]: (saw, None)}
    sources = play(
        limb_source(ros, ["leg1", "leg2"], wave),
        limb_source(ros, ["leg3", "leg4"], *wanted[rear[-1]]),
        joint_source(ros, rest, saw),
        poses=joints,
    )
    # A joint whose source was away is on its way for up to 2·√(0.1 rad / 200 rad/s²), five cycles.
    settled = 6
    whole = lambda: [not any(math.isnan(q) for q in m.position) for m in list(commanded.messages)]
    steady = lambda w: sum(all(w[k - settled : k + 1]) for k in range(settled, len(w)))
    ros.wait(lambda: steady(whole()) > 150, "150 cycles in which every source was, and had been, in time")
    sources.stop()
    last = lambda topic: topic[-1].header.stamp
    ros.wait(lambda: all(last(topic) == last(joints) for topic in topics), "the last pose on every topic")
    names = list(joints[0].name)
    assert sorted(names) == sorted(rest + legs)
    assert names[:24] == [n for leg in range(1, 5) for n in legs if n.startswith(f"leg{leg}")], "chains first, in order"
    poses, accels, parts, given = (by_stamp(list(topic.messages)) for topic in topics)
    # A topic may have been found later than another, but from then on it has every cycle, once.
    for found in (poses, accels, parts, given):
        assert sorted(found) == list(range(min(found), max(poses) + 1))
    before, checked = None, 0
    aims, in_time = {}, {name: 0 for name in wanted}
    for at in range(max(map(min, (poses, accels, parts, given))), max(poses) + 1):
        pose, cycle = poses[at], at - 1
        assert list(pose.name) == list(given[at].name) == list(accels[at].name) == names
        assert len(pose.position) == len(pose.velocity) == len(accels[at].acceleration) == len(names)
        for name, (position, velocity) in wanted.items():
            i = names.index(name)
            was_settled = in_time[name] > settled
            if math.isnan(given[at].position[i]):
                in_time[name] = 0
            else:
                aims[name] = position(cycle)
                in_time[name] += 1
            if in_time[name] > settled:
                # Given in this cycle: that and nothing else, to the last bit.
                assert pose.position[i] == given[at].position[i] == position(cycle), (cycle, name)
                assert velocity is None or pose.velocity[i] == velocity(cycle), (cycle, name)
                checked += 1
            elif was_settled:
                # Its source was late: it rests where it was.
                assert (pose.position[i], pose.velocity[i]) == (before.position[i], 0.0), (cycle, name)
            elif before is not None and name in aims:
                # On its way to where it was told last, and never past it.
                low, high = sorted((before.position[i], aims[name]))
                assert low <= pose.position[i] <= high, (cycle, name)
        # The other topics say the same.
        assert accels[at].position == pose.position and accels[at].velocity == pose.velocity
        assert [l.name for l in parts[at].limbs][:4] == ["leg1", "leg2", "leg3", "leg4"] and parts[at].cycle > 0
        assert [q for l in parts[at].limbs[:4] for q in l.position] == list(pose.position[:24])
        before = pose
    assert checked >= 3 * 150


def test_a_source_that_dies_leaves_its_joints_to_the_update_method(agregator, root):
    ros, start, play = agregator
    start(update_method="brake", brake_time=0.1)
    joints = ros.listen(JointState, "joints")
    rest, legs = rest_of(root)
    moving = limb_source(ros, ["leg1"], lambda k: 0.0001 * k, lambda k: 0.01)
    others = joint_source(ros, rest + legs[6:], lambda k: 0.0)
    sources = play(moving, others, poses=joints)
    ros.wait(lambda: len(joints) > 20 and joints[-1].velocity[0] == 0.01, "the leg to move")
    sources.sources.remove(moving)
    ros.wait(lambda: joints[-1].velocity[0] == 0.0, "the leg to come to rest")
    speeds = [m.velocity[0] for m in joints.messages]
    # From its last word on: a source that was late for some cycles on a busy machine, and came back, is not the matter here.
    died = max(k for k, speed in enumerate(speeds) if speed == 0.01)
    steps = [a - b for a, b in zip(speeds[died:], speeds[died + 1 :])]
    # 0.1 s of braking at 100 Hz: a tenth of the speed per cycle and no jump.
    assert len(steps) >= 10 and all(-1e-12 <= step <= 0.01 / 10 + 1e-12 for step in steps), steps
    still = joints[-1].position[0]
    seen = len(joints)
    ros.wait(lambda: len(joints) > seen + 20, "poses after that")
    assert joints[-1].position[0] == still
    # And it may come back.
    sources.sources.append(moving)
    ros.wait(lambda: joints[-1].velocity[0] == 0.01, "the leg to move again")


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


def test_two_sources_of_one_joint_are_named_and_priority_settles_it(agregator, root):
    ros, start, play = agregator
    node = start(require_full_pose=False)
    joints = ros.listen(JointState, "joints")
    diagnostics = ros.listen(DiagnosticArray, "/diagnostics")
    rest, legs = rest_of(root)
    here, there = 0.01, 0.02
    play(limb_source(ros, ["leg1"], lambda k: here), joint_source(ros, [legs[2]], lambda k: there))
    ros.wait(lambda: f'joint "{legs[2]}": two sources give its position' in node.output, "a warning that names the joint")
    assert f'joint "{legs[1]}": two sources' not in node.output
    claimed = lambda: [v.value for d in diagnostics for s in d.status for v in s.values if v.key == "claimed by two sources"]
    ros.wait(lambda: any(int(count) > 0 for count in claimed()), "the diagnostics to count it")
    for priority, position in [("limbs_joints_in", here), ("joints_in", there), ("limbs_joints_in", here)]:
        assert ros.set_params("/agregator_node", priority=priority)[0].successful
        ros.wait(lambda: joints[-1].position[2] == position, f"the position of {priority}")
    seen = claimed()[-1]
    ros.wait(lambda: len(claimed()) > 3 and claimed()[-3:] == [claimed()[-1]] * 3, "nobody to be warned any more")
    assert int(claimed()[-1]) >= int(seen)


def test_the_measured_pose_is_taken_when_asked_for_and_not_otherwise(agregator, root):
    ros, start, play = agregator
    start()
    joints = ros.listen(JointState, "joints")
    rest, legs = rest_of(root)
    everything = joint_source(ros, rest + legs, lambda k: 0.05)
    sources = play(everything)
    ros.wait(lambda: len(joints) > 5, "poses")
    take = lambda: ros.call(Trigger, "agregator_node/take_measured", Trigger.Request())
    refused = take()
    assert not refused.success and "no joint_states" in refused.message
    measured = ros.publisher(JointState, "joint_states")
    lying = {name: -0.3 + 0.01 * i for i, name in enumerate(legs[:6])}
    say = lambda cycle, stamp: measured.publish(JointState(name=["wheel", *lying], position=[9.0, *lying.values()]))
    # Torque is off, nobody commands anything, and the bridge tells where the legs are.
    sources.sources[:] = [say]
    seen = len(joints)
    ros.wait(lambda: len(joints) > seen + 20, "poses while it is measured")
    assert set(joints[-1].position) == {0.05}, "measured is not commanded"
    answer = take()
    assert answer.success and "6 of 31 joints" in answer.message, answer.message
    where = lambda message: dict(zip(message.name, message.position))
    ros.wait(lambda: where(joints[-1]).items() >= lying.items(), "the measured pose")
    assert set(joints[-1].velocity) == {0.0}
    assert {q for name, q in where(joints[-1]).items() if name not in lying} == {0.05}
    # It was there from one pose to the next, and not on a way there.
    assert {m.position[0] for m in joints.messages} == {0.05, lying[joints[0].name[0]]}
    # A source that comes back takes it along, not faster than the joints can.
    sources.sources[:] = [everything]
    ros.wait(lambda: set(joints[-1].position) == {0.05}, "the source's pose")
    back = [m.position[0] for m in joints.messages]
    back = back[back.index(lying[joints[0].name[0]]) :]
    assert max(abs(b - a) for a, b in zip(back, back[1:])) <= 7.1 * PERIOD * (1 + 1e-9)
    ros.wait(lambda: "s ago" in take().message, "old joint_states to be refused")


def test_a_pose_published_with_an_old_message_has_a_stamp_of_its_cycle(agregator, root):
    ros, start, play = agregator
    start(require_full_pose=False, publish_on="both", cycle_mismatch="accept")
    joints = ros.listen(JointState, "joints")
    publisher = ros.publisher(JointState, "joints_in")
    tail = rest_of(root)[0][0]

    def late(cycle, stamp):
        message = JointState(name=[tail], position=[0.01])
        message.header.stamp = Time(sec=900 + cycle % 200)
        publisher.publish(message)

    play(late)
    ros.wait(lambda: len(joints) > 100, "poses")
    stamps = [m.header.stamp.sec + m.header.stamp.nanosec / 1e9 for m in joints.messages]
    first = next(i for i, s in enumerate(stamps) if s >= 1000)
    assert stamps[first:] == sorted(stamps[first:])
    # With every cycle at least two poses: that of its sync, and one or more with a message.
    assert len(stamps[first:]) > len(set(stamps[first:]))


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
