"""Members answer as plain threads do: each function that Weir replaces, in each experiment.

tests/threads/conformance has a row for each function, and makes the experiments: it says a line for each, which must
be the same as that of a run without Weir. So the C library is the oracle.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

from weir.run import starting

from .. import skips, thorough
from .test_functions import listed

pytestmark = skips.mark("own", "another runtime stands before no function of the C library")

PROGRAM = Path(__file__).resolve().parents[3] / "build" / "tests" / "threads" / "threads-conformance"
PATIENCE_S = 600
# Which lines may differ, as a regular expression, and why.
KNOWN: dict[str, str] = {}
# What has no row, and why.
EXCEPTIONS = {
    **dict.fromkeys(("_exit", "_Exit"), "does not return: tests/threads/faults/ends.cpp"),
    **dict.fromkeys(
        ("get_nprocs", "get_nprocs_conf"), "answers otherwise only under `weir run`: tests/python/run/test_heard.py"
    ),
    **dict.fromkeys(
        ("iopl", "ioperm"), "needs a privilege that containers lack: tests/threads/as_threads/privileges.cpp"
    ),
    **dict.fromkeys(
        ("arch_prctl", "sched_setattr", "setgroups", "initgroups"),
        "changes the thread or the process for good: tests/threads/as_threads/kernel_state.cpp, credentials.cpp",
    ),
    "epoll_pwait2": "not in each C library: tests/threads/posix/calls.cpp",
}


def said_by(processors: set[int], threads: str | None = None) -> tuple[dict[str, str], str]:
    """Its lines, by experiment, and what it says at its end."""
    environment = starting.without_settings() | {"OMP_NUM_THREADS": "8"}
    if threads is not None:
        environment = starting.environment(starting.library(), {starting.THREADS: threads}, environment)
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, processors)
    try:
        done = subprocess.run(
            [PROGRAM],
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
    finally:
        os.sched_setaffinity(0, before)
    assert done.returncode == 0, "\n".join([*done.stdout.splitlines()[-3:], done.stderr])
    lines = (re.fullmatch(r"(.* \| .* \| [^:]*): ?(.*)", line) for line in done.stdout.splitlines())
    return {line[1]: line[2] for line in lines if line}, done.stderr


@pytest.fixture(scope="module")
def plain() -> dict[str, str]:
    """Twice the same, so that what is compared is determined."""
    both = [said_by(set(sorted(os.sched_getaffinity(0))[:n]))[0] for n in (1, 2)]
    assert both[0] == both[1]
    return both[0]


@pytest.mark.parametrize(("threads", "processors"), [("all", 1), ("auto", 2), *thorough.more(("all", 2), ("auto", 1))])
def test_members_answer_as_threads_do(plain: dict[str, str], threads: str, processors: int):
    those = set(sorted(os.sched_getaffinity(0))[:processors])
    members, end = said_by(those, threads)
    differ = {
        what: f"{what}:\n  plain: {plain.get(what)}\n  Weir:  {members.get(what)}"
        for what in sorted(plain.keys() | members.keys())
        if plain.get(what) != members.get(what) and not any(re.match(known, what) for known in KNOWN)
    }
    assert not differ, "\n".join(differ.values())
    found = re.search(r"(\d+) experiments, (\d+) in children, (\d+) with seats", end)
    assert found is not None
    experiments, in_children, with_seats = map(int, found.groups())
    # A thread that another one has cancelled has none.
    assert with_seats > (experiments - in_children) / 3


def test_each_replaced_function_has_a_row():
    names = subprocess.run(
        [PROGRAM, "--list"], env=os.environ | {"OMP_NUM_THREADS": "8"}, capture_output=True, text=True, check=True
    ).stdout.split()
    assert set(listed()) - set(names) == set(EXCEPTIONS) & set(listed())
    assert not set(names) & set(EXCEPTIONS)
