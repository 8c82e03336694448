"""The pony walks on simulated servos, and more and more browsers look on."""

import os
import pathlib
import re
import sys
import threading
import time

import rclpy
import websocket
from diagnostic_msgs.msg import DiagnosticArray
from gait_msgs.msg import ServoGoal, SupportState, SyncStep
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
import figures  # noqa: E402
from robot import Robot  # noqa: E402

# What the page hears every cycle. Whoever listens, the robot has to send it: that share of the cycle's work is no matter of the page.
EVERY_CYCLE = (("sync", SyncStep), ("joints", JointState), ("goals", ServoGoal), ("joint_states", JointState), ("support", SupportState), ("odom", Odometry))
TICKS = os.sysconf("SC_CLK_TCK")


def processor_s(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


class Watcher(threading.Thread):
    """A browser as far as the node can see: takes everything, at once."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.socket = websocket.create_connection(f"ws://127.0.0.1:{port}/ws", subprotocols=["gaitway"], suppress_origin=True)
        self.frames = self.bytes = 0
        self.start()

    def run(self):
        try:
            while True:
                text = self.socket.recv()
                self.frames += '"type":"snapshot"' in text[:40]
                self.bytes += len(text)
        except (websocket.WebSocketException, OSError):
            pass


def windows(node, seconds, cmd):
    """The cycle's figures of every second, while it walks."""
    found = []

    def take(array):
        found.extend(dict((v.key, float(v.value)) for v in s.values) for s in array.status)

    subscription = node.create_subscription(DiagnosticArray, "sync_node/statistics", take, 10)
    command = Twist()
    command.linear.x = 0.06
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        cmd.publish(command)
        rclpy.spin_once(node, timeout_sec=0.05)
    node.destroy_subscription(subscription)
    return found


def middle(values):
    return sorted(values)[len(values) // 2]


def main():
    seconds = float(sys.argv[1])
    os.environ["ROS_DOMAIN_ID"] = str(50 + os.getpid() % 50)
    rclpy.init()
    node = rclpy.create_node("bench")
    cmd = node.create_publisher(Twist, "cmd_vel", 10)
    rows = {}
    for case, browsers in (("no page", [0]), ("no page, rclpy listens", [0]), ("page", [0, 1, 10]), ("page composed", [0, 10])):
        page = {"page": "true", "page composed": "composed"}.get(case, "false")
        robot = Robot(page)
        listening = [node.create_subscription(kind, topic, lambda _: None, 10) for topic, kind in EVERY_CYCLE if "listens" in case]
        try:
            watchers, pid = [], None
            if page != "false":
                while not (said := re.search(r"the page is at http://[\d.]+:(\d+)", robot.text())):
                    time.sleep(0.1)
                executable = "page_node" if page == "true" else "pipeline_node"
                pid = int(re.search(rf"\[{executable}-\d+\] process started with pid \[(\d+)\]", robot.text()).group(1))
            for count in browsers:
                watchers += [Watcher(said.group(1)) for _ in range(count - len(watchers))]
                windows(node, 3.0, cmd)
                before, frames, sent = pid and processor_s(pid), sum(w.frames for w in watchers), sum(w.bytes for w in watchers)
                seen = windows(node, seconds, cmd)
                row = {key: middle([w[key] for w in seen]) for key in ("work p50, µs", "work p99, µs", "wake-up p99, µs")}
                row["overruns"] = seen[-1]["overruns"] - seen[0]["overruns"]
                if pid and page == "true":
                    row["processor, %"] = 100 * (processor_s(pid) - before) / seconds
                if watchers:
                    row["snapshots/s"] = (sum(w.frames for w in watchers) - frames) / len(watchers) / seconds
                    row["kB/s each"] = (sum(w.bytes for w in watchers) - sent) / len(watchers) / seconds / 1e3
                name = case if page == "false" else f"{case}, {count} browsers"
                rows[name] = row
                print(f"{name:28}" + "  ".join(f"{key} {value:.1f}" for key, value in row.items()), flush=True)
        finally:
            robot.close()
            for subscription in listening:
                node.destroy_subscription(subscription)
    figures.write("page", rows)


main()
