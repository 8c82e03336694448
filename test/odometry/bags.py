"""Bags for the tests: written with the mcap library, sqlite3 and rclpy's own serialisation, read with mcap_ros2."""

import sqlite3
import struct

import lz4.frame
import zstandard
from gait import LEGS, Trot, quaternion
from gait_msgs.msg import SupportState, SyncStep
from geometry_msgs.msg import Transform, Twist
from mcap.reader import make_reader
from mcap.writer import CompressionType, Writer
from mcap_ros2.decoder import DecoderFactory
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState, MultiDOFJointState

START = 1000 * 10**9
KINDS = {
    "joints": "sensor_msgs/msg/JointState",
    "support": "gait_msgs/msg/SupportState",
    "body_in": "sensor_msgs/msg/MultiDOFJointState",
    "sync": "gait_msgs/msg/SyncStep",
}


def stamped(message, ns):
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(ns, 10**9)
    return message


def trot_messages(cycles, supports=True):
    """(topic, time, message) of a trot, supports before the joints of their time."""
    trot = Trot()
    for cycle in range(cycles):
        ns = START + cycle * 10**7
        if supports:
            down = [float(trot.is_down(leg, cycle)) for leg in range(4)]
            yield "/support", ns + 1000, stamped(SupportState(name=list(LEGS), support=down), ns)
        joints = JointState(name=trot.names, position=list(trot.posture(cycle)))
        yield "/joints", ns + 2000, stamped(joints, ns)


def body_message(name, place, turn, linear, ns):
    """What body_in says: where a frame is, and how fast."""
    transform, twist = Transform(), Twist()
    transform.translation.x, transform.translation.y, transform.translation.z = map(float, place)
    q = transform.rotation
    q.x, q.y, q.z, q.w = map(float, quaternion(turn))
    twist.linear.x, twist.linear.y, twist.linear.z = map(float, linear)
    return stamped(MultiDOFJointState(joint_names=[name], transforms=[transform], twist=[twist]), ns)


def sync_message(cycle, ns, period=0.01):
    return stamped(SyncStep(cycle=cycle, period=period), ns)


def kind(topic):
    return KINDS.get(topic.rsplit("/")[-1], "std_msgs/msg/String")


def write_mcap(path, messages, compression=CompressionType.NONE, chunk_size=1 << 16, message_zstd=False):
    with open(path, "wb") as file:
        writer = Writer(file, compression=compression, chunk_size=chunk_size)
        writer.start(profile="ros2", library="test")
        channels = {}
        for topic, ns, message in messages:
            if topic not in channels:
                schema = writer.register_schema(kind(topic), "ros2msg", b"")
                channels[topic] = writer.register_channel(topic, "cdr", schema)
            data = serialize_message(message)
            if message_zstd:
                data = zstandard.compress(data)
            writer.add_message(channels[topic], log_time=ns, publish_time=ns, data=data)
        writer.finish()


def write_sqlite(path, messages, message_zstd=False):
    base = sqlite3.connect(path)
    base.executescript(
        "CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL,"
        " serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL, type_description_hash TEXT NOT NULL);"
        "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, data BLOB NOT NULL);"
        "CREATE INDEX timestamp_idx ON messages (timestamp ASC);"
    )
    topics = {}
    for topic, ns, message in messages:
        if topic not in topics:
            topics[topic] = len(topics) + 1
            base.execute("INSERT INTO topics VALUES (?, ?, ?, 'cdr', '', '')", (topics[topic], topic, kind(topic)))
        data = bytes(serialize_message(message))
        row = (topics[topic], ns, zstandard.compress(data) if message_zstd else data)
        base.execute("INSERT INTO messages (topic_id, timestamp, data) VALUES (?, ?, ?)", row)
    base.commit()
    base.close()


def write_metadata(folder, files, mode=""):
    lines = "".join(f"    - {file}\n" for file in files)
    (folder / "metadata.yaml").write_text(
        "rosbag2_bagfile_information:\n  version: 9\n  storage_identifier: mcap\n  relative_file_paths:\n"
        f"{lines}  compression_format: '{'zstd' if mode else ''}'\n  compression_mode: '{mode}'\n"
    )


def complete(data, topic):
    """How many messages of a topic lie whole in the first bytes of an mcap file, chunks that are cut off included."""
    expand = {
        b"": bytes,
        b"zstd": lambda packed: zstandard.ZstdDecompressor().decompressobj().decompress(packed),
        b"lz4": lambda packed: lz4.frame.LZ4FrameDecompressor().decompress(packed),
    }
    channels, count = {}, 0

    def records(data):
        nonlocal count
        at = 0
        while at + 9 <= len(data):
            kind, size = struct.unpack_from("<BQ", data, at)
            content, whole = data[at + 9 : at + 9 + size], at + 9 + size <= len(data)
            at += 9 + size
            if kind == 4 and whole:
                number, _, length = struct.unpack_from("<HHI", content)
                channels[number] = content[8 : 8 + length].decode()
            elif kind == 5 and whole:
                count += channels[struct.unpack_from("<H", content)[0]] == topic
            elif kind == 6 and len(content) > 32:
                (length,) = struct.unpack_from("<I", content, 28)
                packed = content[40 + length :]
                if len(content) > 40 + length:
                    records(expand[content[32 : 32 + length]](packed))

    records(data[8:])
    return count


def read(path):
    """topic -> [(time, message)]"""
    found = {}
    with open(path, "rb") as file:
        for _, channel, record, message in make_reader(file, decoder_factories=[DecoderFactory()]).iter_decoded_messages():
            found.setdefault(channel.topic, []).append((record.log_time, message))
    return found
