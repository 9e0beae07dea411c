"""Weir calls the kernel itself, and not the waiting functions that it replaces for programs.

At their first call those ask the dynamic linker, which a thread that loads a library may hold while it waits for a lock
of Weir's (src/system/raw_call.hpp).
"""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CALLS = ROOT / "src" / "threads" / "calls" / "calls.cpp"
LOCKED = (
    "machine/run_delay",
    "/node/",
    *(f"threads/{room}/" for room in ["polling", "preemption", "scheduling", "signals", "program", "support"]),
)
OBJECTS = [path for path in (ROOT / "build" / "src").rglob("*.o") if any(part in path.as_posix() for part in LOCKED)]


def replaced() -> set[str]:
    return set(re.findall(r"^WAITS\w*\([^,]+, (\w+),", CALLS.read_text(), re.MULTILINE))


def called(path: Path) -> set[str]:
    return set(subprocess.run(["nm", "-u", path], capture_output=True, text=True, check=True).stdout.split())


def test_functions_are_found() -> None:
    assert {"read", "pread", "poll"} <= replaced()
    assert len({path.name for path in OBJECTS}) > 20


@pytest.mark.parametrize("path", OBJECTS, ids=lambda path: path.relative_to(ROOT / "build" / "src").as_posix())
def test_nothing_below_calls_what_it_replaces(path: Path) -> None:
    assert not called(path) & replaced()
