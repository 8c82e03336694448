"""What poses and goals may do, by the READMEs of agregator_node and servo_inv_node: without our code."""

import math

import yaml
from conftest import ROOT
from pony import seconds, urdf_limits

SERVO_INV = yaml.safe_load((ROOT / "config/servo_inv.yaml").read_text())["/**/servo_inv_param"]["ros__parameters"]
# How far ahead of the pose goals lie, s.
AHEAD = SERVO_INV["lead"] + SERVO_INV["delay"]
# Of the control cycle, s.
PERIOD = 0.01
# The longest that a servo has for a goal, s, however long the pause before it was: its playtime or a cycle.
FOR_A_GOAL = max(SERVO_INV["playtime"], PERIOD)
# Stamps are whole nanoseconds, and goals are rounded.
ROUNDED = 1 + 1e-6


def ns(message):
    return message.header.stamp.sec * 10**9 + message.header.stamp.nanosec


def reach(joint, speed, ahead=AHEAD):
    """How far from its pose a goal may lie, rad: what the joint goes in the time ahead, and what the servo's model adds at that
    speed and the highest acceleration, without a load, on a battery that has sagged by a tenth."""
    model = SERVO_INV["servo_models"][joint]
    inertia, viscous, coulomb, _ = model["alpha"]
    drive = inertia * SERVO_INV["max_acceleration"] + viscous * speed + coulomb
    return speed * ahead + drive / (model["kp"] * 0.9 * SERVO_INV["battery_voltage"])


def check_poses(joints):
    """Within limits, no faster than the joints can, complete and in order."""
    limits = urdf_limits()
    for before, after in zip(joints, joints[1:]):
        dt = seconds(after.header.stamp) - seconds(before.header.stamp)
        assert dt > 0 and after.name == before.name and set(after.name) == set(limits)
        for name, p, q, v in zip(after.name, before.position, after.position, after.velocity):
            lower, upper, speed = limits[name]
            assert lower <= q <= upper, f"{name}: {q}"
            assert abs(q - p) <= speed * dt * 1.001, f"{name}: {p} → {q} in {dt:.4f} s"
            assert abs(v) <= speed * 1.001, f"{name}: {v} rad/s"


def check_steps(goals, joints):
    """Every goal by the rule of servo_inv: within limits; and from the goal before it no farther than max_goal_speed times the joint's speed
    in the time since, or, after a pause, in the time that the servo has for it. Only after a silence of more than `timeout` it begins
    anew, and then with its pose, without a lead."""
    limits = urdf_limits()
    poses = {ns(message): dict(zip(message.name, message.position)) for message in joints}
    for message in goals:
        assert set(message.name) == set(limits)
        for name, target in zip(message.name, message.target_pos):
            assert limits[name][0] <= target <= limits[name][1], f"{name}: {target}"
    for before, after in zip(goals, goals[1:]):
        dt = (ns(after) - ns(before)) * 1e-9
        assert dt > 0, f"{dt} s from goal to goal"
        pose = poses.get(ns(after)) if dt > SERVO_INV["timeout"] else None
        last = dict(zip(before.name, before.target_pos))
        for name, target in zip(after.name, after.target_pos):
            speed = limits[name][2]
            may = SERVO_INV["max_goal_speed"] * speed * min(dt, FOR_A_GOAL) * ROUNDED
            is_anew = pose is not None and abs(target - pose[name]) <= reach(name, speed, ahead=0.0)
            assert abs(target - last[name]) <= may or is_anew, f"{name}: {last[name]} → {target} in {dt:.4f} s"


def check_leads(goals, joints):
    """No goal is farther from its pose than its lead and the servo's model take it. Where goals were missing, those that follow catch up
    with the pose in their time."""
    limits = urdf_limits()
    poses = {ns(message): message for message in joints}
    checked, behind, last = 0, -math.inf, None
    for message in goals:
        now = ns(message) * 1e-9
        behind = now if last is not None and now - last > 1.5 * PERIOD else behind
        last = now
        if (pose := poses.get(ns(message))) is None:
            continue
        checked += 1
        if now < behind + 0.3:
            continue
        where = dict(zip(pose.name, pose.position))
        for name, target in zip(message.name, message.target_pos):
            assert abs(target - where[name]) <= 1.001 * reach(name, limits[name][2]), f"{name}: {where[name]} → {target}"
    assert checked > 0.5 * len(joints), f"{checked} of {len(joints)}"


def check_every_pose(pony):
    """Every pose and every goal that came."""
    joints, goals = list(pony.joints.messages), list(pony.goals.messages)
    check_poses(joints)
    check_steps(goals, joints)
    check_leads(goals, joints)
