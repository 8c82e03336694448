"""The whole robot behind the page, with sockets in the browsers' place: driving, stopping, tuning."""

import os
import signal
import sys
import time

from conftest import ROOT, Process
from gait_msgs.msg import TorqueState
from geometry_msgs.msg import Twist
from page import Socket, address_of
from rcl_interfaces.srv import GetParameters


def test_one_drives_while_it_is_heard_parameters_are_tuned_and_stop_holds(ros):
    port = f"/tmp/gaitway_page_{os.getpid()}_{ros.domain}"
    launch = Process([sys.executable, str(ROOT / "tools/launch"), "pony.launch.xml", "sim:=servos", f"port:={port}", "page:=true", "page_port:=0"], ros.env)
    ros.processes.append(launch)
    commands, torque = ros.listen(Twist, "cmd_vel"), ros.listen(TorqueState, "torque", 10)
    address = address_of(ros, launch)
    ros.wait(lambda: "gait_node]: standing" in launch.output, "the pony stands")
    first, second = Socket(address), Socket(address)
    has_torque = lambda wanted: torque.messages and all(on == wanted for on in torque[-1].torque)
    ros.wait(lambda: has_torque(True), "torque")

    # One drives; the other is told so while it does. Then the first is silent, and the robot is halted by a word of its own.
    first.say(type="drive", forward=5.0, left=0.0, turn=0.0)
    ros.wait(lambda: len(commands), "a command")
    assert commands[0].linear.x == 0.12, "full deflection and no more"
    refused = False
    while not refused:
        first.say(type="drive", forward=0.5, left=0.0, turn=0.0)
        second.say(id=7, type="drive", forward=-1.0, left=0.0, turn=0.0)
        refused = "drives" in second.next("reply")["text"]
    ros.wait(lambda: commands[-1].linear.x == 0.0, "a halt without a word")
    second.say(type="drive", forward=-1.0, left=0.0, turn=0.0)
    ros.wait(lambda: commands[-1].linear.x < 0.0, "the other one drives")
    second.close()
    ros.wait(lambda: commands[-1].linear.x == 0.0, "a halt when the connection is lost")

    # Parameters: set, refused with the node's reason, undone.
    lift = lambda: ros.call(GetParameters, "gait_node/get_parameters", GetParameters.Request(names=["lift"])).values[0].double_value
    ros.wait(lambda: first.ask(type="parameters", node="gait_node")["ok"], "the parameters of gait_node")
    assert first.ask(type="set", node="gait_node", name="lift", value=0.04)["ok"] and lift() == 0.04
    answer = first.ask(type="set", node="gait_node", name="lift", value=7)
    assert not answer["ok"] and "lift" in answer["text"] and "outside" in answer["text"], answer
    assert first.ask(type="undo")["ok"] and lift() == 0.03

    # Stop: no servo has torque, whatever is asked for, until it is cleared; and clearing gives none.
    first.say(type="stop")
    ros.wait(lambda: has_torque(False), "servos without torque")
    ros.wait(lambda: first.next("drive")["stop"] == "held", "the bus's word")
    first.say(id=9, type="drive", forward=1.0, left=0.0, turn=0.0)
    assert "stopped" in first.next("reply")["text"]
    assert not first.ask(type="order", order="torque_on")["ok"]
    seen = len(torque)
    ros.wait(lambda: len(torque) > seen + 2, "two seconds")
    assert has_torque(False)
    assert first.ask(type="clear_stop")["ok"]
    seen = len(torque)
    ros.wait(lambda: len(torque) > seen + 1, "a second")
    assert has_torque(False)
    assert first.ask(type="order", order="torque_on")["ok"]
    ros.wait(lambda: has_torque(True), "torque again")


def test_a_node_that_is_killed_is_told_and_comes_back(ros):
    port = f"/tmp/gaitway_page_{os.getpid()}_{ros.domain}"
    arguments = ["sim:=servos", f"port:={port}", "page:=true", "page_port:=0", "composed:=false"]
    launch = Process([sys.executable, str(ROOT / "tools/launch"), "pony.launch.xml", *arguments], ros.env)
    ros.processes.append(launch)
    browser = Socket(address_of(ros, launch))
    presence = lambda: dict(browser.next("health")["nodes"])["odometry_node"]
    ros.wait(lambda: presence() == "alive", "odometry_node")
    line = next(line for line in launch.lines if line.startswith("[odometry_node-") and "pid" in line)
    killed = time.monotonic()
    os.kill(int(line.split("[")[-1].rstrip("]")), signal.SIGKILL)
    ros.wait(lambda: presence() == "silent", "its silence")
    print(f"\ntold {time.monotonic() - killed:.2f} s after it was killed")
    ros.wait(lambda: presence() == "alive", "its return")
