"""Runs the robot both ways on a tapped line and compares."""

import contextlib
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import rclpy
import yaml
from geometry_msgs.msg import Twist

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import figures  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BIN = pathlib.Path(os.environ["GAITWAY_BIN_DIR"])
# Stamps of syncs are multiples of it. Twice the shipped period, so that also processes over DDS answer within it; those that do not are
# counted.
PERIOD_S = 0.02
# The command, m/s: a standing robot's goals do not change.
WALK = 0.05
# Share of the time that a host may take from this machine before p99 says nothing.
QUIET = 0.02
TICKS = os.sysconf("SC_CLK_TCK")


def percentiles(values):
    ordered = sorted(values)
    at = lambda share: ordered[min(len(ordered) - 1, int(share * len(ordered)))]
    return {"p50": at(0.5), "p99": at(0.99), "p99.9": at(0.999), "max": ordered[-1], "count": len(ordered)}


def children(pid):
    found = [pid]
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found += children(int(path.parent.name))
    return found


def processor_s(pids):
    """User and system time of processes so far."""
    total = 0
    for pid in pids:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICKS


def wait_for(path):
    end = time.monotonic() + 60
    while not os.path.exists(path):
        if time.monotonic() > end:
            sys.exit(f"bench: {path} did not appear")
        time.sleep(0.01)


def answers(times_ns, begin_ns, end_ns, period_ns):
    """What jogs make of the cycles that begin between two times: latencies in µs, and how many cycles had no jog within their period. A
    cycle without one, before a cycle with two, was answered by the first of these: late by more than a period."""
    first, end = -(-begin_ns // period_ns), end_ns // period_ns
    jogs = {}
    for at in sorted(times_ns):
        jogs.setdefault(at // period_ns, []).append(at)
    latencies, without = [], 0
    for cycle in range(first, end):
        if own := jogs.get(cycle):
            latencies.append((own[0] - cycle * period_ns) / 1e3)
            continue
        without += 1
        if len(after := jogs.get(cycle + 1, [])) > 1:
            latencies.append((after.pop(0) - cycle * period_ns) / 1e3)
    return latencies, without


def check_answers():
    """An instrument that cannot show what is wrong shows nothing."""
    ms = 1_000_000
    # On time; late by 5 ms beyond the period, before the next one's own; never.
    times = [1 * ms, 45 * ms, 46 * ms, 61 * ms, 101 * ms]
    assert answers(times, 0, 120 * ms, 20 * ms) == ([1000.0, 25000.0, 6000.0, 1000.0, 1000.0], 2)


@contextlib.contextmanager
def walking(domain):
    """Commands a walk, as somebody at the stick does."""
    context = rclpy.Context()
    context.init(domain_id=domain)
    node = rclpy.create_node("bench", context=context)
    cmd, command, ended = node.create_publisher(Twist, "cmd_vel", 10), Twist(), threading.Event()
    command.linear.x = WALK

    def publish():
        while not ended.wait(0.1):
            cmd.publish(command)

    thread = threading.Thread(target=publish)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        node.destroy_node()
        context.shutdown()


def shipped_with_period(folder):
    """The shipped configuration; nothing but the period is another."""
    config = folder / "config"
    config.mkdir()
    for file in (ROOT / "config").iterdir():
        (config / file.name).symlink_to(file)
    sync = yaml.safe_load((config / "sync.yaml").read_text())
    sync["/**/sync_node"]["ros__parameters"]["period"] = PERIOD_S
    (config / "sync.yaml").unlink()
    (config / "sync.yaml").write_text(yaml.safe_dump(sync))
    return config


def robot(composed, seconds, domain):
    """(latencies in µs, cycles without a jog in their period, processor time per second) of the walking pony."""
    env = dict(os.environ, ROS_DOMAIN_ID=str(domain), ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="gaitway_bench_"))
    config = shipped_with_period(folder)
    bus, line, log = folder / "bus", folder / "line", folder / "log"
    sim = subprocess.Popen([BIN / "herkulex_sim", "--plain", "--ros-args", "--params-file", ROOT / "config/herkulex_sim.yaml", "-p", f"link:={bus}"], env=env, stdout=subprocess.DEVNULL)
    wait_for(bus)
    settle = 8.0
    command = [BIN / "examples/line_tap", bus, line, str(settle + seconds + 2)]
    tap = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True, preexec_fn=prompt)
    wait_for(line)
    arguments = ["pony.launch.xml", f"port:={line}", f"config:={config}", f"composed:={str(composed).lower()}"]
    with walking(domain), open(log, "w") as text:
        launch = subprocess.Popen([sys.executable, ROOT / "tools/launch", *arguments], env=env, stdout=text, stderr=text)
        time.sleep(settle)
        pids = [pid for pid in children(launch.pid) if pid != launch.pid]
        before, start = processor_s(pids), time.time_ns()
        time.sleep(seconds)
        end, used = time.time_ns(), processor_s(pids) - before
    launch.send_signal(signal.SIGINT)
    launch.wait(30)
    times = [int(row) for row in tap.communicate()[0].split()]
    sim.send_signal(signal.SIGINT)
    sim.wait(10)
    if "gait_node]: walking" not in log.read_text():
        sys.exit(f"bench: the pony does not walk:\n{log.read_text()[-2000:]}")
    return *answers(times, start, end, round(PERIOD_S * 1e9)), used / ((end - start) * 1e-9)


def prompt():
    """The instrument is not to add its own waiting to what it measures, where that is permitted."""
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))


def bare_hop(seconds, domain):
    env = dict(os.environ, ROS_DOMAIN_ID=str(domain), ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST")
    hop = BIN / "examples/bare_hop"
    receiver = subprocess.Popen([hop, "receive", str(seconds + 2)], env=env, stdout=subprocess.PIPE, text=True)
    sender = subprocess.Popen([hop, "send", str(seconds + 1)], env=env)
    latencies = [float(row) for row in receiver.communicate()[0].split()]
    sender.wait()
    return latencies[100:]


def quietest(rounds):
    """The half of the rounds in which the host of this machine took the least time from it: in the others it measures the host."""
    return sorted(rounds, key=lambda row: row["stolen"])[: (len(rounds) + 1) // 2]


def middle(rounds):
    """Of each figure the median of the quietest rounds."""
    return {key: statistics.median(row[key] for row in quietest(rounds)) for key in rounds[0]}


class Steal:
    """The share of the processors' time that the host gave to others, since this was made."""

    def __init__(self):
        self.before = self.read()

    @staticmethod
    def read():
        fields = [int(field) for field in pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
        return fields[7], sum(fields)

    def share(self):
        (stolen, whole), (stolen_before, whole_before) = self.read(), self.before
        return (stolen - stolen_before) / max(whole - whole_before, 1)


def main():
    seconds, rounds = float(sys.argv[1]), int(sys.argv[2])
    domain = 40 + os.getpid() % 40
    check_answers()
    found = {"hop": [], "composed": [], "separate": []}
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}", file=sys.stderr)
        steal = Steal()
        latencies = bare_hop(seconds, domain)
        found["hop"].append(percentiles(latencies) | {"stolen": steal.share()})
        for name, composed in (("composed", True), ("separate", False)):
            steal = Steal()
            latencies, late, cost = robot(composed, seconds, domain + 1 + composed)
            found[name].append(percentiles(latencies) | {"late": late, "processor": cost, "stolen": steal.share()})
    names = {"hop": "one bare hop (r2r, 31 joints)", "composed": "sync → jog on the line, composed", "separate": "sync → jog on the line, separate"}
    print(f"{'µs, median of the quieter half':36} {'p50':>7} {'p99':>7} {'p99.9':>7} {'count':>6}   p99 of each round (taken by the host, %)")
    rows = {name: middle(of) for name, of in found.items()}
    for name, row in rows.items():
        each = " ".join(f"{of['p99']:.0f} ({100 * of['stolen']:.0f})" for of in found[name])
        print(f"{names[name]:36} {row['p50']:7.0f} {row['p99']:7.0f} {row['p99.9']:7.0f} {row['count']:6.0f}   {each}")
    hop, one, many = rows.values()
    print(f"cycles without a jog within their {1e3 * PERIOD_S:.0f} ms: composed {one['late']:.0f}, separate {many['late']:.0f} of {seconds / PERIOD_S:.0f}")
    goals = {
        "p50 composed / separate (goal ≤ 0.1)": one["p50"] / many["p50"],
        "p50 composed / bare hop (goal < 1)": one["p50"] / hop["p50"],
        "p99 composed / bare hop (goal < 1)": one["p99"] / hop["p99"],
        "processor time composed / separate (goal ≤ 0.33)": one["processor"] / many["processor"],
    }
    for name, ratio in goals.items():
        print(f"{name:52} {ratio:.2f}")
    print(f"processor time: composed {100 * one['processor']:.1f} %, separate {100 * many['processor']:.1f} % of one core")
    stolen = max(row["stolen"] for row in rows.values())
    if stolen > QUIET:
        print(f"The host took {100 * stolen:.0f} % of the processors: p99 is the host's, not the robot's.")
    figures.write("pipeline", {"rounds": found, "median": rows, "ratios": goals})


main()
