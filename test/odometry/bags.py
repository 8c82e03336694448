"""Bags for the tests: written with the mcap library, sqlite3 and rclpy's own serialisation, read with mcap_ros2."""

import sqlite3

import zstandard
from gait import LEGS, Trot
from gait_msgs.msg import SupportState
from mcap.reader import make_reader
from mcap.writer import CompressionType, Writer
from mcap_ros2.decoder import DecoderFactory
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

START = 1000 * 10**9
KINDS = {"joints": "sensor_msgs/msg/JointState", "support": "gait_msgs/msg/SupportState"}


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


def write_sqlite(path, messages):
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
        row = (topics[topic], ns, bytes(serialize_message(message)))
        base.execute("INSERT INTO messages (topic_id, timestamp, data) VALUES (?, ?, ?)", row)
    base.commit()
    base.close()


def write_metadata(folder, files, mode=""):
    lines = "".join(f"    - {file}\n" for file in files)
    (folder / "metadata.yaml").write_text(
        "rosbag2_bagfile_information:\n  version: 9\n  storage_identifier: mcap\n  relative_file_paths:\n"
        f"{lines}  compression_format: '{'zstd' if mode else ''}'\n  compression_mode: '{mode}'\n"
    )


def read(path):
    """topic -> [(time, message)]"""
    found = {}
    with open(path, "rb") as file:
        for _, channel, record, message in make_reader(file, decoder_factories=[DecoderFactory()]).iter_decoded_messages():
            found.setdefault(channel.topic, []).append((record.log_time, message))
    return found
