"""The pony on simulated servos as its launch file starts it, with or without the page."""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class Robot:
    def __init__(self, page):
        self.log = tempfile.NamedTemporaryFile("w+", suffix=".log")
        port = f"/tmp/gaitway_bench_page_{os.getpid()}"
        command = [sys.executable, ROOT / "tools/launch", "pony.launch.xml", "sim:=servos", f"port:={port}", f"page:={page}", "page_port:=0"]
        self.launch = subprocess.Popen(command, stdout=self.log, stderr=self.log)
        while "gait_node]: standing" not in self.text():
            time.sleep(0.1)

    def text(self):
        return pathlib.Path(self.log.name).read_text()

    def close(self):
        self.launch.terminate()
        self.launch.wait(30)
