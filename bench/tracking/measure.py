"""Walks the pony with several parameters of servo_inv and compares true shafts with commanded poses."""

import itertools
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]), str(pathlib.Path(__file__).resolve().parents[2] / "tools")]
import figures  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"

import numpy  # noqa: E402
import rclpy  # noqa: E402
import yaml  # noqa: E402
from lag import lag_and_error  # noqa: E402
from geometry_msgs.msg import Twist  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

# Launch arguments, and parameters of servo_inv_lead that differ from what is shipped.
WAYS = {
    "no lead": (["servo_inv:=lead"], {"lead": 0.0, "delay": 0.0, "playtime": 0.0}),
    "the seed's lead": (["servo_inv:=lead"], {"lead": 0.056, "delay": 0.0, "playtime": 0.0}),
    "lead and delay": (["servo_inv:=lead"], {}),
    "param": (["servo_inv:=param", "dynamics:=false"], {}),
    "param and effort": (["servo_inv:=param", "dynamics:=true"], {}),
}
GAITS = {"walk": 0.08, "trot": 0.2}
# A joint that moves less is no measure of lag, rad RMS.
MOVES = math.radians(1.0)


def walk(gait, speed, arguments, params, loaded, seconds, domain):
    """Rows (joint, lag, RMS at the lag, RMS) of the leg joints that move."""
    env = dict(os.environ, ROS_DOMAIN_ID=str(domain))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="gaitway_bench_"))
    config = folder / "config"
    config.mkdir()
    for file in (ROOT / "config").iterdir():
        (config / file.name).symlink_to(file)
    if params:
        own = config / "servo_lead.yaml"
        shipped = yaml.safe_load(own.read_text())
        own.unlink()
        shipped["servo_inv_lead"]["ros__parameters"].update(params)
        own.write_text(yaml.safe_dump(shipped))
    servos = yaml.safe_load((ROOT / "config/herkulex.yaml").read_text())["herkulex_node"]["ros__parameters"]["servos"]
    by_id = {str(servo["id"]): (name, servo["direction"] * servo["gear"], servo["offset"]) for name, servo in servos.items()}
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=domain)
    node = rclpy.create_node("bench", context=context)
    executor = rclpy.executors.SingleThreadedExecutor(context=context)
    executor.add_node(node)
    commanded, true = [], []
    seconds_of = lambda m: m.header.stamp.sec + 1e-9 * m.header.stamp.nanosec
    node.create_subscription(JointState, "joints", lambda m: commanded.append((seconds_of(m), dict(zip(m.name, m.position)))), 1000)

    def shafts(m):
        place = lambda name, scale, offset, angle: (angle - offset) / scale
        true.append((seconds_of(m), {by_id[i][0]: place(*by_id[i], angle) for i, angle in zip(m.name, m.position)}))

    node.create_subscription(JointState, "herkulex_sim/shafts", shafts, 1000)
    cmd, command = node.create_publisher(Twist, "cmd_vel", 10), Twist()
    command.linear.x = speed
    node.create_timer(0.05, lambda: cmd.publish(command))
    arguments = ["pony.launch.xml", "sim:=true", f"port:={folder}/bus", f"config:={config}", f"gait:={gait}", *arguments]
    start = lambda command: subprocess.Popen(command, env=env, stdout=open(folder / "log", "a"), stderr=subprocess.STDOUT)
    processes = [start([sys.executable, ROOT / "tools/launch", *arguments])]
    if loaded:
        processes.append(start([sys.executable, ROOT / "bench/tracking/weight.py"]))
    end = time.monotonic() + seconds + 9
    while time.monotonic() < end and all(process.poll() is None for process in processes):
        executor.spin_once(timeout_sec=0.1)
    for process in processes:
        process.send_signal(signal.SIGINT)
        process.wait(30)
    node.destroy_node()
    context.try_shutdown()
    start = commanded[-1][0] - seconds
    table = lambda rows, name: numpy.array([(t, values[name]) for t, values in rows if t > start]).T
    rows = []
    for name in servos:
        wanted, is_ = table(commanded, name), table(true, name)
        if name.startswith("leg") and float(numpy.std(wanted[1])) > MOVES:
            rows.append((name, *lag_and_error(wanted, is_)))
    return rows


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 8.0
    wanted = sys.argv[2:] or WAYS
    domain, result = 40 + os.getpid() % 40, {}
    print(f"{'':36} {'lag, ms':>8} {'worst':>7} {'RMS, deg':>9} {'worst':>7} {'joints':>7}")
    for loaded, gait, name in itertools.product((False, True), GAITS, wanted):
        rows = walk(gait, GAITS[gait], *WAYS[name], loaded, seconds, domain)
        lags, errors = [1e3 * row[1] for row in rows], [math.degrees(row[3]) for row in rows]
        mean, worst = float(numpy.mean(lags)), max(lags, key=abs)
        rms = float(numpy.sqrt(numpy.mean(numpy.square(errors))))
        label = f"{gait}, {'loaded, ' if loaded else ''}{name}"
        print(f"{label:36} {mean:8.1f} {worst:7.1f} {rms:9.2f} {max(errors):7.2f} {len(rows):7d}", flush=True)
        result[label] = {"lag, ms": mean, "worst lag, ms": worst, "RMS, deg": rms, "worst RMS, deg": max(errors)}
    figures.write("tracking", result)


main()
