"""The pony walks through all processes, over real DDS, on simulated servos."""

import math
import os
import signal
import subprocess
import time

import pytest
import yaml
from conftest import ROOT
from pony import LEGS, Pony, seconds, urdf_limits

SERVO_INV = yaml.safe_load((ROOT / "config/servo_inv.yaml").read_text())["/**/servo_inv_param"]["ros__parameters"]
# How far ahead of the pose goals lie, s.
AHEAD = SERVO_INV["lead"] + SERVO_INV["delay"]


def reach(joint, speed):
    """How far from its pose a goal may lie, rad: what the joint goes in the time ahead, and what the servo's model adds at that
    speed and the highest acceleration, without a load, on a battery that has sagged by a tenth."""
    model = SERVO_INV["servo_models"][joint]
    inertia, viscous, coulomb, _ = model["alpha"]
    drive = inertia * SERVO_INV["max_acceleration"] + viscous * speed + coulomb
    return speed * AHEAD + drive / (model["kp"] * 0.9 * SERVO_INV["battery_voltage"])


@pytest.fixture(params=["composed", "separate"])
def pony(ros, request):
    pony = Pony(ros, composed=str(request.param == "composed").lower())
    yield pony
    pony.stop()


def check_every_pose(pony):
    """Within limits, no faster than the joints can, complete and in order; also every goal."""
    limits = urdf_limits()
    joints = list(pony.joints.messages)
    for before, after in zip(joints, joints[1:]):
        dt = seconds(after.header.stamp) - seconds(before.header.stamp)
        assert dt > 0 and after.name == before.name and set(after.name) == set(limits)
        for name, p, q, v in zip(after.name, before.position, after.position, after.velocity):
            lower, upper, speed = limits[name]
            assert lower <= q <= upper, f"{name}: {q}"
            assert abs(q - p) <= speed * dt * 1.001, f"{name}: {p} → {q} in {dt:.4f} s"
            assert abs(v) <= speed * 1.001, f"{name}: {v} rad/s"
    for goals in list(pony.goals.messages):
        assert set(goals.name) == set(limits)
        for name, target in zip(goals.name, goals.target_pos):
            assert limits[name][0] <= target <= limits[name][1], f"{name}: {target}"
    by_stamp = {seconds(m.header.stamp): m for m in joints}
    checked, behind, last = 0, -math.inf, None
    for goals in list(pony.goals.messages):
        now = seconds(goals.header.stamp)
        if last is not None:
            # From goal to goal max_goal_speed (1.5) times as fast as the joint, over a playtime (11.2 ms) at least; after a silence of a
            # second it begins anew.
            dt = now - seconds(last.header.stamp)
            before = dict(zip(last.name, last.target_pos))
            for name, target in zip(goals.name, goals.target_pos) if dt < 0.9 else ():
                assert abs(target - before[name]) <= 1.5 * 1.001 * limits[name][2] * max(dt, 0.0112), f"{name}: {before[name]} → {target} in {dt:.4f} s"
            # Where goals were missing, those that follow catch up with the pose at that speed.
            behind = now if dt > 0.015 else behind
        last = goals
        if (pose := by_stamp.get(now)) is None:
            continue
        checked += 1
        if now < behind + 0.3:
            continue
        where = dict(zip(pose.name, pose.position))
        for name, target in zip(goals.name, goals.target_pos):
            assert abs(target - where[name]) <= 1.001 * reach(name, limits[name][2]), f"{name}: {where[name]} → {target}"
    assert checked > 0.5 * len(joints), f"{checked} of {len(joints)}"


# (gait, forward m/s, left m/s, turn rad/s)
COMMANDS = [
    ("walk", 0.06, 0.0, 0.0),
    ("walk", 0.0, 0.04, 0.2),
    ("trot", 0.1, 0.0, 0.0),
    ("trot", 0.06, 0.0, -0.25),
]


def test_the_body_follows_the_command_and_no_joint_does_what_it_cannot(ros, pony):
    pony.stands()
    for gait, *command in COMMANDS:
        assert ros.set_params("gait_node", gait=gait)[0].successful
        pony.go(*command)
        # Until the gait has changed and the velocity is reached.
        pony.wait_cycles(250)
        pony.wait_cycles(240)
        size = math.hypot(command[0], command[1]) + 0.2 * abs(command[2])

        def off():
            got = pony.mean_velocity(240)
            return math.hypot(got[0] - command[0], got[1] - command[1]) + 0.2 * abs(got[2] - command[2])

        # A machine that stalls for longer than the gait makes up for spoils the cycles around it, not those after.
        ros.wait(lambda: off() <= 0.02 * size, f"{gait} {command}, got {pony.mean_velocity(240)}")
        print(f"{gait} {command}: {pony.mean_velocity(240)}, off by {100 * off() / size:.3f} %")
    # Silence on cmd_vel is a halt.
    pony.stop()
    marks = sum("gait_node]: standing" in line for line in pony.launch.lines)
    ros.wait(lambda: sum("gait_node]: standing" in line for line in pony.launch.lines) > marks, "it stops by itself")
    all_down = {(leg, 1.0) for leg in LEGS}
    ros.wait(lambda: set(zip(pony.support[-1].name, pony.support[-1].support)) == all_down, "all hooves stand")
    check_every_pose(pony)


@pytest.mark.serial
def test_a_busy_machine_does_not_make_any_joint_faster(ros, pony):
    """Three loops take what they can get of the processors."""
    pony.stands()
    assert ros.set_params("gait_node", gait="trot")[0].successful
    busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(3)]
    try:
        pony.go(0.1)
        pony.wait_cycles(1500)
    finally:
        for loop in busy:
            loop.kill()
            loop.wait()
    check_every_pose(pony)


def test_any_node_may_be_killed_while_it_walks(ros, pony):
    """kill -9: launch starts it again, the others go on, and no servo is sent anywhere faster than before."""
    pony.stands()
    pony.go(0.06)
    pony.wait_cycles(400)

    def fastest(since, until=None):
        """The highest speed of any measured joint, over a tenth of a second."""
        rows = [(seconds(m.header.stamp), dict(zip(m.name, m.position))) for m in pony.measured.messages[since:until]]
        worst, late = 0.0, 0
        for early in range(len(rows)):
            while late < len(rows) and rows[late][0] < rows[early][0] + 0.1:
                late += 1
            if late == len(rows):
                break
            time = rows[late][0] - rows[early][0]
            names = rows[early][1].keys() & rows[late][1].keys()
            worst = max([worst, *(abs(rows[late][1][n] - rows[early][1][n]) / time for n in names)])
        return worst

    ros.wait(lambda: len(pony.measured) > 500, "measured joints")
    usual = fastest(len(pony.measured) - 350)
    assert 0.3 < usual < 7.1
    for executable in pony.executables():
        start, lives = len(pony.measured), len(pony.pids(executable))
        os.kill(pony.pids(executable)[-1], signal.SIGKILL)
        ros.wait(lambda: len(pony.pids(executable)) > lives, f"launch starts {executable} again")
        # It walks again: the body moves, by commands and by measurement.
        before, measured = len(pony.odom), len(pony.measured)
        ros.wait(lambda: len(pony.odom) > before + 300 and len(pony.measured) > measured + 300, f"it goes on after {executable}")
        ros.wait(lambda: abs(pony.mean_forward(50) - 0.06) < 0.0012, f"it walks after {executable}")
        worst = fastest(start)
        print(f"{executable} killed: fastest {worst:.2f} rad/s, {usual:.2f} rad/s before")
        assert worst <= 1.25 * usual + 0.3, f"after {executable}: {worst} rad/s, {usual} rad/s before"


def test_a_node_that_was_stopped_goes_on_from_the_present_without_a_jump(ros, pony):
    """SIGSTOP while trotting: what waited meanwhile is skipped, not replayed, and no pose or goal is faster than the joints."""
    pony.stands()
    assert ros.set_params("gait_node", gait="trot")[0].successful
    pony.go(0.1)
    pony.wait_cycles(300)
    for executable in pony.executables():
        for seconds_stopped in (0.3, 0.5, 2.0):
            pid = pony.pids(executable)[-1]
            os.kill(pid, signal.SIGSTOP)
            time.sleep(seconds_stopped)
            os.kill(pid, signal.SIGCONT)
            before = len(pony.odom)
            ros.wait(lambda: len(pony.odom) > before + 100, f"it goes on after {executable} stood for {seconds_stopped} s")
            ros.wait(lambda: abs(pony.mean_forward(30) - 0.1) < 0.005, f"it trots after {executable} stood")
    check_every_pose(pony)


def stands_at(pose, height):
    """Whether the odometry puts the base at a height, as well as it says it knows: to some millimetres, and right within them."""
    deviation = math.sqrt(pose.covariance[14])
    return deviation < 0.005 and abs(pose.pose.position.z - height) < 3 * deviation


def test_a_height_out_of_reach_is_a_warning_and_no_jump(ros, pony):
    pony.stands()
    # The log may be ahead of the poses.
    pony.wait_cycles(100)
    legs = lambda: {name: angle for name, angle in zip(pony.joints[-1].name, pony.joints[-1].position) if name.startswith("leg")}
    stood = legs()
    # No foot moves, so there is one pose of the legs for a height. It comes near to it ever more slowly, both times: half a step of the
    # servos (0.163°) is what can be told.
    as_it_stood = lambda: all(abs(angle - stood[name]) < math.radians(0.163) / 2 for name, angle in legs().items())
    assert ros.set_params("gait_node", height=0.6)[0].successful
    ros.wait(lambda: pony.says("gait_node", "is out of reach"), "a warning")
    pony.wait_cycles(150)
    assert not as_it_stood()
    assert ros.set_params("gait_node", height=0.39)[0].successful
    pony.wait_cycles(400)
    ros.wait(as_it_stood, "it stands at its height again")
    ros.wait(lambda: stands_at(pony.odom[-1].pose, 0.39), "the odometry knows it")
    check_every_pose(pony)


def test_nonsense_is_refused_and_named(ros, pony):
    pony.stands()
    [result] = ros.set_params("gait_node", gait="gallop")
    assert not result.successful and "gallop" in result.reason and "trot" in result.reason
    [result] = ros.set_params("gait_node", max_stride=-1.0)
    assert not result.successful and "max_stride" in result.reason
    pony.go(math.nan)
    ros.wait(lambda: pony.says("gait_node", "cmd_vel refused"), "a warning")
    pony.go(0.05)
    ros.wait(lambda: pony.says("gait_node", "walking"), "it walks")
