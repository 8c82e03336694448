"""odometry_replay on bags that other people's libraries wrote, read back by other people's libraries."""

import os
import pty
import re
import shutil
import subprocess
import xml.etree.ElementTree as xml

import bags
import numpy as np
import pytest
import zstandard
from bags import START, body_message, read, sync_message, write_mcap, write_metadata, write_sqlite
from gait import LEGS, Trot, matrix
from gait_msgs.msg import SupportState
from mcap.writer import CompressionType
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile
from replaying import CYCLES, assert_exact, command, messages, replay  # noqa: F401
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import String


def test_an_mcap_bag_gives_the_exact_way_on_every_topic_with_schemas(replay, messages, tmp_path):
    write_mcap(tmp_path / "bag.mcap", messages, CompressionType.ZSTD)
    out, text = replay(tmp_path / "bag.mcap", "--plot", str(tmp_path / "plot.svg"))
    found = read(out)
    assert sorted(found) == ["/body", "/odom", "/support_out", "/tf"]
    assert_exact(found)
    assert [time for time, _ in found["/odom"]] == [ns for topic, ns, _ in messages if topic == "/joints"]
    _, odom = found["/odom"][-1]
    _, body = found["/body"][-1]
    _, tf = found["/tf"][-1]
    _, support = found["/support_out"][-1]
    assert (odom.header.frame_id, odom.child_frame_id, len(odom.pose.covariance)) == ("odom", "base_link", 36)
    assert body.joint_names == ["base_link"] and body.transforms[0].translation.x == odom.pose.pose.position.x
    assert tf.transforms[0].child_frame_id == "base_link"
    assert tf.transforms[0].transform.rotation.w == odom.pose.pose.orientation.w
    assert support.name == list(LEGS) and support.contact == ["hoof"] * 4
    assert list(support.support) == list(messages[-2][2].support)
    assert f"{CYCLES} cycles in 1.49 s" in text and "leg4" in text and "slip per step 0.0 mm" in text
    svg = xml.parse(tmp_path / "plot.svg").getroot()
    words = "".join(svg.itertext())
    assert "path of the base" in words and "height" in words and "heading" in words and "gait" in words
    assert sum(e.tag.endswith("polyline") for e in svg.iter()) == 3


def test_twice_the_same_bag_gives_the_same_bytes(replay, messages, tmp_path):
    write_mcap(tmp_path / "bag.mcap", messages)
    first, _ = replay(tmp_path / "bag.mcap", "--plot", str(tmp_path / "1.svg"), out="1.mcap")
    second, _ = replay(tmp_path / "bag.mcap", "--plot", str(tmp_path / "2.svg"), out="2.mcap")
    assert first.read_bytes() == second.read_bytes()
    assert (tmp_path / "1.svg").read_bytes() == (tmp_path / "2.svg").read_bytes()
    third, _ = replay(tmp_path / "bag.mcap", "--compress", out="3.mcap")
    assert third.stat().st_size < first.stat().st_size
    assert_exact(read(third))


def test_every_kind_of_bag_gives_the_same_bytes(replay, messages, tmp_path):
    write_mcap(tmp_path / "plain.mcap", messages)
    expected = replay(tmp_path / "plain.mcap")[0].read_bytes()
    bags = {}

    def folder(name):
        (tmp_path / name).mkdir()
        bags[name] = tmp_path / name
        return tmp_path / name

    def zstd(path):
        path.with_name(path.name + ".zstd").write_bytes(zstandard.compress(path.read_bytes()))
        path.unlink()

    write_mcap(tmp_path / "lz4.mcap", messages, CompressionType.LZ4)
    bags["lz4"] = tmp_path / "lz4.mcap"
    write_sqlite(tmp_path / "bag.db3", messages)
    bags["sqlite"] = tmp_path / "bag.db3"
    split = folder("split")
    for part in range(12):
        write_mcap(split / f"bag_{part}.mcap", messages[part * 25 : (part + 1) * 25], CompressionType.ZSTD)
    write_metadata(split, [f"bag_{part}.mcap" for part in range(12)])
    bare = folder("without_metadata")
    shutil.copytree(split, bare, dirs_exist_ok=True)
    (bare / "metadata.yaml").unlink()
    packed = folder("file_zstd")
    write_mcap(packed / "a_0.mcap", messages[:100])
    write_mcap(packed / "a_1.mcap", messages[100:])
    zstd(packed / "a_0.mcap"), zstd(packed / "a_1.mcap")
    write_metadata(packed, ["a_0.mcap.zstd", "a_1.mcap.zstd"], "FILE")
    base = folder("sqlite_split_zstd")
    write_sqlite(base / "b_0.db3", messages[:77])
    write_sqlite(base / "b_1.db3", messages[77:])
    zstd(base / "b_0.db3"), zstd(base / "b_1.db3")
    write_metadata(base, ["b_0.db3.zstd", "b_1.db3.zstd"], "FILE")
    rows = folder("sqlite_message_zstd")
    write_sqlite(rows / "d_0.db3", messages, message_zstd=True)
    write_metadata(rows, ["d_0.db3"], "MESSAGE")
    single = folder("message_zstd")
    write_mcap(single / "c_0.mcap", messages, message_zstd=True)
    write_metadata(single, ["c_0.mcap"], "MESSAGE")
    for name, bag in bags.items():
        out, text = replay(bag, out=f"{name}.out.mcap")
        assert "warning" not in text, (name, text)
        assert out.read_bytes() == expected, name


def test_topics_by_name_and_by_option(replay, messages, tmp_path):
    renamed = [({"/joints": "/pony/joint_states", "/support": "/pony/feet"}[t], ns, m) for t, ns, m in messages]
    bags.KINDS.update(joint_states=bags.KINDS["joints"], feet=bags.KINDS["support"])
    write_mcap(tmp_path / "bag.mcap", renamed)
    _, text = replay(tmp_path / "bag.mcap", code=1)
    assert "/pony/joint_states" in text and "--joints" in text
    out, _ = replay(tmp_path / "bag.mcap", "--joints", "pony/joint_states", "--support", "/pony/feet")
    assert sorted(read(out)) == ["/pony/body", "/pony/odom", "/pony/support_out", "/tf"]
    # Contacts that are searched for are the ones that the gait meant.
    searched, _ = replay(tmp_path / "bag.mcap", "--joints", "/pony/joint_states", out="searched.mcap")
    told, found = read(out)["/pony/support_out"], read(searched)["/pony/support_out"]
    assert [list(m.support) for _, m in told] == [list(m.support) for _, m in found]


def test_body_in_and_sync_of_a_bag_are_used(replay, messages, tmp_path):
    at, trot = 60, Trot()
    shift = np.array([3.0, -2.0, 0.5])
    bag = []
    for topic, ns, message in messages:
        stamp = message.header.stamp.sec * 10**9 + message.header.stamp.nanosec
        cycle = (stamp - START) // 10**7
        if topic == "/support":
            bag.append(("/sync", ns - 1, sync_message(cycle + 1, stamp)))
            if cycle == at:
                place, turn = trot.body(cycle * 0.01)
                # Its stamp lies a little behind the joints', but in their cycle.
                told = body_message("base_link", place + shift, turn, [0.7, 0, 0], stamp + 10**6)
                bag += [("/body_in", ns, body_message("tail", place, turn, [0, 0, 0], stamp)), ("/body_in", ns, told)]
            if cycle == at + 5:
                bag.append(("/body_in", ns, body_message("base_link", [0, 0, 9], turn, [0, 0, 0], stamp - 3 * 10**7)))
        bag.append((topic, ns, message))
    write_mcap(tmp_path / "bag.mcap", bag)
    out, text = replay(tmp_path / "bag.mcap")
    assert '2 messages refused; the first was body_in: nothing is said of "base_link"' in text
    found = read(out)
    assert [message.cycle for _, message in found["/support_out"]] == list(range(1, CYCLES + 1))
    for cycle, (_, message) in enumerate(found["/odom"]):
        p = message.pose.pose.position
        expected = trot.body(cycle * 0.01)[0] + (shift if cycle >= at else 0)
        assert np.abs([p.x, p.y, p.z] - expected).max() < 1e-9, cycle
    assert found["/body"][at][1].twist[0].linear.x == pytest.approx(0.7, abs=1e-12)
    # None of it, when it is not wanted.
    out, text = replay(tmp_path / "bag.mcap", "--body-in", "", "--sync", "")
    assert "refused" not in text and {m.cycle for _, m in read(out)["/support_out"]} == {0}
    assert_exact(read(out))


def test_links_limbs_and_footprint_are_written_when_asked(replay, messages, tmp_path):
    write_mcap(tmp_path / "bag.mcap", messages)
    asked = tmp_path / "asked.yaml"
    flags = ("publish_link_tf", "publish_limb_poses", "publish_footprint")
    asked.write_text("odometry_node: {ros__parameters: {%s}}" % ", ".join(f"{flag}: true" for flag in flags))
    out, _ = replay(tmp_path / "bag.mcap", "--config", str(asked))
    found, trot = read(out), Trot()
    assert {len(found[topic]) for topic in ("/tf", "/limb_poses", "/odom")} == {CYCLES}
    frames = {f.child_frame_id: f for f in found["/tf"][-1][1].transforms}
    assert frames["base_footprint"].transform.translation.z == 0
    place, turn, link = np.array([0, 0, 0.05]), np.eye(3), "leg3_hoof"
    while link != "odom":
        f = frames[link].transform
        step = matrix([f.rotation.x, f.rotation.y, f.rotation.z, f.rotation.w])
        place = step @ place + [f.translation.x, f.translation.y, f.translation.z]
        link = frames[link].header.frame_id
    assert np.abs(place - trot.hoof(2, CYCLES - 1)[0]).max() < 1e-9
    _, limbs = found["/limb_poses"][-1]
    assert limbs.joint_names[:5] == [*LEGS, "head"] and limbs.header.frame_id == "base_link"
    at, (body, turn) = limbs.transforms[2].translation, trot.body((CYCLES - 1) * 0.01)
    assert np.abs(turn @ [at.x, at.y, at.z] + body - trot.hoof(2, CYCLES - 1)[0]).max() < 1e-9


def test_a_terminal_sees_the_progress_and_a_pipe_does_not(root, messages, tmp_path):
    # Several files: each is read at once, and the bar moves on with each.
    for part in range(6):
        write_mcap(tmp_path / f"bag_{part}.mcap", messages[part * 50 : (part + 1) * 50])
    words = command(root, tmp_path)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    seen = b""
    try:
        while piece := os.read(ours, 1 << 16):
            seen += piece
    except OSError:  # what a pseudo-terminal says when its other end is closed
        pass
    os.close(ours)
    summary, _ = process.communicate()
    assert process.returncode == 0 and b"cycles in" in summary and b"%" not in summary.split(b"\n")[0]
    shares = [float(text) for text in re.findall(r"([\d.]+) %", seen.decode())]
    assert len(shares) > 3 and shares == sorted(shares) and 0 < shares[0] and shares[-1] <= 100
    assert "█" in seen.decode() and seen.decode().endswith("\r"), "the bar is wiped out at the end"
    piped = subprocess.run(words, capture_output=True, text=True)
    assert piped.returncode == 0 and piped.stderr == ""


def test_live_with_clock_gives_the_same_as_offline(ros, root, messages, tmp_path, replay):
    write_mcap(tmp_path / "bag.mcap", messages)
    out, _ = replay(tmp_path / "bag.mcap")
    node = ros.start(
        "odometry_node",
        ros_args=["--params-file", str(root / "config" / "robot.yaml")],
        params={"use_sim_time": True, "method": "fit", "position_tolerance": 0.001, "angle_tolerance": 0.01},
    )
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    description = ros.publisher(String, "/robot_description", latched)
    description.publish(String(data=(root / "config" / "pony.urdf").read_text()))
    ros.wait(lambda: "8 chains" in node.output, "the robot")
    live = ros.listen(Odometry, "odom")
    ros.wait(lambda: ros.node.count_publishers("odom") > 0, "odom")
    clock = ros.publisher(Clock, "/clock")
    publishers = {"/joints": ros.publisher(JointState, "joints"), "/support": ros.publisher(SupportState, "support")}
    for topic, ns, message in messages:
        tick = Clock()
        tick.clock.sec, tick.clock.nanosec = divmod(ns, 10**9)
        clock.publish(tick)
        count = len(live)
        publishers[topic].publish(message)
        if topic == "/joints":
            ros.wait(lambda: len(live) > count, "an answer")
    offline = read(out)["/odom"]
    assert len(live) == len(offline)
    for ours, (_, theirs) in zip(live, offline):
        for a, b in ((ours.pose.pose.position, theirs.pose.pose.position), (ours.twist.twist.linear, theirs.twist.twist.linear)):
            assert max(abs(a.x - b.x), abs(a.y - b.y), abs(a.z - b.z)) < 1e-9
        a, b = ours.pose.pose.orientation, theirs.pose.pose.orientation
        assert max(abs(a.x - b.x), abs(a.y - b.y), abs(a.z - b.z), abs(a.w - b.w)) < 1e-9
