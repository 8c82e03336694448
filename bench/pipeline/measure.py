"""Runs the robot both ways on a tapped line and compares."""

import bisect
import contextlib
import os
import pathlib
import re
import signal
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
# What begins or ends so near a moment in which the host took time from this machine tells of the host, s.
NEAR = 0.05
TICKS = os.sysconf("SC_CLK_TCK")
# Where the kernel tells of calls, for those who may ask; and a jog's length at least, in bytes: of 31 servos it has 132, a request 9.
TRACING = pathlib.Path("/sys/kernel/tracing")
JOG = 100


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
    """What jogs make of the cycles that begin between two times: when each began (ns) and its latency (µs), and which had no jog within
    their period. A cycle without one, before a cycle with two, was answered by the first of these: late by more than a period."""
    first, end = -(-begin_ns // period_ns), end_ns // period_ns
    jogs = {}
    for at in sorted(times_ns):
        jogs.setdefault(at // period_ns, []).append(at)
    latencies, without = [], []
    for cycle in range(first, end):
        begin = cycle * period_ns
        if own := jogs.get(cycle):
            latencies.append((begin, (own[0] - begin) / 1e3))
            continue
        without.append(begin)
        if len(after := jogs.get(cycle + 1, [])) > 1:
            latencies.append((begin, (after.pop(0) - begin) / 1e3))
    return latencies, without


def check_answers():
    """An instrument that cannot show what is wrong shows nothing."""
    ms = 1_000_000
    # On time; late by 5 ms beyond the period, before the next one's own; never.
    times = [1 * ms, 45 * ms, 46 * ms, 61 * ms, 101 * ms]
    latencies, without = answers(times, 0, 120 * ms, 20 * ms)
    assert latencies == [(0, 1000.0), (20 * ms, 25000.0), (40 * ms, 6000.0), (60 * ms, 1000.0), (100 * ms, 1000.0)]
    assert without == [20 * ms, 80 * ms]
    host = Host()
    host.taken = [500 * ms]
    # Before it, over it, after it, begun when it was near.
    assert host.spared([(449 * ms, 0.0), (100 * ms, 360e3), (551 * ms, 0.0), (549 * ms, 0.0)]) == [0.0, 0.0]
    assert host.spared([(0, 600e3)]) == []


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


class Writes:
    """When the bridge writes its jogs, as the kernel saw it. What comes out at the other end of a pseudo-terminal has waited there for a worker of the
    kernel, which no real line has."""

    def __init__(self):
        self.folder = TRACING / "instances" / f"gaitway_{os.getpid()}"

    @staticmethod
    def can_be_seen():
        if not (TRACING / "instances").exists():
            subprocess.run(["mount", "-t", "tracefs", "nodev", TRACING], stderr=subprocess.DEVNULL)
        return os.access(TRACING / "instances", os.W_OK) and (TRACING / "events/syscalls/sys_enter_write").exists()

    def begin(self, pids):
        threads = [task for pid in pids for task in pathlib.Path(f"/proc/{pid}/task").iterdir()]
        own = [task.name for task in threads if (task / "comm").read_text() == "servo bus\n"]
        self.folder.mkdir()
        event = self.folder / "events/syscalls/sys_enter_write"
        (self.folder / "trace_clock").write_text("mono")
        (self.folder / "set_event_pid").write_text(" ".join(own))
        (event / "filter").write_text(f"count > {JOG}")
        (event / "enable").write_text("1")

    def end(self):
        """Times of the wall clock, ns."""
        ahead = time.time_ns() - time.monotonic_ns()
        rows = re.findall(r" (\d+)\.(\d{6}): sys_write\(", (self.folder / "trace").read_text())
        self.folder.rmdir()
        return [(int(s) * 1_000_000 + int(us)) * 1000 + ahead for s, us in rows]


def robot(composed, seconds, domain):
    """(latencies, cycles without a jog in their period, processor time per second) of the walking pony."""
    env = dict(os.environ, ROS_DOMAIN_ID=str(domain), ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="gaitway_bench_"))
    config = shipped_with_period(folder)
    bus, line, log = folder / "bus", folder / "line", folder / "log"
    sim = subprocess.Popen([BIN / "herkulex_sim", "--plain", "--ros-args", "--params-file", ROOT / "config/herkulex_sim.yaml", "-p", f"link:={bus}"], env=env, stdout=subprocess.DEVNULL)
    wait_for(bus)
    settle = 8.0
    writes = Writes() if Writes.can_be_seen() else None
    if writes:
        line = bus
    else:
        command = [BIN / "examples/line_tap", bus, line, str(settle + seconds + 2)]
        tap = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True, preexec_fn=prompt)
        wait_for(line)
    arguments = ["pony.launch.xml", f"port:={line}", f"config:={config}", f"composed:={str(composed).lower()}"]
    with walking(domain), open(log, "w") as text:
        launch = subprocess.Popen([sys.executable, ROOT / "tools/launch", *arguments], env=env, stdout=text, stderr=text)
        time.sleep(settle)
        pids = [pid for pid in children(launch.pid) if pid != launch.pid]
        if writes:
            writes.begin(pids)
        before, start = processor_s(pids), time.time_ns()
        time.sleep(seconds)
        end, used = time.time_ns(), processor_s(pids) - before
        times = writes.end() if writes else None
    launch.send_signal(signal.SIGINT)
    launch.wait(30)
    if not writes:
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
    rows = [row.split() for row in receiver.communicate()[0].splitlines()]
    sender.wait()
    return [(int(sent), float(us)) for sent, us in rows[100:]]


@contextlib.contextmanager
def awake():
    """Keeps every processor from sleeping, by something that gives way to everybody: one of a virtual machine that sleeps is woken by its host, and when
    tells of the host."""
    idle = lambda: os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    children = [subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=idle) for _ in range(os.cpu_count())]
    try:
        yield
    finally:
        for child in children:
            child.kill()
            child.wait()


class Host:
    """Looks all the time at what the host of this machine takes from it: such moments measure the host, and are left out on every side."""

    def __init__(self):
        self.taken, self.ended = [], threading.Event()
        self.thread = threading.Thread(target=self.look)

    def look(self):
        before = self.stolen()
        while not self.ended.wait(0.005):
            now = self.stolen()
            if now != before:
                self.taken.append(time.time_ns())
            before = now

    @staticmethod
    def stolen():
        return int(pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[8])

    def spared(self, latencies):
        """Those of (begin, µs) in which the host took nothing."""
        near = NEAR * 1e9

        def is_spared(begin, us):
            after = bisect.bisect_left(self.taken, begin - near)
            return after == len(self.taken) or self.taken[after] > begin + us * 1e3 + near

        return [us for begin, us in latencies if is_spared(begin, us)]

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()


def main():
    seconds, rounds = float(sys.argv[1]), int(sys.argv[2])
    domain = 40 + os.getpid() % 40
    check_answers()
    found = {"hop": [], "composed": [], "separate": []}
    late, costs = {name: [] for name in found}, {name: [] for name in found}
    with Host() as host, awake():
        for number in range(rounds):
            print(f"round {number + 1} of {rounds}", file=sys.stderr)
            found["hop"] += bare_hop(seconds, domain)
            for name, composed in (("composed", True), ("separate", False)):
                latencies, without, cost = robot(composed, seconds, domain + 1 + composed)
                found[name] += latencies
                late[name] += [(begin, PERIOD_S * 1e6) for begin in without]
                costs[name].append(cost)
    print("jogs are seen " + ("by the kernel, as they are written" if Writes.can_be_seen() else "at the other end of the pseudo-terminal"))
    names = {"hop": "one bare hop (r2r, 31 joints)", "composed": "sync → jog on the line, composed", "separate": "sync → jog on the line, separate"}
    print(f"{'µs':36} {'p50':>7} {'p99':>7} {'p99.9':>7} {'max':>7} {'count':>6}   left out: the host took time")
    rows = {}
    for name, latencies in found.items():
        spared = host.spared(latencies)
        if not spared:
            sys.exit("bench: the host takes time from this machine all the time; there is nothing to be measured")
        rows[name] = row = percentiles(spared) | {"left out": len(latencies) - len(spared), "late": len(host.spared(late[name]))}
        print(f"{names[name]:36} {row['p50']:7.0f} {row['p99']:7.0f} {row['p99.9']:7.0f} {row['max']:7.0f} {row['count']:6.0f}   {row['left out']}")
    hop, one, many = rows.values()
    print(f"cycles without a jog within their {1e3 * PERIOD_S:.0f} ms: composed {one['late']}, separate {many['late']}")
    composed, separate = (sum(costs[name]) / rounds for name in ("composed", "separate"))
    goals = {
        "p50 composed / separate (goal ≤ 0.1)": one["p50"] / many["p50"],
        "p50 composed / bare hop (goal < 1)": one["p50"] / hop["p50"],
        "p99 composed / bare hop (goal < 1)": one["p99"] / hop["p99"],
        "processor time composed / separate (goal ≤ 0.33)": composed / separate,
    }
    for name, ratio in goals.items():
        print(f"{name:52} {ratio:.2f}")
    print(f"processor time: composed {100 * composed:.1f} %, separate {100 * separate:.1f} % of one core")
    figures.write("pipeline", {"rows": rows, "ratios": goals})


main()
