"""Goals from rclpy → bytes on the line, seen by a decoder of the test's own → simulated motion → joint_states."""

import math
import os
import signal
import time

import pytest
from decoder import I_JOG, RAM_WRITE, S_JOG, Tap, jogs, packets
from diagnostic_msgs.msg import DiagnosticArray
from gait_msgs.msg import ServoGoal
from sensor_msgs.msg import BatteryState, JointState
from std_srvs.srv import Trigger

IDS = [3, 4, 7, 20]
JOINTS = ["a", "b", "c", "d"]
START = [0.5, -0.4, 0.3, -0.2]
COUNT = math.radians(0.325)
BAUD = 666666


class Robot:
    """A simulator, a bridge on it, and everything that they say."""

    def __init__(self, ros, tmp_path, tap=False, sim=None, **params):
        self.ros = ros
        self.link = str(tmp_path / "servos")
        self.sim = ros.start("herkulex_sim", params={"link": self.link, "baud": BAUD, "ids": IDS, "angles": START, **(sim or {})})
        ros.wait(lambda: os.path.exists(self.link), "the simulator's port")
        self.tap = Tap(self.link) if tap else None
        self.shafts = ros.listen(JointState, "/herkulex_sim/shafts", 1)
        self.states = ros.listen(JointState, "joint_states", 10)
        self.battery = ros.listen(BatteryState, "battery_state", 10)
        self.diagnostics = ros.listen(DiagnosticArray, "/diagnostics")
        self.statistics = ros.listen(DiagnosticArray, "/herkulex_node/statistics")
        servos = {f"servos.{j}.id": i for j, i in zip(JOINTS, IDS)}
        # One joint that turns the other way round, with a gear and an offset.
        servos |= {"servos.b.direction": -1, "servos.b.gear": 2.0, "servos.b.offset": 0.1, "servos.d.min": -0.5, "servos.d.max": 0.5}
        port = self.tap.path if tap else self.link
        self.params = {"port": port, "baud": BAUD, "goal_timeout": 0.0, "approach_speed": 5.0, **servos, **params}
        self.node = ros.start("herkulex_node", params=self.params)
        self.goals = ros.publisher(ServoGoal, "goals")

    def shaft(self):
        return dict(zip(map(int, self.shafts[-1].name), self.shafts[-1].position)) if len(self.shafts) else {}

    def torque(self):
        return {int(n): e == 1.0 for n, e in zip(self.shafts[-1].name, self.shafts[-1].effort)} if len(self.shafts) else {}

    def wait_torque(self, *ids, on=True):
        self.ros.wait(lambda: self.torque() and all(self.torque()[i] == on for i in ids or IDS), f"torque {on}")

    def send(self, playtime=0.0224, **positions):
        self.goals.publish(
            ServoGoal(name=list(positions), target_pos=[float(p) for p in positions.values()], playtime=[playtime] * len(positions))
        )

    def measured(self):
        return dict(zip(self.states[-1].name, self.states[-1].position)) if len(self.states) else {}

    def call(self, name):
        return self.ros.call(Trigger, f"/herkulex_node/{name}", Trigger.Request())

    def said(self, text):
        return any(text in s.message for d in self.diagnostics.messages[-6:] for s in d.status)


def test_goals_become_bytes_motion_and_joint_states(ros, tmp_path):
    robot = Robot(ros, tmp_path, tap=True)
    robot.wait_torque()
    # Nothing moved when torque came, and the bytes say why: each servo's goal was its own place before its torque.
    assert all(abs(robot.shaft()[i] - a) < 2 * COUNT for i, a in zip(IDS, START))
    for i, angle in zip(IDS, START):
        sent = [p for _, p in robot.tap.down]
        torque = next(k for k, p in enumerate(sent) if p == (i, RAM_WRITE, b"\x34\x02\x60\x01"))  # torque, and green
        profile = next(k for k, p in enumerate(sent) if p == (i, RAM_WRITE, b"\x08\x02\x00\x00"))
        seeds = [jogs(p)[i][0] for p in sent[:torque] if p[1] in (I_JOG, S_JOG) and i in jogs(p)]
        assert profile < torque and abs(seeds[-1] - (512 + angle / COUNT)) <= 1

    robot.ros.wait(lambda: set(robot.measured()) == set(JOINTS), "all joints")
    wanted = {"a": -0.6, "b": 0.25, "c": 0.8, "d": -9.0}
    for _ in range(150):
        robot.send(playtime=0.0448, **wanted)
        time.sleep(0.01)
    # The last that each was told; a jog names those that have something to be told.
    jog = {i: told for _, p in robot.tap.down if p[1] in (I_JOG, S_JOG) for i, told in jogs(p).items()}
    # By hand: servo angle = direction·gear·joint + offset, 0.325° per count, the middle at 512; d is limited to −0.5.
    expected = {3: -0.6, 4: -1 * 2.0 * 0.25 + 0.1, 7: 0.8, 20: -0.5}
    assert {i: g for i, (g, _) in jog.items()} == {i: round(512 + a / COUNT) for i, a in expected.items()}
    assert [p for _, p in robot.tap.down if p[1] == S_JOG][-1][0] == 0xFE
    assert jog[3][1] == 4
    for i, angle in expected.items():
        assert robot.shaft()[i] == pytest.approx(angle, abs=COUNT / 2 + 0.004)
    state = robot.measured()
    assert state["a"] == pytest.approx(robot.shaft()[3], abs=COUNT / 2 + 0.001)
    assert state["b"] == pytest.approx((robot.shaft()[4] - 0.1) / -2.0, abs=COUNT / 4 + 0.001)
    assert list(robot.states[-1].name) == JOINTS

    battery = ros.wait(lambda: robot.battery.messages, "the battery")[-1]
    assert battery.voltage == pytest.approx(7.4, abs=0.08) and battery.present and math.isnan(battery.percentage)
    bus = ros.wait(lambda: [s for d in robot.statistics for s in d.status if s.name.endswith(": bus")], "statistics")[-1]
    figures = {v.key: v.value for v in bus.values}
    assert float(figures["utilisation, %"]) > 0 and int(figures["jogs"]) > 0 and "reads fit" in bus.message
    print({k: figures[k] for k in figures})
    robot.node.stop()
    robot.wait_torque(on=False)
    sent = [p for _, p in robot.tap.down]
    shout = next(k for k, p in enumerate(sent) if p == (0xFE, RAM_WRITE, b"\x34\x01\x40"))
    brakes = {p[0] for p in sent[shout:] if p[1:] == (RAM_WRITE, b"\x34\x02\x40\x00")}
    assert brakes == set(IDS), "at the end all are told at once, then each, and the bus is handed back"
    robot.tap.close()


def test_an_order_is_one_line_of_the_log_and_names_those_that_failed(ros, tmp_path):
    robot = Robot(ros, tmp_path)
    robot.wait_torque()
    # The start, told once all have come to rest.
    ros.wait(lambda: "4 of 4 servos have torque (all joints)" in robot.node.output, "the start in the log")
    start = len(robot.node.lines)
    lines = lambda: [line.split("]: ", 1)[1] for line in robot.node.lines[start:]]
    for order in ("torque_off", "torque_on"):
        assert robot.call(order).success
    ros.set_params("/herkulex_sim", dead=[7])
    assert not robot.call("torque_off").success
    ros.wait(lambda: any("failed" in line for line in lines()), "the failure in the log")
    told = [line for line in lines() if "torque" in line]
    assert told == ["~/torque_off: 4 servos", "~/torque_on: 4 servos", told[-1]], lines()
    assert told[-1].startswith("~/torque_off failed: ") and "c (id 7)" in told[-1] and "(id 3)" not in told[-1]


def test_the_end_of_the_simulation_is_no_error_of_the_bridge(ros, tmp_path):
    robot = Robot(ros, tmp_path)
    robot.wait_torque()
    # As Ctrl-C does it: both at once.
    for process in (robot.sim, robot.node):
        process.signal(signal.SIGINT)
    assert robot.sim.wait() == 0 and robot.node.wait() == 0
    assert "ERROR" not in robot.node.output, robot.node.output


def test_services_for_all_and_for_one(ros, tmp_path):
    robot = Robot(ros, tmp_path)
    robot.wait_torque()
    assert robot.call("torque_off").success
    robot.wait_torque(on=False)
    answer = robot.call("c/torque_on")
    assert answer.success, answer.message
    robot.wait_torque(7)
    assert robot.torque() == {3: False, 4: False, 7: True, 20: False}
    answer = robot.call("torque_on")
    assert answer.success, answer.message
    robot.wait_torque()
    assert all(abs(robot.shaft()[i] - a) < 2 * COUNT for i, a in zip(IDS, START)), "torque moved a servo"
    assert robot.call("a/brake").success and robot.call("a/torque_on").success
    assert robot.call("clear_errors").success
    assert robot.call("b/reboot").success
    robot.wait_torque()
    # A simulator that gets no processor for a while is a servo that does not answer.
    scan = lambda: robot.call("scan")
    ros.wait(lambda: scan().message == "answered: 3 (a), 4 (b), 7 (c), 20 (d)", "a scan that finds all four")
    ros.set_params("/herkulex_sim", dead=[7])
    answer = robot.call("c/torque_off")
    assert not answer.success and answer.message == "c (id 7): no answer"


def test_orders_stand(ros, tmp_path):
    """Torque off and stop hold over goals, resume, a lost port and a killed node."""
    robot = Robot(ros, tmp_path, goal_timeout=0.3, release_after=30.0, resume=True)
    robot.wait_torque()
    ros.set_params("/herkulex_sim", unplugged=True)
    ros.wait(lambda: "port closed" in robot.node.output, "the loss to be noticed")
    answer = robot.call("torque_off")
    assert not answer.success and "the order stands" in answer.message
    ros.set_params("/herkulex_sim", unplugged=False)
    robot.wait_torque(on=False)
    robot.send(a=0.1, b=0.0, c=0.1, d=0.1)
    time.sleep(0.5)
    assert not any(robot.torque().values())
    answer = robot.call("torque_on")
    assert answer.success, answer.message
    assert robot.call("stop").success
    robot.wait_torque(on=False)
    refused = robot.call("torque_on")
    assert not refused.success and "clear_stop" in refused.message
    robot.node.may_end = True
    robot.node.child.kill()
    robot.node.child.wait()
    # By another name: the killed one's services stay in the graph for a while, and would be asked.
    node = ros.start("herkulex_node", params=robot.params, ros_args=["-r", "__node:=again"])
    ros.wait(lambda: "stopped: all servos free" in node.output, "the stop that was found")
    time.sleep(0.5)
    assert not any(robot.torque().values()), "a killed node forgets, the servos do not"
    assert ros.call(Trigger, "/again/clear_stop", Trigger.Request()).success
    assert not any(robot.torque().values())
    answer = ros.call(Trigger, "/again/torque_on", Trigger.Request())
    assert answer.success, answer.message


class Big:
    """31 servos on a line that is slow enough to be caught in the middle of something."""

    def __init__(self, ros, tmp_path, baud=57600, **params):
        self.ros, self.ids = ros, list(range(1, 32))
        self.link = str(tmp_path / "big")
        ros.start("herkulex_sim", params={"link": self.link, "baud": baud, "ids": self.ids, "angles": [0.3] * 31})
        ros.wait(lambda: os.path.exists(self.link), "the simulator's port")
        self.shafts = ros.listen(JointState, "/herkulex_sim/shafts", 1)
        servos = {f"servos.j{i}.id": i for i in self.ids}
        self.params = {"port": self.link, "baud": baud, "period": 0.02, "goal_timeout": 0.0, "joint_services": False, **servos, **params}
        self.nodes = 0
        self.node = self.start()

    def start(self):
        # By a name of its own: a killed one's services stay in the graph for a while, and would be asked.
        self.nodes += 1
        self.name = f"bridge{self.nodes}"
        self.node = self.ros.start("herkulex_node", params=self.params, ros_args=["-r", f"__node:={self.name}"])
        self.node.may_end = True
        return self.node

    def on(self):
        return sum(e == 1.0 for e in self.shafts[-1].effort) if len(self.shafts) else None

    def wait_on(self, count):
        self.ros.wait(lambda: self.on() == count, f"{count} with torque")

    def kill(self):
        self.node.child.kill()
        self.node.child.wait()

    def call(self, name):
        return self.ros.call(Trigger, f"/{self.name}/{name}", Trigger.Request())


def test_an_order_before_everything_is_found_does_not_hide_a_stop(ros, tmp_path):
    robot = Big(ros, tmp_path)
    robot.wait_on(31)
    assert robot.call("stop").success
    robot.kill()
    robot.start()
    answer = robot.call("torque_on")
    assert not answer.success and ("still being found" in answer.message or "clear_stop" in answer.message), answer.message
    ros.wait(lambda: "stopped: all servos free" in robot.node.output, "the stop that was found")
    assert not robot.call("torque_on").success
    time.sleep(1.0)
    assert robot.on() == 0
    assert robot.call("clear_stop").success and robot.call("torque_on").success


def test_an_end_while_servos_are_being_found_takes_their_torque(ros, tmp_path):
    robot = Big(ros, tmp_path)
    robot.wait_on(31)
    robot.kill()
    assert robot.on() == 31
    robot.start()
    ros.wait(lambda: "port open" in robot.node.output, "the port")
    robot.node.child.send_signal(signal.SIGINT)
    assert robot.node.wait() == 0
    time.sleep(0.2)
    assert robot.on() == 0


@pytest.mark.parametrize("order, text", [("stop", "stop"), ("torque_off", "torque_off [1, 2")])
def test_an_order_while_the_port_is_away_outlives_a_kill(ros, tmp_path, order, text):
    state = tmp_path / "state"
    robot = Big(ros, tmp_path, baud=666666, state_directory=str(state))
    robot.wait_on(31)
    ros.set_params("/herkulex_sim", unplugged=True)
    ros.wait(lambda: "port closed" in robot.node.output, "the loss to be noticed")
    answer = robot.call(order)
    assert not answer.success and "the order stands" in answer.message
    robot.kill()
    robot.start()
    ros.wait(lambda: f"had not reached their servos, and stand: {text}" in robot.node.output, "what was kept")
    ros.set_params("/herkulex_sim", unplugged=False)
    robot.wait_on(0)
    ros.wait(lambda: not list(state.iterdir()), "nothing left to remember")
    time.sleep(0.3)
    assert robot.on() == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_every_signal_that_ends_takes_torque(ros, tmp_path, number):
    robot = Robot(ros, tmp_path)
    robot.wait_torque()
    robot.node.may_end = True
    robot.node.child.send_signal(number)
    assert robot.node.wait() == 0
    robot.wait_torque(on=False)


@pytest.mark.serial
def test_no_state_spins(ros, tmp_path):
    """What the whole node takes of a processor, in every state."""
    robot = Big(ros, tmp_path, baud=666666, goal_timeout=0.5, release_after=3600.0)
    robot.wait_on(31)
    goals = ros.publisher(ServoGoal, "goals")
    names = [f"j{i}" for i in robot.ids]
    ticks = os.sysconf("SC_CLK_TCK")

    def used():
        with open(f"/proc/{robot.node.child.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / ticks

    shares = {}

    def measure(state, sending=False, seconds=2.0):
        begun, before = time.monotonic(), used()
        while time.monotonic() < begun + seconds:
            if sending:
                message = ServoGoal(name=names, target_pos=[0.3] * 31, playtime=[0.04] * 31)
                message.header.stamp = ros.now()
                goals.publish(message)
            time.sleep(0.02)
        shares[state] = 100 * (used() - before) / (time.monotonic() - begun)
        print(f"{state:28} {shares[state]:5.1f} % of a processor")

    measure("torque, no goals yet")
    measure("following goals at 50 Hz", sending=True)
    measure("holding")
    ros.set_params(f"/{robot.name}", goal_timeout=0.0)
    measure("holding, goal_timeout 0")
    ros.set_params(f"/{robot.name}", goal_timeout=0.5, period=0.001)
    measure("period shorter than the jog", sending=True)
    ros.set_params(f"/{robot.name}", period=0.02, release_after=0.2)
    robot.wait_on(0)
    measure("released by the watchdog")
    assert robot.call("torque_off").success
    measure("torque off", sending=True)
    assert robot.call("stop").success
    measure("stopped", sending=True)
    ros.set_params("/herkulex_sim", dark=True)
    ros.wait(lambda: "does not answer" in robot.node.output, "the loss of the servos")
    measure("no servo answers", sending=True)
    ros.set_params("/herkulex_sim", unplugged=True)
    ros.wait(lambda: "port closed" in robot.node.output, "the loss of the port")
    measure("port away", sending=True)
    assert max(shares.values()) < 60, shares


def test_an_impatient_end_takes_torque_all_the_same(ros, tmp_path):
    robot = Robot(ros, tmp_path)
    robot.wait_torque()
    robot.node.may_end = True
    for _ in range(3):
        robot.node.child.send_signal(signal.SIGINT)
        time.sleep(0.02)
    assert robot.node.wait() == 0
    robot.wait_torque(on=False)


def test_readings_say_when_they_were_made(ros, tmp_path):
    robot = Robot(ros, tmp_path)
    readings = ros.listen(JointState, "joint_readings", 100)
    robot.wait_torque()
    end = time.monotonic() + 1
    while time.monotonic() < end:
        robot.send(a=0.1, b=0.0, c=0.1, d=0.1)
        time.sleep(0.01)
    assert {m.name[0] for m in readings.messages} == set(JOINTS) and all(len(m.name) == 1 for m in readings.messages)
    for joint in JOINTS:
        stamps = [m.header.stamp.sec * 10**9 + m.header.stamp.nanosec for m in readings.messages if m.name == [joint]]
        assert len(stamps) > 20 and all(b > a for a, b in zip(stamps, stamps[1:])), "each reading once, in order"
    assert math.isfinite(readings[-1].effort[0])


def test_stale_goals_hold_then_release(ros, tmp_path):
    robot = Robot(ros, tmp_path, goal_timeout=0.3, release_after=0.7, release="free")
    robot.wait_torque()
    for _ in range(100):
        robot.send(a=0.1, b=0.0, c=0.1, d=0.1)
        time.sleep(0.01)
    stopped = time.monotonic()
    ros.wait(lambda: "no goals: holding" in robot.node.output, "the hold")
    assert all(robot.torque().values())
    robot.wait_torque(on=False)
    assert time.monotonic() - stopped > 0.9, "released before its time"
    for _ in range(30):
        robot.send(a=0.4, b=0.0, c=0.4, d=0.4)
        time.sleep(0.01)
    assert not any(robot.torque().values()), "torque came back by itself"
    # Those goals are too old by now to be followed.
    time.sleep(0.4)
    before = robot.shaft()
    assert robot.call("torque_on").success
    robot.wait_torque()
    assert all(abs(robot.shaft()[i] - before[i]) < 2 * COUNT for i in IDS), "torque moved a servo"


def test_unplug_and_replug(ros, tmp_path):
    robot = Robot(ros, tmp_path)
    robot.wait_torque()
    ros.wait(lambda: len(robot.measured()) == 4, "all joints")
    place = robot.shaft()
    ros.set_params("/herkulex_sim", unplugged=True)
    ros.wait(lambda: "port closed" in robot.node.output, "the loss to be noticed")
    ros.wait(lambda: robot.said("port closed"), "diagnostics")
    assert robot.node.child.poll() is None
    seen = len(robot.states)
    time.sleep(0.5)
    assert len(robot.states) <= seen + 5, "no news is no news"
    opened = robot.node.output.count("port open")
    ros.set_params("/herkulex_sim", unplugged=False)
    ros.wait(lambda: robot.node.output.count("port open") > opened, "the port again")
    replugged = time.monotonic()
    since = lambda: robot.node.output.rpartition("port open")[2]
    ros.wait(lambda: "4 of 4 servos have torque (all joints)" in since(), "all servos again")
    assert time.monotonic() - replugged < 3
    robot.states.clear()
    ros.wait(lambda: len(robot.measured()) == 4, "joint states again")
    assert all(abs(robot.shaft()[i] - place[i]) < 2 * COUNT for i in IDS), "it jumped"


def test_each_fault_is_survived_and_named(ros, tmp_path):
    robot = Robot(ros, tmp_path)
    robot.wait_torque()
    tenth = {n: 0.1 for n in ["drop", "corrupt", "delay", "duplicate", "echo", "garbage"]}
    for name, value in tenth.items():
        ros.set_params("/herkulex_sim", **{name: value})
    end = time.monotonic() + 6
    low, high = [min(s, -0.2) for s in START], [max(s, 0.2) for s in START]
    k = 0
    while time.monotonic() < end:
        k += 1
        angle = 0.2 * math.sin(k * 0.03)
        robot.send(a=angle, c=angle, d=angle)
        time.sleep(0.01)
        for i, (servo, low_, high_) in enumerate(zip(IDS, low, high)):
            assert low_ - 0.03 < robot.shaft()[servo] < high_ + 0.03, f"servo {servo} went where nobody sent it"
    for name in tenth:
        ros.set_params("/herkulex_sim", **{name: 0.0})
    robot.wait_torque()
    ros.set_params("/herkulex_sim", hot=[4])
    ros.wait(lambda: robot.said("b (id 4): temperature"), "the hot servo's name")
    ros.set_params("/herkulex_sim", hot=[-1], dead=[20])
    ros.wait(lambda: robot.said("d (id 20): no answer"), "the dead servo's name")
    robot.wait_torque(4)
    ros.set_params("/herkulex_sim", dead=[-1], voltage_drop=1.5)
    robot.wait_torque(on=False)
    ros.wait(lambda: robot.battery[-1].voltage < 6.1, "the voltage")
    ros.set_params("/herkulex_sim", voltage_drop=0.0)
    robot.wait_torque()


def test_bad_goals_are_refused_and_bad_parameters_end_the_node(ros, tmp_path):
    robot = Robot(ros, tmp_path)
    robot.wait_torque()
    place = robot.shaft()
    robot.goals.publish(ServoGoal(name=["a", "b"], target_pos=[0.0]))
    ros.wait(lambda: "target_pos has 1 elements for 2 names" in robot.node.output, "the refusal")
    robot.goals.publish(ServoGoal(name=["a", "nobody"], target_pos=[math.nan, 0.0]))
    ros.wait(lambda: "goals for joints without a servo: nobody" in robot.node.output, "the warning")
    assert all(abs(robot.shaft()[i] - place[i]) < 2 * COUNT for i in IDS)
    for args, text in [
        ({"servos.a.id": 1, "servos.b.id": 1}, '"servos.b.id": 1 is that of "a" already'),
        ({"servos.a.direction": 0}, "must be 1 or -1"),
        ({"servos.a.min": 1.0, "servos.a.max": 0.5}, "1 is not below max 0.5"),
    ]:
        process = ros.start("herkulex_node", params=args)
        process.may_end = True
        assert process.wait() == 1 and text in process.output


def test_the_start_says_what_would_fit_and_waits_for_a_port(ros, tmp_path):
    servos = {f"servos.j{i}.id": i for i in range(24)}
    node = ros.start("herkulex_node", params={"port": str(tmp_path / "nothing"), "period": 0.01, "joint_services": False, **servos})
    ros.wait(lambda: "does not fit; a period of" in node.output and "or 200000 baud" in node.output, "the budget")
    ros.wait(lambda: "port closed: No such file" in node.output, "the missing port")
    assert node.child.poll() is None


def test_the_simulator_runs_without_ros(ros, tmp_path):
    link = tmp_path / "plain"
    sim = ros.start("herkulex_sim", "--plain", params={"link": str(link), "ids": [9]})
    sim.may_end = True
    ros.wait(link.exists, "the port")
    fd = os.open(link, os.O_RDWR | os.O_NOCTTY)
    os.write(fd, bytes.fromhex("FF FF 07 09 07 08 F6"))
    answer = b""
    while len(answer) < 9:
        answer += os.read(fd, 64)
    assert packets(answer)[0] == [(9, 0x47, bytes([0, 0]))]
    os.close(fd)


def test_the_example_robot_stands_and_moves_in_simulation(ros, root, tmp_path):
    """Both files of config/ as they are, but for the link: every joint there is, whatever its name."""
    import yaml

    link = str(tmp_path / "servos")
    config = root / "config"
    servos = yaml.safe_load((config / "herkulex.yaml").read_text())["/**/herkulex_node"]["ros__parameters"]["servos"]
    ros.start("herkulex_sim", ros_args=["--params-file", str(config / "herkulex_sim.yaml"), "-p", f"link:={link}"])
    ros.wait(lambda: os.path.exists(link), "the simulator's port")
    started = time.monotonic()
    node = ros.start("herkulex_node", ros_args=["--params-file", str(config / "herkulex.yaml"), "-p", f"port:={link}"])
    states = ros.listen(JointState, "joint_states", 10)
    statistics = ros.listen(DiagnosticArray, "/herkulex_node/statistics")
    ros.wait(lambda: f"{len(servos)} of {len(servos)} servos have torque" in node.output, "torque everywhere")
    print(f"{len(servos)} servos have torque after {time.monotonic() - started:.2f} s, start of the process included")
    goals = ros.publisher(ServoGoal, "goals")
    names = list(servos)
    for k in range(200):
        target = 0.2 * math.sin(k * 0.02)
        goals.publish(ServoGoal(name=names, target_pos=[target] * len(names), playtime=[0.0224] * len(names)))
        time.sleep(0.01)
    ros.wait(lambda: max(abs(p - target) for p in states[-1].position) < COUNT + 0.004, "all joints at the goal")
    assert list(states[-1].name) == names and "does not answer" not in node.output
    bus = [s for d in statistics for s in d.status if s.name.endswith(": bus")][-1]
    print({v.key: v.value for v in bus.values})
