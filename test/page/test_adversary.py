"""What a page that people drive a robot with must bear: silence, floods, restarts, full disks, numbers that are none. Without a browser."""

import json
import math
import pathlib
import random
import shutil
import subprocess
import time

import pytest
from conftest import BIN, Process
from geometry_msgs.msg import Pose, Twist
from mcap.reader import make_reader
from nav_msgs.msg import Odometry
from page import Socket, address_of
from rcl_interfaces.msg import Log
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64


@pytest.fixture
def page(ros):
    def start(**params):
        return address_of(ros, ros.start("page_node", params={"http_port": 0} | params))

    return start


def test_whoever_is_silent_is_halted_by_the_lease_however_rarely_snapshots_go_out(ros, page):
    lease, beat = 0.2, 1.0
    browser, commands = Socket(page(rate=1.0 / beat, lease=5.0)), ros.listen(Twist, "cmd_vel")
    ros.wait(lambda: browser.say(type="drive", forward=1.0, left=0.0, turn=0.0) or len(commands), "a command")
    # What was promised under the old lease holds no longer.
    ros.set_params("page_node", lease=lease)
    took = []
    # A machine that is busy with other things may be late once.
    while len(took) < 5 and not any(time < beat / 2 for time in took):
        browser.next("snapshot")
        seen = len(commands)
        browser.say(type="drive", forward=1.0, left=0.0, turn=0.0)
        ros.wait(lambda: len(commands) > seen and commands[-1].linear.x == 0.0, "a halt")
        took.append(commands.times[-1] - commands.times[seen])
    print(f"\nhalted {min(took):.3f} s after the last word, with a lease of {lease} s")
    assert lease - 0.05 < min(took) < beat / 2, took


def test_whoever_fills_the_log_keeps_nobody_from_anything(ros, page):
    address, lines = page(), 100_000
    browser = Socket(address)
    browser.next("snapshot")
    log = ros.publisher(Log, "/rosout", QoSProfile(depth=1000, durability=DurabilityPolicy.TRANSIENT_LOCAL))
    for k in range(lines):
        log.publish(Log(level=20, name="flood", msg=f"line {k}"))
    log.publish(Log(level=40, name="flood", msg="the last one"))
    told, hellos, at_once, last = 0, 0, 0, None
    begin = time.monotonic()
    while last != "the last one":
        assert time.monotonic() < begin + 60, "the end of it never came"
        message = json.loads(browser.socket.recv())
        hellos += message["type"] == "hello"
        if message["type"] == "log":
            told, at_once, last = told + len(message["lines"]), max(at_once, len(message["lines"])), message["lines"][-1]["text"]
    print(f"\n{told} of {lines} lines were told")
    assert hellos == 0, "who misses lines is not told everything anew"
    assert at_once <= 20
    # Whoever comes later has the newest ones, with their numbers.
    late = Socket(address).next("log")
    assert late["lines"][-1]["text"] == "the last one" and late["first"] + len(late["lines"]) > told


def test_a_node_that_was_started_again_while_nobody_watched_is_read_anew(ros, page):
    address = page()
    node = ros.start("sync_node", params={"period": 0.02})
    value = lambda data, name: next(one["value"] for one in data if one["name"] == name)

    def period():
        """As somebody sees it who opens the page now."""
        browser = Socket(address)
        try:
            ros.wait(lambda: (answer := browser.ask(type="parameters", node="sync_node"))["ok"] and answer, "the parameters")
            time.sleep(1.0)
            return value(browser.ask(type="parameters", node="sync_node")["data"], "period")
        finally:
            browser.close()

    assert period() == 0.02
    assert node.stop() == 0
    time.sleep(2.5)
    ros.start("sync_node", params={"period": 0.05})
    ros.wait(lambda: period() == 0.05, "the value of the one that runs now")


def test_what_is_no_number_and_what_is_nowhere_is_unknown(ros, page):
    browser = Socket(page())
    odom, joints, margin = ros.publisher(Odometry, "odom"), ros.publisher(JointState, "joints"), ros.publisher(Float64, "gait_node/stability_margin")

    def strict(text):
        raise AssertionError(f"{text} is no JSON")

    def after(x):
        """A snapshot of after that was heard."""
        message = Odometry()
        message.pose.pose.position.x = message.twist.twist.linear.x = x
        message.pose.pose.orientation.w = 1.0
        end = time.monotonic() + 60
        while time.monotonic() < end:
            odom.publish(message)
            joints.publish(JointState(name=["a", "b"], position=[x, 0.5]))
            margin.publish(Float64(data=x))
            told = json.loads(browser.socket.recv(), parse_constant=strict)
            if told["type"] == "snapshot" and "commanded" in told and ("odom" in told) == (math.isfinite(x) and abs(x) < 1e6):
                return told
        raise AssertionError("it was not heard")

    assert after(0.25)["odom"]["position"] == [0.25, 0.0, 0.0]
    for x in (math.nan, math.inf, -math.inf, 1e300):
        told = after(x)
        assert told["commanded"][1] == 0.5 and "truth" not in told
    assert after(-0.5)["odom"]["velocity"][0] == -0.5


def test_the_limits_of_driving_are_told_when_they_change_and_the_token_never(ros, page):
    token = "0123456789abcdef"
    browser = Socket(page(token=token), token=token)
    assert browser.next("limits")["speeds"] == [0.12, 0.05, 0.4]
    answer = ros.wait(lambda: (a := browser.ask(type="parameters", node="page_node"))["ok"] and a, "its own parameters")
    assert token not in json.dumps(answer) and any(one["name"] == "forward_speed" and one["range"] for one in answer["data"])
    assert browser.ask(type="set", node="page_node", name="forward_speed", value=0.3)["ok"]
    other = Socket(("127.0.0.1", browser.socket.sock.getpeername()[1]), token=token)
    assert other.next("limits")["speeds"][0] == 0.3
    assert browser.ask(type="undo")["ok"]
    assert other.next("limits")["speeds"][0] == 0.12


def test_a_robot_in_a_namespace_has_its_own_nodes_and_no_others(ros):
    inside = ["-r", "__ns:=/robot1"]
    browser = Socket(address_of(ros, ros.start("page_node", params={"http_port": 0}, ros_args=inside)))
    ros.start("sync_node", params={"period": 0.02}, ros_args=inside)
    ros.wait(lambda: browser.ask(type="parameters", node="sync_node")["ok"], "the parameters")
    ros.start("sync_node", params={"period": 0.05})
    other = ros.set_params("sync_node", period=0.04)
    assert other[0].successful
    period = lambda: next(one["value"] for one in browser.ask(type="parameters", node="sync_node")["data"] if one["name"] == "period")
    assert period() == 0.02, "what somebody sets on another robot"
    ros.set_params("/robot1/sync_node", period=0.03)
    ros.wait(lambda: period() == 0.03, "what somebody sets on this one")


def test_what_cannot_be_undone_now_can_be_later(ros, page):
    browser = Socket(page())
    node = ros.start("sync_node")
    ros.wait(lambda: browser.ask(type="parameters", node="sync_node")["ok"], "the parameters")
    assert browser.ask(type="set", node="sync_node", name="period", value=0.02)["ok"]
    assert node.stop() == 0
    ros.wait(lambda: dict(browser.next("health")["nodes"])["sync_node"] == "silent", "its silence")
    refused = browser.ask(type="undo")
    assert not refused["ok"] and "sync_node" in refused["text"]
    ros.start("sync_node", params={"period": 0.02})
    ros.wait(lambda: dict(browser.next("health")["nodes"])["sync_node"] == "alive", "its return")
    undone = browser.ask(type="undo")
    assert undone["ok"] and "0.01" in undone["text"], undone


def test_the_bodys_pose_is_seen_whoever_asks_for_it(ros, page):
    browser, poses = Socket(page()), ros.listen(Pose, "body_pose")
    ros.wait(lambda: browser.say(type="pose", position=[0.01, 0.0, -9.0], angles=[0.0, 0.1, 0.0]) or len(poses), "a pose")
    assert poses[-1].position.z == -0.3, "within reason"
    while "pose" not in (told := browser.next("snapshot")):
        pass
    assert told["pose"] == [0.01, 0.0, -0.3, 0.0, 0.1, 0.0]
    other = ros.publisher(Pose, "body_pose")
    asked = Pose()
    asked.position.y, asked.orientation.w = 0.02, 1.0
    ros.wait(lambda: other.publish(asked) or browser.next("snapshot")["pose"] == [0.0, 0.02, 0.0, 0.0, 0.0, 0.0], "that of another")


def count(file):
    return sum(1 for _ in make_reader(open(file, "rb")).iter_messages())


def test_a_recording_leaves_room_on_the_disk_and_everybody_hears_of_its_end(ros, tmp_path):
    """A disk of 60 MB, of which 50 belong to others."""
    enter = ["unshare", "--mount", "--map-root-user"]
    disk = f"mount -t tmpfs -o size=60m none {tmp_path} && "
    if not shutil.which("unshare") or subprocess.run([*enter, "sh", "-c", disk + "true"], capture_output=True).returncode:
        pytest.skip("no small disk can be made here: unshare, or its permission, is missing")
    command = f'{disk} exec {BIN}/page_node --ros-args -p http_port:=0 -p recordings:={tmp_path}'
    process = Process([*enter, "sh", "-c", command], ros.env)
    ros.processes.append(process)
    browser = Socket(address_of(ros, process))
    said = ros.publisher(JointState, "joints")
    # Noise: it cannot be made smaller.
    noise = memoryview(random.Random(1).randbytes(80_000)).cast("d")
    noise = [x for x in noise if math.isfinite(x)]
    pose = JointState(name=["a"], position=[0.5], velocity=noise)
    assert browser.ask(type="record")["ok"]
    browser.socket.settimeout(60)
    end, notice, is_running = time.monotonic() + 60, None, True
    while not notice or is_running:
        assert time.monotonic() < end, "it does not end"
        said.publish(pose)
        message = json.loads(browser.socket.recv())
        notice = message["text"] if message["type"] == "notice" else notice
        is_running = message["name"] is not None if message["type"] == "recording" else is_running
    assert "disk" in notice and "recorded" in notice, notice
    # Seen through the process: the disk is in its world alone.
    (file,) = pathlib.Path(f"/proc/{process.child.pid}/root{tmp_path}").glob("*.mcap")
    # It looks every megabyte, and a piece of the file is another one.
    assert 1_000_000 < file.stat().st_size < 60 * 2**20 - 50_000_000 + 3_000_000 and count(file) > 20
    assert not list(file.parent.glob(".*")), "no part is left"
    refused = browser.ask(type="record")
    assert not refused["ok"] and "disk" in refused["text"], refused
