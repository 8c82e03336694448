"""Nodes that are ended together, while they still discover each other: there Fast DDS can lock itself up."""

import signal

NODES = {"sync_node": "sync", "gait_node": "gait", "agregator_node": "agregator", "odometry_node": "odometry", "servo_inv_lead": "servo_lead", "dynamics_node": "dynamics"}


def test_every_node_ends_though_its_middleware_may_not(ros, root):
    urdf = (root / "config/pony.urdf").read_text()
    files = lambda name: ["--params-file", str(root / f"config/{name}.yaml"), "--params-file", str(root / "config/robot.yaml")]
    for _ in range(6):
        nodes = [ros.start(node, params={"robot_description": urdf}, ros_args=files(name)) for node, name in NODES.items()]
        ros.wait(lambda: all(node.lines for node in nodes), "all of them have said something")
        for node in nodes:
            node.signal(signal.SIGINT)
        # One that left without a good-bye says so, and ended as it was told to all the same.
        assert [(node.name, node.wait(), node.output) for node in nodes if node.wait() != 0] == []
