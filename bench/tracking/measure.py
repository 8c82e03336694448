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
from xml.etree import ElementTree

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]), str(pathlib.Path(__file__).resolve().parents[2] / "tools")]
import figures  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"

import numpy  # noqa: E402
import rclpy  # noqa: E402
import yaml  # noqa: E402
from lag import lag_and_error  # noqa: E402
from gait_msgs.msg import ServoGoal  # noqa: E402
from geometry_msgs.msg import Twist  # noqa: E402
from rclpy.experimental import EventsExecutor  # noqa: E402
from rclpy.qos import DurabilityPolicy, QoSProfile  # noqa: E402
from rclpy.serialization import deserialize_message  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_msgs.msg import Bool  # noqa: E402

# Launch arguments, and parameters of servo_inv_lead that differ from what is shipped.
WAYS = {
    "no lead": (["servo_inv:=lead"], {"lead": 0.0, "delay": 0.0, "playtime": 0.0}),
    "the seed's lead": (["servo_inv:=lead"], {"lead": 0.056, "delay": 0.0, "playtime": 0.0}),
    "lead and delay": (["servo_inv:=lead"], {}),
    "param": (["servo_inv:=param", "dynamics:=false"], {}),
    "param and effort": (["servo_inv:=param", "dynamics:=true"], {}),
}
GAITS = {"walk": 0.06, "trot": 0.1}
# A joint that moves less is no measure of lag, rad RMS.
MOVES = math.radians(1.0)
# Shipped bound of a goal's speed, in the joint's own.
MAX_GOAL_SPEED = 1.5


class Robot:
    """The pony walks; what it was told, what it sent and where its joints were is kept."""

    def __init__(self, domain, loaded):
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = rclpy.create_node("bench", context=self.context)
        self.executor = EventsExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.heard = {"joints": [], "goals": [], "true": []}
        self.fell = False
        kinds = {"joints": JointState, "goals": ServoGoal, "true": JointState}
        for name, kind in kinds.items():
            topic = {"true": "truth/joint_states" if loaded else "herkulex_sim/shafts"}.get(name, name)
            self.node.create_subscription(kind, topic, self.heard[name].append, 1000, raw=True)
        self.kinds = kinds
        self.node.create_subscription(Bool, "truth/fallen", self.on_fallen, QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL))
        self.cmd = self.node.create_publisher(Twist, "cmd_vel", 10)

    def on_fallen(self, message):
        self.fell |= message.data

    def drive(self, speed, seconds, process):
        command = Twist()
        command.linear.x = speed
        timer = self.node.create_timer(0.05, lambda: self.cmd.publish(command))
        end = time.monotonic() + seconds
        while time.monotonic() < end and process.poll() is None:
            self.executor.spin_once(timeout_sec=0.1)
        timer.cancel()

    def said(self, name):
        return [deserialize_message(data, self.kinds[name]) for data in self.heard[name]]

    def close(self):
        self.node.destroy_node()
        self.context.try_shutdown()


def own_config(folder, params):
    """A copy of config/ in which servo_inv_lead has other parameters."""
    config = folder / "config"
    config.mkdir()
    for file in (ROOT / "config").iterdir():
        (config / file.name).symlink_to(file)
    if params:
        own = config / "servo_lead.yaml"
        shipped = yaml.safe_load(own.read_text())
        own.unlink()
        shipped["/**/servo_inv_lead"]["ros__parameters"].update(params)
        own.write_text(yaml.safe_dump(shipped))
    return config


def walk(gait, speed, arguments, params, loaded, seconds, domain):
    """Rows (joint, lag, RMS at the lag, RMS) of the leg joints that move, and what was amiss."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="gaitway_bench_"))
    config = own_config(folder, params)
    robot = Robot(domain, loaded)
    world = "true" if loaded else "servos"
    arguments = ["pony.launch.xml", f"sim:={world}", f"port:={folder}/bus", f"config:={config}", f"gait:={gait}", *arguments]
    env = dict(os.environ, ROS_DOMAIN_ID=str(domain))
    launch = subprocess.Popen([sys.executable, ROOT / "tools/launch", *arguments], env=env, stdout=open(folder / "log", "a"), stderr=subprocess.STDOUT)
    robot.drive(speed, seconds + 9, launch)
    launch.send_signal(signal.SIGINT)
    launch.wait(30)
    servos = yaml.safe_load((ROOT / "config/herkulex.yaml").read_text())["/**/herkulex_node"]["ros__parameters"]["servos"]
    names = {name: name for name in servos}
    if not loaded:
        names = {str(servo["id"]): name for name, servo in servos.items()}
    place = lambda name, angle: angle if loaded else (angle - servos[name]["offset"]) / (servos[name]["direction"] * servos[name]["gear"])
    poses = lambda name, which: numpy.array([(seconds_of(m), m.position[list(m.name).index(which)]) for m in robot.said(name)])
    goals, rows = robot.said("goals"), []
    start = seconds_of(goals[-1]) - seconds
    for own, name in names.items():
        wanted, is_ = poses("joints", name), poses("true", own)
        wanted, is_ = wanted[wanted[:, 0] > start].T, is_[is_[:, 0] > start].T
        is_[1] = [place(name, angle) for angle in is_[1]]
        if name.startswith("leg") and float(numpy.std(wanted[1])) > MOVES:
            rows.append((name, *lag_and_error(wanted, is_)))
    robot.close()
    log = (folder / "log").read_text()
    return rows, amiss([m for m in goals if seconds_of(m) > start], log, robot.fell)


def amiss(goals, log, fell):
    """What must not be in a walk: goals beyond the joint's limits or faster than it, and refusals in the log."""
    limits = {joint.get("name"): joint.find("limit") for joint in ElementTree.parse(ROOT / "config/pony.urdf").getroot().iter("joint")}
    beyond, jumps, before = 0, 0, {}
    for message in goals:
        at = seconds_of(message)
        for name, angle in zip(message.name, message.target_pos):
            lower, upper, speed = (float(limits[name].get(key)) for key in ("lower", "upper", "velocity"))
            beyond += not lower - 1e-9 <= angle <= upper + 1e-9
            if name in before:
                then, last = before[name]
                jumps += abs(angle - last) > (1 + 1e-6) * MAX_GOAL_SPEED * speed * max(at - then, 1e-9)
            before[name] = (at, angle)
    refused = sum("refused" in line for line in log.splitlines())
    return {"goals": len(goals), "beyond a limit": beyond, "jumps": jumps, "refused": refused, "fell": fell}


def seconds_of(message):
    return message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 8.0
    wanted = sys.argv[2:] or WAYS
    domain, result = 40 + os.getpid() % 40, {}
    print(f"{'':36} {'lag, ms':>8} {'worst':>7} {'RMS, deg':>9} {'worst':>7} {'joints':>7}  goals, beyond, jumps, refused")
    for loaded, gait, name in itertools.product((False, True), GAITS, wanted):
        rows, wrong = walk(gait, GAITS[gait], *WAYS[name], loaded, seconds, domain)
        lags, errors = [1e3 * row[1] for row in rows], [math.degrees(row[3]) for row in rows]
        mean, worst = float(numpy.mean(lags)), max(lags, key=abs)
        rms = float(numpy.sqrt(numpy.mean(numpy.square(errors))))
        label = f"{gait}, {'loaded, ' if loaded else ''}{name}"
        print(f"{label:36} {mean:8.1f} {worst:7.1f} {rms:9.2f} {max(errors):7.2f} {len(rows):7d}  {', '.join(map(str, list(wrong.values())[:4]))}{', fell' if wrong['fell'] else ''}", flush=True)
        result[label] = {"lag, ms": mean, "worst lag, ms": worst, "RMS, deg": rms, "worst RMS, deg": max(errors), **wrong}
    figures.write("tracking", result)


main()
