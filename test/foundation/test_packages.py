"""The packages as ROS users meet them: colcon, ros2 run's folders, launch files."""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest
import yaml
from conftest import BIN

# colcon and its cargo are for one at a time, and install what all others use.
serial = pytest.mark.serial
QUIET = "--event-handlers console_direct-"


@pytest.fixture(scope="module")
def install(request):
    """The tree built by colcon, at the root as people do it; the Rust code is already compiled and stays so."""
    root = request.config.rootpath.parent
    build = subprocess.run(["colcon", "build", "--event-handlers", "console_direct-"], cwd=root, capture_output=True, text=True)
    assert build.returncode == 0, build.stdout + build.stderr
    assert "stderr output" not in build.stdout + build.stderr
    # Whatever was compiled before (executables, with examples or without, tests) had the same features: r2r takes minutes.
    logs = [log.read_text() for log in (root / "log/latest_build").glob("*/stdout.log")]
    assert logs and not any("Compiling r2r" in log for log in logs), "colcon compiled r2r once more"
    return root / "install"


@pytest.fixture
def cargo(tmp_path, monkeypatch):
    """In cargo's place, something that only says how it was called: a line of arguments and one of prefixes each time."""
    calls = tmp_path / "calls"
    program = tmp_path / "bin/cargo"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\n[ "$1" != --version ] || exit 0\nprintf "%s\\n%s\\n" "$*" "$AMENT_PREFIX_PATH" >>{calls}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    calls.touch()
    return lambda: calls.read_text().splitlines()


def declared_executables(root):
    """(package, executable) as the CMake files install them."""
    for cmake in sorted(root.glob("*_node/CMakeLists.txt")):
        for names in re.findall(r"rust_executables\(([^)]*)\)", cmake.read_text()):
            yield from ((cmake.parent.name, name) for name in names.split())


def shell(root, command):
    result = subprocess.run(["bash", "-c", command], cwd=root, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


@serial
def test_colcon_installs_every_executable_where_ros2_run_looks(install, root):
    declared = set(declared_executables(root))
    assert declared
    sources = {(p.parent.parent.parent.name, p.stem) for p in root.glob("*_node/src/bin/*")}
    assert declared == sources, "every executable is installed by its package"
    for package, executable in declared:
        assert os.access(install / package / "lib" / package / executable, os.X_OK)
        assert (install / package / "share/ament_index/resource_index/packages" / package).exists()


@serial
def test_a_package_built_alone_is_compiled_and_a_sourced_workspace_changes_nothing(install, root, cargo):
    """r2r compiles anew whenever the prefixes change, for minutes."""
    build = f"colcon build --packages-select herkulex_node {QUIET}"
    for command in (build, f". {install}/setup.bash && {build}"):
        shell(root, command)
    calls = cargo()
    assert len(calls) == 4 and all(call.startswith("build --release --workspace") for call in calls[::2]), calls
    assert calls[1] == calls[3] and "gait_msgs" in calls[1]


@serial
def test_a_second_build_compiles_nothing_sourced_or_not(install, root):
    for sourced in ("", f". {install}/setup.bash && "):
        shell(root, f"{sourced}colcon build --packages-select node_lib {QUIET}")
        log = (root / "log/latest_build/node_lib/stdout.log").read_text()
        assert "Finished" in log and "Compiling" not in log, log


@serial
def test_up_to_a_package_builds_what_it_needs_and_links_are_links(install, root, cargo, tmp_path):
    shell(root, f"colcon build --packages-up-to herkulex_node {QUIET}")
    built = {path.name for path in (root / "log/latest_build").iterdir() if path.is_dir()}
    assert built == {"gait_msgs", "node_lib", "herkulex_node"}
    shell(root, f"colcon build --packages-select herkulex_node --symlink-install --build-base {tmp_path}/build --install-base {tmp_path}/install {QUIET}")
    installed = tmp_path / "install/herkulex_node/lib/herkulex_node/herkulex_tool"
    assert installed.is_symlink() and installed.resolve().samefile(BIN / "herkulex_tool"), "what cargo compiles next is what runs"


def test_a_package_names_every_interface_that_it_speaks(root):
    tree = lambda path: ET.parse(path).getroot()
    for package in sorted(root.glob("*_node")):
        source = "\n".join(file.read_text() for file in package.glob("src/**/*.rs"))
        spoken = set(re.findall(r"r2r::(\w+)::(?:msg|srv|action)", source)) | set(re.findall(r'"(\w+_(?:msgs|srvs))/\w+"', source))
        named = {element.text for element in tree(package / "package.xml").findall("depend")}
        assert spoken <= named, f"{package.name} does not name {spoken - named}"
        assert spoken <= {element.text for element in tree(root / "node_lib/package.xml").findall("depend")}
    # What the launch files start.
    started = {node.get("pkg") for file in (root / "launch").glob("*.launch.xml") for node in tree(file).iter("node")}
    named = {element.text for element in tree(root / "launch/package.xml").findall("exec_depend")}
    assert started | {"ros2bag", "launch_xml"} <= named, started - named


def test_the_image_installs_what_every_package_needs(root):
    """Its first layers copy manifests alone: one that is forgotten would leave its dependencies out."""
    copied = set(re.findall(r"^COPY (\w+)/package\.xml", (root / "Dockerfile").read_text(), re.MULTILINE))
    assert copied == {manifest.parent.name for manifest in root.glob("*/package.xml")}
    # And what it starts is there.
    assert "pony.launch.xml" in (root / "Dockerfile").read_text() and (root / "launch/pony.launch.xml").exists()


@serial
def test_colcon_test_has_something_to_run(install, root):
    for package in sorted(root.glob("*_node")):
        tests = (root / "build" / package.name / "CTestTestfile.cmake").read_text()
        assert "core_tests" in tests and "pytest" in tests, package.name
    assert "node_lib_units" in (root / "build/node_lib/CTestTestfile.cmake").read_text()
    assert (root / "install/COLCON_IGNORE").exists()


@serial
def test_an_installed_node_runs_from_the_sourced_workspace(install, root):
    script = f". {install}/setup.bash && exec {install}/gait_node/lib/gait_node/sync_node --help"
    result = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
    assert result.returncode == 0 and "period" in result.stdout, result.stderr


@serial
def test_the_installed_launch_files_start_what_those_of_the_source_do(install, root):
    sys.path.insert(0, str(root / "tools"))
    from launch_xml import describe

    share = install / "gait_bringup/share/gait_bringup"
    files = sorted((share / "launch").glob("*.launch.xml"))
    assert {f.name for f in files} == {f.name for f in (root / "launch").glob("*.launch.xml")} and files
    for file in files:
        installed, _ = describe(file, {}, share=lambda package: str(share))
        source, _ = describe(root / "launch" / file.name, {})
        assert [node.executable for node in installed] == [node.executable for node in source]
        for node in installed:
            for param in node.params:
                assert param[0] != "file" or (param[1].startswith(str(share)) and os.path.exists(param[1])), param


def flat(tree, prefix=""):
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def test_every_value_of_every_config_file_reaches_the_node_that_it_names(ros, root):
    """What the executable says its parameters are, given the file, holds everything that the file says; what it does not know it
    would leave out, and what it does not accept is an error."""
    read = set()
    for _, executable in declared_executables(root):
        key = f"/**/{executable}"
        for file in sorted((root / "config").rglob("*.yaml")):
            wanted = yaml.safe_load(file.read_text()).get(key)
            if not wanted:
                continue
            read.add(file)
            code, text = ros.run(executable, "--print-params", ros_args=["--params-file", str(file)])
            assert code == 0, f"{file}: {text}"
            found = dict(flat(yaml.safe_load(text)[key]["ros__parameters"]))
            for name, value in flat(wanted["ros__parameters"]):
                assert found.get(name) == value, f"{file}: {name} is {found.get(name)}, not {value}"
    shared = {file for file in (root / "config").rglob("*.yaml") if file.name == "robot.yaml" or file.parent.name == "motions"}
    assert read == set((root / "config").rglob("*.yaml")) - shared, "every file is somebody's"


def test_the_reference_is_what_the_executables_say(root):
    printed = subprocess.run([str(root / "tools/reference")], capture_output=True, text=True, check=True).stdout
    assert printed == (root / "docs/REFERENCE.md").read_text(), "tools/reference > docs/REFERENCE.md"
    printed = subprocess.run([str(root / "tools/reference"), "--policy"], capture_output=True, text=True, check=True).stdout
    assert printed == (root / "config/sros2_policy.xml").read_text(), "tools/reference --policy > config/sros2_policy.xml"
