"""servo_inv_lead and servo_inv_param as processes, with rclpy in the place of the agregator, the battery and the bridge."""

import math
import time

import pytest
from gait_msgs.msg import JointAccelState, ServoGoal, ServoModel, SyncStep
from sensor_msgs.msg import BatteryState, JointState

PERIOD = 0.02
# So that a loaded machine does not look like a source that was away.
PATIENT = {"timeout": 1000.0}


def stamp(cycle, within=0.0):
    ns = round((1000 + cycle * PERIOD + within) * 1e9)
    return {"sec": ns // 10**9, "nanosec": ns % 10**9}


def header(message, cycle, within=0.001):
    time = stamp(cycle, within)
    message.header.stamp.sec, message.header.stamp.nanosec = time["sec"], time["nanosec"]
    return message


def desired(cycle, position, names=("a", "b"), within=0.001, **arrays):
    """Joints as the agregator sends them: JointState, or JointAccelState when there is more to say."""
    kind = JointAccelState if arrays else JointState
    message = header(kind(name=list(names), position=position), cycle, within)
    for field, values in arrays.items():
        setattr(message, field, values)
    return message


class Node:
    """A node under test with the topics that it needs."""

    def __init__(self, ros, executable, **params):
        self.ros = ros
        self.goals = ros.listen(ServoGoal, "goals")
        self.process = ros.start(executable, params={"period": PERIOD, **PATIENT, **params})
        kind, topic = (JointState, "joints") if executable == "servo_inv_lead" else (JointAccelState, "joints_accel")
        self.joints = ros.publisher(kind, topic)
        self.sync = ros.publisher(SyncStep, "sync")
        ros.wait(lambda: ros.node.count_publishers("goals") > 0, "its goals")

    def send(self, message):
        """The goals that a message leads to; they carry its stamp."""
        before, asked = len(self.goals), time.monotonic()
        self.joints.publish(message)

        def answered():
            nonlocal asked
            # The node may not know its first listener yet; the same message again leads to the same goals.
            if before == 0 and time.monotonic() - asked > 3:
                asked = time.monotonic()
                self.joints.publish(message)
            return any(goals.header.stamp == message.header.stamp for goals in self.goals.messages[before:])

        self.ros.wait(answered, "goals")
        return self.goals[-1]

    def say(self, text):
        self.ros.wait(lambda: text in self.process.output, f'"{text}" in the log')


def lead(q, q_prev, lead, period=PERIOD):
    return q + (q - q_prev) * lead / period


def test_lead_is_ahead_and_can_be_changed_while_it_runs(ros):
    node = Node(ros, "servo_inv_lead", lead=0.05)
    first = node.send(desired(1, [0.1, -0.1]))
    assert list(first.name) == ["a", "b"] and list(first.target_pos) == [0.1, -0.1]
    assert list(first.playtime) == pytest.approx([0.07] * 2)
    assert first.header == desired(1, []).header, "the stamp is that of the joints"
    second = node.send(desired(2, [0.12, -0.13]))
    assert list(second.target_pos) == pytest.approx([lead(0.12, 0.1, 0.05), lead(-0.13, -0.1, 0.05)])
    (result,) = ros.set_params("/servo_inv_lead", lead=0.1)
    assert result.successful
    third = node.send(desired(3, [0.15, -0.13]))
    assert list(third.target_pos) == pytest.approx([lead(0.15, 0.12, 0.1), -0.13])
    assert list(third.playtime) == pytest.approx([0.12] * 2)
    (result,) = ros.set_params("/servo_inv_lead", lead=-1.0)
    assert not result.successful and "outside 0 … 1 s" in result.reason


def test_lead_counts_from_the_previous_cycle(ros):
    node = Node(ros, "servo_inv_lead", lead=0.05)
    node.sync.publish(header(SyncStep(cycle=1, period=PERIOD), 1, 0.0))
    node.send(desired(1, [0.1, 0.1]))
    node.send(desired(1, [0.2, 0.2], within=0.002))
    node.sync.publish(header(SyncStep(cycle=2, period=PERIOD), 2, 0.0))
    # The topics travel apart: ask until the cycle has come. Only then does q_prev stay the same from message to message.
    expected = pytest.approx([lead(0.3, 0.2, 0.05)] * 2)
    ros.wait(lambda: list(node.send(desired(2, [0.3, 0.3])).target_pos) == expected, "the new cycle")
    assert list(node.send(desired(2, [0.3, 0.3], within=0.003)).target_pos) == expected


def test_malformed_joints_are_refused_and_nothing_is_sent(ros):
    node = Node(ros, "servo_inv_lead", lead=0.05)
    node.send(desired(1, [0.1, 0.1]))
    for bad in ([0.5, math.nan], [math.inf, 0.5], [0.5], [0.5] * 3, []):
        node.joints.publish(desired(2, bad))
    node.joints.publish(desired(2, [0.5, 0.5], names=("a", "a")))
    node.say("joints refused: ")
    good = node.send(desired(2, [0.11, 0.12]))
    assert len(node.goals) == 2
    assert list(good.target_pos) == pytest.approx([lead(0.11, 0.1, 0.05), lead(0.12, 0.1, 0.05)])


def test_other_joints_are_warned_of_and_start_without_a_spike(ros):
    node = Node(ros, "servo_inv_lead", lead=0.05)
    node.send(desired(1, [0.1, 0.1]))
    changed = node.send(desired(2, [0.5, 0.5, 0.5], names="abc"))
    assert list(changed.target_pos) == [0.5] * 3
    node.say("the joints changed from 2 to 3, new: c")
    reordered = node.send(desired(3, [0.51, 0.52, 0.53], names="cba"))
    assert list(reordered.target_pos) == pytest.approx([lead(q, 0.5, 0.05) for q in (0.51, 0.52, 0.53)])


def test_a_source_that_was_killed_and_comes_back_elsewhere_causes_no_spike(ros):
    node = Node(ros, "servo_inv_lead", lead=0.05, timeout=0.5)
    node.send(desired(1, [0.1, 0.1]))
    node.send(desired(2, [0.12, 0.12]))
    ros.node.destroy_publisher(node.joints)
    ros.wait(lambda: ros.node.count_publishers("joints") == 0, "the source to be gone")
    node.joints = ros.publisher(JointState, "joints")
    back = node.send(desired(102, [0.9, -0.6]))
    assert list(back.target_pos) == [0.9, -0.6]
    node.say("since the last message: goals start without lead")


MODEL = {"kp": 100.0, "kgear": 2.0, "alpha": [1.39, 52.1, 7.09, 212.0]}


def target(q, v, a, torque, volt, kp, kgear, alpha):
    return kgear * (q + (alpha[0] * a + alpha[1] * v + alpha[2] * math.copysign(1, v) + alpha[3] * torque) / (kp * volt))


def param_node(ros, **params):
    models = {f"servo_models.a.{k}": v for k, v in MODEL.items()}
    at_once = {"voltage_time_constant": 0.0, **params}
    node = Node(ros, "servo_inv_param", lead=0.0, battery_voltage=10.0, **models, **at_once)
    node.models = ros.publisher(ServoModel, "servo_model")
    node.battery = ros.publisher(BatteryState, "battery_state")
    return node


STATE = {"velocity": [0.5, -2.0], "acceleration": [3.0, 1.0], "effort": [0.7, 0.2]}


def goals(node, cycle):
    return list(node.send(desired(cycle, [0.1, 0.2], **STATE)).target_pos)


def test_param_inverts_the_model_at_the_voltage_of_the_battery(ros):
    node = param_node(ros)
    expected = lambda volt: pytest.approx([target(0.1, 0.5, 3.0, 0.7, volt, **MODEL), 0.2], rel=1e-6)
    assert goals(node, 1) == expected(10.0)
    node.say("no servo model for b: default_servo_model is used")
    node.battery.publish(BatteryState(voltage=8.0))
    ros.wait(lambda: goals(node, 2) == expected(8.0), "the voltage of the battery")
    for bad in (0.0, -7.0, math.nan):
        node.battery.publish(BatteryState(voltage=bad))
    node.say("is not credible; 8 V stays")
    assert goals(node, 3) == expected(8.0)
    node.battery.publish(BatteryState(voltage=6.0))
    ros.wait(lambda: goals(node, 4) == expected(6.0), "the voltage of the battery")


def test_param_takes_models_while_it_runs(ros):
    node = param_node(ros)
    before = goals(node, 1)
    bad = [
        ({"kp": 0.0}, 'servo_model refused: servo model of joint "b": kp = 0 must be a number greater than 0'),
        ({"kgear": -1.0}, 'servo model of joint "b": kgear = -1'),
        ({"alpha": [1.0, 2.0, math.nan, 4.0]}, 'servo model of joint "b": alpha[2] = NaN'),
        ({"name": ""}, "a servo model names no joint"),
    ]
    for change, text in bad:
        # Once a second at the most: a source that goes on does not fill the log.
        for _ in range(50):
            node.models.publish(ServoModel(**{"name": "b", **MODEL, **change}))
            time.sleep(0.1)
            if text in node.process.output:
                break
        node.say(text)
    assert node.process.output.count("servo_model refused") < 4 + 20
    assert "joint that is not there" not in node.process.output
    assert goals(node, 2) == before
    node.models.publish(ServoModel(name="b", **MODEL))
    node.say('servo model of "b" from the next cycle on')
    assert goals(node, 3) == pytest.approx([before[0], target(0.2, -2.0, 1.0, 0.2, 10.0, **MODEL)])
    node.models.publish(ServoModel(name="nobody", **MODEL))
    node.say('servo model for a joint that is not there: "nobody"')
    # By parameter too; what came on the topic stays.
    (result,) = ros.set_params("/servo_inv_param", servo_models__a__kp=50.0)
    assert result.successful
    softer = {**MODEL, "kp": 50.0}
    both = [target(0.1, 0.5, 3.0, 0.7, 10.0, **softer), target(0.2, -2.0, 1.0, 0.2, 10.0, **MODEL)]
    assert goals(node, 4) == pytest.approx(both)
    (result,) = ros.set_params("/servo_inv_param", apply_kgear=False)
    assert result.successful and goals(node, 5) == pytest.approx([x / 2 for x in both])
    for name, value in [("servo_models__a__kp", 0.0), ("servo_models__a__alpha", [1.0]), ("sign_dead_zone", -1.0)]:
        (result,) = ros.set_params("/servo_inv_param", **{name: value})
        assert not result.successful and result.reason


def test_models_from_the_topic_become_parameters(ros):
    from rcl_interfaces.msg import ParameterEvent
    from rcl_interfaces.srv import GetParameters, ListParameters
    from rclpy.qos import qos_profile_parameter_events

    events = ros.listen(ParameterEvent, "/parameter_events", qos_profile_parameter_events)
    node = param_node(ros)
    ros.wait(lambda: ros.node.count_publishers("/parameter_events") > 1, "its events to be heard")
    softer = {**MODEL, "kp": 50.0}
    node.models.publish(ServoModel(name="a", **softer))
    node.models.publish(ServoModel(name="b", **MODEL))
    own = lambda: [e for e in events if e.node == "/servo_inv_param"]
    values = lambda parameters: {p.name: p.value.double_value or list(p.value.double_array_value) for p in parameters}
    ros.wait(lambda: any("servo_models.b.kp" in values(e.new_parameters) for e in own()), "the new model's event")
    assert any(values(e.changed_parameters).get("servo_models.a.kp") == 50.0 for e in own())
    names = ["servo_models.a.kp", "servo_models.b.kp", "servo_models.b.kgear", "servo_models.b.alpha"]
    listed = ros.call(ListParameters, "/servo_inv_param/list_parameters", ListParameters.Request()).result.names
    assert set(names) <= set(listed)
    found = ros.call(GetParameters, "/servo_inv_param/get_parameters", GetParameters.Request(names=names)).values
    assert [v.double_value for v in found[:3]] == [50.0, MODEL["kp"], MODEL["kgear"]]
    assert list(found[3].double_array_value) == MODEL["alpha"]
    # From then on they are parameters like all others.
    (result,) = ros.set_params("/servo_inv_param", servo_models__b__kp=-1.0)
    assert not result.successful
    (result,) = ros.set_params("/servo_inv_param", servo_models__b__kp=25.0)
    assert result.successful
    both = [target(0.1, 0.5, 3.0, 0.7, 10.0, **softer), target(0.2, -2.0, 1.0, 0.2, 10.0, **{**MODEL, "kp": 25.0})]
    assert goals(node, 1) == pytest.approx(both)
    # A model beyond the ranges of the parameters counts, but cannot be kept there.
    node.models.publish(ServoModel(name="b", **{**MODEL, "kp": 5e6}))
    node.say('not kept in the parameters: parameter "servo_models.b.kp"')
    assert goals(node, 2)[1] == pytest.approx(target(0.2, -2.0, 1.0, 0.2, 10.0, **{**MODEL, "kp": 5e6}))


@pytest.mark.parametrize("executable", ["servo_inv_lead", "servo_inv_param"])
def test_diagnostics_tell_how_late_the_servos_are(ros, executable):
    from diagnostic_msgs.msg import DiagnosticArray

    diagnostics = ros.listen(DiagnosticArray, "/diagnostics")
    node = Node(ros, executable)
    readings = ros.publisher(JointState, "joint_readings")
    place = lambda t: 0.5 * math.sin(2 * math.pi * t)
    more = {} if executable == "servo_inv_lead" else {"velocity": [0.0, 0.0]}
    for cycle in range(300):
        t = cycle * PERIOD
        node.joints.publish(desired(cycle, [place(t), 0.3], within=0.0, **more))
        # Late by 40 ms, and one that stands beside its goal; read 5 ms before the pose.
        for name, position in (("a", place(t - 0.005 - 0.04)), ("b", 0.31)):
            readings.publish(header(JointState(name=[name], position=[position]), cycle, -0.005))
        time.sleep(0.004)
    figures = lambda: {v.key: v.value for d in diagnostics.messages[-1:] for s in d.status for v in s.values}
    ros.wait(lambda: figures().get("joints moving") == "1", "figures")
    ros.wait(lambda: abs(float(figures()["tracking, median lag, ms"]) - 40.0) < 2.0, "the lag")
    assert figures()["joints measured"] == "2"
    assert figures()["tracking, worst joint, deg"].startswith("a ")
    assert figures()["tracking, b"] == "0.57 deg, lag none ms"


def test_param_refuses_malformed_states(ros):
    node = param_node(ros)
    goals(node, 1)
    bad = {
        "velocity of": desired(2, [0.1, 0.2], **{**STATE, "velocity": [math.nan, 0.0]}),
        "acceleration of": desired(2, [0.1, 0.2], **{**STATE, "acceleration": [math.nan, 0.0]}),
        "effort has": desired(2, [0.1, 0.2], **{**STATE, "effort": [0.0]}),
        "position of": desired(2, [0.1, math.inf], **STATE),
    }
    for reason, message in bad.items():

        def refused():
            node.joints.publish(message)
            return f"joints_accel refused: {reason}" in node.process.output

        # The log has one such line a second.
        ros.wait(refused, reason)
    goals(node, 2)
    assert len(node.goals) == 2


def test_the_config_files_start_the_nodes(ros, root):
    for executable, file in [("servo_inv_lead", "servo_lead"), ("servo_inv_param", "servo_inv"), ("servo_ident", "servo_ident")]:
        ros.start(executable, ros_args=["--params-file", str(root / "config" / f"{file}.yaml")])
        ros.wait(lambda: executable in ros.node.get_node_names(), executable)


@pytest.mark.parametrize("executable", ["servo_inv_lead", "servo_inv_param", "servo_ident"])
def test_help_tells_of_every_topic(ros, executable):
    code, text = ros.run(executable, "--help")
    assert code == 0 and "goals" in text and "Parameters:" in text
