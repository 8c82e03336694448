"""An independent decoder of the HerkuleX protocol, and a tap on the line.

Written from the protocol's description only; it shares nothing with the bridge or the simulator."""

import os
import select
import termios
import threading
import time
import tty

I_JOG, S_JOG, RAM_WRITE, RAM_READ, STAT = 5, 6, 3, 4, 7


def packets(data):
    """(id, command, payload) of every packet with a good checksum; what is left over."""
    found, at = [], 0
    while True:
        at = data.find(b"\xff\xff", at)
        if at < 0 or at + 7 > len(data):
            return found, data[at:] if at >= 0 else data[-1:]
        size = data[at + 2]
        if not 7 <= size <= 223:
            at += 1
            continue
        if at + size > len(data):
            return found, data[at:]
        packet = data[at : at + size]
        check = packet[2] ^ packet[3] ^ packet[4]
        for byte in packet[7:]:
            check ^= byte
        if packet[5] == check & 0xFE and packet[6] == ~check & 0xFE:
            found.append((packet[3], packet[4], bytes(packet[7:])))
            at += size
        else:
            at += 1


def jogs(packet):
    """{id: (goal, playtime ticks)} of a jog."""
    _, command, payload = packet
    if command == S_JOG:
        parts = [payload[k : k + 4] for k in range(1, len(payload), 4)]
        return {p[3]: (p[0] | p[1] << 8, payload[0]) for p in parts}
    parts = [payload[k : k + 5] for k in range(0, len(payload), 5)]
    return {p[3]: (p[0] | p[1] << 8, p[4]) for p in parts}


class Tap:
    """A pseudo-terminal for the bridge, joined to the simulator's: every byte passes through here and is kept."""

    def __init__(self, device):
        self.far = os.open(device, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(self.far, termios.TCSANOW)
        self.near, slave = os.openpty()
        tty.setraw(slave, termios.TCSANOW)
        self.path = os.ttyname(slave)
        self.slave = slave
        self.down, self.up, self.open = [], [], True
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        rest = {self.near: b"", self.far: b""}
        while self.open:
            for fd in select.select([self.near, self.far], [], [], 0.05)[0]:
                data = os.read(fd, 4096)
                os.write(self.far if fd == self.near else self.near, data)
                found, rest[fd] = packets(rest[fd] + data)
                (self.down if fd == self.near else self.up).extend((time.monotonic(), p) for p in found)

    def close(self):
        self.open = False
        self.thread.join(5)
        for fd in (self.near, self.far, self.slave):
            os.close(fd)
