"""Recordings that are made, listed, downloaded and replayed from the page."""

import io
import os
import sys
import time

import yaml
from conftest import ROOT, Process
from gait_msgs.msg import SupportState
from mcap.reader import make_reader
from page import Socket, address_of, get
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64, String


def drive_until(browser, condition, **stick):
    """Holds the stick until something is so."""
    end = time.monotonic() + 60.0
    while not condition():
        assert time.monotonic() < end, "it did not come to that"
        browser.say(type="drive", **({"forward": 0.5, "left": 0.0, "turn": 0.0} | stick))
        time.sleep(0.05)


def test_a_walk_is_recorded_as_it_was_and_replayed(ros, tmp_path):
    port = f"/tmp/gaitway_page_{os.getpid()}_{ros.domain}"
    arguments = ["sim:=servos", f"port:={port}", "page:=true", "page_port:=0", f"page_folder:={tmp_path}"]
    launch = Process([sys.executable, str(ROOT / "tools/launch"), "pony.launch.xml", *arguments], ros.env)
    ros.processes.append(launch)
    heard, support = ros.listen(JointState, "joints", 200), ros.listen(SupportState, "support", 200)
    address = address_of(ros, launch)
    ros.wait(lambda: "gait_node]: standing" in launch.output, "the pony stands")
    browser = Socket(address)
    ros.wait(lambda: browser.ask(type="parameters", node="odometry_node")["ok"], "the parameters of odometry_node")
    assert not browser.ask(type="end_recording")["ok"]
    assert browser.ask(type="record", label="walk")["ok"]
    again = browser.ask(type="record")
    assert not again["ok"] and "already" in again["text"], again
    first = len(heard)
    # A walk of some steps, watched by another program as well.
    lifted = lambda: sum(any(value == 0 for value in m.support) for m in support.messages)
    drive_until(browser, lambda: lifted() > 300)
    last = len(heard)
    ended = browser.ask(type="end_recording")
    assert ended["ok"] and "lost" not in ended["text"], ended

    (name,) = [one["name"] for one in browser.ask(type="recordings")["data"]]
    assert name.startswith("walk_") and name.endswith(".mcap")
    status, data = get(address, f"/recordings/{name}")
    assert status == 200
    messages = {}
    for schema, channel, message in make_reader(io.BytesIO(data)).iter_messages():
        assert channel.message_encoding == "cdr" and schema.encoding == "ros2msg" and schema.data, channel.topic
        messages.setdefault(channel.topic, []).append((schema.name, message))
    for topic in ("/sync", "/joints", "/goals", "/joint_states", "/support", "/odom", "/cmd_vel", "/battery_state", "/torque", "/robot_description", "/rosout"):
        assert topic in messages, (topic, sorted(messages))
    assert messages["/joints"][0][0] == "sensor_msgs/msg/JointState"
    # Every pose is there as the other program heard it; at the ends the two begin and stop at different times.
    stamp = lambda m: (m.header.stamp.sec, m.header.stamp.nanosec)
    recorded = {stamp(m): m for m in (deserialize_message(message.data, JointState) for _, message in messages["/joints"])}
    middle = heard.messages[first + 20 : last - 20]
    missing = [m for m in middle if stamp(m) not in recorded]
    print(f"\n{len(messages['/joints'])} poses recorded, {len(missing)} of {len(middle)} not among them")
    assert len(missing) < 0.05 * len(middle)
    assert all(recorded[stamp(m)] == m for m in middle if stamp(m) in recorded)
    times = [message.log_time for _, message in messages["/joints"]]
    assert times == sorted(times)
    (_, description), *_ = messages["/robot_description"]
    # As the launch file passes it on, without comments and space between its lines.
    urdf = deserialize_message(description.data, String).data
    assert urdf == get(address, "/robot.urdf")[1].decode()
    assert all(f'name="{joint}"' in urdf for joint in middle[0].name)

    # What was tuned is saved beside, as a file that a node takes.
    ros.wait(lambda: browser.ask(type="parameters", node="gait_node")["ok"], "the parameters of gait_node")
    assert browser.ask(type="set", node="gait_node", name="lift", value=0.04)["ok"]
    assert browser.ask(type="save", node="gait_node")["ok"]
    saved = yaml.safe_load((tmp_path / "tuned/gait_node.yaml").read_text())
    assert saved["/**/gait_node"]["ros__parameters"]["lift"] == 0.04

    # The odometry of it, with the parameters of now, and its picture; from commanded joints and from measured ones.
    for measured in (False, True):
        answer = browser.ask(type="replay", name=name, measured=measured)
        assert answer["ok"], answer
        status, picture = get(address, f"/recordings/{answer['data']['picture']}")
        assert status == 200 and picture.lstrip().startswith((b"<svg", b"<?xml")), picture[:80]
    print(answer["text"])
    assert sorted(one["name"] for one in browser.ask(type="recordings")["data"]) == [name, name.replace(".mcap", ".svg")], "nothing is left lying about"
    for bad in ("../secret.mcap", "nothing.mcap", "", "--help"):
        assert not browser.ask(type="replay", name=bad)["ok"], bad


def test_a_recording_ends_where_it_must(ros, tmp_path):
    folder = tmp_path / "bags"
    process = ros.start("page_node", params={"http_port": 0, "recordings": str(folder), "recording_size": 1})
    browser = Socket(address_of(ros, process))
    for bad in ("../x", "a/b", ".hidden", "x" * 61, "a b", "a\n"):
        assert not browser.ask(type="record", label=bad)["ok"], bad
    assert not list(tmp_path.rglob("*x*")), "nothing was written"
    # As large as it may be: it ends by itself, and is whole.
    said = ros.node.create_publisher(JointState, "joints", 100)
    pose = JointState(name=[f"joint_{k}" for k in range(1000)], position=[0.5] * 1000)
    assert browser.ask(type="record")["ok"]
    end = time.monotonic() + 60.0
    while not (found := list(folder.glob("*.mcap"))):
        assert time.monotonic() < end, "it does not end"
        said.publish(pose)
        time.sleep(0.005)
    assert "recording_size" in ros.wait(lambda: next((line for line in process.lines if "recorded " in line), None), "what is said of it")
    count = lambda file: sum(1 for _ in make_reader(open(file, "rb")).iter_messages())
    assert count(found[0]) * len(serialize_message(pose)) > 1_000_000
    # The node ends while it records: what there is, is whole.
    time.sleep(1.0)
    assert browser.ask(type="record", label="last")["ok"]
    margins = ros.node.create_publisher(Float64, "gait_node/stability_margin", 10)
    ros.wait(lambda: margins.publish(Float64(data=1.0)) or browser.next("recording")["messages"] > 5, "some messages")
    assert process.stop() == 0
    (last,) = folder.glob("last_*.mcap")
    assert count(last) > 5
    assert not list(folder.glob(".*")), "no part is left"


def test_without_a_folder_nothing_is_recorded(ros):
    process = ros.start("page_node", params={"http_port": 0})
    browser = Socket(address_of(ros, process))
    assert browser.next("hello")["can_record"] is False
    for message in ({"type": "record"}, {"type": "replay", "name": "a.mcap"}):
        answer = browser.ask(**message)
        assert not answer["ok"], answer
    assert browser.ask(type="recordings")["data"] == []
