"""odometry_replay on bags that are cut off, damaged or wrong, and on a disk that is full."""

import pathlib
import resource
import struct
import subprocess
import tempfile

import bags
import conftest
import pytest
import zstandard
from bags import START, complete, read, stamped, write_mcap, write_sqlite
from gait_msgs.msg import SupportState
from mcap.writer import CompressionType
from replaying import CYCLES, assert_exact, command, messages, replay  # noqa: F401
from sensor_msgs.msg import JointState


@pytest.mark.parametrize("compression", [CompressionType.NONE, CompressionType.ZSTD, CompressionType.LZ4])
def test_of_a_cut_off_bag_every_complete_message_is_used(replay, messages, tmp_path, compression):
    write_mcap(tmp_path / "bag.mcap", messages, compression, chunk_size=1 << 14)
    whole = (tmp_path / "bag.mcap").read_bytes()
    assert complete(whole, "/joints") == CYCLES
    counts = set()
    for share in (0.1, 0.3, 0.45, 0.6, 0.75, 0.9, 0.999):
        cut = whole[: int(share * len(whole))]
        (tmp_path / "cut.mcap").write_bytes(cut)
        out, text = replay(tmp_path / "cut.mcap")
        assert "ends early" in text
        found = read(out)
        assert len(found["/odom"]) == complete(cut, "/joints"), share
        assert_exact(found, len(found["/odom"]))
        counts.add(len(found["/odom"]))
    assert len(counts) > 4 and max(counts) == CYCLES, "the cuts were at different places"


def test_of_a_damaged_database_what_can_be_read_is_used(replay, messages, tmp_path):
    write_sqlite(tmp_path / "bag.db3", messages)
    whole = (tmp_path / "bag.db3").read_bytes()
    (tmp_path / "cut.db3").write_bytes(whole[: len(whole) * 2 // 3])
    out, text = replay(tmp_path / "cut.db3")
    assert "ends early" in text
    found = read(out)
    assert len(found["/odom"]) > 20
    assert_exact(found, len(found["/odom"]))


def test_mistakes_are_one_line(replay, messages, tmp_path):
    assert "there is no bag" in replay(tmp_path / "nowhere", code=1)[1]
    (tmp_path / "text.mcap").write_text("this is no bag at all, whatever it says")
    assert "is no mcap file" in replay(tmp_path / "text.mcap", code=1)[1]
    (tmp_path / "text.db3").write_text("this is no bag at all, whatever it says" * 100)
    assert "is no sqlite3 bag" in replay(tmp_path / "text.db3", code=1)[1]
    (tmp_path / "empty").mkdir()
    assert "no .mcap and no .db3" in replay(tmp_path / "empty", code=1)[1]
    wrong = [("/joints", START, SupportState())]
    kinds = dict(bags.KINDS)
    bags.KINDS["joints"] = "std_msgs/msg/String"
    write_mcap(tmp_path / "wrong.mcap", wrong)
    bags.KINDS.update(kinds)
    assert "is a std_msgs/msg/String, not a sensor_msgs/msg/JointState" in replay(tmp_path / "wrong.mcap", code=1)[1]
    write_mcap(tmp_path / "bag.mcap", messages)
    assert '"--nonsense"' in replay(tmp_path / "bag.mcap", "--nonsense", code=1)[1]
    assert not list(tmp_path.glob("*.part"))


def test_a_full_disk_is_one_line_and_leaves_nothing_behind(root, messages, tmp_path):
    write_mcap(tmp_path / "bag.mcap", messages * 12)
    words = command(root, tmp_path / "bag.mcap", "--out", tmp_path / "out.mcap")
    # Files may not grow beyond a megabyte; Python ignores the signal of this, and so does its child.
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    done = subprocess.run(words, capture_output=True, text=True, preexec_fn=limit, restore_signals=False, timeout=conftest.LIMIT)
    assert done.returncode == 1 and "out.mcap" in done.stderr and len(done.stderr.splitlines()) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bag.mcap"]


def memory(gigabytes):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (gigabytes << 30, gigabytes << 30))


def records(data):
    """Where the records of an mcap file begin, outside and inside of plain chunks."""
    at = 8
    while at + 9 <= len(data):
        kind, size = struct.unpack_from("<BQ", data, at)
        yield at, kind
        plain = kind == 6 and struct.unpack_from("<I", data, at + 9 + 28) == (0,)
        at += 9 + (40 if plain else size)


@pytest.mark.parametrize("compression", [CompressionType.NONE, CompressionType.ZSTD, CompressionType.LZ4])
def test_lengths_that_lie_reserve_no_memory(root, messages, tmp_path, compression):
    """Every kind of record claims gigabytes, in a process that may have one."""
    write_mcap(tmp_path / "bag.mcap", messages[:60], compression, chunk_size=1 << 12)
    whole = (tmp_path / "bag.mcap").read_bytes()
    places = {}
    for at, kind in records(whole):
        places.setdefault(kind, []).append(at)
    lies = [(1, "<Q", claim) for claim in (1 << 26, (1 << 26) + 1, 1 << 32, (1 << 63) - 1, (1 << 64) - 1)]
    lies += [(25, "<Q", 1 << 33), (37, "<I", 0xFFFFFFFF)]
    seen = 0
    for kind, starts in places.items():
        for at in starts[:: max(1, len(starts) // 2)][:2]:
            for offset, form, claim in lies:
                if kind != 6 and offset != 1:
                    continue
                data = bytearray(whole)
                struct.pack_into(form, data, at + offset, claim)
                (tmp_path / "lie.mcap").write_bytes(data)
                words = command(root, tmp_path / "lie.mcap", "--quiet")
                done = subprocess.run(words, capture_output=True, text=True, preexec_fn=memory(1), timeout=conftest.LIMIT)
                assert done.returncode in (0, 1) and "panicked" not in done.stderr, (kind, at, claim, done.stderr)
                seen += 1
    assert seen > 20 and set(places) >= {3, 4, 6}


@pytest.mark.parametrize("name", ["bomb.mcap.zstd", "bomb.db3.zstd", "bomb.mcap"])
def test_what_unpacks_without_end_is_refused(root, messages, tmp_path, name):
    head = b"\x89MCAP0\r\n"
    zeros = zstandard.ZstdCompressor(level=19).compress(bytes(300 << 20))
    if name == "bomb.mcap":
        chunk = struct.pack("<QQQI", 0, 0, 300 << 20, 0) + struct.pack("<I4sQ", 4, b"zstd", len(zeros)) + zeros
        data = head + struct.pack("<BQ", 6, len(chunk)) + chunk
    else:
        data = zstandard.ZstdCompressor(level=19).compress(head + bytes(300 << 20))
    (tmp_path / name).write_bytes(data)
    words = command(root, tmp_path / name)
    done = subprocess.run(words, capture_output=True, text=True, preexec_fn=memory(1), timeout=conftest.LIMIT)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1, done.stderr
    assert not [path for path in pathlib.Path(tempfile.gettempdir()).glob("*odometry_replay_bomb*")]


def test_messages_that_are_malformed_are_counted_and_left_out(replay, messages, tmp_path):
    bad = stamped(JointState(name=["leg1_hip_yaw"], position=[0.0]), START + 5)
    write_mcap(tmp_path / "bag.mcap", [*messages[:100], ("/joints", messages[99][1] + 1, bad), *messages[100:]])
    out, text = replay(tmp_path / "bag.mcap")
    assert "1 messages refused; the first was joints: " in text
    assert_exact(read(out))
