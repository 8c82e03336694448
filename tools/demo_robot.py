"""The demo's side of the robot: hears everything, records it, tells it where to go."""

import math
import time

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from gait_msgs.msg import ServoGoal, SupportState, SyncStep
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rcl_interfaces.srv import SetParameters
from rclpy.experimental import EventsExecutor
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.serialization import deserialize_message
from recorder import Recorder
from sensor_msgs.msg import BatteryState, Imu, JointState, MultiDOFJointState
from std_msgs.msg import Bool, Float64, String
from std_srvs.srv import Trigger
from tf2_msgs.msg import TFMessage

# How long after somebody let go of the stick the demo walks again, s.
HANDED_OVER = 4.0
# How far the weight is inside the polygon of the standing feet.
MARGIN = "gait_node/stability_margin"
TOPICS = {
    "sync": SyncStep, "cmd_vel": Twist, "joints": JointState, "support": SupportState, "goals": ServoGoal,
    "joint_states": JointState, "battery_state": BatteryState, "odom": Odometry, "body": MultiDOFJointState, "/tf": TFMessage,
    MARGIN: Float64,
}  # fmt: skip
TRUTH = {"imu": Imu, "truth/odom": Odometry, "truth/joint_states": JointState, "truth/forces": MultiDOFJointState, "truth/contacts": SupportState}


class Robot:

    def __init__(self, has_weight):
        self.node = rclpy.create_node("demo")
        self.has_weight, self.fell = has_weight, False
        self.kinds = TOPICS | (TRUTH if has_weight else {})
        # (ns of arrival, topic, bytes): more than a thousand a second come in, so what they say is looked at afterwards.
        self.heard, self.newest = [], {}
        self.bus = ""
        for topic, kind in self.kinds.items():
            self.node.create_subscription(kind, topic, self.listener(topic), 200, raw=True)
        self.node.create_subscription(DiagnosticArray, "herkulex_node/statistics", self.statistics, 20)
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.node.create_subscription(Bool, "truth/fallen", self.on_fallen, latched)
        # Somebody on the page; their last word counts for a while.
        self.driver, self.driven = "", -math.inf
        self.node.create_subscription(String, "page_node/driver", self.on_driver, latched)
        self.cmd = self.node.create_publisher(Twist, "cmd_vel", 10)
        self.set_gait = self.node.create_client(SetParameters, "gait_node/set_parameters")
        self.reset_odometry = self.node.create_client(Trigger, "odometry_node/reset")
        self.executor = EventsExecutor()
        self.executor.add_node(self.node)

    def listener(self, topic):
        def heard(data):
            self.newest[topic] = entry = (time.time_ns(), topic, data)
            self.heard.append(entry)

        return heard

    def last(self, topic):
        """The newest message of a topic, or None."""
        entry = self.newest.get(topic)
        return entry and deserialize_message(entry[2], self.kinds[topic])

    def all(self, topic):
        """(time of arrival in s, message) of a topic."""
        return [(at / 1e9, deserialize_message(data, self.kinds[topic])) for at, name, data in self.heard if name == topic]

    def said(self, topic):
        """The messages of a topic."""
        return [message for _, message in self.all(topic)]

    def wait(self, limit, condition=lambda: False):
        """Listens for some seconds, or until a condition holds; whether it did."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            if condition():
                return True
            self.executor.spin_once(timeout_sec=0.02)
        return False

    def begin(self):
        """What was before is no part of the walk."""
        self.heard = []

    def record(self, file):
        """What was heard goes into a recording."""
        recorder = Recorder(file.with_suffix(".part"))
        for topic, kind in self.kinds.items():
            recorder.topic("/" + topic.strip("/"), kind)
        for at, topic, data in self.heard:
            recorder.add("/" + topic.strip("/"), data, at)
        recorder.close()
        file.with_suffix(".part").rename(file)

    def on_fallen(self, message):
        self.fell |= message.data

    def on_driver(self, message):
        # That nobody drives is said when nobody did before, too.
        if message.data or self.driver:
            self.driven = time.monotonic()
        self.driver = message.data

    def is_driven(self):
        """Whether somebody drives on the page, or did so a moment ago."""
        return bool(self.driver) or time.monotonic() - self.driven < HANDED_OVER

    def statistics(self, array):
        values = {value.key: value.value for value in array.status[0].values}
        reads = float(values["reads"]) / float(values["window, s"])
        self.bus = f"{float(values['utilisation, %']):4.1f} % busy, {reads:4.0f} reads/s"

    def gait(self, name):
        self.set_gait.call_async(one_parameter("gait", name))


def one_parameter(name, value):
    return SetParameters.Request(parameters=[Parameter(name, value=value).to_parameter_msg()])
