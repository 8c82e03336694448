"""A force-torque sensor at 1 kHz through three filters: what is lost, and how long the way through takes.

The sensor is a process of its own, so that the listener's work does not slow it down. Every message carries the time of its
publication as its stamp, which the node hands on: the difference at arrival is the way sensor → DDS → node → DDS → listener,
rclpy on both ends included."""

import argparse
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import TransformStamped, WrenchStamped
from rclpy.qos import DurabilityPolicy, QoSProfile
from tf2_msgs.msg import TFMessage

# Room for everything that the listener, slowed by the machine, has not looked at yet.
DEEP = QoSProfile(depth=20000)
LATCHED = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
# Hangs on the sensor, 1 kg, straight below it: at rest the force is its weight and there is no torque.
WEIGHT = 9.81
PARAMS = {
    "chains": ["wrist"],
    "wrist.type": "wrench",
    "wrist.input": "raw",
    "wrist.output": "clean",
    "wrist.filter1.name": "spikes",
    "wrist.filter1.type": "Median",
    "wrist.filter1.params.window": 3,
    "wrist.filter2.name": "tool",
    "wrist.filter2.type": "control_filters/GravityCompensationWrench",
    "wrist.filter2.params.world_frame": "world",
    "wrist.filter2.params.sensor_frame": "ft",
    "wrist.filter2.params.tool.CoG": [0.0, 0.0, -0.1],
    "wrist.filter2.params.tool.mass": 1.0,
    "wrist.filter3.name": "smooth",
    "wrist.filter3.type": "control_filters/LowPassFilterWrench",
    "wrist.filter3.params.sampling_frequency": 1000.0,
    "wrist.filter3.params.damping_frequency": 20.5,
    "wrist.filter3.params.damping_intensity": 1.25,
}


def sensor(seconds):
    """Publishes at 1 kHz, catching up after a stall, and prints how many it sent."""
    import rclpy

    rclpy.init()
    node = rclpy.create_node("sensor")
    publisher = node.create_publisher(WrenchStamped, "raw", DEEP)
    while publisher.get_subscription_count() == 0:
        time.sleep(0.01)
    message = WrenchStamped()
    message.header.frame_id = "ft"
    message.wrench.force.x, message.wrench.force.z = 3.0, -WEIGHT
    count = int(seconds * 1000)
    start = time.monotonic()
    for k in range(count):
        time.sleep(max(0.0, start + k / 1000 - time.monotonic()))
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(time.time_ns(), 10**9)
        publisher.publish(message)
    took = time.monotonic() - start
    # A reliable writer keeps what has not arrived yet, as long as it lives.
    publisher.wait_for_all_acked(rclpy.duration.Duration(seconds=10))
    print(count, took, flush=True)
    rclpy.shutdown()


class Run:
    """What came of the sensor's messages on a topic."""

    def __init__(self, ros, topic):
        self.stamps, self.latencies, self.last = [], [], None
        ros.node.create_subscription(WrenchStamped, topic, self._take, DEEP)

    def _take(self, message):
        now = time.time_ns()
        stamp = message.header.stamp.sec * 10**9 + message.header.stamp.nanosec
        self.stamps.append(stamp)
        self.latencies.append((now - stamp) / 1e6)
        self.last = message

    def sense(self, ros, seconds):
        """Lets the sensor work, and waits for the last message."""
        command = [sys.executable, __file__, "--sensor", str(seconds)]
        child = subprocess.Popen(command, env=ros.env, stdout=subprocess.PIPE, text=True)
        sent, took = child.communicate(timeout=seconds * 3 + 60)[0].split()
        self.sent, self.rate = int(sent), int(sent) / float(took)
        ros.wait(lambda: len(self.stamps) >= self.sent, f"all of {sent} messages")

    def figures(self):
        ordered = sorted(self.latencies)
        p50, p99 = (ordered[int(len(ordered) * p)] for p in (0.50, 0.99))
        lost = self.sent - len(self.stamps)
        return {"sent": self.sent, "Hz": self.rate, "lost": lost, "p50, ms": p50, "p99, ms": p99, "longest, ms": ordered[-1]}

    def __str__(self):
        return ", ".join(f"{name} {value:.6g}" for name, value in self.figures().items())


def connected(ros, *chains):
    """Waits until the node knows somebody who listens to each chain's output: what it sends from then on is not lost."""
    reports = ros.listen(DiagnosticArray, "/diagnostics")

    def known():
        values = {v.key: v.value for r in reports.messages[-1:] for s in r.status for v in s.values}
        return all(int(values.get(f"{chain}: listeners", 0)) > 0 for chain in chains)

    ros.wait(known, "listeners")


def filtered(ros, seconds):
    """The sensor through the node."""
    transform = TransformStamped()
    transform.header.frame_id, transform.child_frame_id = "world", "ft"
    transform.transform.rotation.w = 1.0
    fixed = ros.node.create_publisher(TFMessage, "/tf_static", LATCHED)
    fixed.publish(TFMessage(transforms=[transform]))
    run = Run(ros, "clean")
    diagnostics = ros.listen(DiagnosticArray, "/diagnostics")
    ros.start("filter_node", params=PARAMS)
    connected(ros, "wrist")
    ros.wait(lambda: fixed.get_subscription_count() > 0, "the node's ear for transforms")
    run.sense(ros, seconds)
    values = [v for array in diagnostics.messages for status in array.status for v in status.values]
    run.seen = [
        f"{way}, {what} {max(float(v.value) for v in values if v.key == f'wrist: {way}, {what} ms'):.3f} ms"
        for way in ("in the node", "from stamp to output")
        for what in ("mean", "longest")
    ]
    return run


def bare(ros, seconds):
    """The sensor straight to the listener."""
    run = Run(ros, "raw")
    run.sense(ros, seconds)
    return run


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--sensor", type=float, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.sensor:
        sensor(arguments.sensor)
    else:
        from conftest import ROOT, Ros, free_domain

        sys.path.insert(0, str(ROOT / "bench"))
        import figures

        result = {}
        for name, way in (("sensor → listener", bare), ("sensor → three filters → listener", filtered)):
            with free_domain() as domain:
                ros = Ros(domain)
                try:
                    run = way(ros, arguments.seconds if way is filtered else min(10.0, arguments.seconds))
                    print(f"{name}: {run}")
                    result[name] = run.figures()
                    if way is filtered:
                        print(f"as the node sees it, the worst second: {'; '.join(run.seen)}")
                finally:
                    ros.close()
        figures.write("filter_node", result)
