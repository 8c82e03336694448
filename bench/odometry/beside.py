"""Runs bench_odometry beside the Pinocchio peer of bench/kinematics, round by round, and prints ratios."""

import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import figures  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROUNDS, BATCH = 30, 2000


def kinematics_bench():
    loader = importlib.machinery.SourceFileLoader("kinematics_bench", str(ROOT / "bench" / "kinematics" / "run"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def main():
    program = sys.argv[1]
    bench = kinematics_bench()
    work = pathlib.Path(program).parents[2] / "bench_kinematics"
    work.mkdir(parents=True, exist_ok=True)
    peer = bench.pinocchio(work)
    print(f"\none cycle, µs, least of {ROUNDS} interleaved rounds of {BATCH}; half of the legs down, contacts searched for")
    print(f"{'legs':>4} {'kinematics':>11} {'odometry':>9} {'Pinocchio':>10} {'odometry / Pinocchio':>21}")
    result = {}
    for legs in (4, 6, 8):
        text = subprocess.run([program, "urdf", str(legs)], capture_output=True, text=True, check=True).stdout
        (_, poses, plain), _ = bench.write_robot(work, f"odometry{legs}", text)
        children = {name: bench.Child([program, name, str(legs)]) for name in ("kinematics", "odometry")}
        if peer:
            children["Pinocchio"] = bench.Child([str(peer), str(plain), str(poses)])
        least = {name: float("inf") for name in children}
        for _ in range(ROUNDS):
            for name, child in children.items():
                ns, _ = child.ask(f"run {BATCH}")
                least[name] = min(least[name], ns / BATCH / 1e3)
        for child in children.values():
            child.close()
        ratio = f"{least['odometry'] / least['Pinocchio']:21.2f}" if peer else f"{'—':>21}"
        theirs = f"{least['Pinocchio']:10.3f}" if peer else f"{'—':>10}"
        result[f"{legs} legs, µs"] = least
        print(f"{legs:>4} {least['kinematics']:11.3f} {least['odometry']:9.3f} {theirs} {ratio}", flush=True)
    print("goal: at most 2\n")
    figures.write("odometry", result)
    subprocess.run([program, "replay"], check=True)


main()
