"""Real processes over real DDS, with rclpy, which shares no code with ours, as the other side.

The fixture `ros` gives a test a ROS domain of its own on this machine only, an rclpy node that is spun in the background,
and the means to start our executables. Wait for conditions with `ros.wait`; a limit is generous and never the measure.

Tests run beside each other (pytest-xdist), two workers a processor unless GAITWAY_WORKERS says otherwise, the longest first: most of a test's time is
waiting, for a robot that walks or a process that starts. What measures time, or loads the machine on purpose, is marked `serial` and has it for itself
afterwards (`./gaitway test` runs both)."""

import contextlib
import fcntl
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import threading
import time

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = pathlib.Path(os.environ.get("GAITWAY_BIN_DIR", ROOT / "target" / "release"))
# A loaded machine may be slow; a test that waits this long is stuck.
LIMIT = 60.0

# Ids above 101 would collide with the ephemeral ports of Linux.
DOMAINS = range(1, 102)


# How long each test took last time, s.
TIMES = BIN.parent / "system_test_times.json"
took = {}


def pytest_configure(config):
    config.addinivalue_line("markers", "serial: has the machine for itself: it measures time, or loads the processors on purpose")


# Modules that make something once for all their tests: one worker has all of them.
TOGETHER = (
    "foundation/test_new_robot.py",
    "odometry/test_damaged_bags.py",
    "odometry/test_replay.py",
    "odometry/test_replay_files.py",
    "sim/test_lockstep.py",
)
# Long ones, where no run before has said what takes how long.
LONG = ("pipeline/test_soak.py", "odometry/test_physics.py", "gait/test_walking.py", "sim/test_robot_sim.py", "pipeline/test_namespaces.py")


def unit_of(nodeid):
    """What goes to one worker together: a module, else the test alone."""
    module = nodeid.split("::")[0]
    return module if module in TOGETHER else nodeid


def guess(nodeid):
    """How long a test takes that was never timed, s."""
    module = nodeid.split("::")[0]
    return 60.0 / (1 + LONG.index(module)) if module in LONG else 0.0


# xdist_group would be the word for it, but xdist 3.8 does nothing with it under pytest 9.2.
@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    from xdist.scheduler import LoadScopeScheduling

    class Units(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return unit_of(nodeid)

    return Units(config, log)


def pytest_collection_modifyitems(items):
    """The longest first, so that none is left over at the end; what goes together counts as one, and stays in its order."""
    if not os.environ.get("PYTEST_XDIST_WORKER"):
        return
    times, total = {}, {}
    with contextlib.suppress(OSError, ValueError):
        times = json.loads(TIMES.read_text())
    for item in items:
        total[unit_of(item.nodeid)] = total.get(unit_of(item.nodeid), 0.0) + times.get(item.nodeid, guess(item.nodeid))
    items.sort(key=lambda item: (-total[unit_of(item.nodeid)], unit_of(item.nodeid)))


def pytest_runtest_logreport(report):
    took[report.nodeid] = took.get(report.nodeid, 0.0) + report.duration


def pytest_sessionfinish(session):
    """Remembers what passed by; a worker only tells its controller."""
    if os.environ.get("PYTEST_XDIST_WORKER") or not took or not TIMES.parent.exists():
        return
    with contextlib.suppress(OSError, ValueError):
        took_before = json.loads(TIMES.read_text())
        took.update({name: time for name, time in took_before.items() if name not in took})
    TIMES.write_text(json.dumps(took, indent=0, sort_keys=True))


@contextlib.contextmanager
def free_domain():
    """A ROS_DOMAIN_ID that no other test on this machine has."""
    folder = pathlib.Path(tempfile.gettempdir()) / f"gaitway_domains_{os.getuid()}"
    folder.mkdir(exist_ok=True)
    start = os.getpid()
    for i in DOMAINS:
        domain = DOMAINS[(start + i) % len(DOMAINS)]
        lock = open(folder / str(domain), "w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            continue
        try:
            yield domain
        finally:
            lock.close()
        return
    raise RuntimeError("no free ROS_DOMAIN_ID")


class Process:
    """One of our executables, its output collected line by line."""

    def __init__(self, command, env):
        self.name = pathlib.Path(command[0]).name
        self.lines = []
        self.child = subprocess.Popen(
            command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True
        )
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.child.stdout:
            self.lines.append(line.rstrip("\n"))

    @property
    def output(self):
        return "\n".join(self.lines)

    def signal(self, number):
        self.child.send_signal(number)

    def wait(self, limit=LIMIT):
        """The exit code."""
        code = self.child.wait(limit)
        self.reader.join(limit)
        return code

    def stop(self):
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGINT)
            try:
                # Longer than a launch waits for its nodes before it kills them: one that it left behind would go on beside all later tests.
                self.child.wait(15)
            except subprocess.TimeoutExpired:
                self.child.kill()
        return self.wait()


class Topic:
    """Every message of a topic, with the time of its arrival."""

    def __init__(self):
        self.messages = []
        self.times = []

    def __call__(self, message):
        self.times.append(time.monotonic())
        self.messages.append(message)

    def __len__(self):
        return len(self.messages)

    def __getitem__(self, index):
        return self.messages[index]

    def clear(self):
        self.messages.clear()
        self.times.clear()


class Ros:
    """A ROS domain of the test's own."""

    def __init__(self, domain):
        import rclpy
        from rclpy.executors import SingleThreadedExecutor

        self.domain = domain
        self.env = dict(os.environ, ROS_DOMAIN_ID=str(domain), ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST")
        # Console colours and buffering would only disturb the tests that read the log.
        self.env["RCUTILS_LOGGING_BUFFERED_STREAM"] = "0"
        self.env["ROS_LOG_DIR"] = tempfile.mkdtemp(prefix="gaitway_log_")
        # What nodes remember from run to run is the test's own, too.
        self.env["ROS_HOME"] = tempfile.mkdtemp(prefix="gaitway_home_")
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = rclpy.create_node("tester", context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.thread = threading.Thread(target=self._spin, daemon=True)
        self.thread.start()
        self.processes = []

    def _spin(self):
        from rclpy.executors import ExternalShutdownException

        with contextlib.suppress(ExternalShutdownException):
            self.executor.spin()

    # -- our executables ------------------------------------------------------------------------------------------

    def start(self, executable, *args, params=None, ros_args=()):
        """Starts an executable; `params` are given as -p, so they are YAML values."""
        command = [str(BIN / executable), *args, "--ros-args", *ros_args]
        for name, value in (params or {}).items():
            text = yaml.safe_dump(value, default_flow_style=True, width=10**9).removesuffix("...\n").strip()
            command += ["-p", f"{name}:={text}"]
        process = Process(command, self.env)
        self.processes.append(process)
        return process

    def run(self, executable, *args, ros_args=()):
        """Runs an executable that is expected to end: (exit code, output)."""
        process = self.start(executable, *args, ros_args=ros_args)
        code = process.wait()
        return code, process.output

    # -- waiting --------------------------------------------------------------------------------------------------

    def wait(self, condition, what="the condition", limit=LIMIT):
        """Waits until `condition()` is truthy and returns what it gave."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            result = condition()
            if result:
                return result
            for process in self.processes:
                code = process.child.poll()
                if code not in (None, 0) and not getattr(process, "may_end", False):
                    raise AssertionError(f"{process.name} ended with {code} while waiting for {what}:\n{process.output}")
            time.sleep(0.005)
        logs = "\n".join(f"--- {p.name}\n{p.output}" for p in self.processes)
        raise AssertionError(f"{what} did not come within {limit} s\n{logs}")

    # -- topics, services, parameters -----------------------------------------------------------------------------

    def listen(self, kind, topic, qos=1000):
        collected = Topic()
        self.node.create_subscription(kind, topic, collected, qos)
        return collected

    def publisher(self, kind, topic, qos=100, wait=True):
        """A publisher, once somebody listens."""
        publisher = self.node.create_publisher(kind, topic, qos)
        if wait:
            self.wait(lambda: publisher.get_subscription_count() > 0, f"a listener on {topic}")
        return publisher

    def call(self, kind, name, request):
        client = self.node.create_client(kind, name)
        self.wait(client.service_is_ready, f"service {name}")
        future = client.call_async(request)
        self.wait(future.done, f"an answer from {name}")
        self.node.destroy_client(client)
        return future.result()

    def set_params(self, node, atomically=False, **values):
        """Sets parameters of a node: the list of results, or the one result when `atomically`. `a__b` stands for `a.b`."""
        from rcl_interfaces.srv import SetParameters, SetParametersAtomically
        from rclpy.parameter import Parameter

        messages = [Parameter(n.replace("__", "."), value=v).to_parameter_msg() for n, v in values.items()]
        kind, service = (
            (SetParametersAtomically, "set_parameters_atomically") if atomically else (SetParameters, "set_parameters")
        )
        answer = self.call(kind, f"{node}/{service}", kind.Request(parameters=messages))
        return answer.result if atomically else answer.results

    def now(self):
        return self.node.get_clock().now().to_msg()

    def close(self):
        for process in self.processes:
            process.stop()
        self.executor.shutdown()
        self.thread.join(10)
        self.node.destroy_node()
        self.context.try_shutdown()


@pytest.fixture
def ros():
    with free_domain() as domain:
        ros = Ros(domain)
        try:
            yield ros
        finally:
            ros.close()


@pytest.fixture
def root():
    return ROOT
