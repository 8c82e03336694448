"""What a running robot opens is what config/sros2_policy.xml allows its nodes. (The wheels' Fast DDS has no security: that it suffices was not tried.)"""

import fnmatch
import sys
import xml.etree.ElementTree as ET

from conftest import ROOT

sys.path.insert(0, str(ROOT / "test/gait"))
from pony import Pony  # noqa: E402


def policy():
    """node → (group, rule) → names."""
    profiles = ET.parse(ROOT / "config/sros2_policy.xml").getroot().iter("profile")
    return {
        profile.get("node"): {
            (group.tag, rule): [item.text for item in group] for group in profile for rule in group.attrib
        }
        for profile in profiles
    }


def resolved(name, node):
    if name.startswith("~/"):
        return f"/{node}/{name[2:]}"
    return name if name.startswith("/") else f"/{name}"


def test_a_running_robot_keeps_to_its_policy(ros):
    allowed = policy()
    pony = Pony(ros, page="true")
    pony.stands()
    node = ros.node
    # An action is services and topics below its name.
    below = lambda names: [f"{name}/_action/*" for name in names]
    asked = {
        ("topics", "publish"): (node.get_publisher_names_and_types_by_node, "execute"),
        ("topics", "subscribe"): (node.get_subscriber_names_and_types_by_node, None),
        ("services", "reply"): (node.get_service_names_and_types_by_node, "execute"),
        ("services", "request"): (node.get_client_names_and_types_by_node, None),
    }
    robot = {"sync_node", "gait_node", "agregator_node", "servo_inv_param", "odometry_node", "herkulex_node", "page_node"}
    ros.wait(lambda: robot <= set(node.get_node_names()), "the nodes")
    ours = sorted(set(node.get_node_names()) & set(allowed))
    checked = 0
    for name in ours:
        for (group, rule), (of_node, action) in asked.items():
            patterns = list(allowed[name].get((group, rule), []))
            patterns += below(allowed[name].get(("actions", action), []))
            patterns = [resolved(pattern, name) for pattern in patterns]
            opened = [topic for topic, _ in of_node(name, "/")]
            checked += len(opened)
            outside = [topic for topic in opened if not any(fnmatch.fnmatchcase(topic, pattern) for pattern in patterns)]
            assert not outside, f"{name} may not {rule}: {outside}"
    assert checked > 100
    pony.stop()
