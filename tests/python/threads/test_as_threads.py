"""Members of OpenMP teams by a program's eyes: those of tests/threads/as_threads find no difference from threads.

Each runs on the compiler's own runtime, too: so the programs themselves are tested. ctest runs them with crowds and
with threads that they create, as threads.as_threads.
"""

import os
from pathlib import Path

import pytest

from .. import skips, thorough
from ..openmp_programs import SOURCES, Builds, Program, runs_ok

PROGRAMS = sorted((SOURCES.parents[1] / "threads" / "as_threads").glob("*.c*"))
# More than there are processors, and even: some programs pair them.
MEMBERS = max(8, 2 * len(os.sched_getaffinity(0)))
WEIRS = [("gcc", "auto"), ("clang", "user"), ("gcc", "kernel"), ("gcc", "user")]
# What the compiler makes of a program matters in these; the others ask the kernel and the C library.
BY_COMPILER = ("errnos", "floating_point", "memory", "spinning", "ticks", "tiles", "unwinding")


def _tells_more(program: Path, compiler: str, threads: str) -> bool:
    return (compiler, threads) == WEIRS[0] or ((compiler, threads) == WEIRS[1] and program.stem in BY_COMPILER)


# libgomp's child waits for its parent's workers.
NOT_OF_LIBGOMP = ("child_ends",)


@thorough.mark
@pytest.mark.parametrize(
    "program", [pytest.param(Program(p, "gcc"), id=p.stem) for p in PROGRAMS if p.stem not in NOT_OF_LIBGOMP]
)
def test_threads_of_the_compilers_own_runtime(own_environment: dict[str, str], builds: Builds, program: Program):
    runs_ok(builds.get(program), own_environment, MEMBERS)


@skips.mark("own", "other runtimes have no virtual processors")
@pytest.mark.parametrize(
    ("program", "threads"),
    [
        pytest.param(Program(p, c), t, id=f"{p.stem}-{c}-{t}", marks=[] if _tells_more(p, c, t) else thorough.mark)
        for p in PROGRAMS
        for c, t in WEIRS
    ],
)
def test_members(environment: dict[str, str], builds: Builds, program: Program, threads: str):
    runs_ok(builds.get(program), environment | {"WEIR_THREADS": threads}, MEMBERS)


@skips.mark("own", "other runtimes have no virtual processors")
@pytest.mark.parametrize(
    ("compiler", "threads"), [("gcc", "auto"), ("clang", "user"), *thorough.more(("gcc", "user"), ("clang", "auto"))]
)
def test_members_whose_loops_are_optimised(environment: dict[str, str], builds: Builds, compiler: str, threads: str):
    """A jump takes the place of other instructions in them."""
    spinning = Program(SOURCES.parents[1] / "threads" / "as_threads" / "spinning.cpp", compiler, level="-O2")
    runs_ok(builds.get(spinning), environment | {"WEIR_THREADS": threads}, MEMBERS)
