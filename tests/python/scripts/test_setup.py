"""scripts/setup installs what is missing, and nothing else, told by package managers that are made up."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from ..openmp_programs import CLANG

SETUP = Path(__file__).parents[3] / "scripts" / "setup"

# Of packages it knows, dpkg-query says what they are: "unknown ok not-installed" for one that is merely known.
QUERY = """#!/bin/sh
shift 3
grep -qx "$1" {here}/merely-known && {{ printf 'unknown ok not-installed'; exit 0; }}
grep -qx "$1" {here}/absent && exit 1
printf 'install ok installed'
"""
APT_GET = """#!/bin/sh
echo "$@" >> {here}/asked
"""


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    for name, text in (("dpkg-query", QUERY), ("apt-get", APT_GET), ("sudo", '#!/bin/sh\nexec "$@"\n')):
        (tmp_path / name).write_text(text.format(here=tmp_path) if "{here}" in text else text)
        (tmp_path / name).chmod(0o755)
    for name in ("merely-known", "absent", "asked"):
        (tmp_path / name).touch()
    return tmp_path


def asked(machine: Path, *part: str) -> set[str]:
    """The packages that it installs."""
    environment = os.environ | {"PATH": f"{machine}:{os.environ['PATH']}"}
    done = subprocess.run([SETUP, *part], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    calls = [line.split() for line in (machine / "asked").read_text().splitlines()]
    return {word for call in calls if call[0] == "install" for word in call[1:] if not word.startswith("-")}


def test_nothing_is_asked_for_where_nothing_is_missing(machine: Path):
    assert asked(machine) == set()


@pytest.mark.parametrize("state", ["absent", "merely-known"])
def test_what_is_missing_is_installed(machine: Path, state: str):
    missing = {"libgtest-dev", f"libomp-{CLANG}-dev", f"libclang-rt-{CLANG}-dev"}
    (machine / state).write_text("\n".join(missing))
    assert asked(machine) == missing


def test_a_demonstration_needs_no_test_and_no_second_compiler(machine: Path):
    needed = {"g++", "libopenmpi-dev", f"libomp5-{CLANG}"}
    for_tests = {"libgtest-dev", f"clang-{CLANG}", "libmpich-dev", "chromium"}
    (machine / "absent").write_text("\n".join(needed | for_tests))
    assert asked(machine, "demo") == needed


def test_a_peer_that_cannot_be_installed_is_left_out(machine: Path):
    (machine / "absent").write_text("libtbb-dev")
    assert asked(machine, "build") == {"libtbb-dev"}
    (machine / "apt-get").write_text("#!/bin/sh\n[ $1 = update ]\n")
    environment = os.environ | {"PATH": f"{machine}:{os.environ['PATH']}"}
    done = subprocess.run([SETUP, "build"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and "without libtbb-dev" in done.stderr


def test_a_package_that_cannot_be_installed_ends_it(machine: Path):
    (machine / "absent").write_text("g++")
    (machine / "apt-get").write_text("#!/bin/sh\n[ $1 = update ]\n")
    environment = os.environ | {"PATH": f"{machine}:{os.environ['PATH']}"}
    done = subprocess.run([SETUP, "demo"], env=environment, capture_output=True, text=True)
    assert done.returncode == 1 and "could not install g++" in done.stderr


def test_large_programs_of_others_are_for_workloads_alone(machine: Path):
    (machine / "absent").write_text("gromacs\npython3-torch\nlibgtest-dev")
    assert asked(machine) == {"libgtest-dev"}


PINNED = re.compile(r"^([\w.-]+)==(\S+) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE)


@pytest.mark.parametrize("part", ["weir", "tests"])
def test_each_module_is_pinned_by_hashes(part: str):
    """Written by scripts/pin, from the versions that all else reads."""
    text = (SETUP.parents[1] / "python" / f"requirements-{part}.txt").read_text()
    head, _, rest = text.partition("\n")
    assert head.startswith("#") and PINNED.sub("", rest) == ""
    versions = (SETUP.parents[1] / "python" / "constraints.txt").read_text().lower().replace("_", "-").split()
    pinned = {f"{name}=={version}".lower().replace("_", "-") for name, version, _ in PINNED.findall(rest)}
    assert pinned <= set(versions)
    words = re.search(rf'^{"modules" if part == "weir" else "tests"}="([^"]+)"', SETUP.read_text(), re.MULTILINE)
    assert words is not None and set(words[1].split()) <= {one.partition("==")[0] for one in pinned}
