"""What the page takes of a browser's memory while the pony walks: the heap after a collection, elements and listeners, every half minute."""

import os
import pathlib
import re
import sys
import threading
import time

import rclpy
from geometry_msgs.msg import Twist

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "test/page")]
import figures  # noqa: E402
from chromium import PROGRAM, Chromium  # noqa: E402
from robot import Robot  # noqa: E402

EVERY = 30.0


def main():
    minutes = float(sys.argv[1])
    if not PROGRAM:
        sys.exit("bench: there is no Chromium here (Debian: apt-get install chromium)")
    os.environ["ROS_DOMAIN_ID"] = str(50 + os.getpid() % 50)
    rclpy.init()
    node = rclpy.create_node("bench")
    cmd = node.create_publisher(Twist, "cmd_vel", 10)
    walks = threading.Event()

    def walk():
        command = Twist()
        command.linear.x = 0.06
        while not walks.wait(0.1):
            cmd.publish(command)

    robot, browser = Robot("true"), Chromium()
    threading.Thread(target=walk, daemon=True).start()
    rows = []
    try:
        while not (said := re.search(r"the page is at (http://[\d.]+:\d+/)", robot.text())):
            time.sleep(0.1)
        tab = browser.open(said.group(1))
        tab.wait("gaitway.snapshots > 30")
        # The panel that keeps the most: a minute of everything.
        tab.click('[data-tab="plot"]')
        tab.call("HeapProfiler.enable")
        tab.call("Performance.enable")
        begin = time.monotonic()
        while time.monotonic() < begin + 60 * minutes + 1:
            tab.call("HeapProfiler.collectGarbage")
            found = {m["name"]: m["value"] for m in tab.call("Performance.getMetrics")["metrics"]}
            row = {"s": time.monotonic() - begin, "heap, MB": found["JSHeapUsedSize"] / 1e6, "elements": found["Nodes"], "listeners": found["JSEventListeners"], "snapshots": tab.js("gaitway.snapshots")}
            rows.append(row)
            print("  ".join(f"{key} {value:.1f}" for key, value in row.items()), flush=True)
            time.sleep(EVERY)
    finally:
        walks.set()
        browser.close()
        robot.close()
    figures.write("page_browser", rows)


main()
