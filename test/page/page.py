"""The page from outside: plain HTTP and WebSocket, by a library that shares no code with ours."""

import http.client
import json
import re
import time

import websocket

LIMIT = 60.0


def address_of(ros, process):
    """(host, port) that the node says it serves at."""
    said = lambda: re.search(r"the page is at http://([\d.]+):(\d+)/", process.output)
    ros.wait(said, "the page's address")
    return "127.0.0.1", int(said().group(2))


def get(address, path, method="GET", **headers):
    """(status, body), with the path sent as it is."""
    connection = http.client.HTTPConnection(*address, timeout=LIMIT)
    connection.putrequest(method, path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    return answer.status, answer.read()


class Socket:
    """One browser without a browser."""

    def __init__(self, address, token=None, **options):
        protocols = ["gaitway"] + ([f"token.{token}"] if token else [])
        url = f"ws://{address[0]}:{address[1]}/ws"
        self.socket = websocket.create_connection(url, timeout=LIMIT, subprotocols=protocols, suppress_origin="origin" not in options, **options)
        self.number = 0

    def say(self, **message):
        self.socket.send(json.dumps(message))

    def next(self, *types):
        """The next message of one of these types."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            message = json.loads(self.socket.recv())
            if message["type"] in types:
                return message
        raise AssertionError(f"no {types} came")

    def ask(self, **message):
        self.number += 1
        self.say(id=self.number, **message)
        while (answer := self.next("reply"))["id"] != self.number:
            pass
        return answer

    def close(self):
        self.socket.close()
