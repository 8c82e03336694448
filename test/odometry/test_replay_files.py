"""What odometry_replay writes and never writes: files that exist, folders, topics passed on, parts of a bag, comparisons."""

import os
import re
import subprocess
import xml.etree.ElementTree as xml

import bags
import conftest
import numpy as np
import pytest
import yaml
import zstandard
from bags import START, read, stamped, write_mcap, write_metadata, write_sqlite
from gait import Trot, exp, quaternion
from mcap.reader import make_reader
from nav_msgs.msg import Odometry
from replaying import CYCLES, assert_exact, command, messages, replay  # noqa: F401
from std_msgs.msg import String

bags.KINDS.update(odom="nav_msgs/msg/Odometry", robot_description="std_msgs/msg/String")


def run(words, code=0):
    done = subprocess.run([str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=conftest.LIMIT)
    assert done.returncode == code, done.stdout
    return done.stdout


def content(folder):
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_no_input_and_nothing_that_exists_is_replaced(root, messages, tmp_path):
    bag = tmp_path / "bag"
    bag.mkdir()
    write_mcap(bag / "bag_0.mcap", messages)
    write_metadata(bag, ["bag_0.mcap"])
    (tmp_path / "link.mcap").symlink_to(bag / "bag_0.mcap")
    os.link(bag / "bag_0.mcap", tmp_path / "hard.mcap")
    (tmp_path / "way").symlink_to(bag)
    (tmp_path / "old.svg").write_text("old")
    before = content(tmp_path)
    inputs = [bag / "bag_0.mcap", bag, bag / "metadata.yaml", tmp_path / "link.mcap", tmp_path / "hard.mcap", tmp_path / "way" / "bag_0.mcap"]
    inputs += [bag / ".." / "bag" / "bag_0.mcap", root / "config" / "pony.urdf", root / "config" / "robot.yaml"]
    for option in ("--out", "--plot"):
        for target in inputs:
            for force in ([], ["--force"]):
                assert "is what is read" in run(command(root, bag, option, target, *force), code=1), (option, target)
        assert "exists" in run(command(root, bag, option, tmp_path / "old.svg"), code=1)
        assert content(tmp_path) == before
    run(command(root, bag, "--plot", tmp_path / "old.svg", "--force"))
    xml.parse(tmp_path / "old.svg")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bag", "hard.mcap", "link.mcap", "old.svg", "way"]


def test_a_folder_is_a_rosbag2_for_other_readers(root, messages, tmp_path, replay):
    write_mcap(tmp_path / "in.mcap", [("/robot_description", START - 5, String(data="<robot/>")), *messages])
    words = command(root, tmp_path / "in.mcap", "--out", tmp_path / "walk", "--pass", "*")
    run(words)
    assert sorted(p.name for p in (tmp_path / "walk").iterdir()) == ["metadata.yaml", "walk_0.mcap"]
    about = yaml.safe_load((tmp_path / "walk" / "metadata.yaml").read_text())["rosbag2_bagfile_information"]
    counts = {t["topic_metadata"]["name"]: t["message_count"] for t in about["topics_with_message_count"]}
    assert counts == {**dict.fromkeys(["/body", "/odom", "/tf", "/support_out", "/joints", "/support"], CYCLES), "/robot_description": 1}
    times = [ns for _, ns, _ in messages] + [START - 5]
    assert about["starting_time"]["nanoseconds_since_epoch"] == min(times)
    assert about["duration"]["nanoseconds"] == max(times) - min(times)
    assert about["message_count"] == sum(counts.values()) == about["files"][0]["message_count"]
    # A second opinion: rosbags, which reads rosbag2 folders without ROS.
    rosbag2 = pytest.importorskip("rosbags.rosbag2")
    with rosbag2.Reader(tmp_path / "walk") as reader:
        assert {c.topic: c.msgcount for c in reader.connections} == counts
        assert reader.message_count == about["message_count"] and reader.start_time == min(times)
        seen = {}
        for connection, time, data in reader.messages():
            seen.setdefault(connection.topic, []).append((time, bytes(data)))
    assert {topic: len(list_) for topic, list_ in seen.items()} == counts
    with open(tmp_path / "in.mcap", "rb") as file:
        given = [(channel.topic, (record.log_time, record.data)) for _, channel, record in make_reader(file).iter_messages()]
    for topic in ("/joints", "/support", "/robot_description"):
        assert seen[topic] == [message for name, message in given if name == topic]
    # A folder is replaced only with --force, and only when it is nothing but a bag.
    before = content(tmp_path / "walk")
    assert "--force" in run(words, code=1) and content(tmp_path / "walk") == before
    run([*words, "--force"])
    assert content(tmp_path / "walk") == before, "the same bytes"
    (tmp_path / "walk" / "diary.txt").write_text("mine")
    assert "more than a bag" in run([*words, "--force"], code=1)
    # Its own output is a bag that it reads: the same walk comes out.
    (tmp_path / "walk" / "diary.txt").unlink()
    assert_exact(read(replay(tmp_path / "walk")[0]))


def test_topics_that_are_written_or_missing_are_not_passed(root, messages, tmp_path):
    write_mcap(tmp_path / "in.mcap", [*messages, ("/odom", START, stamped(Odometry(), START))])
    out = tmp_path / "out.mcap"
    assert "writes this topic itself" in run(command(root, tmp_path / "in.mcap", "--out", out, "--pass", "odom"), code=1)
    assert not out.exists()
    text = run(command(root, tmp_path / "in.mcap", "--out", out, "--pass", "*", "--pass", "/nowhere"))
    assert "--pass /nowhere: the bag has no such topic" in text
    assert "needs --out" in run(command(root, tmp_path / "in.mcap", "--pass", "*"), code=1)


def test_the_robot_comes_from_the_bag_and_parameters_from_the_command_line(root, messages, tmp_path):
    urdf = (root / "config" / "pony.urdf").read_text()
    described = [*messages[:40], ("/robot_description", messages[40][1], String(data=urdf)), *messages[40:]]
    for name, write in (("with.mcap", write_mcap), ("with.db3", write_sqlite)):
        write(tmp_path / name, described)
    write_mcap(tmp_path / "without.mcap", messages)
    binary, robot = conftest.BIN / "odometry_replay", ["--config", root / "config" / "robot.yaml"]
    assert "no /robot_description; give --urdf" in run([binary, tmp_path / "without.mcap", *robot], code=1)
    expected = tmp_path / "expected.mcap"
    rules = ["-p", "method:=fit", "-p", "position_tolerance:=0.001", "-p", "angle_tolerance:=0.01", "-p", "odom_frame:=world"]
    run(command(root, tmp_path / "without.mcap", "--out", expected, *rules))
    assert read(expected)["/odom"][0][1].header.frame_id == "world"
    assert_exact(read(expected))
    for name in ("with.mcap", "with.db3"):
        out = tmp_path / f"{name}.out.mcap"
        run([binary, tmp_path / name, *robot, "--out", out, *rules])
        assert out.read_bytes() == expected.read_bytes(), name
    for rule, word in (("nonsense:=1", "nonsense"), ("position_tolerance:=9", "position_tolerance"), ("method", "name:=value")):
        assert word in run(command(root, tmp_path / "without.mcap", "-p", rule), code=1)


def test_a_part_of_a_bag(replay, messages, tmp_path):
    write_mcap(tmp_path / "bag.mcap", messages)
    whole = [ns for ns, _ in read(replay(tmp_path / "bag.mcap")[0])["/odom"]]
    out, text = replay(tmp_path / "bag.mcap", "--from", "0.5", "--to", "1.0")
    assert [ns for ns, _ in read(out)["/odom"]] == whole[50:101] and "51 cycles in 0.50 s" in text
    assert "between --from and --to" in replay(tmp_path / "bag.mcap", "--from", "60", code=1)[1]
    assert "lies behind" in replay(tmp_path / "bag.mcap", "--from", "2", "--to", "1", code=1)[1]
    assert "seconds" in replay(tmp_path / "bag.mcap", "--from", "soon", code=1)[1]


def test_single_files_of_packed_bags_and_metadata_that_is_damaged(replay, messages, tmp_path):
    write_mcap(tmp_path / "plain.mcap", messages)
    expected = replay(tmp_path / "plain.mcap")[0].read_bytes()
    write_sqlite(tmp_path / "plain.db3", messages)
    for name in ("plain.mcap", "plain.db3"):
        (tmp_path / f"{name}.zstd").write_bytes(zstandard.compress((tmp_path / name).read_bytes()))
        assert replay(tmp_path / f"{name}.zstd")[0].read_bytes() == expected
    write_mcap(tmp_path / "each.mcap", messages, message_zstd=True)
    write_sqlite(tmp_path / "each.db3", messages, message_zstd=True)
    for name in ("each.mcap", "each.db3"):
        assert replay(tmp_path / name)[0].read_bytes() == expected
    bag = tmp_path / "bag"
    bag.mkdir()
    write_mcap(bag / "bag_0.mcap", messages)
    for text, word in (("a: [", "line"), ("rosbag2_bagfile_information: {relative_file_paths: [../plain.mcap]}", "does not lie in the bag")):
        (bag / "metadata.yaml").write_text(text)
        said = replay(bag, code=1)[1]
        assert "metadata.yaml" in said and word in said and "remove it" in said


def odometry(ns, place, turn):
    message = stamped(Odometry(), ns)
    p, q = message.pose.pose.position, message.pose.pose.orientation
    p.x, p.y, p.z = map(float, place)
    q.x, q.y, q.z, q.w = map(float, quaternion(turn))
    return message


def test_errors_against_the_truth_are_those_of_another_implementation(root, messages, tmp_path):
    """ATE and RPE by numpy, in the words of Sturm et al. and Zhang and Scaramuzza."""
    rng, trot = np.random.default_rng(7), Trot()
    frame, shift = exp(np.array([0, 0, 0.8])), np.array([3.0, -2.0, 0.1])
    truth, estimate = [], []
    for cycle in range(CYCLES):
        place, turn = trot.body(cycle * 0.01)
        truth.append((frame @ place + shift, frame @ turn))
        estimate.append((1.02 * place + 0.002 * rng.normal(size=3), exp(0.01 * rng.normal(size=3)) @ turn))
    topics = {"/truth/odom": truth, "/odom": estimate}
    for name, topic in (("b.mcap", "/truth/odom"), ("a.mcap", "/odom")):
        write_mcap(tmp_path / name, [(topic, START + k * 10**7, odometry(START + k * 10**7, *pose)) for k, pose in enumerate(topics[topic])])
    text = run([conftest.BIN / "odometry_replay", "--compare", tmp_path / "a.mcap", tmp_path / "b.mcap"])
    e, t = np.array([p for p, _ in estimate]), np.array([p for p, _ in truth])
    ec, tc = e - e.mean(axis=0), t - t.mean(axis=0)
    angles = np.linspace(-np.pi, np.pi, 200001)  # by search, not by a formula
    flat = ec[:, 0] + 1j * ec[:, 1], tc[:, 0] + 1j * tc[:, 1]
    best = angles[np.argmax((np.exp(1j * angles) * np.vdot(flat[1], flat[0])).real)]
    ate = np.sqrt((np.linalg.norm(ec @ exp(np.array([0, 0, best])).T - tc, axis=1) ** 2).mean())
    steps = []
    for k in range(CYCLES - 100):
        move = lambda poses: (poses[k][1].T @ (poses[k + 100][0] - poses[k][0]), poses[k][1].T @ poses[k + 100][1])
        (true_move, true_turn), (own_move, own_turn) = move(truth), move(estimate)
        cosine = (np.trace(true_turn.T @ own_turn) - 1) / 2
        steps.append((np.linalg.norm(true_turn.T @ (own_move - true_move)), np.degrees(np.arccos(min(1, cosine)))))
    rpe = np.sqrt((np.array(steps) ** 2).mean(axis=0))
    said = [float(x) for x in re.search(r"ATE ([\d.]+) m\s+RPE over 1 s ([\d.]+) m, ([\d.]+)°", text).groups()]
    assert said == pytest.approx([ate, *rpe], abs=6e-4), text
    # The same in a replay whose bag has the truth; the trot is exact, so nothing but rounding is off.
    both = sorted([*messages, *((f"/truth/odom", START + k * 10**7, odometry(START + k * 10**7, *pose)) for k, pose in enumerate(truth))], key=lambda m: m[1])
    write_mcap(tmp_path / "both.mcap", both)
    plot = tmp_path / "both.svg"
    rules = ["-p", "method:=fit", "-p", "position_tolerance:=0.001", "-p", "angle_tolerance:=0.01"]
    text = run(command(root, tmp_path / "both.mcap", "--plot", plot, *rules))
    assert "ATE 0.0000 m" in text and "at the end 0.0000 m (0.00 %), heading 0.00°" in text
    assert "truth" in "".join(xml.parse(plot).getroot().itertext())
    noisy = run(command(root, tmp_path / "both.mcap", "--plot", plot, "--force", "-p", "method:=filter", "-p", "joint_noise:=0.05"))
    assert "ATE" in noisy and any(e.tag.endswith("ellipse") for e in xml.parse(plot).getroot().iter())
    later = [("/odom", ns + 10**12, odometry(ns + 10**12, *truth[0])) for ns in range(START, START + 10**9, 10**8)]
    write_mcap(tmp_path / "later.mcap", later)
    words = [conftest.BIN / "odometry_replay", "--compare", tmp_path / "a.mcap", tmp_path / "later.mcap"]
    assert "no times in common" in run(words, code=1)
