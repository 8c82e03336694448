"""The page in a real browser against the whole robot."""

import os
import pathlib
import signal
import sys
import time

import pytest
from chromium import Chromium, needs_chromium
from conftest import ROOT, Process
from gait_msgs.msg import TorqueState
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from page import address_of
from rcl_interfaces.srv import GetParameters

pytestmark = needs_chromium
# With GAITWAY_PICTURES=docs the pictures of the documentation are made anew.
PICTURES = os.environ.get("GAITWAY_PICTURES")


class Robot:
    """The pony as its launch file starts it, with the page."""

    def __init__(self, ros, **arguments):
        self.ros = ros
        arguments = {"sim": "servos", "page": "true", "page_port": "0", "port": f"/tmp/gaitway_page_{os.getpid()}_{ros.domain}"} | arguments
        command = [sys.executable, str(ROOT / "tools/launch"), "pony.launch.xml", *(f"{name}:={value}" for name, value in arguments.items())]
        self.launch = Process(command, ros.env)
        ros.processes.append(self.launch)
        self.commands, self.torque, self.odom = ros.listen(Twist, "cmd_vel"), ros.listen(TorqueState, "torque", 10), ros.listen(Odometry, "odom", 10)
        self.url = "http://%s:%d/" % address_of(ros, self.launch)
        ros.wait(lambda: "gait_node]: standing" in self.launch.output, "the pony stands")

    def parameter(self, node, name):
        return self.ros.call(GetParameters, f"{node}/get_parameters", GetParameters.Request(names=[name])).values[0]

    def has_torque(self, wanted):
        """All servos, or none."""
        return self.torque.messages and all(on == wanted for on in self.torque[-1].torque)


@pytest.fixture
def chromium():
    browser = Chromium()
    try:
        yield browser
    finally:
        browser.freeze(False)
        browser.close()


def hold(tab, x=0.0, y=0.8):
    """Takes the stick and moves it: right, ahead; a share of its radius."""
    tab.wait("gaitway.link.open")
    box = tab.wait("(({left, top, width}) => [left + width / 2, top + width / 2, width / 2])(document.getElementById('stick').getBoundingClientRect())")
    tab.mouse("mousePressed", box[0], box[1])
    tab.mouse("mouseMoved", box[0] + x * box[2], box[1] - y * box[2])
    return box


PIXELS = """(() => { const c = document.getElementById('scene'); const t = document.createElement('canvas'); t.width = 64; t.height = 48;
  const p = t.getContext('2d'); p.drawImage(c, 0, 0, 64, 48); return [...p.getImageData(0, 0, 64, 48).data]; })()"""


def test_the_robot_is_seen_and_tuned(ros, chromium, tmp_path):
    robot = Robot(ros)
    tab = chromium.open(robot.url)
    tab.wait("gaitway.snapshots > 5 && gaitway.linkPosition('leg1_hoof').some(x => x) && gaitway.drawn().pictures > 2")
    # It stands on all feet, as the gait says and the odometry knows.
    tab.wait("gaitway.snapshot.support.every(([, s]) => s > 0) && gaitway.snapshot.odom")
    before, still = tab.js("gaitway.linkPosition('base_link')"), tab.js(PIXELS)
    box = hold(tab)
    tab.wait("gaitway.snapshot.support.some(([, s]) => s == 0)")
    tab.wait(f"gaitway.linkPosition('base_link')[0] > {before[0]} + 0.05")
    moved = tab.js(PIXELS)
    assert len(set(zip(moved[::4], moved[1::4], moved[2::4]))) > 20, "the canvas is empty"
    assert sum(a != b for a, b in zip(still, moved)) > 50, "the picture does not change while the robot walks"
    drawn = tab.js("gaitway.drawn()")
    assert drawn["path"] > 5 and drawn["prints"] > 4, drawn
    assert any(m.linear.x > 0 for m in robot.commands.messages)
    tab.mouse("mouseReleased", box[0], box[1])
    ros.wait(lambda: robot.commands[-1].linear.x == 0.0, "a halt when the stick is let go")

    tab.click('[data-tab="tune"]')
    tab.js("(() => { const n = document.getElementById('node'); n.value = 'gait_node'; n.onchange(); })()")
    row = '.parameter[data-name="lift"]'
    tab.wait(f"!!document.querySelector('{row}')")
    assert robot.parameter("gait_node", "lift").double_value == 0.03
    tab.js(f"(() => {{ const s = document.querySelector('{row} input[type=range]'); s.value = 0.04; s.dispatchEvent(new Event('change')); }})()")
    ros.wait(lambda: abs(robot.parameter("gait_node", "lift").double_value - 0.04) < 0.002, "the slider's value on the node")
    tab.wait(f"document.querySelector('{row}').classList.contains('differs')")
    tab.js(f"(() => {{ const s = document.querySelector('{row} input[type=text]'); s.value = '7'; s.dispatchEvent(new Event('change')); }})()")
    tab.wait(f"/lift.*7.*outside/.test(document.querySelector('{row} .reason').textContent)")
    assert abs(robot.parameter("gait_node", "lift").double_value - 0.04) < 0.002
    # Somebody else tunes, and it is seen; undo takes back what was done here.
    ros.set_params("gait_node", body_pitch=0.05)
    tab.wait("document.querySelector('.parameter[data-name=body_pitch] input[type=text]').value == '0.05'")
    tab.js("[...document.querySelectorAll('#tune button')].find(b => b.textContent.startsWith('undo')).click()")
    ros.wait(lambda: robot.parameter("gait_node", "lift").double_value == 0.03, "the value of before")
    assert all(url.startswith((robot.url, "data:", "blob:", "about:")) for url in tab.requested), tab.requested


def test_stop_reaches_the_bus_and_holds(ros, chromium):
    robot = Robot(ros)
    tab = chromium.open(robot.url)
    ros.wait(lambda: robot.has_torque(True), "torque")
    hold(tab)
    ros.wait(lambda: any(m.linear.x > 0 for m in robot.commands.messages), "a command")
    tab.key(" ")
    ros.wait(lambda: robot.has_torque(False), "servos without torque")
    tab.wait("gaitway.stop.stop == 'held' && /STOPPED/.test(document.getElementById('banner').textContent)")
    # The stick is still held, and goals still come: nothing gets torque, nothing is commanded.
    seen = len(robot.torque)
    ros.wait(lambda: len(robot.torque) > seen + 3, "some seconds")
    assert robot.has_torque(False)
    assert robot.commands[-1].linear.x == 0.0
    # Nor does another browser, which sees it at once, or torque alone.
    other = chromium.open(robot.url)
    other.wait("gaitway.stop.stop == 'held'")
    assert not other.js("gaitway.ask({type: 'order', order: 'torque_on'}).then(a => a.ok)")
    assert robot.has_torque(False)
    tab.mouse("mouseReleased", 1, 1)
    tab.click("#clear-stop")
    other.wait("gaitway.stop.stop == 'none'")
    seen = len(robot.torque)
    ros.wait(lambda: len(robot.torque) > seen + 1, "a second")
    assert robot.has_torque(False), "clearing gives no torque"
    other.click('[data-order="torque_on"]')
    ros.wait(lambda: robot.has_torque(True), "torque again")


def test_a_node_that_is_killed_is_shown_and_comes_back(ros, chromium):
    robot = Robot(ros, composed="false")
    tab = chromium.open(robot.url)
    tab.wait("gaitway.health.nodes.find(([n]) => n == 'odometry_node')?.[1] == 'alive' && gaitway.snapshot.odom")
    back = "gaitway.health.nodes.find(([n]) => n == 'odometry_node')[1] == 'alive' && document.getElementById('banner').hidden"
    took = []
    # The browser draws with the processors that all the others run on, and may itself be late: one of three times will do, and always too late will not.
    while len(took) < 3 and not any(seconds < 2.0 for seconds in took):
        *_, line = (line for line in robot.launch.lines if line.startswith("[odometry_node-") and "pid" in line)
        killed = time.monotonic()
        os.kill(int(line.split("[")[-1].rstrip("]")), signal.SIGKILL)
        tab.wait("/Silent: .*odometry_node/.test(document.getElementById('banner').textContent)")
        took.append(time.monotonic() - killed)
        tab.wait(back)
        print(f"\nshown {took[-1]:.2f} s after it was killed, back after {time.monotonic() - killed:.2f} s")
    assert min(took) < 2.0, took


def test_a_lost_connection_stops_the_robot_and_one_drives_while_the_other_watches(ros, chromium):
    robot = Robot(ros)
    second = Chromium()
    try:
        tab, other = chromium.open(robot.url), second.open(robot.url)
        tab.wait("gaitway.link.open")
        # Both browsers and the robot share this machine: a word of the one that drives may come late, and the other one may then drive.
        (set_lease,) = ros.set_params("page_node", lease=5.0)
        assert set_lease.successful
        hold(tab)
        tab.wait("/you drive/.test(document.getElementById('driver').textContent)")
        other.wait("/browser \\d+ drives/.test(document.getElementById('driver').textContent)")
        hold(other, y=-0.9)
        other.wait("/drives/.test(document.getElementById('toasts').textContent)")
        assert all(m.linear.x >= 0 for m in robot.commands.messages), "the other one does not drive"
        ros.wait(lambda: robot.odom[-1].twist.twist.linear.x > 0.02, "a walk")
        other.mouse("mouseReleased", 1, 1)
        ros.set_params("page_node", lease=0.4)
        seen = len(robot.commands)
        ros.wait(lambda: len(robot.commands) > seen + 2, "words under the new lease")
        chromium.freeze(True)
        ros.wait(lambda: robot.commands[-1].linear.x == 0.0, "a halt")
        silence = robot.commands.times[-1] - robot.commands.times[-2]
        timeout = robot.parameter("gait_node", "command_timeout").double_value
        print(f"\nhalted {silence:.2f} s after its last word; gait_node itself would have done so after {timeout:g} s")
        assert silence < timeout
        ros.wait(lambda: abs(robot.odom[-1].twist.twist.linear.x) < 1e-3, "rest")
        other.wait("/nobody drives/.test(document.getElementById('driver').textContent)")
        chromium.freeze(False)
        tab.mouse("mouseReleased", 1, 1)
        ros.set_params("page_node", lease=5.0)
        # And when the page's own node is gone, with a halt that nobody sends: gait_node's turn.
        hold(other, y=0.9)
        other.wait("/you drive/.test(document.getElementById('driver').textContent)")
        ros.wait(lambda: robot.odom[-1].twist.twist.linear.x > 0.02, "a walk of the other one")
        *_, line = (line for line in robot.launch.lines if line.startswith("[page_node-") and "pid" in line)
        os.kill(int(line.split("[")[-1].rstrip("]")), signal.SIGKILL)
        ros.wait(lambda: abs(robot.odom[-1].twist.twist.linear.x) < 1e-3, "rest without the page")
        assert robot.commands[-1].linear.x != 0.0, "nobody halted it but gait_node"
    finally:
        second.close()


def test_what_was_is_looked_at_and_taken_home(ros, chromium, tmp_path):
    """Plots that wait, a gamepad with its dead-man's switch, a recording and what the odometry makes of it."""
    robot = Robot(ros, page_folder=str(tmp_path))
    tab = chromium.open(robot.url)
    tab.downloads_to(tmp_path / "home")
    tab.wait("gaitway.snapshots > 5 && document.querySelectorAll('[data-gait]').length > 1")
    tab.click('[data-tab="bags"]')
    tab.wait("!document.getElementById('record').disabled")
    tab.click("#record")
    tab.wait("document.getElementById('record').classList.contains('running')")

    # A gamepad commands only while its shoulder button is held.
    pad = "navigator.getGamepads = () => [{connected: true, axes: [0, -1, 0, 0], buttons: Array.from({length: 16}, (_, k) => ({pressed: k === 4 && %s}))}]"
    tab.js(f"void ({pad % 'false'})")
    tab.wait("new Promise(done => setTimeout(() => done(true), 500))")
    assert not robot.commands.messages, "without the dead man's button nothing is commanded"
    tab.js(f"void ({pad % 'true'})")
    ros.wait(lambda: robot.commands.messages and robot.commands[-1].linear.x > 0.1, "the gamepad's command")
    tab.wait("gaitway.snapshot.support.some(([, s]) => s == 0)")
    tab.click('[data-tab="plot"]')
    tab.wait("document.querySelectorAll('#plots .u-over').length == 2")
    walked = tab.js("gaitway.snapshots")
    tab.wait(f"gaitway.snapshots > {walked} + 60")
    tab.js(f"void ({pad % 'false'})")
    ros.wait(lambda: robot.commands[-1].linear.x == 0.0, "a halt when the button is let go")

    # Zoom: the plot waits, and the table has what is seen.
    whole = tab.js("gaitway.csv()").splitlines()
    left, top, width = tab.js("(({left, top, width}) => [left, top, width])(document.querySelector('#plots .u-over').getBoundingClientRect())")
    tab.mouse("mousePressed", left + 0.5 * width, top + 50)
    tab.mouse("mouseMoved", left + 0.7 * width, top + 50)
    tab.mouse("mouseReleased", left + 0.9 * width, top + 50)
    tab.wait("document.getElementById('pause').classList.contains('on')")
    part = tab.js("gaitway.csv()").splitlines()
    assert 5 < len(part) < 0.7 * len(whole), (len(part), len(whole))
    assert part[0].startswith('"time [s]","commanded [rad]","goal [rad]","measured [rad]"') and part[1].count(",") == 6
    same = tab.js("new Promise(done => { const before = gaitway.csv(); setTimeout(() => done(before === gaitway.csv()), 600); })")
    assert same, "what is looked at stands still"
    # Another signal: the cycle.
    tab.js("(() => { const s = document.getElementById('joint'); s.value = 'cycle'; s.onchange(); })()")
    tab.click("#pause")
    tab.wait("/work/.test(gaitway.csv().split('\\n')[0]) || gaitway.csv().split('\\n').some(line => /^-?[\\d.]+,[\\d.]+,[\\d.]+/.test(line))")

    tab.click('[data-tab="bags"]')
    tab.click("#record")
    tab.wait("!!document.querySelector('[data-replay]')")
    tab.click("[data-replay]")
    # The picture of the path has a size: it was really drawn.
    tab.wait("document.querySelector('#replay img')?.naturalWidth > 100")
    tab.screenshot(tmp_path / "replay.png")
    tab.js("[...document.querySelectorAll('.recording button')].find(b => b.textContent == 'save').click()")
    ros.wait(lambda: any((tmp_path / "home").glob("*.mcap")) or any((tmp_path / "home").glob("*.svg")), "the file at home")

    # Every other panel says something.
    for panel, sign in (("servos", "document.querySelectorAll('#servo-rows [data-joint]').length > 20"), ("nodes", "document.querySelectorAll('#node-rows .node.ok').length > 3"),
                        ("log", "document.querySelectorAll('#lines .line').length > 0")):  # fmt: skip
        tab.click(f'[data-tab="{panel}"]')
        tab.wait(sign)
    # Motions by name, sit and stand.
    tab.click('[data-tab="drive"]')
    tab.click('[data-order="sit"]')
    tab.wait("[...document.querySelectorAll('#chips li')].some(c => /sit/.test(c.textContent))")
    tab.click('[data-order="stand"]')
    tab.wait("[...document.querySelectorAll('#chips li')].some(c => /stand/.test(c.textContent))")
    tab.wait("document.querySelectorAll('#motions button').length > 0")
    tab.click("#motions button")
    tab.wait("gaitway.snapshot.motion && !gaitway.snapshot.motion.done")


def test_pictures(ros, chromium, tmp_path):
    """What people see first; the pictures of the documentation."""
    has_weight = "MUJOCO_DYNAMIC_LINK_DIR" in os.environ and pathlib.Path(os.environ.get("GAITWAY_BIN_DIR", ""), "robot_sim").exists()
    robot = Robot(ros, sim="true" if has_weight else "servos")
    folder = ROOT / PICTURES if PICTURES else tmp_path
    # The browser draws with the processors that the robot walks with; the pictures are of a robot that walks.
    ros.set_params("page_node", lease=5.0)
    stage = [("page.png", 1360, 860, False, "drive"), ("page_dark.png", 1360, 860, True, "plot"), ("page_phone.png", 390, 844, False, "drive")]
    for name, width, height, dark, panel in stage:
        tab = chromium.open(robot.url + "?full", width, height, dark, mobile=width < 500)
        tab.wait("gaitway.snapshots > 5 && document.querySelectorAll('[data-gait]').length > 1")
        tab.click('[data-tab="drive"]')
        box = hold(tab, x=-0.35, y=0.85)
        walked = tab.js("gaitway.snapshots")
        # It walks; about six seconds of a page that is sent 30 snapshots a second.
        tab.wait("[...document.querySelectorAll('#chips li')].some(c => /walking/.test(c.textContent))")
        tab.wait(f"gaitway.snapshots > {walked} + 180", limit=120)
        tab.click(f'[data-tab="{panel}"]')
        tab.wait("new Promise(done => setTimeout(() => done(true), 800))")
        tab.screenshot(folder / name)
        pixels = tab.js(PIXELS)
        assert len(set(zip(pixels[::4], pixels[1::4], pixels[2::4]))) > 20, f"{name}: the canvas is empty"
        assert (folder / name).stat().st_size < 300_000, f"{name} is too large for the documentation"
        tab.mouse("mouseReleased", *box[:2])
        width_of = tab.js("[document.documentElement.scrollWidth, innerWidth]")
        assert width_of[0] <= width_of[1], f"{name}: wider than the screen"
        assert tab.js("(({top, bottom, height}) => top >= 0 && bottom <= innerHeight && height > 30)(document.getElementById('stop').getBoundingClientRect())"), "STOP is in sight"
        tab.close()
