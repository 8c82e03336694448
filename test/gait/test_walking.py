"""The pony walks through all processes, over real DDS, on simulated servos."""

import math
import os
import signal
import subprocess
import time

import pytest
from bounds import check_every_pose
from pony import LEGS, Pony, seconds


@pytest.fixture(params=["composed", "separate"])
def pony(ros, request):
    pony = Pony(ros, composed=str(request.param == "composed").lower())
    yield pony
    pony.stop()


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
    ros.wait(lambda: pony.says("gait_node", "the legs reach no further"), "a warning")
    ros.wait(lambda: not as_it_stood(), "it stands as high as its legs reach")
    assert ros.set_params("gait_node", height=0.39)[0].successful
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
