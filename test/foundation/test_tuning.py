"""Parameters as people meet them: `ros2 param dump` and `load`, rqt's rows and sliders, the log of what was refused.

What ros2cli does is done here with the same function of rclpy that it calls."""

import re

import pytest
import yaml
from conftest import ROOT
from rcl_interfaces.srv import DescribeParameters, GetParameters, ListParameters, SetParameters
from rclpy.parameter import Parameter, parameter_dict_from_yaml_file, parameter_value_to_python

# Each with the file that makes it start, and with the robot where it wants one.
NODES = {"gait_node": "gait", "agregator_node": "agregator", "odometry_node": "odometry", "dynamics_node": "dynamics", "servo_inv_param": "servo_inv", "sync_node": "sync"}
# And all others that can be tuned.
ALL = NODES | {"filter_node": "filter", "herkulex_node": "herkulex", "herkulex_sim": "herkulex_sim", "page_node": "page", "robot_sim": "robot_sim", "servo_ident": "servo_ident", "servo_inv_lead": "servo_lead"}
ROBOTLESS = {"sync_node", "filter_node", "herkulex_sim"}
ROBOT = {"robot_description": (ROOT / "config/pony.urdf").read_text()}


def start(ros, executable):
    files = ["--params-file", f"{ROOT}/config/{ALL[executable]}.yaml", "--params-file", f"{ROOT}/config/robot.yaml"]
    params = {} if executable in ROBOTLESS else dict(ROBOT)
    if executable == "page_node":
        params["http_port"] = 0  # any that is free
    if executable == "robot_sim":
        params["servo_file"] = f"{ROOT}/config/herkulex.yaml"
    process = ros.start(executable, ros_args=files, params=params)
    names = ros.call(ListParameters, f"/{executable}/list_parameters", ListParameters.Request()).result.names
    return process, list(names)


def values(ros, node, names):
    answer = ros.call(GetParameters, f"/{node}/get_parameters", GetParameters.Request(names=names))
    return [parameter_value_to_python(value) for value in answer.values]


def test_a_dump_can_be_loaded_again(ros, tmp_path):
    for node in NODES:
        process, names = start(ros, node)
        dump, file = {}, tmp_path / f"{node}.yaml"
        for name, value in zip(names, values(ros, node, names)):
            place = dump
            *path, leaf = name.split(".")
            for key in path:
                place = place.setdefault(key, {})
            place[leaf] = value if not hasattr(value, "tolist") else value.tolist()
        file.write_text(yaml.dump({f"/{node}": {"ros__parameters": dump}}, default_flow_style=False))
        before = values(ros, node, names)
        # Here ros2 param load ended with a traceback for every node with a robot.
        parameters = list(parameter_dict_from_yaml_file(str(file), use_wildcard=True).values())
        assert len(parameters) == len(names)
        results = ros.call(SetParameters, f"/{node}/set_parameters", SetParameters.Request(parameters=parameters)).results
        refused = [(p.name, r.reason) for p, r in zip(parameters, results) if not r.successful]
        assert not refused, refused
        # Text of both, since not-a-number is not itself.
        assert str(values(ros, node, names)) == str(before)
        process.stop()
        ros.processes.remove(process)


# What one of a slider's hundred steps may be at least, by unit: what a person sees a robot do. A value of zero says nothing of what is usual.
FINE = {"m": 0.005, "rad": 0.05, "s": 0.05, "V": 0.2, "N m": 0.1, "Hz": 10.0, "rad per rad/s": 0.05, "": 0.01}


def rqt_ends(span):
    """What rqt sets at both ends of a slider: DoubleEditor of its param_editors.py counts its hundred steps from zero."""
    scale = 100 / (span.to_value - span.from_value)
    return [round(end * scale) / scale for end in (span.from_value, span.to_value)]


@pytest.mark.parametrize("node", sorted(ALL))
def test_rqt_shows_what_can_be_tuned_first_with_units_and_sliders_of_use(ros, node):
    process, names = start(ros, node)
    rows = ros.call(DescribeParameters, f"/{node}/describe_parameters", DescribeParameters.Request(names=names)).descriptors
    read_only = [row.read_only for row in rows]
    assert read_only == sorted(read_only), "read-only rows come last"
    assert not rows[0].read_only
    changes = []
    for row, value in zip(rows, values(ros, node, names)):
        assert len(row.description.split()) > 2, f"{row.name}: {row.description}"
        # rqt has no list to choose from: the words stand where it shows them.
        if " | " in row.additional_constraints:
            assert row.additional_constraints in row.description
        spans = [*row.floating_point_range, *row.integer_range]
        numbers = value if hasattr(value, "__len__") else [value]
        assert all(span.from_value <= number <= span.to_value for span in spans for number in numbers if number == number), row
        if row.read_only or hasattr(value, "__len__") or value != value:  # NaN is "not set"
            continue
        for span in row.integer_range:
            assert span.step == 1, f"{row.name}: what a key moves it by"
        for span in row.floating_point_range:
            assert round(span.step * 100 / (span.to_value - span.from_value)) == 1, f"{row.name}: a key moves it by one place"
            unit = (re.search(r"… \S+ ?([^],]*)[],]", row.additional_constraints + "]") or ["", ""])[1]
            fine = max(0.1 * abs(value), FINE.get(unit, 0.0))
            assert span.step <= fine, f"{row.name} = {value} {unit}: {span.step} is one of a slider's 100 steps"
            changes += [Parameter(row.name, value=number).to_parameter_msg() for number in (*rqt_ends(span), value)]
    # Every place of a slider is within the law; other rules may speak of other parameters.
    results = ros.call(SetParameters, f"/{node}/set_parameters", SetParameters.Request(parameters=changes)).results
    refused = [result.reason for result in results if not result.successful]
    assert not [reason for reason in refused if re.match(r'parameter "[^"]+" = \S+ is outside', reason)], refused


def test_what_is_beyond_a_slider_is_legal_all_the_same(ros):
    start(ros, "servo_inv_param")
    assert ros.set_params("/servo_inv_param", max_step=100.0)[0].successful


def test_a_refusal_is_logged_with_its_reason(ros):
    node = ros.start("sync_node")
    assert not ros.set_params("/sync_node", period=7.0)[0].successful
    ros.wait(lambda: "[WARN]" in node.output and 'parameter "period" = 7 is outside 0.0005 … 1 s' in node.output, "the reason in the log")
    assert not ros.set_params("/sync_node", atomically=True, perod=0.02).successful
    ros.wait(lambda: 'did you mean "period"' in node.output, "the nearest name in the log")


def test_no_word_is_one_that_yaml_takes_for_something_else(ros):
    """`ros2 param set /agregator_node limits WORD` reads WORD as YAML."""
    process, names = start(ros, "agregator_node")
    rows = ros.call(DescribeParameters, "/agregator_node/describe_parameters", DescribeParameters.Request(names=names)).descriptors
    words = {row.name: row.additional_constraints.split(", ")[0].split(" | ") for row in rows if " | " in row.additional_constraints}
    assert {"limits", "speed_limits"} <= words.keys()
    assert all(yaml.safe_load(word) == word for choices in words.values() for word in choices)
    # The old word, as text and as the boolean that YAML makes of it.
    for old in ("off", False):
        assert ros.set_params("/agregator_node", limits=old)[0].successful
        assert values(ros, "agregator_node", ["limits"]) == ["none"]
    ros.wait(lambda: '"off" is called "none" now' in process.output, "the note")
    assert not ros.set_params("/agregator_node", limits=True)[0].successful
