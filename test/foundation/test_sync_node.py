"""The first node, and through it everything that node_lib does for all of them."""

import math
import signal
import statistics
import time

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from gait_msgs.msg import SyncStep
from rcl_interfaces.msg import Log, ParameterEvent
from rcl_interfaces.srv import DescribeParameters, GetParameters, GetParameterTypes, ListParameters
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_parameter_events
from rosgraph_msgs.msg import Clock

ROSOUT = QoSProfile(depth=1000, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def rate(topic, n=20):
    """Of the last n messages, by their stamps."""
    stamps = [m.header.stamp.sec + m.header.stamp.nanosec * 1e-9 for m in topic.messages[-n:]]
    return (len(stamps) - 1) / (stamps[-1] - stamps[0])


def start(ros, **params):
    node = ros.start("sync_node", params=params)
    steps = ros.listen(SyncStep, "sync")
    ros.wait(lambda: len(steps) > 20, "twenty cycles")
    return node, steps


def test_describe_gives_range_and_description(ros):
    start(ros)
    answer = ros.call(DescribeParameters, "/sync_node/describe_parameters", DescribeParameters.Request(names=["period"]))
    (d,) = answer.descriptors
    assert d.type == Parameter.Type.DOUBLE.value and not d.read_only
    # rqt shows nothing but the description: the unit and the law stand there, the range is the slider's.
    assert "control cycle" in d.description and "0.0005 … 1 s" in d.description
    [slider] = d.floating_point_range
    assert (slider.from_value, slider.to_value, slider.step) == (0.0008, 0.0408, 0.0004), "a hundred round steps, the first of which is legal"


@pytest.mark.parametrize(
    "name, value, reason",
    [
        ("period", 7.0, "outside 0.0005 … 1 s"),
        ("period", math.nan, "finite"),
        ("period", "fast", "double, not string"),
        ("perod", 0.1, 'did you mean "period"'),
        ("period", [0.1], "double, not double array"),
    ],
)
def test_bad_values_are_refused_with_a_reason(ros, name, value, reason):
    start(ros)
    (result,) = ros.set_params("/sync_node", **{name: value})
    assert not result.successful and reason in result.reason and f'"{name}"' in result.reason
    answer = ros.call(GetParameters, "/sync_node/get_parameters", GetParameters.Request(names=["period"]))
    assert answer.values[0].double_value == 0.01


def test_unset_is_refused(ros):
    start(ros)
    from rcl_interfaces.msg import Parameter as Msg
    from rcl_interfaces.srv import SetParameters

    answer = ros.call(SetParameters, "/sync_node/set_parameters", SetParameters.Request(parameters=[Msg(name="period")]))
    assert not answer.results[0].successful and '"period"' in answer.results[0].reason


def test_a_good_set_changes_the_rate_in_the_next_cycle_and_is_announced(ros):
    events = ros.listen(ParameterEvent, "/parameter_events", qos_profile_parameter_events)
    _, steps = start(ros)
    ros.wait(lambda: ros.node.count_publishers("/parameter_events") > 1, "its events to be heard")
    before = steps[-1].cycle
    (result,) = ros.set_params("/sync_node", period=0.002)
    assert result.successful
    ros.wait(lambda: steps[-1].period == 0.002, "the new period")
    # From one cycle to the next: no cycle in between, and stamps that follow at once.
    first = next(i for i, s in enumerate(steps.messages) if s.period == 0.002)
    assert [s.cycle for s in steps.messages] == list(range(steps[0].cycle, steps[-1].cycle + 1))
    assert steps[first].cycle > before
    ros.wait(lambda: len(steps) > first + 60, "cycles of the new period")
    # Twenty in a row, on a machine that may lose one now and then.
    ros.wait(lambda: rate(steps) == pytest.approx(500, rel=0.02), "the new rate")
    event = ros.wait(lambda: [e for e in events if e.node == "/sync_node"], "the event")[0]
    assert event.changed_parameters[0].name == "period" and event.changed_parameters[0].value.double_value == 0.002


def test_a_whole_number_will_do_for_a_double(ros):
    _, steps = start(ros)
    (result,) = ros.set_params("/sync_node", period=1)
    assert result.successful
    answer = ros.call(GetParameterTypes, "/sync_node/get_parameter_types", GetParameterTypes.Request(names=["period"]))
    assert list(answer.types) == [Parameter.Type.DOUBLE.value]


def test_atomic_sets_are_all_or_nothing(ros):
    start(ros)
    assert not ros.set_params("/sync_node", atomically=True, period=0.05, nonsense=1).successful
    get = GetParameters.Request(names=["period"])
    assert ros.call(GetParameters, "/sync_node/get_parameters", get).values[0].double_value == 0.01
    assert ros.set_params("/sync_node", atomically=True, period=0.05, use_sim_time=False).successful
    assert ros.call(GetParameters, "/sync_node/get_parameters", get).values[0].double_value == 0.05


PARAMETERS = {"period": 0.01, "realtime_priority": 0, "cpu": -1, "lock_memory": False}


def test_queries_are_answered_as_rclpy_answers_them(ros):
    """The same questions to our node and to an rclpy node with the same parameters."""
    import rclpy

    start(ros)
    peer = rclpy.create_node("peer", context=ros.context)
    for name, value in PARAMETERS.items():
        peer.declare_parameter(name, value)
    ros.executor.add_node(peer)
    ours = lambda kind, service, request: ros.call(kind, f"/sync_node/{service}", request)
    theirs = lambda kind, service, request: ros.call(kind, f"/peer/{service}", request)
    for names in [["period"], ["period", "use_sim_time"], ["nonsense"], ["period", "nonsense"], []]:
        types = GetParameterTypes.Request(names=names)
        assert ours(GetParameterTypes, "get_parameter_types", types) == theirs(
            GetParameterTypes, "get_parameter_types", types
        )
        values = GetParameters.Request(names=names)
        assert ours(GetParameters, "get_parameters", values) == theirs(GetParameters, "get_parameters", values)
        describe = DescribeParameters.Request(names=names)
        lengths = [len(ask(DescribeParameters, "describe_parameters", describe).descriptors) for ask in (ours, theirs)]
        assert lengths[0] == lengths[1]
    own = {*PARAMETERS, "use_sim_time"}
    for prefixes, depth in [([], 0), ([], 1), (["period"], 0), (["perio"], 0), (["use_sim_time"], 1), (["x"], 3)]:
        request = ListParameters.Request(prefixes=prefixes, depth=depth)
        a, b = (ask(ListParameters, "list_parameters", request).result for ask in (ours, theirs))
        assert set(a.names) == set(b.names) & own and list(a.prefixes) == []
    ros.executor.remove_node(peer)
    peer.destroy_node()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_in_order(ros, number):
    node, _ = start(ros)
    assert "sync_node" in ros.node.get_node_names()
    node.signal(number)
    sent = time.monotonic()
    ros.wait(lambda: "sync_node" not in ros.node.get_node_names(), "the node to leave the graph")
    # Far below the 20 s that a killed node haunts the graph for, on a loaded machine too.
    assert time.monotonic() - sent < 5
    assert node.wait() == 0


@pytest.mark.parametrize(
    "text, expected",
    [
        (None, "No such file"),
        ("sync_node: {ros__parameters: {period: [1, 0.5", "line "),
        ("sync_node: {ros__parameters: {period: 5.0}}", "outside 0.0005 … 1 s"),
        ("sync_node: {ros__parameters: {period: fast}}", "double, not string"),
        ("sync_node: 5", "ros__parameters"),
    ],
)
def test_a_bad_parameter_file_is_one_clear_line(ros, tmp_path, text, expected):
    file = tmp_path / "params.yaml"
    if text is not None:
        file.write_text(text)
    process = ros.start("sync_node", ros_args=["--params-file", str(file)])
    process.may_end = True
    assert process.wait() == 1
    (line,) = [l for l in process.lines if "[rcl]" not in l]
    assert line.startswith("sync_node: ") and expected in line


@pytest.mark.parametrize("args", [["-r", "bad"], ["-p", "period"], ["--params-file"], ["-p", "period:="]])
def test_bad_arguments_end_with_a_reason_and_no_panic(ros, args):
    process = ros.start("sync_node", ros_args=args)
    process.may_end = True
    assert process.wait() == 1
    assert "panicked" not in process.output and process.lines[-1].startswith("sync_node: ")


PATTERNS = """
/**: {ros__parameters: {period: 0.02}}
/ns/*: {ros__parameters: {period: 0.03}}
/ns/sync_node: {ros__parameters: {period: 0.04}}
sync_node: {ros__parameters: {period: 0.05}}
/*/other: {ros__parameters: {period: 0.06}}
/**/deep: {ros__parameters: {period: 1}}
"""


@pytest.mark.parametrize(
    "extra",
    [
        [],
        ["-r", "__ns:=/ns"],
        ["-r", "__ns:=/ns", "-r", "__node:=x"],
        ["-r", "__ns:=/a", "-r", "__node:=other"],
        ["-r", "__ns:=/a/b", "-r", "__node:=deep"],
        ["-p", "period:=0.07"],
        ["-r", "__node:=plain", "-p", "period:=0.07"],
        ["-r", "__node:=plain", "-p", "plain:period:=0.08"],
    ],
)
def test_overrides_reach_the_node_as_in_rclpy(ros, tmp_path, extra):
    """The same arguments to our node and to an rclpy node."""
    import rclpy

    file = tmp_path / "params.yaml"
    file.write_text(PATTERNS)
    args = ["--params-file", str(file), *extra]
    context = rclpy.Context()
    rclpy.init(args=["--ros-args", *args], context=context, domain_id=ros.domain)
    peer = rclpy.create_node("sync_node", context=context)
    name, expected = peer.get_fully_qualified_name(), float(peer.declare_parameter("period", value=None, descriptor=any_type()).value)
    peer.destroy_node()
    context.try_shutdown()

    ros.start("sync_node", ros_args=args)
    answer = ros.call(GetParameters, f"{name}/get_parameters", GetParameters.Request(names=["period"]))
    assert answer.values[0].double_value == expected


def any_type():
    from rcl_interfaces.msg import ParameterDescriptor

    return ParameterDescriptor(dynamic_typing=True)


@pytest.mark.parametrize("at_start", [True, False])
def test_the_clock_follows_sim_time(ros, at_start):
    clock = ros.publisher(Clock, "/clock", wait=False)
    if at_start:
        ros.start("sync_node", params={"use_sim_time": True, "period": 0.1})
        steps = ros.listen(SyncStep, "sync")
    else:
        _, steps = start(ros, period=0.1)
        (result,) = ros.set_params("/sync_node", use_sim_time=True)
        assert result.successful
    ros.wait(lambda: clock.get_subscription_count() > 0, "the node to listen to /clock")
    simulated = lambda: [s for s in steps.messages if s.header.stamp.sec < 10_000]

    def tick(ns):
        message = Clock()
        message.clock.sec, message.clock.nanosec = divmod(ns, 10**9)
        clock.publish(message)

    # /clock is best effort: say it again until it was heard.
    ns = 1000 * 10**9
    while len(simulated()) < 30:
        tick(ns)
        time.sleep(0.01)
        ns += 50_000_000
        assert ns < 1200 * 10**9, "the beat does not follow /clock"
    stamps = [s.header.stamp.sec * 10**9 + s.header.stamp.nanosec for s in simulated()]
    assert all((b - a) % 100_000_000 == 0 for a, b in zip(stamps, stamps[1:]))
    held = len(simulated())
    (result,) = ros.set_params("/sync_node", use_sim_time=False)
    assert result.successful
    ros.wait(lambda: steps[-1].header.stamp.sec > 10**9, "system time again")
    assert len(simulated()) <= held + 1, "time stood still, but the beat went on"


@pytest.mark.serial
def test_1_khz_for_30_s_on_an_exact_grid(ros):
    """Stamps are anchor + n · period to the nanosecond, whatever the scheduler does, and numbers count the cycles that were; a stamp is
    left out only where the node itself says that a cycle fell out."""
    node, steps = start(ros, period=0.001)
    ros.wait(lambda: steps[-1].cycle - steps[0].cycle >= 30_000, "30 000 cycles", limit=240)
    statistics = ros.listen(DiagnosticArray, "sync_node/statistics")
    numbers = [s.cycle for s in steps.messages]
    stamps = [s.header.stamp.sec * 10**9 + s.header.stamp.nanosec for s in steps.messages]
    assert all(stamp % 10**6 == 0 for stamp in stamps) and sorted(set(stamps)) == stamps
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    ros.wait(lambda: len(statistics) > 1, "the node's own figures")
    overruns = int({v.key: v.value for v in statistics[-1].status[0].values}["overruns"])
    left_out = (stamps[-1] - stamps[0]) // 10**6 + 1 - len(stamps)
    print(f"{len(numbers)} cycles, {left_out} left out, {overruns} overruns")
    assert left_out <= overruns
    node.stop()


def test_log_and_diagnostics_reach_the_graph(ros):
    log = ros.listen(Log, "/rosout", ROSOUT)
    diagnostics = ros.listen(DiagnosticArray, "/diagnostics")
    start(ros)
    line = ros.wait(lambda: [m for m in log if m.name == "sync_node"], "a line on /rosout")[0]
    assert line.level == 20 and "one cycle every 0.01 s" in line.msg and line.file.endswith("sync_node.rs")
    status = ros.wait(lambda: [s for d in diagnostics for s in d.status], "diagnostics")[0]
    assert status.name == "sync_node" and int({v.key: v.value for v in status.values}["cycles"]) > 0


def test_an_unknown_parameter_for_this_node_is_warned_of(ros, tmp_path):
    file = tmp_path / "params.yaml"
    file.write_text("sync_node: {ros__parameters: {perod: 0.02}}\n/**: {ros__parameters: {for_others: 1}}")
    node = ros.start("sync_node", ros_args=["--params-file", str(file)])
    ros.wait(lambda: 'did you mean "period"' in node.output, "the warning")
    assert "for_others" not in node.output


def test_help_and_print_params_need_no_ros(ros, root):
    code, text = ros.run("sync_node", "--help")
    assert code == 0 and "period" in text and "gait_msgs/SyncStep" in text
    code, text = ros.run("sync_node", "--print-params")
    shipped = (root / "config" / "sync.yaml").read_text().replace("realtime_priority: 50", "realtime_priority: 0")
    assert code == 0 and shipped.endswith(text.strip() + "\n")
    code, text = ros.run("sync_node", "--hepl")
    assert code == 1 and "--hepl" in text
