"""The part of ROS 2's launch XML that our launch files use, for machines without `ros2 launch` and for the tests.

`describe(file, args)` gives what a launch file starts, without starting it. What it does not know is an error."""

import functools
import os
import pathlib
import re
import shlex
import subprocess
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Where ros2 launch keeps the pushed namespace, too; groups restore it, includes inherit it.
NAMESPACE = "ros_namespace"


class LaunchError(Exception):
    pass


@dataclass
class Started:
    """A process of a launch file: a node, or a plain command."""

    file: str
    package: str = ""
    executable: str = ""
    name: str = ""
    namespace: str = ""
    command: list = field(default_factory=list)
    ros_args: list = field(default_factory=list)
    params: list = field(default_factory=list)  # ("file", path) or (name, text, type)
    remaps: list = field(default_factory=list)
    environment: dict = field(default_factory=dict)
    respawn: bool = False
    ends_launch: bool = False
    respawn_delay: float = 0.0


@dataclass
class Argument:
    name: str
    default: str | None
    description: str
    choices: list


def package_share(package):
    """Where a package's launch and config folders are: its source, as long as it is one of ours."""
    if package == "gait_bringup":
        return str(ROOT)
    for prefix in os.environ.get("AMENT_PREFIX_PATH", "").split(":"):
        if (path := pathlib.Path(prefix) / "share" / package).is_dir():
            return str(path)
    raise LaunchError(f'package "{package}" is not installed')


@functools.lru_cache
def output_of(command):
    run = subprocess.run(shlex.split(command), capture_output=True, text=True)
    if run.returncode:
        raise LaunchError(f"{command}: {run.stderr.strip() or f'exit code {run.returncode}'}")
    return run.stdout


@functools.lru_cache
def parsed(path, _changed):
    """The tree of a file, which nobody changes; files are read again and again for their includes and arguments."""
    return ET.parse(path).getroot()


def passes_on(element):
    """Whether this is an include that is always made."""
    return element.tag == "include" and element.get("if") is None and element.get("unless") is None


class Reader:
    def __init__(self, share):
        self.share = share
        self.started = []
        self.arguments = []
        self.messages = []
        self.environment = {}
        self.folder = ROOT / "launch"

    def text(self, text, values, file):
        """Replaces $(…), innermost first."""
        while match := re.search(r"\$\(([^$()]*(?:\([^$()]*\)[^$()]*)*)\)", text):
            text = text[: match.start()] + self.substitution(match.group(1), values, file) + text[match.end() :]
        return text

    def words(self, text, values, file):
        """A command line as ros2 launch has it: split before it is filled in, so that what is empty then is an argument all the same."""
        return [self.text(word, values, file) for word in re.findall(r"(?:\$\((?:[^()]|\([^()]*\))*\)|\S)+", text)]

    def substitution(self, inside, values, file):
        kind, _, rest = inside.partition(" ")
        rest = rest.strip()
        if kind == "var":
            if rest not in values:
                raise LaunchError(f'{file}: no argument "{rest}"')
            return values[rest]
        if kind == "dirname":
            return str(self.folder.absolute())
        if kind == "find-pkg-share":
            return self.share(rest)
        if kind == "env":
            name, _, default = rest.partition(" ")
            return self.environment.get(name) or os.environ.get(name, default.strip())
        if kind == "command":
            return output_of(rest[1:-1] if rest[:1] == rest[-1:] == "'" else rest)
        if kind == "eval":
            return str(eval(rest.strip("'"), {"__builtins__": {}}))  # our own files, as ros2 launch does it
        raise LaunchError(f'{file}: "$({inside})" is not known')

    def wanted(self, element, values, file):
        for attribute, truth in (("if", True), ("unless", False)):
            if (condition := element.get(attribute)) is not None:
                word = self.text(condition, values, file).strip().lower()
                if word not in ("true", "false", "1", "0"):
                    raise LaunchError(f'{file}: {attribute}="{condition}" is "{word}", neither true nor false')
                if (word in ("true", "1")) != truth:
                    return False
        return True

    def root(self, path):
        try:
            root = parsed(str(path), os.stat(path).st_mtime_ns)
        except (OSError, ET.ParseError) as e:
            raise LaunchError(f"{path}: {e}") from None
        if root.tag != "launch":
            raise LaunchError(f"{path.name}: the root is <{root.tag}>, not <launch>")
        return root

    def declared(self, path):
        """The arguments of a file, and those of files that it always includes: `ros2 launch` hands down what it was given."""
        root = self.root(path)
        for element in root:
            if element.tag == "arg":
                yield element.get("name")
            elif passes_on(element):
                yield from self.declared(pathlib.Path(self.text(element.get("file"), {}, path.name)))

    def check(self, path, given):
        declared = list(dict.fromkeys(self.declared(path)))
        for name in given:
            if name not in declared:
                raise LaunchError(f'{path.name} has no argument "{name}"; it has {", ".join(declared)}')

    def read(self, path, given, top=True, settled=()):
        """`top`: its arguments are the user's, but for those that were `settled` on the way here."""
        path = pathlib.Path(path)
        outside, self.folder = self.folder, path.parent
        self.children(self.root(path), dict(given), path.name, top, settled)
        self.folder = outside

    def children(self, parent, values, file, top, settled=()):
        for element in parent:
            if element.tag == "arg":
                self.argument(element, values, file, top and element.get("name") not in settled)
            elif not self.wanted(element, values, file):
                continue
            elif element.tag == "let":
                values[element.get("name")] = self.text(element.get("value"), values, file)
            elif element.tag == "set_env":
                self.environment[element.get("name")] = self.text(element.get("value"), values, file)
            elif element.tag == "push_ros_namespace":
                pushed = self.text(element.get("namespace"), values, file).rstrip("/")
                values[NAMESPACE] = pushed if pushed.startswith("/") else f"{values.get(NAMESPACE, '')}/{pushed}".rstrip("/")
            elif element.tag == "group":
                self.children(element, dict(values), file, top)
            elif element.tag == "include":
                inner = {a.get("name"): self.text(a.get("value"), values, file) for a in element if a.tag == "arg"}
                is_top = top and parent.tag == "launch" and passes_on(element)
                handed = {**values, **inner} if is_top else {NAMESPACE: values.get(NAMESPACE, ""), **inner}
                self.read(self.text(element.get("file"), values, file), handed, is_top, {a.name for a in self.arguments} | {*inner})
            elif element.tag == "node":
                self.node(element, values, file)
            elif element.tag == "executable":
                command = shlex.split(self.text(element.get("cmd"), values, file))
                ends = element.get("on_exit") == "shutdown"
                self.start(Started(file, executable=command[0], name=command[0], command=command, ends_launch=ends))
            elif element.tag == "log":
                self.messages.append(self.text(element.get("message"), values, file))
            else:
                raise LaunchError(f"{file}: <{element.tag}> is not known")

    def argument(self, element, values, file, top):
        name, default = element.get("name"), element.get("default")
        choices = [choice.get("value") for choice in element if choice.tag == "choice"]
        if top:
            self.arguments.append(Argument(name, default, element.get("description", ""), choices))
        if name not in values:
            if default is None:
                raise LaunchError(f'{file}: the argument "{name}" must be given')
            values[name] = self.text(default, values, file)
        if choices and values[name] not in choices:
            raise LaunchError(f'{file}: {name}:="{values[name]}" is none of {", ".join(choices)}')

    def node(self, element, values, file):
        known = {"pkg", "exec", "name", "output", "respawn", "respawn_delay", "args", "ros_args", "if", "unless"}
        for attribute in set(element.keys()) - known:
            raise LaunchError(f'{file}: <node {attribute}="…"> is not known')
        get = lambda attribute, default="": self.text(element.get(attribute, default), values, file)
        node = Started(file, package=get("pkg"), executable=get("exec"), name=get("name"), namespace=values.get(NAMESPACE, ""))
        node.command, node.ros_args = (self.words(element.get(attribute, ""), values, file) for attribute in ("args", "ros_args"))
        node.respawn, node.respawn_delay = get("respawn", "false") == "true", float(get("respawn_delay", "0"))
        for child in element:
            if not self.wanted(child, values, file):
                continue
            if child.tag == "param" and child.get("from"):
                node.params.append(("file", self.text(child.get("from"), values, file)))
            elif child.tag == "param":
                value = self.text(child.get("value"), values, file)
                node.params.append((child.get("name"), value, child.get("type", "")))
            elif child.tag == "remap":
                node.remaps.append((child.get("from"), self.text(child.get("to"), values, file)))
            else:
                raise LaunchError(f"{file}: <{child.tag}> in <node> is not known")
        self.start(node)

    def start(self, process):
        process.environment = dict(self.environment)
        self.started.append(process)


def read(file, args, share=package_share):
    """All that a launch file says: what it starts, its arguments, its messages."""
    reader = Reader(share)
    reader.check(pathlib.Path(file), args)
    reader.read(file, args)
    return reader


def describe(file, args, share=package_share):
    """(processes, arguments) of a launch file."""
    reader = read(file, args, share)
    return reader.started, reader.arguments
