"""The launch files: every combination of arguments names only what exists, and what they start comes up."""

import functools
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest
import yaml
from conftest import BIN, ROOT, Process

sys.path.insert(0, str(ROOT / "tools"))
import launch_xml  # noqa: E402
from launch_xml import LaunchError, describe  # noqa: E402

FILES = sorted((ROOT / "launch").glob("*.launch.xml"))
# Packages of ROS 2 itself, which is not all here.
FOREIGN = {"robot_state_publisher", "rviz2"}
# Robots that are launched by way of the pony's file.
OTHERS = {"hexapod.launch.xml", "quadruped.launch.xml"}
PONY = {
    "sim": ["true", "servos", "false"],
    "servo_inv": ["lead", "param"],
    "dynamics": ["true", "false"],
    "gait": ["walk", "trot", "none"],
    "composed": ["true", "false"],
    "bag": ["", "some_bag"],
    "rviz": ["true", "false"],
}


@pytest.fixture
def rviz(tmp_path, monkeypatch):
    """A machine with RViz, as far as a launch file can see."""
    program = tmp_path / "bin/rviz2"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    launch_xml.output_of.cache_clear()
    yield program
    launch_xml.output_of.cache_clear()


@functools.cache
def help_of(executable):
    """(topics and services, parameters with * for names) that an executable says it has."""
    text = subprocess.run([str(BIN / executable), "--help"], capture_output=True, text=True, check=True).stdout
    ports = re.findall(r"^  (?:in|out|service)\s+(\S+)\s", text, re.M)
    params = re.findall(r"^  ([\w.*…]+) = ", text, re.M)
    return set(ports), set(params) | {"use_sim_time"}


@functools.cache
def regex_of(declared):
    signs = {".": r"\.", "*": "[^.]+", "filterN": r"filter\d+", "…": ".+"}
    as_regex = lambda text: re.sub(r"filterN|[.*…]", lambda sign: signs[sign.group()], text)
    return re.compile("|".join(f"(?:{as_regex(name)})" for name in declared))


def is_declared(name, declared):
    """Names of one's own stand for *, numbers for N, anything for …."""
    return regex_of(frozenset(declared)).fullmatch(name)


@functools.cache
def sections_of(path):
    """section → the names of its parameters. The same few files are read for hundreds of combinations."""
    return {section: list(flat(content["ros__parameters"])) for section, content in yaml.safe_load(open(path)).items()}


def flat(tree, prefix=""):
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}"


def installed_executables(package):
    return re.findall(r"rust_executables\(([^)]*)\)", (ROOT / package / "CMakeLists.txt").read_text())[0].split()


def combinations():
    for file in FILES:
        options = PONY if file.name == "pony.launch.xml" else {"sim": ["true", "servos"]} if file.name in OTHERS else {}
        for values in itertools.product(*options.values()):
            yield file, dict(zip(options, values))


def members(process):
    """The nodes in a process: executable → name."""
    if process.executable == "pipeline_node":
        assert not process.name, "a name would rename every node in the process"
        # A node that is left out leaves an empty argument.
        return {name: name for name in process.command if name}
    return {process.executable: process.name}


ALL_MEMBERS = ["sync_node", "gait_node", "agregator_node", "dynamics_node", "servo_inv_lead", "servo_inv_param", "herkulex_node", "odometry_node", "page_node"]


def test_nothing_is_heard_beyond_this_machine_unless_somebody_says_so(monkeypatch, rviz):
    name = "ROS_AUTOMATIC_DISCOVERY_RANGE"
    for told, wanted in ((None, "LOCALHOST"), ("SUBNET", "SUBNET")):
        monkeypatch.delenv(name, raising=False)
        if told:
            monkeypatch.setenv(name, told)
        for file, arguments in combinations():
            started, _ = describe(file, arguments)
            assert started and all(process.environment[name] == wanted for process in started), file


def test_processes_do_without_shared_memory_unless_somebody_has_a_profile_of_his_own(monkeypatch, rviz):
    name = "FASTRTPS_DEFAULT_PROFILES_FILE"
    for told in (None, "/my/profiles.xml"):
        monkeypatch.delenv(name, raising=False)
        if told:
            monkeypatch.setenv(name, told)
        for file, arguments in combinations():
            started, _ = describe(file, arguments)
            used = {process.environment[name] for process in started}
            assert started and (used == {told} if told else all(pathlib.Path(path).samefile(ROOT / "config/fastdds.xml") for path in used)), file


def test_every_package_executable_file_parameter_and_topic_exists(rviz):
    nodes = 0
    for file, arguments in combinations():
        started, _ = describe(file, arguments)
        assert started, f"{file.name} {arguments} starts nothing"
        for process in started:
            if process.package in FOREIGN or not process.package:
                continue
            assert process.executable in installed_executables(process.package), f"{process.file}: {process.package}/{process.executable}"
            inside = members(process)
            nodes += len(inside)
            assert set(inside) <= {*ALL_MEMBERS, process.executable}
            # A pipeline is given the files of all that it may be made of.
            by_name = {name: executable for executable, name in inside.items()}
            if process.executable == "pipeline_node":
                by_name = {name: name for name in ALL_MEMBERS}
            declared = set().union(*(help_of(executable)[1] for executable in by_name.values()))
            ports = set().union(*(help_of(executable)[0] for executable in inside))
            for param in process.params:
                if param[0] != "file":
                    assert is_declared(param[0], declared), f"{process.file}: {process.executable} has no parameter {param[0]}"
                    continue
                for section, names in sections_of(param[1]).items():
                    node = section.removeprefix("/**/")
                    assert section == "/**" or node in by_name and node != section, f"{param[1]} is for {section}, not for {list(by_name)}"
                    own = declared if section == "/**" else help_of(by_name[node])[1]
                    for name in names:
                        assert is_declared(name, own), f"{param[1]}: {section} has no parameter {name}"
            for here, _ in process.remaps:
                # A rule of one node of a pipeline stands there whether or not the node runs.
                node, _, topic = here.rpartition(":")
                own = help_of(by_name[node])[0] if node else ports
                assert topic in own, f"{process.file}: {process.executable} has no topic {here}"
    assert nodes > 100


def test_every_executable_is_in_a_launch_file_and_every_include_is_one():
    started = {node.executable for file, arguments in combinations() for node in describe(file, arguments)[0]}
    offline = {"odometry_replay", "herkulex_tool", "robot_lockstep"}
    for package in ROOT.glob("*_node"):
        assert set(installed_executables(package.name)) - offline <= started, package.name


def remaps_of(node, started):
    """What a node calls otherwise, also in a process of many."""
    pairs = [(*here.rpartition(":")[::2], there) for here, there in started[node].remaps]
    return {here: there for whose, here, there in pairs if whose in ("", node)}


def test_the_arguments_choose_what_is_started():
    def executables(**arguments):
        return {node.executable for node in describe(ROOT / "launch/pony.launch.xml", arguments)[0]}

    def nodes(**arguments):
        return {name for process in describe(ROOT / "launch/pony.launch.xml", arguments)[0] for name in members(process)}

    pipeline = {"sync_node", "gait_node", "agregator_node", "dynamics_node", "odometry_node", "servo_inv_param", "herkulex_node"}
    assert executables() == {"pipeline_node"} and executables(composed="false") == pipeline
    for composed in ("true", "false"):
        assert nodes(composed=composed) == pipeline
        assert nodes(composed=composed, sim="true") == pipeline | {"robot_sim"}
        # Servos alone carry no weight.
        assert nodes(composed=composed, sim="servos") == pipeline - {"dynamics_node"} | {"herkulex_sim"}
        assert nodes(composed=composed, dynamics="false") == pipeline - {"dynamics_node"}
        by_lead = pipeline - {"dynamics_node", "servo_inv_param"} | {"servo_inv_lead"}
        assert nodes(composed=composed, servo_inv="lead") == by_lead
        for dynamics, topic in (("true", "joints_effort"), ("false", "joints_accel")):
            given = {"composed": composed, "servo_inv": "param", "dynamics": dynamics}
            started = {name: p for p in describe(ROOT / "launch/pony.launch.xml", given)[0] for name in members(p)}
            assert remaps_of("servo_inv_param", started)["joints_accel"] == topic
            assert remaps_of("odometry_node", started) == {"joints": "joints", "/tf": "tf"}
        assert nodes(composed=composed, gait="none") == pipeline - {"gait_node"}
        assert executables(composed=composed, bag="run1") == {"odometry_node", "ros2"}
        given = {"composed": composed, "sim": "servos", "port": "/x", "gait": "trot"}
        started = {name: process for process in describe(ROOT / "launch/pony.launch.xml", given)[0] for name in members(process)}
        assert ("port", "/x", "") in started["herkulex_node"].params and ("link", "/x", "") in started["herkulex_sim"].params
        assert ("gait", "trot", "") in started["gait_node"].params
        assert all(process.respawn for process in started.values())
        # The page is a process of its own unless it is asked to be one of many, which a bag has not.
        own, inside = {"composed": composed, "page": "true"}, {"composed": composed, "page": "composed"}
        assert nodes(**own) == nodes(**inside) == pipeline | {"page_node"}
        assert "page_node" in executables(**own) and ("page_node" in executables(**inside)) == (composed == "false")
        assert executables(**inside, bag="run1") == {"odometry_node", "page_node", "ros2"}
    for other in OTHERS:
        name = other.split(".")[0]
        started, arguments = describe(ROOT / "launch" / other, {"sim": "true", "gait": "trot"})
        assert {member for process in started for member in members(process)} == pipeline | {"robot_sim"}
        files = [param[1] for process in started for param in process.params if param[0] == "file"]
        # The page's is the same for all robots.
        files = [file for file in files if not file.endswith("/config/page.yaml")]
        assert files and all(f"/config/{name}/" in file for file in files), "its own files, none of the pony's"
        assert {argument.name for argument in arguments} >= {"config", "robot", *PONY}
    for wrong in ({"sim": "maybe"}, {"servo_inv": "magic"}, {"speed": "1"}):
        with pytest.raises(LaunchError, match=next(iter(wrong))):
            describe(ROOT / "launch/pony.launch.xml", wrong)


def test_a_bag_gives_its_inputs_and_nothing_that_was_made_of_them(rviz):
    started = describe(ROOT / "launch/pony.launch.xml", {"bag": "run1", "rviz": "true", "namespace": "robot1"})[0]
    [play] = [process for process in started if process.executable == "ros2"]
    assert play.command[:4] == ["ros2", "bag", "play", "--clock"] and "run1" in play.command
    topics = play.command[play.command.index("--topics") + 1 :]
    # Inputs of odometry_node, as it says itself; the sensors; never what moves a live robot or meets what is made anew.
    inputs = {f"/robot1/{port}" for port in ("joints", "support", "sync", "body_in")}
    assert inputs <= set(topics) <= inputs | {"/robot1/joint_states", "/robot1/imu"}
    assert play.ends_launch, "what follows the bag ends with it"
    for process in started:
        if process is not play:
            assert ("use_sim_time", "True", "") in process.params, process.executable


def test_the_launch_ends_when_its_bag_does(ros, tmp_path):
    player = tmp_path / "ros2"
    player.write_text("#!/bin/sh\necho played $*\n")
    player.chmod(0o755)
    env = dict(ros.env, PATH=f"{tmp_path}:{ros.env['PATH']}")
    launch = Process([sys.executable, str(ROOT / "tools/launch"), "pony.launch.xml", "bag:=run1"], env)
    ros.processes.append(launch)
    # Odometry would go on for ever.
    assert launch.wait() == 0
    assert "played bag play" in launch.output and "odometry_node" in launch.output


def test_what_the_parameter_files_say_is_in_force_unless_an_argument_says_otherwise(tmp_path):
    config = tmp_path / "config"
    shutil.copytree(ROOT / "config", config)
    for name, old, new in (("gait", 'gait: "walk"', 'gait: "trot"  # today'), ("herkulex", 'port: "/dev/ttyUSB0"', "port: /dev/servos")):
        file = config / f"{name}.yaml"
        assert f"    {old}\n" in file.read_text()
        file.write_text(file.read_text().replace(f"    {old}\n", f"    {new}\n"))
    for composed in ("true", "false"):
        for given, gait, port in (({}, "trot", "/dev/servos"), ({"gait": "walk", "port": "/dev/x"}, "walk", "/dev/x")):
            started = describe(ROOT / "launch/pony.launch.xml", {"config": str(config), "composed": composed, **given})[0]
            params = [param for process in started for param in process.params]
            assert ("gait", gait, "") in params and ("port", port, "") in params
    for file, wanted in (("gait", ("gait", "trot", "")), ("herkulex", ("port", "/dev/servos", ""))):
        [process] = describe(ROOT / f"launch/{file}.launch.xml", {"config": str(config)})[0]
        assert wanted in process.params


def test_words_of_python_a_missing_rviz_a_recording_and_the_level_of_the_log(rviz):
    file = ROOT / "launch/pony.launch.xml"
    plain = lambda **given: [(p.executable, p.command, p.params) for p in describe(file, given)[0]]
    assert plain(sim="True", composed="False", dynamics="False") == plain(sim="true", composed="false", dynamics="false")
    [record] = [process for process in describe(file, {"record": "true", "namespace": "robot1"})[0] if process.executable == "ros2"]
    assert record.command[:3] == ["ros2", "bag", "record"] and {"/robot1/goals", "/robot1/tf"} <= set(record.command)
    assert not any(process.executable == "ros2" for process in describe(file, {})[0])
    for process in describe(file, {"log_level": "debug", "composed": "false", "sim": "true"})[0]:
        assert process.ros_args == ["--log-level", "debug"], process.executable
    assert {"rviz2", "robot_state_publisher"} <= {process.executable for process in describe(file, {"rviz": "true"})[0]}
    rviz.unlink()
    launch_xml.output_of.cache_clear()
    if not shutil.which("rviz2"):
        launch = launch_xml.read(file, {"rviz": "true"})
        assert {process.executable for process in launch.started} == {"pipeline_node"}
        assert any("rviz2" in message for message in launch.messages)


@pytest.mark.parametrize("composed", ["true", "false"])
@pytest.mark.parametrize("file", ["pony.launch.xml", *sorted(OTHERS)])
def test_a_namespace_is_that_of_every_node_and_tf_is_its_own_or_prefixed(file, composed, rviz):
    def started(**arguments):
        return describe(ROOT / "launch" / file, {"sim": "servos", "rviz": "true", "composed": composed, **arguments})[0]

    ports = set()
    for namespace, wanted in (("", ""), ("robot1", "/robot1"), ("/herd/robot1/", "/herd/robot1")):
        processes = started(namespace=namespace)
        assert {process.namespace for process in processes} == {wanted}
        ports |= {param[1] for process in processes for param in process.params if param[0] in ("port", "link")}
        for prefix, tf in (("", "tf"), ("robot1/", "/tf")):
            processes = started(namespace=namespace, frame_prefix=prefix)
            by_member = {name: process for process in processes for name in members(process)}
            for node in ("odometry_node", "robot_state_publisher", "rviz2"):
                assert remaps_of(node, by_member)["/tf"] == tf
            for node in ("odometry_node", "gait_node", "robot_state_publisher"):
                assert ("frame_prefix", prefix, "str") in by_member[node].params
    assert len(ports) == 3, "simulated servos of several robots do not meet"


@pytest.mark.parametrize("arguments", [{"servo_inv": "lead", "composed": "false"}, {"servo_inv": "param", "gait": "trot"}], ids=str)
def test_the_robot_comes_up_with_the_arguments_in_force(ros, tmp_path, arguments):
    """Parameters of the launch file win over those of the parameter files, in the node itself."""
    from diagnostic_msgs.msg import DiagnosticArray
    from gait_msgs.msg import ServoGoal
    from rcl_interfaces.srv import GetParameters

    port = str(tmp_path / "servos")
    given = ["sim:=servos", f"port:={port}", *(f"{name}:={value}" for name, value in arguments.items())]
    command = [sys.executable, str(ROOT / "tools/launch"), "pony.launch.xml", *given]
    if shutil.which("ros2"):
        command = ["ros2", "launch", str(ROOT / "launch/pony.launch.xml"), *given]
    launch = Process(command, ros.env)
    ros.processes.append(launch)
    goals, reports = ros.listen(ServoGoal, "goals"), ros.listen(DiagnosticArray, "/diagnostics")
    ros.wait(lambda: len(goals) > 100, "goals")
    started, _ = describe(ROOT / "launch/pony.launch.xml", dict(argument.split(":=") for argument in given))
    names = {f"/{name}" for process in started for name in members(process).values()}
    ros.wait(lambda: names <= {f"/{name}".replace("//", "/") for name in ros.node.get_node_names()}, "all nodes in the graph")
    ros.wait(lambda: len({s.name.split(":")[0] for r in reports.messages for s in r.status}) >= len(names) - 1, "diagnostics of all")
    answer = ros.call(GetParameters, "gait_node/get_parameters", GetParameters.Request(names=["gait"]))
    assert answer.values[0].string_value == arguments.get("gait", "walk")
    answer = ros.call(GetParameters, "herkulex_node/get_parameters", GetParameters.Request(names=["port"]))
    assert answer.values[0].string_value == port
    # The bridge may be there before the simulated servos are.
    assert not any("ERROR" in line and "trying again" not in line for line in launch.lines), launch.output


def test_a_node_that_is_left_out_leaves_an_empty_argument_and_the_others_start(ros):
    """As under the real ros2 launch, which splits a command line before it fills it in: the composed robot did not start there."""
    [pipeline] = [process for process in describe(ROOT / "launch/pony.launch.xml", {})[0] if process.executable == "pipeline_node"]
    assert "" in pipeline.command and "page_node" not in pipeline.command
    code, text = ros.run("pipeline_node", "sync_node", "", "--print-params")
    assert code == 0 and "/**/sync_node:" in text, text


def test_launch_files_are_well_formed_for_others():
    """What other tools read: every argument has a description, every node a name (the pipeline has those of its nodes)."""
    for file in FILES:
        root = ET.parse(file).getroot()
        assert all(arg.get("description") for arg in root.findall("arg")), file.name
        assert all(node.get("name") or node.get("exec") == "pipeline_node" for node in root.iter("node")), file.name
