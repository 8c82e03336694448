"""Records topics into an mcap that Foxglove and `ros2 bag` open: bytes as they came, with their message definitions."""

import os
import pathlib
import re

from mcap.writer import CompressionType, Writer

PRIMITIVE = re.compile(r"^(bool|byte|char|w?string|u?int\d+|float\d+)\b")


def definition_file(kind):
    package, _, name = kind.split("/")
    for prefix in os.environ["AMENT_PREFIX_PATH"].split(":"):
        path = pathlib.Path(prefix) / "share" / package / "msg" / f"{name}.msg"
        if path.exists():
            return path
    raise FileNotFoundError(f"{kind}: no message definition on AMENT_PREFIX_PATH")


def needed(kind):
    """Message types that the fields of a type have."""
    package = kind.split("/")[0]
    for line in definition_file(kind).read_text().splitlines():
        word = line.split("#")[0].strip().split(" ")[0]
        word = re.sub(r"\[.*?\]|<=\d+", "", word)
        if word and not PRIMITIVE.match(word):
            parts = word.split("/")
            yield f"{parts[0] if len(parts) > 1 else package}/msg/{parts[-1]}"


def definition(kind):
    """A type and all types in it, as mcap wants them."""
    found, waiting = [], [kind]
    while waiting:
        one = waiting.pop(0)
        if one not in found:
            found.append(one)
            waiting += needed(one)
    texts = [definition_file(kind).read_text()]
    for one in found[1:]:
        package, _, name = one.split("/")
        texts.append(f"MSG: {package}/{name}\n{definition_file(one).read_text()}")
    return ("\n" + "=" * 80 + "\n").join(texts)


class Recorder:
    def __init__(self, path):
        self.file = open(path, "wb")
        self.writer = Writer(self.file, compression=CompressionType.ZSTD)
        self.writer.start(profile="ros2", library="gaitway")
        self.channels = {}

    def topic(self, name, kind):
        """Announces a topic; `kind` is a Python message class."""
        package = kind.__module__.split(".")[0]
        full = f"{package}/msg/{kind.__name__}"
        schema = self.writer.register_schema(full, "ros2msg", definition(full).encode())
        self.channels[name] = self.writer.register_channel(name, "cdr", schema)

    def add(self, name, data, at):
        """A message as rclpy gives it with raw=True, and when it came, ns."""
        self.writer.add_message(self.channels[name], log_time=at, publish_time=at, data=bytes(data))

    def close(self):
        self.writer.finish()
        self.file.close()
