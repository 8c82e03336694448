"""Runs the robot both ways on a tapped line and compares."""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import figures  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BIN = pathlib.Path(os.environ["GAITWAY_BIN_DIR"])
# Longer than any latency, so that a jog tells which sync it answers: stamps are multiples of it.
PERIOD_S = 0.02
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


def robot(composed, seconds, domain):
    """(latencies in µs, processor time per second) of the walking pony."""
    env = dict(os.environ, ROS_DOMAIN_ID=str(domain), ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="gaitway_bench_"))
    config = folder / "config"
    config.mkdir()
    for file in (ROOT / "config").iterdir():
        (config / file.name).symlink_to(file)
    (config / "sync.yaml").unlink()
    (config / "sync.yaml").write_text(f"/**/sync_node:\n  ros__parameters:\n    period: {PERIOD_S}\n")
    bus, line = folder / "bus", folder / "line"
    sim = subprocess.Popen([BIN / "herkulex_sim", "--plain", "--ros-args", "--params-file", ROOT / "config/herkulex_sim.yaml", "-p", f"link:={bus}"], env=env, stdout=subprocess.DEVNULL)
    wait_for(bus)
    settle = 8.0
    command = [BIN / "examples/line_tap", bus, line, str(settle + seconds + 2)]
    tap = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True, preexec_fn=prompt)
    wait_for(line)
    arguments = ["pony.launch.xml", f"port:={line}", f"config:={config}", f"composed:={str(composed).lower()}"]
    launch = subprocess.Popen([sys.executable, ROOT / "tools/launch", *arguments], env=env, stdout=subprocess.DEVNULL)
    time.sleep(settle)
    pids = [pid for pid in children(launch.pid) if pid != launch.pid]
    before, start = processor_s(pids), time.time()
    time.sleep(seconds)
    end, used = time.time(), processor_s(pids) - before
    launch.send_signal(signal.SIGINT)
    launch.wait(30)
    times = [int(row) for row in tap.communicate()[0].split()]
    sim.send_signal(signal.SIGINT)
    sim.wait(10)
    period_ns = round(PERIOD_S * 1e9)
    return [time_ns % period_ns / 1e3 for time_ns in times if start <= time_ns * 1e-9 <= end], used / (end - start)


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


def main():
    seconds = float(sys.argv[1])
    domain = 40 + os.getpid() % 40
    rows = {}
    rows["one bare hop (r2r, 31 joints)"] = percentiles(bare_hop(seconds, domain))
    cost = {}
    for name, composed in (("composed", True), ("separate", False)):
        latencies, cost[name] = robot(composed, seconds, domain + 1 + composed)
        rows[f"sync → jog on the line, {name}"] = percentiles(latencies)
    print(f"{'µs':36} {'p50':>9} {'p99':>9} {'p99.9':>9} {'max':>9} {'count':>7}")
    for name, row in rows.items():
        print(f"{name:36} {row['p50']:9.0f} {row['p99']:9.0f} {row['p99.9']:9.0f} {row['max']:9.0f} {row['count']:7d}")
    hop, one, many = rows.values()
    goals = {
        "p50 composed / separate (goal ≤ 0.1)": one["p50"] / many["p50"],
        "p50 composed / bare hop (goal < 1)": one["p50"] / hop["p50"],
        "p99 composed / bare hop (goal < 1)": one["p99"] / hop["p99"],
        "processor time composed / separate (goal ≤ 0.33)": cost["composed"] / cost["separate"],
    }
    for name, ratio in goals.items():
        print(f"{name:52} {ratio:.2f}")
    print(f"processor time: composed {100 * cost['composed']:.1f} %, separate {100 * cost['separate']:.1f} % of one core")
    figures.write("pipeline", {"latency_us": rows, "ratios": goals, "processor": cost})


main()
