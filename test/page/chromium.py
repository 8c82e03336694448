"""A headless Chromium, driven over its own DevTools protocol."""

import base64
import http.client
import itertools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

import pytest
import websocket

LIMIT = 60.0
PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# Its graphics are drawn by the processor here, beside the robot's physics: on two busy cores the page starves, so people ask for it.
IS_WANTED = PROGRAM and os.environ.get("GAITWAY_BROWSER")
needs_chromium = pytest.mark.skipif(not IS_WANTED, reason="the page was not looked at: GAITWAY_BROWSER=1 does, with a Chromium (Debian: apt-get install chromium)")
FLAGS = ["--headless=new", "--no-sandbox", "--remote-debugging-port=0", "--remote-allow-origins=*", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
         "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--hide-scrollbars", "--enable-precise-memory-info", "about:blank"]  # fmt: skip

# As root it would take a priority above everybody's, the robot's too.
MODESTLY = ["setpriv", "--inh-caps=-sys_nice", "--bounding-set=-sys_nice"] if os.geteuid() == 0 and shutil.which("setpriv") else []


class Chromium:
    def __init__(self, *flags):
        self.folder = tempfile.mkdtemp(prefix="gaitway_chromium_")
        self.child = subprocess.Popen([*MODESTLY, PROGRAM, *flags, *FLAGS, f"--user-data-dir={self.folder}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        told = pathlib.Path(self.folder, "DevToolsActivePort")
        end = time.monotonic() + LIMIT
        while not (told.exists() and told.read_text().strip()):
            assert time.monotonic() < end and self.child.poll() is None, "Chromium does not start"
            time.sleep(0.05)
        self.port = int(told.read_text().split()[0])
        self.tabs = []

    def open(self, url, width=900, height=640, dark=False, mobile=False, before=""):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT)
        connection.request("PUT", "/json/new?about:blank")
        target = json.loads(connection.getresponse().read())
        tab = Tab(target)
        self.tabs.append(tab)
        tab.size(width, height, mobile)
        tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        # As if somebody looked at it.
        tab.call("Emulation.setFocusEmulationEnabled", enabled=True)
        tab.call("Network.enable")
        if before:
            tab.call("Page.enable")
            tab.call("Page.addScriptToEvaluateOnNewDocument", source=before)
        tab.call("Page.navigate", url=url)
        return tab

    def freeze(self, is_frozen):
        """A browser whose machine sleeps: its sockets stay open and say nothing."""
        os.killpg(self.child.pid, signal.SIGSTOP if is_frozen else signal.SIGCONT)

    def close(self):
        self.child.terminate()
        try:
            self.child.wait(10)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Tab:
    def __init__(self, target):
        self.id = target["id"]
        self.socket = websocket.create_connection(target["webSocketDebuggerUrl"], timeout=LIMIT)
        self.numbers = itertools.count(1)
        self.requested = []

    def call(self, method, **params):
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("method") == "Network.requestWillBeSent":
                self.requested.append(message["params"]["request"]["url"])
            if message.get("id") == number:
                assert "error" not in message, f"{method}: {message['error']}"
                return message["result"]

    def js(self, expression):
        """The value of an expression in the page."""
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, f"{expression}: {result['exceptionDetails']}"
        return result["result"].get("value")

    def wait(self, expression, limit=LIMIT):
        """Waits until an expression of the page is truthy, and gives its value."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            try:
                if value := self.js(expression):
                    return value
            except AssertionError:
                pass  # the page is not there yet
            time.sleep(0.05)
        raise AssertionError(f"{expression} did not come true within {limit} s; the page says: {self.js('document.body.innerText')[:800]}")

    def size(self, width, height, mobile=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)

    def click(self, selector):
        self.wait(f"!!document.querySelector({selector!r})")
        self.js(f"document.querySelector({selector!r}).click()")

    def mouse(self, kind, x, y):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=0 if kind == "mouseReleased" else 1, clickCount=1)

    def key(self, key, kind="keyDown"):
        self.call("Input.dispatchKeyEvent", type=kind, key=key, code="Space" if key == " " else f"Key{key.upper()}")

    def downloads_to(self, folder):
        """Newer ones take this of the browser alone, older ones of the page alone."""
        try:
            self.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
        except AssertionError:
            self.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(folder))

    def offline(self, is_offline):
        self.call("Network.emulateNetworkConditions", offline=is_offline, latency=0, downloadThroughput=-1, uploadThroughput=-1)

    def screenshot(self, file):
        shot = self.call("Page.captureScreenshot", format="png")
        pathlib.Path(file).write_bytes(base64.b64decode(shot["data"]))

    def close(self):
        self.call("Page.close")
        self.socket.close()
