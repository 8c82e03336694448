"""The page in a real browser before, without and instead of the robot: what others say is shown as text, what is missing is said."""

import socket
import struct

import pytest
from chromium import Chromium, needs_chromium
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from page import address_of
from rclpy.qos import DurabilityPolicy, QoSProfile
from rcl_interfaces.msg import Log
from sensor_msgs.msg import JointState
from std_msgs.msg import String

pytestmark = needs_chromium
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
MARKUP = '<img src=x onerror="window.hacked=1">'
# What every object of JavaScript has, as names of joints.
INHERITED = ["__proto__", "constructor", "toString"]


@pytest.fixture
def chromium():
    browser = Chromium()
    try:
        yield browser
    finally:
        browser.close()


def urdf(joint, shape=""):
    """Two links with a joint half a metre above the first."""
    limit = '<limit lower="-2" upper="2" effort="1" velocity="1"/>'
    place = f'<origin xyz="0 0 0.5"/><axis xyz="0 1 0"/><parent link="base_link"/><child link="{joint}_link"/>{limit}'
    tip = f'<joint name="{joint}_tip" type="fixed"><origin xyz="0.3 0 0"/><parent link="{joint}_link"/><child link="{joint}_end"/></joint><link name="{joint}_end"/>'
    return f'<robot name="r"><link name="base_link">{shape}</link><joint name="{joint}" type="revolute">{place}</joint><link name="{joint}_link"/>{tip}</robot>'


def geometry(kind, inside):
    return f"<{kind}><geometry>{inside}</geometry></{kind}>"


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def open_page(ros, chromium, **params):
    process = ros.start("page_node", params={"http_port": 0} | params)
    url = "http://%s:%d/" % address_of(ros, process)
    tab = chromium.open(url)
    tab.wait("gaitway.snapshots > 2")
    return tab, url


def test_the_robot_may_come_later_and_another_one_after_it(ros, chromium):
    tab, _ = open_page(ros, chromium)
    assert "robot_description" in tab.js("document.getElementById('nobody').innerText")
    described, joints = ros.publisher(String, "robot_description", LATCHED), ros.publisher(JointState, "joints")
    for joint in ("hip", "shoulder"):
        described.publish(String(data=urdf(joint)))
        moved = lambda: joints.publish(JointState(name=[joint], position=[0.5])) or tab.js(f"gaitway.names.join() == '{joint}' && gaitway.linkPosition('{joint}_end')")
        # 0.3 m ahead of the joint, turned about y by 0.5 rad; the body stands where nothing says otherwise.
        at = ros.wait(lambda: (place := moved()) and abs(place[0] - 0.263275) < 1e-4 and place, f"the robot with a {joint}")
        assert abs(at[2] - (0.5 - 0.143828)) < 1e-4, at
    assert not tab.js("document.getElementById('nobody').offsetHeight")


def test_shapes_are_those_to_be_seen_else_those_that_collide_else_capsules(ros, chromium, tmp_path):
    corners = [(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)]
    faces = [[corners[k] for k in face] for face in ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))]
    triangles = b"".join(struct.pack("<12fH", 0, 0, 0, *(x for corner in face for x in corner), 0) for face in faces)
    (tmp_path / "body.stl").write_bytes(bytes(80) + struct.pack("<I", 4) + triangles)
    (tmp_path / "secret.stl").write_bytes(b"secret")
    mesh = lambda name: f'<mesh filename="file://{tmp_path}/{name}"/>'
    box = '<box size="0.1 0.1 0.1"/>'
    tab, url = open_page(ros, chromium)
    described = ros.publisher(String, "robot_description", LATCHED)
    for joint, shape, wanted in (
        ("mesh", geometry("visual", mesh("body.stl")) + geometry("collision", box), ["BufferGeometry 12"]),
        ("gone", geometry("visual", mesh("gone.stl")) + geometry("collision", box), ["BoxGeometry 24"]),
        ("box", geometry("visual", box) + geometry("collision", box), ["BoxGeometry 24"]),
    ):
        described.publish(String(data=urdf(joint, shape)))
        tab.wait(f"gaitway.drawn().shapes.join() == {','.join(wanted)!r}")
    described.publish(String(data=urdf("bare")))
    tab.wait("gaitway.drawn().shapes.length == 2 && gaitway.drawn().shapes.every(shape => shape.startsWith('Capsule'))")
    name = f"file%3A%2F%2F{str(tmp_path).replace('/', '%2F')}%2Fsecret.stl"
    assert tab.js(f"fetch('{url}mesh/{name}').then(answer => answer.status)") == 404, "no robot has it"


def test_names_and_lines_are_text_whatever_stands_in_them(ros, chromium):
    tab, _ = open_page(ros, chromium)
    ros.publisher(String, "robot_description", LATCHED).publish(String(data=urdf("hip")))
    joints, lines, states = ros.publisher(JointState, "joints"), ros.publisher(Log, "/rosout"), ros.publisher(DiagnosticArray, "/diagnostics")
    names = [*INHERITED, MARKUP, "hip"]

    def move(to):
        joints.publish(JointState(name=names, position=[to] * len(names)))
        return tab.js(f"Math.abs(gaitway.linkPosition('hip_end')[2] - (0.5 - 0.3 * Math.sin({to}))) < 1e-4")

    for to in (0.25, 0.75):
        ros.wait(lambda: move(to), "the robot moves beside joints of such names")
    servo = DiagnosticStatus(name=f"herkulex_node: {MARKUP}", message=MARKUP, level=b"\0")
    line = Log(level=40, name=MARKUP, msg=MARKUP + "x" * 1_000_000)
    lines.publish(line)
    tab.click('[data-tab="servos"]')
    ros.wait(lambda: states.publish(DiagnosticArray(status=[servo])) or tab.js("document.querySelector('#servo-rows td')?.textContent") == MARKUP, "the servo's name")
    shown = tab.wait("[...document.querySelectorAll('#lines .line')].find(line => /onerror/.test(line.textContent))?.textContent")
    assert MARKUP in shown and len(shown) < 5000, "a line that nobody can read is cut"
    tab.click('[data-tab="plot"]')
    tab.wait(f"[...document.querySelectorAll('#joint option')].some(option => option.value == {MARKUP!r})")
    tab.js(f"(() => {{ const s = document.getElementById('joint'); s.value = {MARKUP!r}; s.onchange(); }})()")
    assert tab.js("window.hacked === undefined && document.querySelectorAll('img, script:not([src]), iframe').length === 0")


def test_the_token_is_asked_for_and_leaves_the_address(ros, chromium):
    token = "0123456789abcdef-_"
    process = ros.start("page_node", params={"http_port": 0, "address": "0.0.0.0", "token": token})
    url = "http://%s:%d/" % address_of(ros, process)
    tab = chromium.open(url)
    tab.wait("!!document.getElementById('token')")
    for typed in ("wrong", token):
        tab.js(f"(() => {{ const t = document.getElementById('token'); t.value = '{typed}'; t.form.requestSubmit(); }})()")
    tab.wait("gaitway.link.open && gaitway.snapshots > 2")
    other = chromium.open(f"{url}?full#token={token}")
    other.wait("gaitway.link.open")
    assert other.js("location.href") == f"{url}?full"


def test_a_stop_that_did_not_arrive_is_said_and_sent_when_the_robot_is_back(ros, chromium):
    port = free_port()
    tab, _ = open_page(ros, chromium, http_port=port)
    assert ros.processes[-1].stop() == 0
    tab.wait("!gaitway.link.open")
    tab.key(" ")
    tab.wait("/NOT STOPPED/.test(document.getElementById('banner').textContent)")
    ros.start("page_node", params={"http_port": port})
    # There is no bus here to confirm it.
    tab.wait("gaitway.link.open && gaitway.stop.stop == 'asked'")
    tab.wait("/not confirmed/.test(document.getElementById('banner').textContent)")


def test_what_is_asked_for_without_a_connection_is_refused_aloud(ros, chromium, tmp_path):
    """Record, Sit or a parameter in the moment in which the connection is lost: nothing happens, and that is said."""
    tab, _ = open_page(ros, chromium, recordings=str(tmp_path))
    assert ros.processes[-1].stop() == 0
    tab.wait("!gaitway.link.open")
    tab.click("#record")
    tab.wait("/not connected/.test(document.getElementById('toasts').textContent)")


def test_space_stops_and_does_nothing_else_on_the_plain_page(ros, chromium):
    """Space also presses the button that has the focus: the one that cleared the last stop."""
    process = ros.start("page_node", params={"http_port": 0})
    tab = chromium.open("http://%s:%d/plain" % address_of(ros, process))
    tab.wait("/connected/.test(document.getElementById('state').textContent)")
    tab.js("(() => { window.said = []; const send = WebSocket.prototype.send; WebSocket.prototype.send = function (text) { said.push(JSON.parse(text).type); send.call(this, text); }; document.getElementById('clear').focus(); })()")
    tab.call("Input.dispatchKeyEvent", type="keyDown", key=" ", code="Space", windowsVirtualKeyCode=32, text=" ")
    tab.call("Input.dispatchKeyEvent", type="keyUp", key=" ", code="Space", windowsVirtualKeyCode=32)
    tab.wait("/not confirmed/.test(document.getElementById('state').textContent)")
    assert tab.js("said.join()") == "stop"


def test_a_page_that_is_open_while_its_node_is_started_again_shows_what_comes_now(ros, chromium):
    """The node counts its seconds from its start: what it said before would lie in the future, for ever, and more and more of it."""
    port = free_port()
    tab, _ = open_page(ros, chromium, http_port=port)
    tab.click('[data-tab="plot"]')
    tab.wait("gaitway.snapshots > 150")
    assert ros.processes[-1].stop() == 0
    tab.wait("!gaitway.link.open")
    ros.start("page_node", params={"http_port": port})
    before = tab.js("gaitway.snapshots")
    tab.wait(f"gaitway.snapshots > {before} + 10")
    # A time, s, for each row; an old one and a new one never beside each other.
    rows, age = tab.js("[gaitway.csv().split('\\n').slice(1, -1).map(row => Number(row.split(',')[0])), gaitway.snapshot.time]")
    assert rows == sorted(rows) and 5 < len(rows) and -rows[0] <= age, (rows[:3], rows[-3:], age)


def test_a_browser_without_3d_has_all_the_rest(ros):
    process = ros.start("page_node", params={"http_port": 0})
    browser = Chromium("--disable-3d-apis")
    try:
        tab = browser.open("http://%s:%d/" % address_of(ros, process))
        tab.wait("gaitway.snapshots > 2")
        assert not tab.js("!!document.createElement('canvas').getContext('webgl2')")
        assert "WebGL" in tab.js("document.getElementById('nobody').innerText")
        ros.publisher(String, "robot_description", LATCHED).publish(String(data=urdf("hip")))
        joints = ros.publisher(JointState, "joints")
        ros.wait(lambda: joints.publish(JointState(name=["hip"], position=[0.5])) or tab.js("gaitway.names.join() == 'hip' && gaitway.csv().includes('0.5')"), "the plot of its joint")
        tab.key(" ")
        tab.wait("gaitway.stop.stop == 'asked'")
    finally:
        browser.close()


@pytest.mark.parametrize("path", ["", "plain"])
def test_a_browser_that_keeps_nothing_can_stop_the_robot(ros, chromium, path):
    """Cookies are forbidden: then every look at what is kept is an error."""
    process = ros.start("page_node", params={"http_port": 0})
    forbid = "for (const area of ['localStorage', 'sessionStorage']) Object.defineProperty(window, area, {get() { throw new DOMException('no', 'SecurityError'); }});"
    tab = chromium.open("http://%s:%d/%s" % (*address_of(ros, process), path), before=forbid)
    tab.wait("/live|connected/.test(document.body.innerText)")
    tab.click("#stop")
    tab.wait("/not confirmed/.test(document.body.innerText)")


def test_the_token_of_yesterday_is_replaced_by_that_of_today(ros, chromium):
    """The robot was started again with another token, while a page of before is open."""
    port, tokens = free_port(), ("0123456789abcdef", "fedcba9876543210", "0000111122223333")
    begin = lambda token: ros.start("page_node", params={"http_port": port, "address": "0.0.0.0", "token": token})
    process = begin(tokens[0])
    url = "http://%s:%d/" % address_of(ros, process)
    tab = chromium.open(f"{url}#token={tokens[0]}")
    tab.wait("gaitway.link.open")
    assert process.stop() == 0
    process = begin(tokens[1])
    tab.wait("!!document.getElementById('token')")
    assert not tab.js("gaitway.link.open")
    tab.js(f"(() => {{ const t = document.getElementById('token'); t.value = '{tokens[1]}'; t.form.requestSubmit(); }})()")
    tab.wait("gaitway.link.open && document.getElementById('banner').hidden")
    # And pasted into the address bar: no page is loaded for what stands behind the #.
    assert process.stop() == 0
    begin(tokens[2])
    tab.wait("!!document.getElementById('token')")
    tab.js(f"void (location.hash = 'token={tokens[2]}')")
    tab.wait("gaitway.link.open && document.getElementById('banner').hidden")
    assert tab.js("location.href") == url
