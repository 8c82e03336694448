"""The weight of the pony on its servos: what each must give while it stands and walks, by Pinocchio, put on the simulator's shafts.

Torques of the commanded pose are those of inverse dynamics with the ground's forces shared among the feet in support: least squares
over the points of their soles, none of which pulls. Nothing here is our code."""

import pathlib
import sys

import numpy
import pinocchio
import scipy.optimize
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Every force counts so much beside the balance, so that feet share evenly.
SHARE = 1e-3


class Weight:
    """Torques of the joints, by name."""

    def __init__(self):
        self.model = pinocchio.buildModelFromUrdf(str(ROOT / "config/pony.urdf"), pinocchio.JointModelFreeFlyer())
        self.data = self.model.createData()
        robot = yaml.safe_load((ROOT / "config/robot.yaml").read_text())["/**"]["ros__parameters"]
        self.feet = {}
        for name, chain in robot["chains"].items():
            if contact := chain.get("default_contact"):
                points = numpy.reshape(robot["contacts"][contact]["points"], (-1, 3))
                self.feet[name] = (self.model.getFrameId(chain["last_link"]), points)

    def torques(self, position, support):
        """What every joint must give (N·m), standing at `position` on the feet of `support`."""
        model, data = self.model, self.data
        q = pinocchio.neutral(model)
        for name, value in position.items():
            q[model.joints[model.getJointId(name)].idx_q] = value
        zero = numpy.zeros(model.nv)
        needed = pinocchio.rnea(model, data, q, zero, zero).copy()
        pinocchio.computeJointJacobians(model, data, q)
        pinocchio.updateFramePlacements(model, data)
        columns = []
        for name, (frame, points) in self.feet.items():
            if support.get(name, 0.0) <= 0.0:
                continue
            jacobian = pinocchio.getFrameJacobian(model, data, frame, pinocchio.LOCAL_WORLD_ALIGNED)
            for point in points:
                arm = data.oMf[frame].rotation @ point
                columns.append(jacobian[:3] - pinocchio.skew(arm) @ jacobian[3:])
        if columns:
            # Of every point force along ±x, ±y and up, none of them negative: base rows balanced, all of them small.
            ways = numpy.kron(numpy.eye(len(columns)), numpy.array([[1, -1, 0, 0, 0], [0, 0, 1, -1, 0], [0, 0, 0, 0, 1]]))
            push = ways.T @ numpy.vstack(columns)
            balance = numpy.vstack([push[:, :6].T, SHARE * numpy.eye(len(push))])
            force, _ = scipy.optimize.nnls(balance, numpy.concatenate([needed[:6], numpy.zeros(len(push))]))
            needed = needed - push.T @ force
        return {name: float(needed[model.joints[i].idx_v]) for i, name in enumerate(model.names) if model.joints[i].nq == 1}


def main():
    import rclpy
    from gait_msgs.msg import SupportState
    from sensor_msgs.msg import JointState

    servos = yaml.safe_load((ROOT / "config/herkulex.yaml").read_text())["herkulex_node"]["ros__parameters"]["servos"]
    weight, state = Weight(), {}
    rclpy.init()
    node = rclpy.create_node("weight")
    node.create_subscription(JointState, "joints", lambda m: state.update(pose=dict(zip(m.name, m.position))), 1)
    node.create_subscription(SupportState, "support", lambda m: state.update(support=dict(zip(m.name, m.support))), 1)
    load = node.create_publisher(JointState, "herkulex_sim/load", 1)

    def send():
        if len(state) == 2:
            torques = weight.torques(state["pose"], state["support"])
            message = JointState(name=[str(servo["id"]) for servo in servos.values()])
            message.effort = [torques[name] / (servo["direction"] * servo["gear"]) for name, servo in servos.items()]
            load.publish(message)

    node.create_timer(0.02, send)
    try:
        rclpy.spin(node)
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    sys.exit(main())
