"""Who was killed is heard again, and hears: Fast DDS's shared memory can leave a node deaf for good (config/fastdds.xml says how)."""

import pathlib
import subprocess
import sys

import pytest
from conftest import ROOT


def threads(process):
    return [(task / "comm").read_text().strip() for task in pathlib.Path(f"/proc/{process.child.pid}/task").iterdir()]


def test_nobody_listens_in_shared_memory(ros):
    node = ros.start("sync_node")
    ros.wait(lambda: any(name.startswith("dds.udp.") for name in threads(node)), "DDS runs")
    ros.wait(lambda: "one cycle every" in node.output, "it beats")
    # Its watchdog runs without a port, too.
    assert [name for name in threads(node) if name.startswith("dds.shm.")] in ([], ["dds.shm.wdog"])


@pytest.mark.serial
def test_nobody_is_deaf_after_forty_kills_and_stops():
    # The limit is for a loaded machine; deaf ones stayed so for minutes.
    run = subprocess.run([sys.executable, str(ROOT / "tools/kills"), "40", "--seed", "7", "--limit", "10"], capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-2000:]
