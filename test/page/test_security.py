"""Who may come in, and what cannot be done by those who may not."""

import contextlib
import http.client
import json
import os
import pathlib
import socket
import time

import pytest
import websocket
from geometry_msgs.msg import Twist
from page import Socket, address_of, get
from rcl_interfaces.msg import Log

TOKEN = "0123456789abcdef-_"


@pytest.fixture
def page(ros):
    def start(**params):
        process = ros.start("page_node", params={"http_port": 0} | params)
        return address_of(ros, process)

    return start


def refusal(open_socket):
    with pytest.raises(websocket.WebSocketBadStatusException) as refused:
        open_socket()
    return refused.value.status_code


def test_the_network_is_served_only_with_a_token(ros):
    for params, word in (("", "token"), ("-p token:=short", "16")):
        code, output = ros.run("page_node", ros_args=["-p", "address:=0.0.0.0", *params.split()])
        assert code == 1 and word in output, output


def test_beyond_this_machine_nothing_is_read_or_written_without_the_token(ros, page):
    address = page(address="0.0.0.0", token=TOKEN)
    commands = ros.listen(Twist, "cmd_vel")
    for wrong in (None, "x" * len(TOKEN), TOKEN[:-1], TOKEN + "x", TOKEN.upper()):
        assert refusal(lambda: Socket(address, token=wrong)) == 401
    assert get(address, "/robot.urdf")[0] == 401
    assert get(address, "/recordings/a.mcap", Authorization="Bearer no")[0] == 401
    assert get(address, "/mesh/a.stl")[0] == 401
    # The page itself holds no secret; it asks for the token.
    assert get(address, "/")[0] == 200
    good = Socket(address, token=TOKEN)
    assert good.next("hello")["client"] > 0
    assert get(address, "/robot.urdf", Authorization=f"Bearer {TOKEN}")[0] == 404, "there is no robot yet"
    # Again and again: whoever listens to a topic has to be found first.
    ros.wait(lambda: good.say(type="drive", forward=1.0, left=0.0, turn=0.0) or len(commands), "a command of whoever knows the token")


def test_pages_of_other_sites_and_names_that_point_here_are_refused(ros, page):
    address = page()
    host = f"localhost:{address[1]}"
    for origin in ("http://evil.example", "null", "https://evil.example", f"http://localhost:{address[1] + 1}", f"http://{host}.evil.example"):
        assert refusal(lambda: Socket(address, origin=origin, host=host)) == 403, origin
        assert get(address, "/", Origin=origin, Host=host)[0] == 403
    for name in ("evil.example", f"evil.example:{address[1]}", "localhost.evil.example", "10.0.0.1"):
        assert get(address, "/", Host=name)[0] == 403, name
        assert refusal(lambda: Socket(address, host=name)) == 403
    assert Socket(address, origin=f"http://{host}", host=host).next("hello")


def test_nothing_but_the_socket_changes_anything(ros, page):
    address = page()
    commands = ros.listen(Twist, "cmd_vel")
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        for path in ("/", "/ws", "/robot.urdf", "/recordings/a", "/stop"):
            assert get(address, path, method=method, **{"Content-Length": "0"})[0] in (404, 405), (method, path)
    assert get(address, "/ws")[0] in (400, 426), "no socket, no word"
    browser = Socket(address)
    browser.next("hello")
    assert not commands.messages


def test_no_name_leads_out_of_the_folder_of_recordings(ros, page, tmp_path):
    folder = tmp_path / "bags"
    (folder / "walk").mkdir(parents=True)
    (folder / "walk/walk_0.mcap").write_bytes(b"bag" * 100_000)
    (tmp_path / "secret").write_text("secret")
    (folder / "link").symlink_to(tmp_path / "secret")
    (folder / ".hidden").write_text("secret")
    address = page(recordings=str(folder))
    assert get(address, "/recordings/walk/walk_0.mcap") == (200, b"bag" * 100_000)
    up = ("../secret", "..%2fsecret", "%2e%2e/secret", "%2e%2e%2fsecret", "walk/../../secret", "walk/..%2f..%2fsecret", "..%5csecret", "%252e%252e/secret")
    for name in (*up, f"/{tmp_path}/secret", f"{tmp_path}/secret", "link", ".hidden", "walk", "", "%00", "walk/walk_0.mcap%00", "a" * 5000):
        status, body = get(address, f"/recordings/{name}")
        assert status in (400, 404, 414) and b"secret" not in body.replace(b"no such", b""), (name, status, body[:80])
    browser = Socket(address)
    assert browser.ask(type="recordings")["data"] == [{"name": "walk/walk_0.mcap", "bytes": 300_000}]
    # Nor does a name of a node that is saved.
    assert not browser.ask(type="save", node="../../etc/x")["ok"]


def test_what_is_too_long_or_makes_no_sense_hurts_nobody_else(ros, page):
    address = page(max_clients=3)
    watcher = Socket(address)
    watcher.next("hello")
    rude = Socket(address)
    rude.next("hello")
    for nonsense in ("", "{", "[]", "null", '{"type":"drive"}', '{"type":"drive","forward":1e999,"left":0,"turn":0}', '{"type":"set","node":1}', "[" * 10_000):
        rude.socket.send(nonsense)
        assert rude.next("reply")["ok"] is False, nonsense
    rude.socket.send_binary(b"\xff" * 1000)
    assert rude.ask(type="parameters", node="nobody")["ok"] is False
    def until_it_is_thrown_out(browser):
        with pytest.raises((websocket.WebSocketException, ConnectionError, socket.error)):
            while True:
                browser.socket.recv() or (_ for _ in ()).throw(ConnectionError)

    long = json.dumps({"type": "set", "node": "n", "name": "p", "value": "x" * 20_000})
    rude.socket.send(long)
    until_it_is_thrown_out(rude)
    # In pieces, each of which would be short enough.
    sly = Socket(address)
    pieces = [long[k : k + 5000] for k in range(0, len(long), 5000)]
    for k, piece in enumerate(pieces):
        opcode = websocket.ABNF.OPCODE_CONT if k else websocket.ABNF.OPCODE_TEXT
        sly.socket.send_frame(websocket.ABNF.create_frame(piece, opcode, fin=int(k == len(pieces) - 1)))
    until_it_is_thrown_out(sly)
    others = [Socket(address) for _ in range(2)]
    assert refusal(lambda: Socket(address)) == 503
    others[0].close()
    ros.wait(lambda: watcher.next("drive")["clients"] == 2, "the place of the one who left")
    assert watcher.next("snapshot")


def test_a_browser_that_takes_nothing_does_not_keep_others_waiting(ros, page):
    address = page()
    deaf = [Socket(address) for _ in range(5)]
    watcher = Socket(address)
    first = watcher.next("snapshot")["time"]
    seen = 0
    while watcher.next("snapshot")["time"] < first + 5.0:
        seen += 1
    # 30 Hz for five seconds; a machine that is busy with other things may leave some out.
    assert seen > 30, seen
    for one in deaf:
        one.close()


def test_those_who_come_in_and_say_nothing_keep_nobody_out_for_long(ros, page):
    """A thousand connections, and one that dribbles: the process keeps its files, and people their place."""
    process_files = lambda: len(list(pathlib.Path(f"/proc/{ros.processes[-1].child.pid}/fd").iterdir()))
    address = page(max_clients=4)
    watcher = Socket(address)
    watcher.next("snapshot")
    before = process_files()
    silent = []
    for _ in range(1000):
        one = socket.create_connection(address, timeout=10)
        one.sendall(b"GET / HTTP/1.1\r\nX-Slow: ")
        silent.append(one)
    assert watcher.next("snapshot"), "who is in stays in"
    assert process_files() < before + 60, "connections are bounded"
    # They are sent away, though they go on dribbling; then there is room again.
    def comes_in():
        for one in silent:
            with contextlib.suppress(OSError):
                one.send(b"x")
        try:
            return get(address, "/")[0] == 200
        except (OSError, http.client.HTTPException):
            time.sleep(0.5)

    ros.wait(comes_in, "room")
    assert Socket(address).next("hello")
    for one in silent:
        one.close()


def test_the_lease_cannot_be_stolen_and_the_stop_is_everybodys(ros, page):
    address = page(lease=0.4)
    commands = ros.listen(Twist, "cmd_vel")
    driver, thief = Socket(address), Socket(address)
    number = driver.next("hello")["client"]
    ros.wait(lambda: driver.say(type="drive", forward=0.5, left=0.0, turn=0.0) or len(commands), "a command")
    deadline = time.monotonic() + 3.0
    while time.monotonic() < deadline:
        driver.say(type="drive", forward=0.5, left=0.0, turn=0.0)
        # Words that a program could try: another's number, a release, nonsense, all at once.
        thief.say(id=1, type="drive", forward=-1.0, left=0.0, turn=0.0, client=number)
        thief.say(type="release", client=number)
        thief.say(id=2, type="drive", forward="NaN", left=0.0, turn=0.0)
        time.sleep(0.02)
    assert len(commands) > 20
    assert all(m.linear.x == 0.06 for m in commands.messages), {m.linear.x for m in commands.messages}
    driver.say(type="stop")
    thief.say(type="clear_stop")
    seen = len(commands)
    ros.wait(lambda: commands[-1].linear.x == 0.0 and len(commands) > seen - 1, "a halt")
    driver.say(id=3, type="drive", forward=1.0, left=0.0, turn=0.0)
    while (answer := driver.next("reply"))["id"] != 3:
        pass
    assert "stopped" in answer["text"], "a stop that no bus has confirmed holds here, and cannot be cleared without one"


def test_the_token_is_told_to_nobody(ros, page):
    lines = ros.listen(Log, "/rosout", 1000)
    address = page(address="0.0.0.0", token=TOKEN)
    Socket(address, token=TOKEN).next("snapshot")
    for wrong in ("x" * 18, "y" * 40):
        assert refusal(lambda: Socket(address, token=wrong)) == 401
    status, body = get(address, "/")
    everything = ros.processes[-1].output + body.decode() + " ".join(line.msg for line in lines.messages)
    assert status == 200 and TOKEN not in everything


def test_recordings_are_no_way_out_by_links_that_come_later(ros, page, tmp_path):
    """Links inside of the folder that lead to others inside are fine; folders that are links, and links in folders, are not."""
    folder, outside = tmp_path / "bags", tmp_path / "outside"
    outside.mkdir()
    folder.mkdir()
    (outside / "secret.mcap").write_text("secret")
    (folder / "walk").symlink_to(outside)
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "fifo_link.mcap").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe.mcap")
    address = page(recordings=str(folder))
    for name in ("walk/secret.mcap", "loop", "loop/x", "fifo_link.mcap", "pipe.mcap"):
        status, body = get(address, f"/recordings/{name}")
        assert status == 404 and b"secret" not in body, (name, status)
    assert Socket(address).ask(type="recordings")["data"] == []
