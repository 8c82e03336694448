"""sync_node and a bare loop side by side; means over the seconds of each second's percentiles."""

import os
import pathlib
import signal
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import figures  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BIN = pathlib.Path(os.environ["GAITWAY_BIN_DIR"])
os.environ["ROS_DOMAIN_ID"] = str(40 + os.getpid() % 40)
os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"

import rclpy  # noqa: E402
from diagnostic_msgs.msg import DiagnosticArray  # noqa: E402

KEYS = ["wake-up p50, µs", "wake-up p99, µs", "wake-up max, µs"]


def main():
    seconds, period = int(sys.argv[1]), sys.argv[2]
    rclpy.init()
    node = rclpy.create_node("bench")
    windows = []
    node.create_subscription(DiagnosticArray, "sync_node/statistics", lambda m: windows.append({v.key: v.value for v in m.status[0].values}), 10)
    sync = subprocess.Popen([BIN / "sync_node", "--ros-args", "-p", f"period:={period}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    bare = subprocess.Popen([BIN / "examples/bare_sleep", str(seconds + 2), period], stdout=subprocess.PIPE, text=True)
    while len(windows) < seconds + 1:
        rclpy.spin_once(node, timeout_sec=1.0)
    sync.send_signal(signal.SIGINT)
    sync.wait(10)
    theirs = [[float(x) for x in row.split()[:3]] for row in bare.communicate()[0].splitlines()][1:]
    ours = [[float(window[key]) for key in KEYS] for window in windows[1:]]
    print(f"{seconds} s at {period} s; how late the thread wakes, µs (mean over the seconds)")
    print(f"{'':32} {'p50':>9} {'p99':>9} {'max':>9}")
    rows = {}
    for name, table in (("sync_node, publishing", ours), ("bare clock_nanosleep", theirs)):
        rows[name] = [statistics.mean(column) for column in zip(*table)]
        print(f"{name:32} " + " ".join(f"{value:9.1f}" for value in rows[name]))
    ratio = rows["sync_node, publishing"][1] / rows["bare clock_nanosleep"][1]
    overruns = int(windows[-1]["overruns"])
    print(f"ratio of p99: {ratio:.2f} (goal: at most 1.2); overruns: {overruns}")
    figures.write("sync", {"wake_up_us": rows, "ratio_p99": ratio, "overruns": overruns})


main()
