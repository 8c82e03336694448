#!/usr/bin/env python3
"""goals.py [SINCE]: which goals the figures of out/bench meet, those measured since then (s since 1970), and which peers were missing."""

import json
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "out/bench"


def ours_of(row):
    """The share of Pinocchio's time."""
    return lambda f: 1 / f[f"{row}, pinocchio"]["times ours"]


# What, beside whom, the most that it may be, the file of out/bench, the figure in it.
GOALS = [
    ("forward kinematics and 4 Jacobians, 24 joints", "Pinocchio", 0.35, "kinematics", ours_of("24")),
    ("inverse dynamics, 24 joints", "Pinocchio", 0.7, "kinematics", ours_of("dynamics 24")),
    ("a step of odometry, 4 legs", "Pinocchio's kinematics", 3.0, "odometry", lambda f: f["4 legs, µs"]["odometry"] / f["4 legs, µs"]["Pinocchio"]),
    ("sync to first byte, composed, p50", "separate", 0.1, "pipeline", lambda f: f["rows"]["composed"]["p50"] / f["rows"]["separate"]["p50"]),
    ("sync to first byte, composed, p50", "one bare hop", 1.0, "pipeline", lambda f: f["rows"]["composed"]["p50"] / f["rows"]["hop"]["p50"]),
    ("lag of true joints, ms: worst of all walks", "", 5.0, "tracking", lambda f: max(abs(row["worst lag, ms"]) for row in f.values())),
    ("error of true joints, deg: worst of all walks", "", 0.5, "tracking", lambda f: max(row["worst RMS, deg"] for row in f.values())),
    ("a step of a filter, worst of all", "a plain loop", 1.3, "filters", lambda f: max(row["ratio"] for row in f["step"].values())),
    ("a cycle of servo_inv, 24 joints", "a plain loop", 2.0, "servo_inv", lambda f: f["24 joints, of a plain loop"]),
    ("replay of a bag, by the clock", "reading and decoding", 2.0, "odometry_replay", lambda f: 1 / f["odometry_replay, of reading, by the clock"]),
    ("wake-up of sync, p99", "bare clock_nanosleep", 1.2, "sync", lambda f: f["ratio_p99"]),
]


def main():
    since = float(sys.argv[1]) if len(sys.argv) > 1 else 0.0
    missed, missing = 0, set()
    print(f"\n{'goal':46} {'beside':24} {'at most':>8} {'is':>8}")
    for what, beside, most, name, figure in GOALS:
        file = FOLDER / f"{name}.json"
        start = f"{what:46} {beside:24} {most:8.2f}"
        if not file.exists() or file.stat().st_mtime < since:
            print(f"{start} {'–':>8}  not measured: bench/{name} was not run")
            continue
        try:
            value = figure(json.loads(file.read_text()))
        except KeyError:
            missing.add(beside.split("'")[0])
            print(f"{start} {'–':>8}  not judged: no {beside} here")
            continue
        missed += value > most
        print(f"{start} {value:8.2f}  {'met' if value <= most else 'MISSED'}")
    print(f"\n{missed} missed" + (f"; missing peers: {', '.join(sorted(missing))} (the bench says above what it looked for)" if missing else ""))


main()
