"""What a process pays for Weir's threads while it rests (docs/process.md), counted: nothing depends on the speed."""

import os
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .. import skips
from ..conftest import eventually
from ..openmp_programs import SOURCES

pytestmark = skips.mark("own", "another runtime has no such threads")

PROGRAM = SOURCES.parents[1] / "threads" / "programs" / "at_rest.c"
MODES = ("auto", "all")
PROCESSORS = len(os.sched_getaffinity(0))
THREADS = 4 * PROCESSORS + 4
# At rest: with more threads than the monitor asks together (attach_requests.cpp), each look is at a part of them.
RESTING = {"auto": THREADS, "all": 100}
# Beside one for each processor: the monitor, the maker, the signal thread, and a stand-in in advance.
SERVICES = {"auto": 2, "all": PROCESSORS + 4}
MIB = 1 << 20


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("process") / "at_rest"
    subprocess.run(["gcc", "-std=gnu17", "-O1", "-pthread", PROGRAM, "-o", made], check=True)
    return made


@pytest.fixture
def given(runtime: Path, own_environment: dict[str, str]) -> dict[str, dict[str, str]]:
    by_mode = {mode: own_environment | {"LD_PRELOAD": str(runtime), "WEIR_THREADS": mode} for mode in MODES}
    return {"plain": own_environment} | by_mode


def said(program: Path, environment: dict[str, str], *words: object, limit: tuple[int, int] | None = None) -> list[int]:
    bounded = None if limit is None else lambda: resource.setrlimit(limit[0], (limit[1], limit[1]))
    done = subprocess.run(
        [program, *map(str, words)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
        preexec_fn=bounded,
    )
    return [int(word) for word in done.stdout.split()]


class Resting:
    """The program, once it rests, seen from outside: it does nothing for that."""

    def __init__(self, program: Path, environment: dict[str, str], *words: object):
        pipe = subprocess.PIPE
        self._child = subprocess.Popen([program, *map(str, words)], env=environment, stdin=pipe, stdout=pipe, text=True)
        self._own = set(self._child.stdout.readline().split())

    def __enter__(self) -> "Resting":
        return self

    def __exit__(self, *_: object) -> None:
        self._child.stdin.close()
        self._child.stdout.close()
        self._child.kill()
        self._child.wait()

    def go_on(self) -> None:
        self._child.stdin.write("\n")
        self._child.stdin.flush()

    def threads(self) -> set[str]:
        return set(os.listdir(f"/proc/{self._child.pid}/task"))

    def switches(self) -> int:
        """Of the threads that the program has not made: how often they have waited."""
        statuses = (Path(f"/proc/{self._child.pid}/task/{it}/status").read_text() for it in self.threads() - self._own)
        return sum(int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", text, re.MULTILINE)[1]) for text in statuses)

    def come_to_rest(self, switches: int = 2) -> None:
        def rests() -> bool:
            before = self.switches()
            time.sleep(1.5)
            return self.switches() - before <= switches

        eventually(rests)


@pytest.mark.parametrize("mode", MODES)
def test_nobody_wakes_up_at_rest_until_somebody_computes(program: Path, given: dict[str, dict[str, str]], mode: str):
    with Resting(program, given[mode], "rests", RESTING[mode]) as resting:
        assert len(resting.threads()) > RESTING[mode] + 1
        resting.come_to_rest()
        before = resting.switches()
        resting.go_on()
        eventually(lambda: resting.switches() > before + 10)


@pytest.mark.parametrize("mode", MODES)
def test_nobody_wakes_up_where_all_stay_blocked(program: Path, given: dict[str, dict[str, str]], mode: str):
    """Each where nobody expects it, so that most keep a stand-in. For these there is a look once a second."""
    with Resting(program, given[mode], "stuck", 16) as resting:
        resting.come_to_rest(40)


def test_weirs_threads_have_small_stacks(program: Path, given: dict[str, dict[str, str]]):
    plain, auto, both = (said(program, given[mode], "bytes", THREADS)[0] for mode in ("plain", *MODES))
    assert auto - plain < 8 * MIB
    # The C library's heap of the thread that creates the others takes 64 MiB of addresses.
    assert both - plain < (64 + 8) * MIB + PROCESSORS * MIB // 4


@pytest.mark.parametrize("mode", MODES)
def test_a_small_address_space_is_left_to_the_program(program: Path, given: dict[str, dict[str, str]], mode: str):
    assert said(program, given[mode], "made", 30, limit=(resource.RLIMIT_AS, 300 * MIB)) == [30]


@pytest.mark.parametrize("mode", MODES)
def test_a_team_has_room_where_libgomps_has(given: dict[str, dict[str, str]], tmp_path: Path, mode: str):
    """64 stacks of 8 MiB in 600 MiB: no room for a heap of 64 MiB for each member."""
    text = "#include <omp.h>\n#include <stdio.h>\nint main(void) {\n#pragma omp parallel num_threads(64)\n"
    text += "#pragma omp single\n  printf(\"%d\\n\", omp_get_num_threads());\n}\n"
    (tmp_path / "team.c").write_text(text)
    subprocess.run(["gcc", "-fopenmp", tmp_path / "team.c", "-o", tmp_path / "team"], check=True)
    for which in ("plain", mode):
        environment = given[which] | {"OMP_DYNAMIC": "false"}
        assert said(tmp_path / "team", environment, limit=(resource.RLIMIT_AS, 600 * MIB)) == [64], which


@skips.mark("root")
@pytest.mark.parametrize("mode", MODES)
def test_few_processes_are_granted(program: Path, given: dict[str, dict[str, str]], mode: str):
    most = 16 + PROCESSORS
    plain, in_mode = (said(program, given[how], "made", 2 * most, most)[0] for how in ("plain", mode))
    assert plain == most - 1 and in_mode >= plain - SERVICES[mode]


@pytest.mark.parametrize("mode", MODES)
def test_a_fork_copies_few_pages(program: Path, given: dict[str, dict[str, str]], mode: str):
    child, parent = said(program, given["plain"], "forks", 16)
    child_here, parent_here = said(program, given[mode], "forks", 16)
    # A stack of each thread of Weir's, which the C library writes, and what handlers of forks need.
    assert child_here <= child + 12 + PROCESSORS
    assert parent_here <= parent + 8


@pytest.mark.parametrize("tunables", [None, "glibc.malloc.check=1", "glibc.pthread.stack_cache_size=0"])
def test_what_the_program_starts_inherits_no_tunable(
    runtime: Path, monkeypatch: pytest.MonkeyPatch, tunables: str | None
):
    monkeypatch.delenv("GLIBC_TUNABLES", raising=False)
    if tunables is not None:
        monkeypatch.setenv("GLIBC_TUNABLES", tunables)
    # A shell has functions of its own for the environment.
    command = [sys.executable, "-m", "weir", "run", "--", "bash", "-c", "env"]
    text = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout
    seen = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    assert "libgomp-weir" in seen["LD_PRELOAD"]
    assert seen.get("GLIBC_TUNABLES") == tunables


@pytest.mark.parametrize("mode", MODES)
def test_stand_ins_end_at_rest(program: Path, given: dict[str, dict[str, str]], mode: str):
    """All threads together have blocked where nobody expects it, so that most have kept a virtual processor."""
    with Resting(program, given[mode], "blocked", 64) as resting:
        eventually(lambda: len(resting.threads()) <= 65 + PROCESSORS + 3)
