"""The control path in one process: nobody outside can tell, but by its speed."""

import itertools
import random
import re
import sys

import pytest
import yaml
from builtin_interfaces.msg import Time
from conftest import BIN, ROOT, Process
from diagnostic_msgs.msg import DiagnosticArray
from gait_msgs.msg import JointLimbState, ServoGoal, SupportState, SyncStep
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState, MultiDOFJointState

sys.path.insert(0, str(ROOT / "test/gait"))
from pony import LEGS, Pony, seconds, urdf_limits  # noqa: E402

PERIOD_NS = 10_000_000
START_NS = 200_000_000_000
NODES = ["sync_node", "agregator_node", "servo_inv_lead"]
WITH_EFFORTS = ["sync_node", "agregator_node", "dynamics_node", "servo_inv_param"]
TO_PARAM = ["-r", "servo_inv_param:joints_accel:=joints_effort"]


def stamp(ns):
    return Time(sec=ns // 10**9, nanosec=ns % 10**9)


def params_file(folder):
    """The shipped parameters with the robot, for all nodes, in simulated time."""
    everything = {"robot_description": (ROOT / "config/pony.urdf").read_text(), "use_sim_time": True}
    path = folder / "all.yaml"
    path.write_text(yaml.safe_dump({"/**": {"ros__parameters": everything}}))
    files = ["sync", "agregator", "servo_lead", "servo_inv", "dynamics", "robot"]
    return [argument for name in files for argument in ("--params-file", f"{ROOT}/config/{name}.yaml")] + ["--params-file", str(path)]


def recording(cycles):
    """What sources say in each cycle: poses with jittered stamps, some joints without velocity, some cycles silent."""
    noise = random.Random(7)
    limits = urdf_limits()
    position = {name: max(lower, min(upper, 0.0)) for name, (lower, upper, _) in limits.items()}
    messages = []
    for cycle in range(cycles):
        jitter = noise.randint(-PERIOD_NS // 100, PERIOD_NS // 100)
        ns = START_NS + cycle * PERIOD_NS + jitter
        for name, (lower, upper, speed) in limits.items():
            position[name] = max(lower, min(upper, position[name] + noise.uniform(-0.3, 0.3) * speed * 0.01))
        spoken = [name for name in position if cycle == 0 or noise.random() > 0.1]
        joints = JointState(name=spoken, position=[position[name] for name in spoken])
        joints.header.stamp = stamp(ns)
        if noise.random() < 0.3:
            joints.velocity = [noise.uniform(-1, 1) for _ in spoken]
        messages.append(None if cycle % 17 == 16 else joints)
    return messages


def play(ros, messages, nodes):
    """The goals that a recording leads to, tick by tick: each message comes one cycle before its own, so that nothing
    depends on how fast it travels."""
    clock = ros.publisher(Clock, "/clock", 10)
    joints, support = ros.publisher(JointState, "joints_in"), ros.publisher(SupportState, "support_in")
    sync, goals = ros.listen(SyncStep, "sync"), ros.listen(ServoGoal, "goals")
    reports = ros.listen(DiagnosticArray, "/diagnostics")

    def tick(ns):
        def came():
            clock.publish(Clock(clock=stamp(ns)))
            return any(seconds(s.header.stamp) * 1e9 > ns - 1 for s in sync.messages[-1:])

        ros.wait(came, f"the tick of {ns} ns")

    # Until everybody knows the grid.
    ros.wait(lambda: ros.node.count_publishers("goals") > 0, "goals are offered")
    warming = iter(range(100_000_000, START_NS - 30 * PERIOD_NS, PERIOD_NS))

    def knows_sync(node, key):
        # Not every one of these need be heard: somebody may not be known to the others yet.
        clock.publish(Clock(clock=stamp(next(warming))))
        values = [v for r in reports.messages for s in r.status if s.name == node for v in s.values if v.key == key]
        return any(float(value.value) > 0 for value in values)

    ros.wait(lambda: knows_sync("agregator_node", "sync, Hz"), "the agregator hears sync")
    ros.wait(lambda: knows_sync(nodes[-1], "syncs"), "servo_inv hears sync")
    if "dynamics_node" in nodes:
        ros.wait(lambda: knows_sync("dynamics_node", "syncs"), "dynamics hears sync")
    ros.wait(lambda: knows_sync(nodes[-1], "syncs") and len(sync) > 0, "this side hears sync too")
    # From there to the recording, once more with everybody listening.
    for early in range(20, 1, -1):
        tick(START_NS - early * PERIOD_NS)
    for cycle, message in enumerate([*messages, None, None]):
        if message is not None:
            # All feet stand, all the time: whether a change is heard before its pose is up to DDS.
            support.publish(SupportState(header=message.header, name=LEGS, support=[1.0] * len(LEGS)))
            joints.publish(message)
        before = len(goals)
        tick(START_NS + (cycle - 1) * PERIOD_NS)
        # The pose is complete from the second tick after the first message on.
        if cycle >= 3:
            ros.wait(lambda: len(goals) > before, f"goals of tick {cycle}")
    # Of the first pose it is not said which cycle it comes out in.
    return [(m.header.stamp.sec, m.header.stamp.nanosec, list(m.name), list(m.target_pos), list(m.playtime)) for m in goals.messages][5:]


def run(ros, folder, commands, nodes):
    arguments = [*params_file(folder), *(TO_PARAM if "dynamics_node" in nodes else [])]
    processes = [Process([str(BIN / command[0]), *command[1:], "--ros-args", *arguments], ros.env) for command in commands]
    ros.processes += processes
    goals = play(ros, recording(150), nodes)
    for process in processes:
        process.stop()
    ros.processes.clear()
    return goals


@pytest.mark.parametrize("nodes", [NODES, WITH_EFFORTS], ids=["lead", "efforts"])
def test_the_same_recording_gives_the_same_goals_bit_for_bit(tmp_path, nodes):
    from conftest import Ros, free_domain

    results = []
    for commands in ([["pipeline_node", *nodes]], [[name] for name in nodes]):
        with free_domain() as domain:
            ros = Ros(domain)
            try:
                results.append(run(ros, tmp_path, commands, nodes))
            finally:
                ros.close()
    composed, separate = results
    assert len(composed) > 140
    assert composed == separate


@pytest.mark.serial
@pytest.mark.parametrize("goals", [["servo_inv_lead"], ["dynamics_node", "servo_inv_param"]], ids=["lead", "efforts"])
def test_nothing_is_allocated_in_a_cycle_while_the_pony_trots(ros, tmp_path, goals):
    link = str(tmp_path / "servos")
    sim = Process([str(BIN / "herkulex_sim"), "--plain", "--ros-args", "--params-file", f"{ROOT}/config/herkulex_sim.yaml", "-p", f"link:={link}"], ros.env)
    ros.processes.append(sim)
    names = ["sync", "gait", "agregator", "servo_lead", "servo_inv", "dynamics", "herkulex", "odometry", "robot"]
    arguments = [a for name in names for a in ("--params-file", f"{ROOT}/config/{name}.yaml")]
    robot = tmp_path / "robot.yaml"
    given = {"robot_description": (ROOT / "config/pony.urdf").read_text(), "port": link, "gait": "trot"}
    robot.write_text(yaml.safe_dump({"/**": {"ros__parameters": given}}))
    nodes = ["first_probe", "sync_node", "gait_node", "agregator_node", *goals, "herkulex_node", "odometry_node", "last_probe"]
    arguments += TO_PARAM if "dynamics_node" in goals else []
    command = [str(BIN / "examples/count_allocations"), *nodes, "--ros-args", *arguments, "--params-file", str(robot)]
    pipeline = Process(command, ros.env)
    ros.processes.append(pipeline)
    from geometry_msgs.msg import Twist

    # Listeners on everything: what goes out must not cost the cycle anything either.
    for kind, topic in [(JointState, "joints"), (ServoGoal, "goals"), (JointState, "joint_states"), (JointLimbState, "limbs_joints")]:
        ros.listen(kind, topic)
    cmd = ros.publisher(Twist, "cmd_vel")
    command = Twist()
    command.linear.x = 0.1

    def walking():
        cmd.publish(command)
        return any("gait_node]: walking" in line for line in pipeline.lines)

    ros.wait(walking, "it walks")
    # Of each second: cycles, those that allocated. Whatever is logged is no part of the cycle but an event, and a line of text: on a
    # machine that stalls there are some. A log's line is written by another thread, so that it may come before its second's or after it.
    pattern = re.compile(r"(\d+) cycles, (\d+) of them allocated")
    start = len(pipeline.lines)

    def enough():
        cmd.publish(command)
        found = [pattern.search(line) for line in pipeline.lines[start:]]
        full = [int(m.group(2)) for before, m, after in zip(found, found[1:], found[2:]) if before and m and after]
        # The first may have seen the robot set out.
        return full[2:] if len(full) >= 12 else None

    allocated = ros.wait(enough, "ten seconds without a line in the log", limit=180)
    assert not any(allocated), f"cycles that allocated, second by second: {allocated}"


@pytest.fixture
def pony(ros):
    pony = Pony(ros)
    yield pony
    pony.stop()


def test_outside_sources_get_in_and_listeners_get_every_topic_once(ros, pony):
    pony.stands()
    kinds = {"sync": SyncStep, "joints": JointState, "limbs_joints_in": JointLimbState, "support_in": SupportState, "goals": ServoGoal, "body": MultiDOFJointState}
    heard = {topic: ros.listen(kind, topic) for topic, kind in kinds.items()}
    ros.wait(lambda: all(len(topic) > 200 for topic in heard.values()), "every topic")
    for topic, messages in heard.items():
        stamps = [seconds(m.header.stamp) for m in messages.messages]
        assert len(set(stamps)) == len(stamps), f"{topic} comes twice"
    # The tail is told something by somebody else: of one cycle, the newer word counts.
    source = ros.publisher(JointState, "joints_in")
    where = lambda: dict(zip(pony.joints[-1].name, pony.joints[-1].position))["tail_yaw"]

    def told():
        message = JointState(name=["tail_yaw"], position=[0.25])
        source.publish(message)
        return abs(where() - 0.25) < 0.05

    ros.wait(told, "the tail goes where the outside wants it")


@pytest.mark.parametrize("composed", ["true", "false"])
def test_a_robot_whose_source_died_is_held_and_then_released(ros, composed):
    """The agregator goes on with the last pose, and goals with it; but nobody commands them."""
    pony = Pony(ros, gait="none", composed=composed)
    limits = urdf_limits()
    source = ros.publisher(JointState, "joints_in")
    pose = JointState(name=list(limits), position=[max(lower, min(upper, 0.0)) for lower, upper, _ in limits.values()])

    # However long a service takes, the source does not wait for it.
    speaking = ros.node.create_timer(0.02, lambda: source.publish(pose))
    try:
        ros.wait(lambda: pony.says("herkulex_node", "following goals") and len(pony.goals) > 20, "the servos follow")
        assert ros.set_params("herkulex_node", release_after=1.0)[0].successful
        # From here on the source is silent; a joint of another source is not.
        speaking.cancel()
        other = JointState(name=["tail_yaw"], position=[0.1])

        def released(joint):
            source.publish(other)
            return any("torque released" in line and joint in line for line in list(pony.launch.lines))

        before = len(pony.goals)
        ros.wait(lambda: released("leg1_knee"), "torque is released")
        assert len(pony.goals) > before + 50, "goals go on all the time"
        assert not released("tail_yaw"), "the tail has its own source"
    finally:
        pony.stop()


def test_services_and_messages_are_answered_while_the_simulated_clock_stands(ros, tmp_path):
    pipeline = Process([str(BIN / "pipeline_node"), *NODES, "--ros-args", *params_file(tmp_path)], ros.env)
    ros.processes.append(pipeline)
    # No clock yet, and then one that stands.
    for now in (None, START_NS):
        if now:
            clock, sync, ms = ros.publisher(Clock, "/clock", 10), ros.listen(SyncStep, "sync"), itertools.count()
            # It goes on until a cycle is heard: the only one of a clock that stands from the start may be over before anybody listens.
            ros.wait(lambda: clock.publish(Clock(clock=stamp(now + next(ms) * 10**6))) or len(sync) > 0, "a cycle")
        lead = 0.05 if now else 0.04
        assert ros.set_params("servo_inv_lead", lead=lead)[0].successful
        assert ros.set_params("sync_node", period=0.01)[0].successful
        warnings = sum("refused" in line or "dropped" in line for line in pipeline.lines)
        joints = ros.publisher(JointState, "joints_in")
        # A message is heard, for it is complained of.
        nonsense = JointState(name=["tail_yaw", "tail_yaw"], position=[0.0, 0.0])
        heard = lambda: sum("refused" in line or "dropped" in line for line in pipeline.lines) > warnings
        ros.wait(lambda: joints.publish(nonsense) or heard(), "a message is heard")


def test_every_line_of_an_error_says_whose_it_is(ros, tmp_path):
    file = tmp_path / "bad.yaml"
    file.write_text("agregator_node: {ros__parameters: {mode: 7}}\nservo_inv_lead: {ros__parameters: {lead: -1.0, period: none}}\n")
    code, text = ros.run("pipeline_node", "servo_inv_lead", "agregator_node", ros_args=["--params-file", str(file)])
    lines = [line for line in text.splitlines() if "lead" in line or "period" in line]
    assert code == 1 and len(lines) == 2, text
    assert all(line.startswith("pipeline_node: servo_inv_lead: ") for line in lines), text
    code, text = ros.run("pipeline_node", "sync_node", "servo_inv_lead", "--print-params")
    assert code == 0 and yaml.safe_load(text).keys() == {"/**/sync_node", "/**/servo_inv_lead"}
    code, text = ros.run("pipeline_node", "servo_inv_led")
    assert code == 1 and "servo_inv_led" in text and "servo_inv_lead" in text


def test_the_cycle_has_its_priority_before_its_first_beat_or_says_why_not(ros):
    sync = ros.listen(SyncStep, "sync")
    pipeline = ros.start("pipeline_node", "sync_node", params={"realtime_priority": 10, "cpu": 0, "lock_memory": True})
    ros.wait(lambda: len(sync) > 0, "a cycle")
    fields = open(f"/proc/{pipeline.child.pid}/stat").read().rsplit(")", 1)[1].split()
    policy, refused = int(fields[38]), "no SCHED_FIFO" in pipeline.output
    assert (policy == 1 and int(fields[37]) == 10) != refused, pipeline.output
    [said] = [float(re.search(r"\] \[([0-9.]+)\]", line).group(1)) for line in pipeline.lines if "SCHED_FIFO" in line]
    assert said < seconds(sync[0].header.stamp), pipeline.output
