"""The pony as it is shipped, in the world with weight, over DDS: stands up, walks, is pushed, put back, and falls without power."""

import math
import sys
import xml.etree.ElementTree as ET

import pytest
from conftest import ROOT
from gait_msgs.msg import SupportState
from gait_msgs.srv import Push
from geometry_msgs.msg import Vector3
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import Imu, JointState, MultiDOFJointState
from std_msgs.msg import Bool
from std_srvs.srv import Trigger

sys.path.insert(0, str(ROOT / "test/gait"))
from pony import LEGS, Pony, seconds, urdf_limits  # noqa: E402

G = 9.81


def weight():
    """Of all links of the URDF, N."""
    masses = ET.parse(ROOT / "config/pony.urdf").getroot().iter("mass")
    return G * sum(float(mass.get("value")) for mass in masses)


class World:
    """The pony and what is true of it."""

    def __init__(self, ros, robot="pony"):
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.ros = ros
        self.pony = Pony(ros, robot, sim="true")
        self.odom = ros.listen(Odometry, "truth/odom")
        self.joints = ros.listen(JointState, "truth/joint_states")
        self.contacts = ros.listen(SupportState, "truth/contacts")
        self.forces = ros.listen(MultiDOFJointState, "truth/forces")
        self.fallen = ros.listen(Bool, "truth/fallen", latched)
        self.imu = ros.listen(Imu, "imu")

    def at(self):
        position = self.odom[-1].pose.pose.position
        return position.x, position.y, position.z

    def stands(self):
        """Waits until it stands, by its own word, and is at rest."""
        self.pony.stands()
        fast = lambda odom: math.dist((0, 0, 0), (odom.twist.twist.linear.x, odom.twist.twist.linear.y, odom.twist.twist.linear.z))
        self.ros.wait(lambda: len(self.odom) > 200 and max(map(fast, self.odom[-50:])) < 0.01, "it is at rest")

    def mean_force(self, samples):
        """Of the ground on all feet together over the last samples, N."""
        sums = [[sum(getattr(w.force, axis) for w in m.wrench) for axis in "xyz"] for m in self.forces[-samples:]]
        return [sum(column) / len(sums) for column in zip(*sums)]


@pytest.fixture
def world(ros):
    world = World(ros)
    yield world
    world.pony.stop()


def test_it_stands_up_walks_is_pushed_and_put_back(ros, world):
    world.stands()
    ros.wait(lambda: len(world.fallen) > 0, "it is told whether it has fallen")

    # At rest the ground carries the weight, each foot a part of it, and the IMU feels it. A body whose velocity changes by less than
    # 2 cm/s within a second needs no more than 2 cm/s² of g for that; the accelerometer's error is a bias of 0.05 m/s² an axis.
    count = len(world.forces)
    ros.wait(lambda: len(world.forces) > count + 100 and len(world.imu) > 200, "a second at rest")
    force = world.mean_force(100)
    assert abs(force[2] / weight() - 1) < 0.02 / G + 1e-3, (force, weight())
    assert max(abs(force[0]), abs(force[1])) < 0.003 * weight(), force
    assert sorted(world.contacts[-1].name) == LEGS and all(share > 0.05 for share in world.contacts[-1].support)
    assert abs(sum(world.contacts[-1].support) - 1) < 1e-6
    accel = [sum(getattr(m.linear_acceleration, axis) for m in world.imu[-200:]) / 200 for axis in "xyz"]
    assert abs(math.hypot(*accel) - G) < 5 * 0.05, accel
    assert sorted(world.joints[-1].name) == sorted(urdf_limits())

    # What the servos measure is where their shafts are: to a step of 0.326° and what a shaft moves in the age of a reading.
    true = dict(zip(world.joints[-1].name, world.joints[-1].position))
    measured = dict(zip(world.pony.measured[-1].name, world.pony.measured[-1].position))
    assert all(abs(true[name] - angle) < math.radians(1.0) for name, angle in measured.items()), (true, measured)

    # It walks: a stride of 6 cm is more than any swaying on the spot.
    x, y, z = world.at()
    world.pony.go(0.06)
    ros.wait(lambda: world.at()[0] > x + 0.3, "it has walked 0.3 m", limit=180)
    assert not world.fallen[-1].data and world.at()[2] > 0.3

    # A push while it walks.
    push = Push.Request(force=Vector3(y=0.1 * weight()), duration=0.1)
    answer = ros.call(Push, "robot_sim/push", push)
    assert answer.success, answer.message
    x = world.at()[0]
    ros.wait(lambda: world.at()[0] > x + 0.15, "it walks on", limit=180)
    refused = ros.call(Push, "robot_sim/push", Push.Request(link="wing", force=Vector3(x=1.0), duration=0.1))
    assert not refused.success and "wing" in refused.message

    # And back to where it began.
    world.pony.go(0.0)
    world.stands()
    assert world.at()[0] > 0.3
    answer = ros.call(Trigger, "robot_sim/reset", Trigger.Request())
    assert answer.success, answer.message
    ros.wait(lambda: math.hypot(*world.at()[:2]) < 0.05, "it is where it began")
    world.stands()
    assert not world.fallen[-1].data
    stamps = [seconds(m.header.stamp) for m in world.odom.messages]
    assert all(a < b for a, b in zip(stamps, stamps[1:])), "truth never comes twice"


def test_without_power_it_falls_and_says_so(ros, world):
    world.stands()
    assert not world.fallen[-1].data
    assert ros.set_params("robot_sim", dark=True)[0].successful
    ros.wait(lambda: world.fallen[-1].data, "it has fallen")
    ros.wait(lambda: world.pony.says("robot_sim", "has fallen"), "the log says so")


def test_a_push_is_what_the_feet_bear(ros, world):
    """The momentum of a robot that stands before and after is what it was: the ground gave back the impulse, F·t."""
    world.stands()
    force, duration = 0.08 * weight(), 0.3
    count = len(world.forces)
    assert ros.call(Push, "robot_sim/push", Push.Request(force=Vector3(y=force), duration=duration)).success
    ros.wait(lambda: len(world.forces) > count + 150, "the push is over")
    world.stands()
    rows = [(seconds(m.header.stamp), sum(w.force.y for w in m.wrench)) for m in world.forces[count:]]
    impulse = sum((b - a) * (f + g) / 2 for (a, f), (b, g) in zip(rows, rows[1:]))
    # Forces are sampled: the edges of the push are known to a sample of 10 ms, each.
    assert abs(impulse / (-force * duration) - 1) < 2 * 0.01 / duration, (impulse, force * duration)


@pytest.mark.parametrize("robot", ["hexapod", "quadruped"])
def test_other_robots_stand_up_and_walk(ros, robot):
    """What they do to a tenth is sim_node/tests/robots.rs' matter; here that all of it comes up from their own files."""
    world = World(ros, robot)
    try:
        world.stands()
        x = world.at()[0]
        world.pony.go(forward=0.04)
        ros.wait(lambda: world.at()[0] > x + 0.1, "ten centimetres")
        assert not world.fallen[-1].data
    finally:
        world.pony.stop()
