"""filter_node over real DDS: sensors and transforms in rclpy, and what comes out of the filters."""

import math
import re
import threading
import time

import load
from load import connected
import numpy as np
import pytest
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped, TransformStamped, TwistStamped, Vector3Stamped, WrenchStamped
from rcl_interfaces.srv import DescribeParameters, GetParameters
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import Float64
from std_srvs.srv import Trigger
from tf2_msgs.msg import TFMessage

LATCHED = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
MASS, COG = 2.5, np.array([0.03, -0.02, 0.11])
WEIGHT = 9.81 * MASS


def flat(tree, prefix=""):
    """{"a": {"b": 1}} as {"a.b": 1}."""
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def start(ros, chains, **common):
    """The node with these chains."""
    return ros.start("filter_node", params=dict(flat({"chains": list(chains), **common, **chains})))


def gravity(**more):
    return {"name": "tool", "type": "control_filters/GravityCompensationWrench",
            "params": {"world_frame": "world", "sensor_frame": "ft", "tool": {"CoG": COG.tolist(), "mass": MASS}, **more}}


def wrist(**more):
    return {"type": "wrench", "input": "raw", "output": "clean", **more}


def quaternion(axis, angle):
    """x y z w of a turn."""
    axis = np.asarray(axis) / np.linalg.norm(axis)
    return [*(axis * math.sin(angle / 2)), math.cos(angle / 2)]


def rotation(q):
    """The matrix of a quaternion x y z w."""
    x, y, z, w = q
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ])


def transform(parent, child, stamp, q, p=(0.0, 0.0, 0.0)):
    message = TransformStamped(child_frame_id=child)
    message.header.frame_id, message.header.stamp = parent, stamp
    t, r = message.transform.translation, message.transform.rotation
    t.x, t.y, t.z = (float(x) for x in p)
    r.x, r.y, r.z, r.w = (float(x) for x in q)
    return TFMessage(transforms=[message])


def wrench(stamp, force, torque, frame="ft"):
    message = WrenchStamped()
    message.header.frame_id, message.header.stamp = frame, stamp
    f, t = message.wrench.force, message.wrench.torque
    f.x, f.y, f.z = (float(x) for x in force)
    t.x, t.y, t.z = (float(x) for x in torque)
    return message


def numbers(message):
    f, t = message.wrench.force, message.wrench.torque
    return np.array([f.x, f.y, f.z, t.x, t.y, t.z])


def felt(q):
    """Force and torque of the tool in the axes of the sensor, whose orientation in the world is q."""
    force = rotation(q).T @ [0.0, 0.0, -WEIGHT]
    return force, np.cross(COG, force)


def stamp(ns):
    return Time(sec=ns // 10**9, nanosec=ns % 10**9)


def test_a_turning_sensor_feels_no_tool(ros):
    """Transforms and wrenches of the same stamps, the wrenches first: what is left of the weight is rounding."""
    clean = ros.listen(WrenchStamped, "clean")
    start(ros, {"wrist": wrist(filter1=gravity())}, tf_timeout=10.0)
    raw, tf = ros.publisher(WrenchStamped, "raw"), ros.publisher(TFMessage, "/tf")
    connected(ros, "wrist")
    steps = 400
    for k in range(steps):
        at = stamp(100 * 10**9 + k * 5_000_000)
        q = quaternion([0.5, 1.0, -0.7], 0.013 * k)
        raw.publish(wrench(at, *felt(q)))
        tf.publish(transform("world", "ft", at, q, p=(0.1 * k, 0.0, 1.0)))
        time.sleep(0.001)
    ros.wait(lambda: len(clean) == steps, "all wrenches")
    worst = max(np.abs(numbers(message)).max() for message in clean.messages)
    assert worst < 1e-9 * WEIGHT, worst
    assert [m.header.stamp.nanosec for m in clean.messages] == [k * 5_000_000 % 10**9 for k in range(steps)]
    assert {m.header.frame_id for m in clean.messages} == {"ft"}


def test_the_output_frame_may_be_another_and_levers_count(ros):
    """A push at a point of the flange's message, seen from the grip."""
    clean = ros.listen(WrenchStamped, "clean")
    start(ros, {"wrist": wrist(filter1=gravity(output_frame="grip"))}, tf_timeout=10.0)
    fixed = ros.publisher(TFMessage, "/tf_static", LATCHED)
    q_flange, p_flange = quaternion([0, 0, 1], 0.5), np.array([0.0, 0.01, 0.04])
    q_grip, p_grip = quaternion([1, 0, 0], -0.8), np.array([0.02, 0.0, 0.2])
    q_world = quaternion([0.2, 1.0, 0.3], 1.1)
    fixed.publish(transform("ft", "flange", Time(), q_flange, p_flange))
    fixed.publish(transform("ft", "grip", Time(), q_grip, p_grip))
    fixed.publish(transform("world", "ft", Time(), q_world, (5.0, 6.0, 7.0)))
    push, point = np.array([3.0, -4.0, 5.0]), np.array([0.1, 0.2, 0.3])
    force, torque = felt(q_world)
    force, torque = force + push, torque + np.cross(point, push)
    turn = rotation(q_flange).T
    raw = ros.publisher(WrenchStamped, "raw")
    connected(ros, "wrist")
    raw.publish(wrench(ros.now(), turn @ force, turn @ (torque - np.cross(p_flange, force)), frame="flange"))
    ros.wait(lambda: len(clean) > 0, "the wrench")
    expected = np.concatenate([rotation(q_grip).T @ push, rotation(q_grip).T @ np.cross(point - p_grip, push)])
    assert clean[0].header.frame_id == "grip"
    assert np.abs(numbers(clean[0]) - expected).max() < 1e-9


def test_without_a_transform_nothing_comes_but_a_rare_warning_and_with_it_all_is_well(ros):
    clean = ros.listen(WrenchStamped, "clean")
    node = start(ros, {"wrist": wrist(filter1=gravity())}, tf_timeout=0.05)
    raw = ros.publisher(WrenchStamped, "raw")
    running = True

    def sensor():
        while running:
            raw.publish(wrench(ros.now(), *felt([0, 0, 0, 1])))
            time.sleep(0.005)

    began = time.monotonic()
    thread = threading.Thread(target=sensor, daemon=True)
    thread.start()
    try:
        warnings = lambda: [line for line in node.lines if 'chain "wrist": message dropped: no transform' in line]
        ros.wait(lambda: len(warnings()) >= 2, "two warnings")
        assert len(warnings()) <= 2 + (time.monotonic() - began) / 2, "one in two seconds"
        assert '"ft" is unknown' in warnings()[0] and "more since" in warnings()[1]
        assert len(clean) == 0
        fixed = ros.publisher(TFMessage, "/tf_static", LATCHED)
        fixed.publish(transform("world", "ft", Time(), [0, 0, 0, 1]))
        ros.wait(lambda: len(clean) > 10, "recovery")
        assert np.abs(numbers(clean[-1])).max() < 1e-9 * WEIGHT
    finally:
        running = False
        thread.join(10)


def low_pass(u, sf, df, di):
    """y(n) = b·x(n−1) + a·y(n−1); the first sample sets both."""
    a = math.exp(-1.0 / sf * (2.0 * math.pi * df) / 10 ** (di / -10.0))
    out, x1, y1 = [], u[0], u[0]
    for x in u:
        y1 = (1 - a) * x1 + a * y1
        x1 = x
        out.append(y1)
    return out


def test_low_pass_and_exponential_begin_at_the_first_sample_drop_nan_and_change_live(ros):
    low, exponential = ros.listen(Float64, "b"), ros.listen(Float64, "c")
    node = start(ros, {
        "smooth": {"type": "float64", "input": "a", "output": "b", "filter1": {
            "name": "low", "type": "control_filters/LowPassFilterDouble",
            "params": {"sampling_frequency": 100.0, "damping_frequency": 10.0, "damping_intensity": 2.0}}},
        "weigh": {"type": "float64", "input": "a", "output": "c", "filter1": {
            "name": "exp", "type": "control_filters/ExponentialFilterDouble", "params": {"alpha": 0.5}}},
    })
    a = ros.publisher(Float64, "a")
    ros.wait(lambda: a.get_subscription_count() == 2, "both chains")
    connected(ros, "smooth", "weigh")

    def send(u, comes=True):
        before = len(low), len(exponential)
        a.publish(Float64(data=u))
        if comes:
            ros.wait(lambda: (len(low), len(exponential)) == (before[0] + 1, before[1] + 1), f"the answers to {u}")
            return low[-1].data, exponential[-1].data

    u = [4.0, 8.0, -2.0, 5.0]
    answers = [send(x) for x in u[:3]]
    send(math.nan, comes=False)
    send(math.inf, comes=False)
    answers.append(send(u[3]))
    assert [y for y, _ in answers] == pytest.approx(low_pass(u, 100.0, 10.0, 2.0), rel=1e-14)
    assert [y for _, y in answers] == [4.0, 6.0, 2.0, 3.5]
    assert len(low) == 4, "nothing came for what is no number"
    dropped = [line for line in node.lines if "message dropped" in line]
    assert any('chain "smooth"' in line for line in dropped) and any('chain "weigh"' in line for line in dropped)

    assert ros.set_params("filter_node", weigh__filter1__params__alpha=0.25)[0].successful
    assert send(7.5)[1] == 0.25 * 7.5 + 0.75 * 3.5, "the new weight on the old state"


def test_parameters_are_declared_with_ranges_and_change_all_or_nothing(ros):
    chain = {"type": "float64", "input": "a", "output": "b", "sampling_frequency": 100.0,
             "filter1": {"name": "lag", "type": "Lag", "params": {"tau": 0.5}},
             "filter2": {"name": "limit", "type": "Saturation", "params": {"low": -1.0, "high": 1.0}}}
    start(ros, {"one": chain, "two": {**chain, "input": "c", "output": "d"}})
    names = ["one.filter1.params.tau", "one.filter1.type", "two.output", "one.filter2.params.high"]
    tau, kind, output, high = ros.call(
        DescribeParameters, "filter_node/describe_parameters", DescribeParameters.Request(names=names)).descriptors
    # The range is that of a slider, which holds the value; what is legal stands in the text.
    assert 0.5 <= tau.floating_point_range[0].to_value < 100 and 0 < tau.floating_point_range[0].from_value < 0.1
    assert re.match(r"Time constant\. \[.*1000000 s\]", tau.description), tau.description
    assert not tau.read_only and kind.read_only and output.read_only
    assert high.floating_point_range == [] and high.additional_constraints == "units"

    def value(name):
        request = GetParameters.Request(names=[name])
        return ros.call(GetParameters, "filter_node/get_parameters", request).values[0].double_value

    refused = ros.set_params("filter_node", atomically=True, one__filter1__params__tau=0.1, two__filter2__params__low=3.0)
    assert not refused.successful
    assert re.match(r'chain "two", filter "limit": parameter `two.filter2.params.low`', refused.reason), refused.reason
    assert (value("one.filter1.params.tau"), value("two.filter2.params.low")) == (0.5, -1.0)
    accepted = ros.set_params(
        "filter_node", atomically=True, two__filter2__params__low=3.0, two__filter2__params__high=4.0, one__filter1__params__tau=0.1)
    assert accepted.successful, accepted.reason
    assert (value("one.filter1.params.tau"), value("two.filter2.params.low")) == (0.1, 3.0)
    results = ros.set_params("filter_node", one__filter1__params__tau=-1.0, one__filter1__type="Median", one__filter2__params__high=2.0)
    assert [r.successful for r in results] == [False, False, True], "each for itself"
    assert "> 0" in results[0].reason and "read-only" in results[1].reason
    assert ros.set_params("filter_node", one__filter1__params__tau=1e5)[0].successful, "beyond the slider, but legal"


@pytest.mark.parametrize("text", ["chains: []", "chains: [a]\na: {type: float64, input: x, output: x}"])
def test_a_bad_file_ends_the_start_with_a_line_for_each_mistake(ros, tmp_path, text):
    file = tmp_path / "bad.yaml"
    body = "".join(f"    {line}\n" for line in text.splitlines())
    file.write_text(f"filter_node:\n  ros__parameters:\n{body}")
    code, output = ros.run("filter_node", ros_args=["--params-file", str(file)])
    assert code == 1
    lines = output.splitlines()
    assert lines and all(line.startswith("filter_node: ") for line in lines), output
    assert len(lines) == (1 if "[]" in text else 2), output


def test_the_file_of_a_control_filters_user_works_unchanged(ros, root):
    file = root / "filter_node/tests/control_filters.yaml"
    name = "force_torque_sensor_broadcaster"
    params = {"chains": ["sensor_filter_chain"], "sensor_filter_chain.type": "wrench",
              "sensor_filter_chain.input": "raw", "sensor_filter_chain.output": "clean"}
    clean = ros.listen(WrenchStamped, "clean")
    node = ros.start("filter_node", params=params, ros_args=["-r", f"__node:={name}", "--params-file", str(file)])
    fixed = ros.publisher(TFMessage, "/tf_static", LATCHED)
    fixed.publish(transform("world", "sensor", Time(), [0, 0, 0, 1]))
    raw = ros.publisher(WrenchStamped, "raw")
    connected(ros, "sensor_filter_chain")
    raw.publish(wrench(ros.now(), (1.0, 2.0, 3.0), (0.0, 0.0, 0.0), frame="sensor"))
    ros.wait(lambda: len(clean) > 0, "the wrench")
    # 5 kg at the origin, then 50 N down at x = 0.1: f − g, τ − p × g.
    expected = [1.0, 2.0, 3.0 + 5.0 * 9.81 + 50.0, 0.0, -5.0, 0.0]
    assert numbers(clean[0]) == pytest.approx(expected, abs=1e-12)
    ros.wait(lambda: "sensor_name" in node.output, "a word on what is not ours")


def test_joint_states_are_filtered_by_name_and_field(ros):
    out = ros.listen(JointState, "out")
    start(ros, {"legs": {"type": "joint_state", "input": "in", "output": "out", "fields": ["position", "velocity"],
                         "filter1": {"name": "f", "type": "ExponentialFilter", "params": {"alpha": 0.5}}}})
    publisher = ros.publisher(JointState, "in")
    connected(ros, "legs")
    for message in (
        JointState(name=["a", "b"], position=[1.0, 2.0], effort=[1.0, 1.0]),
        JointState(name=["b", "a"], position=[4.0, math.nan], effort=[3.0, 3.0]),
        JointState(name=["a", "b"], position=[1.0]),
        JointState(name=["a"], position=[3.0], velocity=[7.0]),
    ):
        publisher.publish(message)
    ros.wait(lambda: len(out) == 3, "three messages")
    assert (list(out[0].position), list(out[0].effort)) == ([1.0, 2.0], [1.0, 1.0])
    assert list(out[1].name) == ["b", "a"] and out[1].position[0] == 3.0 and math.isnan(out[1].position[1])
    assert list(out[1].effort) == [3.0, 3.0] and len(out[1].velocity) == 0
    assert (list(out[2].position), list(out[2].velocity)) == ([2.0], [7.0])


def test_a_differentiator_makes_velocities_and_an_integrator_positions(ros):
    slopes, areas = ros.listen(JointState, "slopes"), ros.listen(JointState, "areas")
    start(ros, {"slope": {"type": "joint_state", "input": "in", "output": "slopes", "sampling_frequency": 10.0,
                          "filter1": {"name": "f", "type": "Differentiator"}},
                "area": {"type": "joint_state", "input": "in", "output": "areas", "sampling_frequency": 10.0,
                         "filter1": {"name": "f", "type": "Integrator"}}})
    publisher = ros.publisher(JointState, "in")
    connected(ros, "slope")
    connected(ros, "area")
    for k in range(3):
        publisher.publish(JointState(name=["a"], position=[0.5 * k], velocity=[2.0], effort=[1.0]))
    ros.wait(lambda: len(slopes) == len(areas) == 3, "three messages of each")
    assert [list(m.velocity) for m in slopes.messages] == [[0.0], [5.0], [5.0]]
    assert [list(m.position) for m in slopes.messages] == [[0.0], [0.5], [1.0]]
    assert np.allclose([m.position[0] for m in areas.messages], [0.0, 0.2, 0.4])
    assert all(list(m.velocity) == [2.0] and list(m.effort) == [1.0] for m in areas.messages)


def stamped(message, second, frame="base_link"):
    message.header.frame_id, message.header.stamp = frame, Time(sec=second)
    return message


def test_vectors_and_poses_are_filtered_and_what_is_refused_leaves_no_trace(ros):
    vectors, poses = ros.listen(Vector3Stamped, "vectors"), ros.listen(PoseStamped, "poses")
    start(ros, {"field": {"type": "vector3", "input": "field", "output": "vectors",
                          "filter1": {"name": "f", "type": "ExponentialFilter", "params": {"alpha": 0.5}}},
                "hand": {"type": "pose", "input": "hand", "output": "poses", "sampling_frequency": 10.0,
                         "filter1": {"name": "f", "type": "Transient", "params": {"speed": 1.0}}}})
    field, hand = ros.publisher(Vector3Stamped, "field"), ros.publisher(PoseStamped, "hand")
    connected(ros, "field")
    connected(ros, "hand")
    for second, x in ((100, 2.0), (5, math.nan), (100, 4.0)):
        message = stamped(Vector3Stamped(), second)
        message.vector.x = x
        field.publish(message)
    for second, angle, norm in ((100, 0.0, 1.0), (5, 0.0, 2.0), (100, 1.0, 1.0)):
        message = stamped(PoseStamped(), second)
        message.pose.position.y = 3.0 * angle
        o = message.pose.orientation
        o.x, o.y, o.z, o.w = (norm * part for part in quaternion([0, 0, 1], angle))
        hand.publish(message)
    ros.wait(lambda: len(vectors) == len(poses) == 2, "two of each; those between are refused")
    assert [m.vector.x for m in vectors.messages] == [2.0, 3.0]
    assert vectors[1].header.frame_id == "base_link" and vectors[1].header.stamp.sec == 100
    # 1 per s at 10 Hz: 0.1 m and 0.1 rad.
    moved = poses[1].pose
    assert abs(moved.position.y - 0.1) < 1e-12 and abs(2 * math.asin(moved.orientation.z) - 0.1) < 1e-12
    assert poses[1].header.frame_id == "base_link"


def test_an_imu_keeps_what_it_does_not_measure_and_what_is_not_filtered(ros):
    out = ros.listen(Imu, "out")
    start(ros, {"imu": {"type": "imu", "input": "in", "output": "out",
                        "filter1": {"name": "f", "type": "ExponentialFilter", "params": {"alpha": 0.5}}}})
    publisher = ros.publisher(Imu, "in")
    connected(ros, "imu")
    for w, a, measured in ((2.0, 10.0, True), (4.0, math.inf, True), (4.0, 99.0, False), (3.0, 20.0, True)):
        message = stamped(Imu(), 7)
        message.angular_velocity.z, message.linear_acceleration.x = w, a
        message.orientation.w = 0.0
        message.angular_velocity_covariance[4] = 0.25
        if not measured:
            message.linear_acceleration_covariance[0] = -1.0
        publisher.publish(message)
    ros.wait(lambda: len(out) == 3, "three messages; the infinite one is refused")
    assert [m.angular_velocity.z for m in out.messages] == [2.0, 3.0, 3.0]
    assert [m.linear_acceleration.x for m in out.messages] == [10.0, 99.0, 15.0]
    assert all(m.angular_velocity_covariance[4] == 0.25 and m.orientation.w == 0.0 for m in out.messages)


def test_twists_of_a_publisher_that_may_lose_some_are_filtered_and_counted(ros):
    out, diagnostics = ros.listen(TwistStamped, "out"), ros.listen(DiagnosticArray, "/diagnostics")
    start(ros, {"base": {"type": "twist", "input": "in", "output": "out", "input_qos": "best_effort", "sampling_frequency": 10.0,
                         "filter1": {"name": "f", "type": "RateLimiter", "params": {"max_first_derivative": 5.0}}}})
    publisher = ros.publisher(TwistStamped, "in", QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT))
    connected(ros, "base")
    first, second = TwistStamped(), TwistStamped()
    second.header.frame_id = "base_link"
    second.twist.linear.x, second.twist.angular.z = 2.0, -0.25

    def until(message, done):
        """Sends it until it arrives: such a publisher may lose it."""

        def attempt():
            publisher.publish(message)
            time.sleep(0.05)
            return done()

        ros.wait(attempt, "a twist")

    until(first, lambda: len(out) > 0)
    until(second, lambda: out[-1].header.frame_id == "base_link")
    moved = next(m for m in out.messages if m.header.frame_id == "base_link")
    # 5 per s at 10 Hz: 0.5 each.
    assert (moved.header.frame_id, moved.twist.linear.x, moved.twist.angular.z) == ("base_link", 0.5, -0.25)

    def figures():
        values = [v for array in diagnostics.messages for status in array.status if status.name == "filter_node" for v in status.values]
        return {v.key: v.value for v in values}

    ros.wait(lambda: figures().get("base: sent") == str(len(out)), "the figures")
    assert figures()["base: received"] == str(len(out)) and figures()["base: dropped"] == "0"


def test_stamps_that_go_back_begin_anew(ros):
    """A bag that begins again, within the time that tf remembers."""
    clean = ros.listen(WrenchStamped, "clean")
    node = start(ros, {"wrist": wrist(filter1=gravity(), filter2={"name": "f", "type": "ExponentialFilter", "params": {"alpha": 0.5}})}, tf_timeout=10.0)
    raw, tf = ros.publisher(WrenchStamped, "raw"), ros.publisher(TFMessage, "/tf")
    connected(ros, "wrist")
    upright, tilted = [0, 0, 0, 1], quaternion([1, 0, 0], 1.0)
    for seconds, q in ((100, upright), (101, upright), (104, upright), (100, tilted), (101, tilted)):
        count = len(clean)
        raw.publish(wrench(stamp(seconds * 10**9), *felt(q)))
        tf.publish(transform("world", "ft", stamp(seconds * 10**9), q))
        ros.wait(lambda: len(clean) > count, f"the wrench of {seconds} s")
    assert max(np.abs(numbers(m)).max() for m in clean.messages) < 1e-9 * WEIGHT
    ros.wait(lambda: "begins anew" in node.output, "a word on it")


def test_simulated_time_that_goes_back_and_a_reset_begin_all_chains_anew(ros):
    out, diagnostics = ros.listen(Float64, "out"), ros.listen(DiagnosticArray, "/diagnostics")
    node = start(ros, {"a": {"type": "float64", "input": "in", "output": "out",
                             "filter1": {"name": "f", "type": "ExponentialFilter", "params": {"alpha": 0.5}}}}, use_sim_time=True)
    clock, sensor = ros.publisher(Clock, "/clock"), ros.publisher(Float64, "in")
    connected(ros, "a")

    def tell(seconds):
        """/clock may lose messages; the stamps of /diagnostics say what time the node believes it is."""

        def told():
            clock.publish(Clock(clock=Time(sec=seconds)))
            return any(array.header.stamp.sec == seconds for array in diagnostics.messages)

        ros.wait(told, f"the time {seconds}")

    def send(value):
        count = len(out)
        sensor.publish(Float64(data=value))
        ros.wait(lambda: len(out) > count, "the answer")
        return out[-1].data

    tell(500)
    assert [send(4.0), send(8.0)] == [4.0, 6.0]
    tell(5)
    assert [send(2.0), send(4.0)] == [2.0, 3.0] and "time was set back" in node.output
    assert ros.call(Trigger, "filter_node/reset", Trigger.Request()).success
    assert [send(7.0), send(9.0)] == [7.0, 8.0]


@pytest.mark.serial
def test_ten_seconds_of_wrenches_at_1_khz_lose_nothing(ros, capsys):
    run = load.filtered(ros, 10.0)
    with capsys.disabled():
        print(f"\nsensor → three filters → listener: {run}")
    assert len(run.stamps) == run.sent and run.stamps == sorted(set(run.stamps))
    # A constant input: the weight is gone, the pull of 3 N is left.
    assert numbers(run.last) == pytest.approx([3.0, 0, 0, 0, 0, 0], abs=1e-9)
