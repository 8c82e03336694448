"""The whole robot as its launch file starts it, on simulated servos, with what a test needs to watch it."""

import math
import os
import re
import sys
import threading
import time
import xml.etree.ElementTree as ET

from conftest import ROOT, Process
from gait_msgs.msg import ServoGoal, SupportState
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState

LEGS = ["leg1", "leg2", "leg3", "leg4"]


def seconds(stamp):
    return stamp.sec + 1e-9 * stamp.nanosec


def urdf_limits():
    """name → (lower, upper, velocity), read from the URDF without our code."""
    joints = ET.parse(ROOT / "config/pony.urdf").getroot().iter("joint")
    limits = {j.get("name"): j.find("limit") for j in joints if j.find("limit") is not None}
    return {name: tuple(float(limit.get(key)) for key in ("lower", "upper", "velocity")) for name, limit in limits.items()}


class Pony:
    def __init__(self, ros, robot="pony", **arguments):
        self.ros = ros
        self.namespace = "/" + arguments["namespace"] if "namespace" in arguments else ""
        self.composed = arguments.get("composed", "true") == "true"
        port = f"/tmp/gaitway_test_{os.getpid()}_{ros.domain}{self.namespace.replace('/', '_')}"
        command = [sys.executable, str(ROOT / "tools/launch"), f"{robot}.launch.xml", f"port:={port}"]
        arguments = {"sim": "servos"} | arguments
        self.launch = Process(command + [f"{name}:={value}" for name, value in arguments.items()], ros.env)
        ros.processes.append(self.launch)
        listen = lambda kind, topic: ros.listen(kind, f"{self.namespace}/{topic}")
        self.joints = listen(JointState, "joints")
        self.measured = listen(JointState, "joint_states")
        self.goals = listen(ServoGoal, "goals")
        self.odom = listen(Odometry, "odom")
        self.support = listen(SupportState, "support")
        self.cmd = ros.publisher(Twist, f"{self.namespace}/cmd_vel", wait=arguments.get("gait") != "none")
        self.command, self.commanding = Twist(), True
        self.thread = threading.Thread(target=self._command, daemon=True)
        self.thread.start()

    def _command(self):
        while self.commanding:
            self.cmd.publish(self.command)
            time.sleep(0.05)

    def go(self, forward=0.0, left=0.0, turn=0.0):
        command = Twist()
        command.linear.x, command.linear.y, command.angular.z = float(forward), float(left), float(turn)
        self.command = command

    def stop(self):
        self.commanding = False
        self.thread.join()

    def stands(self):
        """Waits until it does."""
        self.ros.wait(lambda: self.says("gait_node", "standing") and len(self.odom) > 0, "the pony stands")

    def says(self, node, text):
        """Whether a node has said something, in whichever process it is."""
        return any(re.search(rf"\[([\w.]+\.)?{node}\]:", line) and text in line for line in list(self.launch.lines))

    def pids(self, executable):
        """Process ids that the executable has had, the last one last."""
        pattern = re.compile(rf"\[{executable}-\d+\] process started with pid \[(\d+)\]")
        found = [pattern.match(line) for line in list(self.launch.lines)]
        return [int(match.group(1)) for match in found if match]

    def executables(self):
        """The processes of the control path."""
        separate = ["gait_node", "agregator_node", "servo_inv_param", "odometry_node", "sync_node", "herkulex_node"]
        return ["pipeline_node"] if self.composed else separate

    def wait_cycles(self, cycles):
        """Lets the robot go on for so many cycles of its own time."""
        start = len(self.joints)
        self.ros.wait(lambda: len(self.joints) >= start + cycles, f"{cycles} cycles", limit=180)

    def mean_velocity(self, cycles):
        """Forward, left and turn of the body over the last cycles, by the logarithm of SE(2)."""
        first, last = self.odom[-cycles], self.odom[-1]
        yaw = lambda odom: 2 * math.atan2(odom.pose.pose.orientation.z, odom.pose.pose.orientation.w)
        angle = math.remainder(yaw(last) - yaw(first), math.tau)
        dx = last.pose.pose.position.x - first.pose.pose.position.x
        dy = last.pose.pose.position.y - first.pose.pose.position.y
        c, s = math.cos(yaw(first)), math.sin(yaw(first))
        x, y, half = c * dx + s * dy, c * dy - s * dx, angle / 2
        k = half / math.tan(half) if abs(half) > 1e-9 else 1.0
        time = seconds(last.header.stamp) - seconds(first.header.stamp)
        return (k * x + half * y) / time, (k * y - half * x) / time, angle / time

    def mean_forward(self, cycles):
        """Forward velocity of the body over the last cycles, along its own axes: a stall may tilt what odometry believes, for ever."""
        recent = self.odom[-cycles:]
        return sum(odom.twist.twist.linear.x for odom in recent) / len(recent)
