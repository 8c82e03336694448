"""Two minutes of `./gaitway soak`: the robot walks while faults come at random."""

import json
import subprocess
import sys

from conftest import ROOT


def test_nothing_hurts_it_for_two_minutes():
    run = subprocess.run([sys.executable, str(ROOT / "tools/soak"), "2", "--seed", "1"], capture_output=True, text=True, timeout=900)
    assert run.returncode == 0, run.stdout[-5000:] + run.stderr[-2000:]
    for report in json.loads((ROOT / "out/soak.json").read_text())["runs"]:
        # It was there to be hit, and was hit.
        assert len(report["faults"]) > 5 and report["checked"]["goals"] > 500 and report["checked"]["joints"] > 500
