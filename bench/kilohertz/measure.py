"""The pony's four legs at 1 kHz, all in one process; overruns second by second."""

import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import figures  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BIN = pathlib.Path(os.environ["GAITWAY_BIN_DIR"])
os.environ["ROS_DOMAIN_ID"] = str(40 + os.getpid() % 40)
os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"

import rclpy  # noqa: E402
import yaml  # noqa: E402
from diagnostic_msgs.msg import DiagnosticArray  # noqa: E402
from geometry_msgs.msg import Twist  # noqa: E402

PERIOD = 0.001
LEG_JOINTS = 24


def legs_alone(folder, priority):
    """Parameter files of the example robot without head, ears and tail."""
    tree = ET.parse(ROOT / "config/pony.urdf")
    for joint in tree.getroot().iter("joint"):
        if joint.get("type") == "revolute" and not joint.get("name").startswith("leg"):
            joint.set("type", "fixed")
    load = lambda name: yaml.safe_load((ROOT / f"config/{name}.yaml").read_text())
    own = {name: load(name) for name in ["sync", "gait", "agregator", "servo_lead", "herkulex", "herkulex_sim", "odometry", "robot"]}
    own["sync"]["/**/sync_node"]["ros__parameters"].update(period=PERIOD, realtime_priority=priority, lock_memory=priority > 0)
    own["gait"]["/**/gait_node"]["ros__parameters"].update(gait="trot")
    del own["gait"]["/**/gait_node"]["ros__parameters"]["gestures"]
    own["herkulex_sim"]["/**/herkulex_sim"]["ros__parameters"].update(ids=list(range(1, LEG_JOINTS + 1)), link=str(folder / "bus"))
    bridge = own["herkulex"]["/**/herkulex_node"]["ros__parameters"]
    bridge.update(port=str(folder / "bus"), servos={name: servo for name, servo in bridge["servos"].items() if name.startswith("leg")})
    assert len(bridge["servos"]) == LEG_JOINTS
    robot = own["robot"]["/**"]["ros__parameters"]
    robot.update(chains={name: chain for name, chain in robot["chains"].items() if name.startswith("leg")}, robot_description=ET.tostring(tree.getroot(), "unicode"))
    arguments = []
    for name, content in own.items():
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(content))
        arguments += ["--params-file", str(folder / f"{name}.yaml")]
    return arguments


def stolen_s():
    """Time that the machine's host took from its processors."""
    return int(pathlib.Path("/proc/stat").read_text().split()[8]) / os.sysconf("SC_CLK_TCK")


def waited_s(pid):
    """How long the process's main thread was runnable but had no processor, s, by the kernel."""
    return int(pathlib.Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()[1]) * 1e-9


def main():
    seconds, priority = int(sys.argv[1]), int(sys.argv[2])
    folder = pathlib.Path(tempfile.mkdtemp(prefix="gaitway_bench_"))
    arguments = legs_alone(folder, priority)
    rclpy.init()
    node = rclpy.create_node("bench")
    cmd, command = node.create_publisher(Twist, "cmd_vel", 10), Twist()
    command.linear.x = 0.1
    node.create_timer(0.1, lambda: cmd.publish(command))
    sim_file = ["--params-file", str(folder / "herkulex_sim.yaml")]
    sim = subprocess.Popen([BIN / "herkulex_sim", "--plain", "--ros-args", *sim_file], stdout=subprocess.DEVNULL)
    while not (folder / "bus").exists():
        if sim.poll() is not None:
            sys.exit("bench: the simulator did not start")
        time.sleep(0.01)
    log = open(folder / "log", "w")
    pipeline = subprocess.Popen([BIN / "pipeline_node", "--ros-args", *arguments], stdout=log, stderr=log)
    bare = subprocess.Popen([BIN / "examples/bare_sleep", str(seconds + 4), str(PERIOD)], stdout=subprocess.PIPE, text=True)
    start, rows = time.monotonic(), []

    def take(message):
        values = {v.key: v.value for v in message.status[0].values}
        rows.append((time.monotonic() - start, waited_s(pipeline.pid), values, stolen_s()))

    node.create_subscription(DiagnosticArray, "sync_node/statistics", take, 10)
    while len(rows) < seconds + 2:
        rclpy.spin_once(node, timeout_sec=1.0)
        if pipeline.poll() is not None:
            sys.exit(f"bench: the pipeline ended with {pipeline.returncode}:\n{(folder / 'log').read_text()}")
    fields = pathlib.Path(f"/proc/{pipeline.pid}/stat").read_text().rsplit(")", 1)[1].split()
    processor = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") / (time.monotonic() - start)
    pipeline.send_signal(signal.SIGINT)
    pipeline.wait(30)
    sim.terminate()
    sim.wait(10)
    lost = [int(row.split()[3]) for row in bare.communicate()[0].splitlines()]

    # The first second is the start of everything.
    rows = rows[1:]
    value = lambda row, key: float(row[2][key])
    overruns = [value(b, "overruns") - value(a, "overruns") for a, b in zip(rows, rows[1:])]
    waited = [b[1] - a[1] for a, b in zip(rows, rows[1:])]
    stolen = [b[3] - a[3] for a, b in zip(rows, rows[1:])]
    late = [second for second, count in enumerate(overruns) if count > 0]
    # A second of ours overlaps two of the bare loop.
    beside = lambda second: sum(lost[max(0, int(rows[second][0]) - 1) : int(rows[second + 1][0]) + 2])
    explained = {
        "the bare loop lost beats too": sum(beside(s) > 0 for s in late),
        "the thread waited for a processor that long": sum(waited[s] >= 0.9 * PERIOD * overruns[s] for s in late),
        "the host took processor time from this machine": sum(stolen[s] > 0 for s in late),
        "none of these": sum(beside(s) == 0 and stolen[s] == 0 and waited[s] < 0.9 * PERIOD * overruns[s] for s in late),
    }
    cycles = value(rows[-1], "cycles") - value(rows[0], "cycles")
    result = {
        "seconds": len(overruns),
        "cycles": cycles,
        "overruns": sum(overruns),
        "overruns of the bare loop": sum(lost),
        "seconds with overruns": len(late),
        "of these": explained,
        "processor, share of one core": processor,
    }
    for key in ["wake-up p50, µs", "wake-up p99, µs", "wake-up max, µs", "work p50, µs", "work p99, µs", "work max, µs"]:
        if key in rows[0][2]:
            column = [value(row, key) for row in rows]
            result[key] = {"median second": statistics.median(column), "worst second": max(column)}
    print(json.dumps(result, indent=1, ensure_ascii=False))
    figures.write("kilohertz", result)


main()
