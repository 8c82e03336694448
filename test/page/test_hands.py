"""Hands on the page: what is held drives, and whatever may have let go of it does not. In a real browser, without a robot: what it says is looked at."""

import time

import pytest
from chromium import Chromium, needs_chromium
from page import Socket, address_of

pytestmark = needs_chromium
# What the page says from now on, [time, type, forward].
LISTEN = """window.said = []; const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (text) { const word = JSON.parse(text); said.push([performance.now(), word.type, word.forward]); send.call(this, text); }"""
LAST = "said.filter(([, type]) => type == 'drive' || type == 'release').at(-1)?.[1]"


@pytest.fixture
def chromium():
    browser = Chromium()
    try:
        yield browser
    finally:
        browser.freeze(False)
        browser.close()


@pytest.fixture
def page(ros, chromium):
    process = ros.start("page_node", params={"http_port": 0})
    address = address_of(ros, process)
    tab = chromium.open("http://%s:%d/" % address)
    tab.wait("gaitway.snapshots > 2")
    tab.js(f"(() => {{ {LISTEN} }})()")
    tab.address = address
    return tab


def centre(tab, selector):
    return tab.wait(f"(({{left, top, width, height}}) => [left + width / 2, top + height / 2])(document.querySelector({selector!r}).getBoundingClientRect())")


def key(tab, kind, key, code, modifiers=0):
    tab.call("Input.dispatchKeyEvent", type=kind, key=key, code=code, modifiers=modifiers)


def quiet(tab, seconds=0.5):
    """What is said in some time of a page that is not held up."""
    tab.js("said.length = 0")
    tab.wait(f"new Promise(done => setTimeout(() => done(true), {1000 * seconds}))")
    return tab.js("said.map(([, type]) => type).join()")


def test_a_key_drives_until_it_is_let_go_whatever_letter_it_has_by_then(page):
    key(page, "keyDown", "q", "KeyQ")
    page.wait(f"{LAST} == 'drive'")
    # AltGr came down meanwhile: the same key is another letter when it comes up.
    key(page, "keyUp", "@", "KeyQ")
    page.wait(f"{LAST} == 'release'")
    assert quiet(page) == ""
    # Some systems tell of no key that comes up during a shortcut.
    key(page, "keyDown", "w", "KeyW")
    page.wait(f"{LAST} == 'drive'")
    key(page, "rawKeyDown", "c", "KeyC", modifiers=4)
    page.wait(f"{LAST} == 'release'")
    assert quiet(page) == ""
    # Whoever moved a slider with the mouse drives on with the keys; whoever writes does not.
    page.js("document.querySelector('#drive .row input').focus()")
    key(page, "keyDown", "w", "KeyW")
    page.wait(f"{LAST} == 'drive'")
    key(page, "keyUp", "w", "KeyW")
    page.click('[data-tab="tune"]')
    page.js("document.querySelector('#tune input[type=search]').focus()")
    key(page, "keyDown", "w", "KeyW")
    assert quiet(page) == "release" or quiet(page) == ""


def test_only_the_hand_that_took_the_stick_holds_it(page):
    x, y = centre(page, "#stick")
    event = lambda kind, **more: page.call("Input.dispatchMouseEvent", type=kind, x=x, y=y - 30, clickCount=1, **more)
    # The right button opens a menu, and nobody says when it is let go.
    event("mousePressed", button="right", buttons=2)
    assert "drive" not in quiet(page)
    event("mouseReleased", button="right", buttons=0)
    event("mousePressed", button="left", buttons=1)
    page.wait(f"{LAST} == 'drive'")
    # Another finger that comes and goes changes nothing.
    page.js("for (const kind of ['pointerdown', 'pointerup']) document.getElementById('stick').dispatchEvent(new PointerEvent(kind, {pointerId: 77, button: 0, clientX: 5, clientY: 5, bubbles: true}))")
    assert set(quiet(page).split(",")) == {"drive"}
    # Elsewhere is looked: it is let go at once, and has to be taken anew.
    page.js("dispatchEvent(new Event('blur'))")
    page.wait(f"{LAST} == 'release'")
    assert quiet(page) == ""


def test_a_gamepad_drives_only_a_page_that_is_looked_at(page):
    page.js("void (navigator.getGamepads = () => [{connected: true, axes: [0, -1, 0, 0], buttons: Array.from({length: 16}, (_, k) => ({pressed: k === 4}))}])")
    page.wait(f"{LAST} == 'drive'")
    # A browser tells a page that is behind others nothing new of the gamepad: its button stays down for ever.
    page.js("void Object.defineProperty(document, 'hidden', {get: () => true, configurable: true})")
    page.wait(f"{LAST} == 'release'")
    assert quiet(page) == ""
    page.js("void Object.defineProperty(document, 'hidden', {get: () => false, configurable: true})")
    page.wait(f"{LAST} == 'drive'")
    page.js("void (document.hasFocus = () => false)")
    page.wait(f"{LAST} == 'release'")


def test_whoever_slept_with_the_stick_in_the_hand_has_to_take_it_anew(page, chromium):
    """A lid that is closed over a key that is down: nobody tells the page that it was let go."""
    for take in (lambda: key(page, "keyDown", "w", "KeyW"), lambda: page.call("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y - 30, button="left", buttons=1, clickCount=1)):
        x, y = centre(page, "#stick")
        take()
        page.wait(f"{LAST} == 'drive'")
        chromium.freeze(True)
        time.sleep(4.0)
        chromium.freeze(False)
        page.wait("gaitway.link.open")
        page.wait(f"{LAST} == 'release'")
        # At most a word that was on its way before it slept; none after it knew.
        assert quiet(page) == ""
        key(page, "keyUp", "w", "KeyW")
        page.call("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, button="left", buttons=0, clickCount=1)


def test_stop_is_said_when_it_is_touched_and_stays_in_sight(ros, chromium):
    address = address_of(ros, ros.start("page_node", params={"http_port": 0}))
    tab = chromium.open("http://%s:%d/" % address, 390, 844, mobile=True)
    tab.call("Emulation.setTouchEmulationEnabled", enabled=True)
    tab.wait("gaitway.snapshots > 2")
    in_sight = "(({top, bottom, left, right}) => visualViewport.scale == 1 && top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth)(document.getElementById('stop').getBoundingClientRect())"
    tab.call("Input.synthesizePinchGesture", x=195, y=700, scaleFactor=3.0, relativeSpeed=2000, gestureSourceType="touch")
    assert tab.js(in_sight), "pinched out of sight"
    for panel in ("drive", "plot", "servos", "tune", "bags", "nodes", "log"):
        tab.click(f'[data-tab="{panel}"]')
        tab.js("scrollTo(0, 1e6)")
        assert tab.js(in_sight), panel
        assert tab.js("document.documentElement.scrollWidth <= innerWidth"), f"{panel}: wider than the screen"
    tab.js(f"(() => {{ {LISTEN} }})()")
    x, y = centre(tab, "#stop")
    tab.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
    # The finger is still there.
    tab.wait("said.some(([, type]) => type == 'stop')")
    tab.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
    tab.wait("gaitway.stop.stop == 'asked'")
    tab.wait("new Promise(done => setTimeout(() => done(true), 500))")
    assert tab.js("said.filter(([, type]) => type == 'stop').length") == 1, "once"


def test_the_sliders_of_the_pose_stand_where_the_robot_was_told_to(page):
    other = Socket(page.address)
    other.say(type="pose", position=[0.02, 0.0, 0.0], angles=[0.0, -0.1, 0.0])
    page.wait("[...document.querySelectorAll('#drive .row input')].map(i => i.valueAsNumber).join() == '0.02,0,0,0,-0.1,0'")
    # Who moves one here leaves the others where they are.
    page.js("(() => { const s = document.querySelectorAll('#drive .row input')[2]; s.value = 0.05; s.dispatchEvent(new Event('input')); })()")
    while other.next("snapshot").get("pose") != [0.02, 0.0, 0.05, 0.0, -0.1, 0.0]:
        pass


def test_a_slider_that_is_dragged_ends_where_it_was_let_go(ros, page):
    ros.start("sync_node")
    page.click('[data-tab="tune"]')
    page.wait("[...document.querySelectorAll('#node option')].some(option => option.value == 'page_node')")
    page.js("(() => { const n = document.getElementById('node'); n.value = 'page_node'; n.onchange(); })()")
    row = '.parameter[data-name="forward_speed"]'
    page.wait(f"!!document.querySelector('{row} input[type=range]')")
    # More words than may be under way at once.
    page.js(f"(() => {{ const s = document.querySelector('{row} input[type=range]'); for (let k = 1; k <= 100; k++) {{ s.value = s.max * k / 100; s.dispatchEvent(new Event('change')); }} }})()")
    other, top = Socket(page.address), float(page.js(f"document.querySelector('{row} input[type=range]').max"))
    while abs(other.next("limits")["speeds"][0] - top) > 1e-6:
        pass
    assert not page.js("document.getElementById('toasts').textContent"), "nothing was refused"
    assert page.js("said.filter(([, type]) => type == 'set').length") < 10, "what is newer replaces what waits"
