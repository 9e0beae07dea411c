"""How much `make test` does, counted, since its time depends on the machine: CONTRIBUTING.md says where the time goes.

What is more of the same belongs to no test that everybody waits for. A limit is raised only by who says why.
"""

import json
import subprocess
from pathlib import Path

import pytest

from ..conftest import RANKS

ROOT = Path(__file__).parents[3]
BUILD = ROOT / "build"


def said_by(*command: str | Path) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def configured(folder: Path, sanitizers: str) -> Path:
    """As `make sanitize` does it."""
    options = ["-DCMAKE_BUILD_TYPE=Debug", f"-DWEIR_SANITIZE={sanitizers}", "-DWEIR_BENCH=OFF", "-DWEIR_SIMULATOR=OFF"]
    said_by("cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", *options)
    return folder


def units_of(build: Path, target: str) -> int:
    """Commands that compile something, headers that are read once included."""
    steps = said_by("ninja", "-C", build, "-t", "commands", target).splitlines()
    return len({step for step in steps if " -c " in step})


def test_compiling():
    assert units_of(BUILD, "all") <= 600


@pytest.mark.parametrize(("sanitizers", "most"), [("thread", 110), ("address,undefined", 200)])
def test_compiling_for_sanitizers(tmp_path: Path, sanitizers: str, most: int):
    assert units_of(configured(tmp_path, sanitizers), "test-programs") <= most


def test_cases():
    cases = json.loads(said_by("ctest", "--test-dir", BUILD, "-LE", "thorough", "--show-only=json-v1"))["tests"]
    assert 0 < len(cases) <= 2220


def test_what_begins_first_is_there():
    assert [file for file in RANKS if not (ROOT / file).exists()] == []


def test_cases_in_python(request: pytest.FixtureRequest):
    collected = [each for each in request.session.items if not each.get_closest_marker("thorough")]
    assert len(collected) <= 4230  # all of them, where all are run; 20 more since the papers' scenarios are 10 more
