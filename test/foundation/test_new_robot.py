"""`./gaitway new-robot`: what it finds in the URDFs of robots whose files people wrote, and a robot that walks by files that nobody wrote."""

import math
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest
import yaml
from conftest import ROOT

sys.path.insert(0, str(ROOT / "tools"))
sys.path.insert(0, str(ROOT / "test/gait"))
from launch_xml import describe  # noqa: E402
from nav_msgs.msg import Odometry  # noqa: E402
from pony import Pony  # noqa: E402

WRITTEN = {"pony": ROOT / "config", "hexapod": ROOT / "config/hexapod", "quadruped": ROOT / "config/quadruped"}


def make(name, urdf, folder, *options):
    """(exit code, what it said)"""
    command = [sys.executable, str(ROOT / "tools/new_robot"), name, str(urdf), "--to", str(folder), *options]
    run = subprocess.run(command, capture_output=True, text=True)
    return run.returncode, run.stdout + run.stderr


def parameters(folder, file, section="/**"):
    return yaml.safe_load((folder / f"{file}.yaml").read_text())[section]["ros__parameters"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """name → the folder of the files made for a copy of it, under another name."""
    folder = tmp_path_factory.mktemp("robots")
    for name in WRITTEN:
        code, text = make(f"my_{name}", ROOT / f"config/{name}.urdf", folder)
        assert code == 0, text
        print(text)
    return {name: folder / f"my_{name}" for name in WRITTEN}


@pytest.mark.parametrize("name", WRITTEN)
def test_legs_feet_and_contacts_are_those_that_a_person_found(name, made):
    wanted, found = parameters(WRITTEN[name], "robot"), parameters(made[name], "robot")
    legs = {chain: limb for chain, limb in wanted["chains"].items() if limb["default_contact"]}
    assert list(found["chains"]) == list(legs), "in the same order"
    for chain, limb in legs.items():
        assert (found["chains"][chain]["first_link"], found["chains"][chain]["last_link"]) == (limb["first_link"], limb["last_link"])
        by_person, by_tool = wanted["contacts"][limb["default_contact"]], found["contacts"][found["chains"][chain]["default_contact"]]
        assert by_tool["kind"] == by_person.get("kind", "flat")
        points = lambda contact: sorted(tuple(round(x, 6) for x in contact["points"][k : k + 3]) for k in range(0, len(contact["points"]), 3))
        assert points(by_tool) == points(by_person)
        assert math.dist(by_tool["normal"], by_person["normal"]) < 1e-6


@pytest.mark.parametrize("name", WRITTEN)
def test_every_driven_joint_has_a_servo_of_its_own_within_the_urdf_s_limits(name, made):
    servos = parameters(made[name], "herkulex", "/**/herkulex_node")["servos"]
    limits = {j.get("name"): j.find("limit") for j in ET.parse(ROOT / f"config/{name}.urdf").getroot().findall("joint") if j.get("type") == "revolute"}
    assert set(servos) == set(limits)
    assert sorted(servo["id"] for servo in servos.values()) == list(range(1, len(servos) + 1))
    assert parameters(made[name], "herkulex_sim", "/**/herkulex_sim")["ids"] == list(range(1, len(servos) + 1))
    for joint, servo in servos.items():
        assert (servo["min"], servo["max"]) == (float(limits[joint].get("lower")), float(limits[joint].get("upper")))


def test_the_launch_file_and_robot_alone_lead_to_its_own_files(made):
    folder = made["hexapod"]
    urdf = folder.parent / "my_hexapod.urdf"
    for file, given in ((folder.parent / "my_hexapod.launch.xml", {}), (ROOT / "launch/pony.launch.xml", {"robot": str(urdf)})):
        for composed in ("true", "false"):
            started, _ = describe(file, {"sim": "true", "composed": composed, **given})
            files = [param[1] for process in started for param in process.params if param[0] == "file"]
            # The page's is the same for every robot.
            own = [path for path in files if not path.endswith("/config/page.yaml")]
            assert own and all(path.startswith(f"{folder}/") for path in own), "none of the pony's"
            texts = [param[1] for process in started for param in process.params if param[0] == "robot_description"]
            assert texts and set(texts) == {urdf.read_text()}


def test_the_picture_shows_every_leg_by_its_name(made):
    texts = [element.text for element in ET.parse(made["hexapod"].parent / "my_hexapod.svg").getroot().iter() if element.tag.endswith("text")]
    assert all(texts.count(f"leg{number}") == 2 for number in range(1, 7)), "from the side and from above"


def changed(folder, pattern, text):
    path = folder / "changed.urdf"
    path.write_text(re.sub(pattern, text, (ROOT / "config/hexapod.urdf").read_text()))
    return path


def test_what_is_no_walking_robot_is_refused_with_the_way_out(made, tmp_path):
    refused = [
        (tmp_path / "nowhere.urdf", "No such file"),
        (changed(tmp_path, r'rpy="0 1.7 0"', 'rpy="0 0 0"'), "does not stand"),
    ]
    for urdf, words in refused:
        code, text = make("odd", urdf, tmp_path)
        assert code == 1 and words in text and "Traceback" not in text, text
        assert not (tmp_path / "odd").exists()
    code, text = make("1leg", ROOT / "config/hexapod.urdf", tmp_path)
    assert code != 0 and "no name" in text
    code, text = make("my_pony", ROOT / "config/pony.urdf", made["pony"].parent)
    assert code == 1 and "--force" in text, "nothing is written over"


def test_it_walks_in_simulation(ros, made):
    """All of it from the files that were made: launch, physics, nodes."""
    robot = Pony(ros, robot=made["hexapod"].parent / "my_hexapod", sim="true")
    truth = ros.listen(Odometry, "truth/odom")
    try:
        robot.stands()
        ros.wait(lambda: len(truth) > 0, "truth")
        x = truth[-1].pose.pose.position.x
        robot.go(forward=0.012)
        # A whole stride is more than any swaying on the spot.
        stride = parameters(made["hexapod"], "gait", "/**/gait_node")["max_stride"]
        ros.wait(lambda: truth[-1].pose.pose.position.x > x + stride, "a stride of the true body", limit=180)
        assert truth[-1].pose.pose.position.z > 0.09, "on its feet"
    finally:
        robot.stop()
