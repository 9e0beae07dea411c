"""Weir's OpenMP runtime under programs of each compiler: those of tests/openmp/programs, on teams of several sizes.

WEIR_TEST_RUNTIME=own runs them on the compilers' own runtimes instead: so the programs themselves are tested.
WEIR_TEST_THREADS=user runs them all on virtual processors.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from weir.openmp.situation import Load, Situation

from .. import skips, thorough
from ..openmp_programs import (
    C_COMPILERS,
    CALLS,
    SOURCES,
    Builds,
    Program,
    programs,
    runs_ok,
    say,
)

# Those take their time, whatever their team; or set themselves what they need.
SIZES = {
    "calls": (1, 2, 8, 33),
    "growth": (1, 4, 33),
    "kinds": (4,),
    "large_teams": (2,),
    "signals": (2, 33),
    "stress": (2, 7, 33),
    "affinity_formats": (2,),
    "kmpc_forks": (2,),
    "binding": (2,),
    "ends_of_hosts": (1, 2, 8),
    "team_sizes": (2,),
}
ALL = (1, 3, 33)
FURTHER = (2, 4, 8)  # of those that are tried with all sizes
# What the compilers' own runtimes cannot, and Weir's shall.
OWN_FAULTS = {
    ("absent_arguments", "gfortran"): "libgomp copies from an absent argument where target has nowait",
    ("allocators", "clang"): "libomp faults in omp_realloc without an allocator, and in omp_calloc of too much",
    ("cancellation_unmet", "gcc"): "libgomp waits for members that have left a cancelled region",
    ("cancellation_unmet", "clang"): "libomp waits for members that have left a cancelled region",
    ("cancelled_tasks", "clang"): "libomp stops a cancellation at the group of reduction(task)",
    ("errors_kept", "clang"): "libomp's waits change errno",
    ("detached", "gcc"): "libgomp does not leave a barrier that waited for a detached task",
    ("detached", "clang"): "libomp defers a detached task in a final one, and forgets who waits for an undeferred one",
    ("doacross_edges", "clang"): "libomp waits for iterations one past the end of a dimension",
    ("forks", "gcc"): "libgomp waits in a forked child for the workers of its parent",
    ("kmpc_forks", "clang"): "libomp's locks stay taken in a forked child",
    ("late", "gcc"): "libgomp is unmapped while its workers run",
    ("exits", "clang"): "libomp's workers keep a program alive whose first thread has ended by pthread_exit",
    ("exits_busy", "clang"): "libomp takes its threads down while another opens regions",
    ("constructs", "clang"): "libomp may report a loop's last iteration to no member if members steal",
    ("loop_clauses", "clang"): "libomp may report a loop's last iteration to no member if members steal",
    ("leagues_at_once", "gcc"): "libgomp executes the teams of a league one after the other",
    ("leagues_at_once", "clang"): "libomp forms fewer teams than asked for",
    ("schedule_stealing", "clang"): "libomp may report a loop's last iteration to no member if members steal",
    ("task_wakes", "clang"): "libomp wakes all that sleep at each task",
    ("locks", "clang"): "libomp's nest locks belong to threads",
    ("kmpc_constructs", "clang"): "libomp multiplies the chunk of schedule(simd: runtime) by the vector's width",
    ("pauses", "gcc"): "libgomp ends its threads at a soft pause, and takes any number for a kind",
    ("pauses", "clang"): "libomp forgets at a hard pause what the routines have set",
    ("schedule_combined", "clang"): "libomp executes iterations of schedule(simd: static, chunk) twice",
    ("orphans", "gcc"): "libgomp does not come back from ordered outside of a loop",
    ("taskwait_nowait", "clang"): "libomp waits there all the same",
    ("task_reductions", "clang"): "libomp combines array sections in a thread that may not know their size",
    ("threadprivate_threads", CALLS): "libomp keeps the objects of a thread that has ended",
    ("thread_ends", "gcc"): "libgomp says to a thread that ends that it is in its last region still",
    ("thread_ends", "clang"): "libomp takes memory of a thread that has ended",
    ("stress", "clang"): "libomp fails an assertion on its memory where threads end",
}


def _marks(program: Program) -> list[pytest.MarkDecorator]:
    why = OWN_FAULTS.get((program.source.stem, program.compiler))
    return [skips.mark("own", why)] if why else []


def _cases() -> Iterator:
    for program in programs():
        sizes = SIZES.get(program.source.stem)
        for size in sizes or ALL:
            yield pytest.param(program, size, marks=_marks(program), id=f"{program.name}-{size}")
        for size in () if sizes else FURTHER:
            yield pytest.param(program, size, marks=[*_marks(program), thorough.mark], id=f"{program.name}-{size}")


@pytest.mark.parametrize(("program", "size"), list(_cases()))
def test_program(environment: dict[str, str], builds: Builds, program: Program, size: int):
    runs_ok(builds.get(program), environment, size)


CANCELLABLE = {"barriers", "cancellation", "constructs", "doacross", "nests", "reductions", "regions", "singles"}
IN_FORCE = [pytest.param(p, id=p.name) for p in programs() if p.source.stem in CANCELLABLE]


@pytest.mark.parametrize("program", IN_FORCE)
@pytest.mark.parametrize("size", [2, 8, *thorough.more(1)])
def test_program_where_cancellation_is_in_force(
    environment: dict[str, str], builds: Builds, program: Program, size: int
):
    """Then barriers and reductions are others."""
    runs_ok(builds.get(program), environment | {"OMP_CANCELLATION": "true"}, size)


# Where members meet, wait, end and are counted.
MEETING = CANCELLABLE | {
    "calls",
    "ends_of_hosts",
    "errors_kept",
    "exceptions",
    "exits",
    "forks",
    "hosts",
    "kinds",
    "locks",
    "pauses",
    "schedules",
    "task_stealing",
    "task_teams",
    "tasks",
    "thread_ends",
    "threadprivates",
}
ON_PROCESSORS = [pytest.param(p, id=p.name) for p in programs() if p.source.stem in MEETING]


@pytest.mark.parametrize("program", ON_PROCESSORS)
@pytest.mark.parametrize("threads, size", [("user", 2), ("auto", 8)])
@skips.mark("own", "other runtimes have no virtual processors")
def test_program_on_virtual_processors(
    environment: dict[str, str], builds: Builds, program: Program, threads: str, size: int
):
    runs_ok(builds.get(program), environment | {"WEIR_THREADS": threads}, size)


ON_KERNEL_THREADS = {"cancellation", "doacross", "large_teams", "reductions", "task_stealing", "tasks"}
LARGE = [pytest.param(p, id=p.name) for p in programs() if p.source.stem in ON_KERNEL_THREADS]


@pytest.mark.parametrize("program", LARGE)
@pytest.mark.parametrize(
    "how",
    [{"WEIR_THREADS": "kernel"}, {"OMP_PROC_BIND": "close"}, {"WEIR_THREADS": "kernel", "OMP_CANCELLATION": "true"}],
    ids=["kernel", "bound", "cancellable"],
)
@skips.mark("own", "other runtimes have no such members")
def test_large_team_of_kernel_threads(
    environment: dict[str, str], builds: Builds, program: Program, how: dict[str, str]
):
    """Each worker makes the member that it is."""
    runs_ok(builds.get(program), environment | how, 40)


STRESS = [pytest.param(p, marks=_marks(p), id=p.compiler) for p in programs() if p.source.stem == "stress"]


@pytest.mark.parametrize("program", STRESS)
def test_the_long_run_under_a_quota(environment: dict[str, str], builds: Builds, program: Program):
    """Of one processor's time, which all that are there share."""
    here = Situation(4, tuple(sorted(os.sched_getaffinity(0))), Load("quota", 1.0))
    skips.unless("quota")
    with here.launcher() as launcher:
        runs_ok(builds.get(program), environment, here.members, launcher)


@pytest.fixture
def busy() -> Iterator[None]:
    """A process beside on every processor that never waits."""
    count = len(os.sched_getaffinity(0))
    beside = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    yield
    for process in beside:
        process.kill()
        process.wait()


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize("program", STRESS)
def test_the_long_run_beside_busy_processes(environment: dict[str, str], builds: Builds, program: Program):
    runs_ok(builds.get(program), environment, 4)


@pytest.mark.parametrize("compiler", C_COMPILERS)
def test_programs_run_on_the_runtime_under_test(
    environment: dict[str, str], builds: Builds, runtime: Path | None, compiler: str
):
    program = builds.get(Program(SOURCES / "regions.c", compiler))
    traced = subprocess.run(
        [program], env=environment | {"LD_TRACE_LOADED_OBJECTS": "1"}, capture_output=True, text=True
    )
    name = {"gcc": "libgomp.so.1", "clang": "libomp.so.5"}[compiler]
    found = next(line.split()[2] for line in traced.stdout.splitlines() if line.split()[0] == name)
    assert runtime is None or Path(found).resolve() == runtime


# A fault of a runtime each, which the program of that construct must notice. On the compilers' own: it is the programs
# that are tested.
FAULTS = {
    ("barriers", "gcc"): "void GOMP_barrier(void) {}",
    ("barriers", "clang"): "void __kmpc_barrier(void *where, int thread) {}",
    ("singles", "gcc"): "_Bool GOMP_single_start(void) { return 1; }",
    ("singles", "clang"): "int __kmpc_single(void *where, int thread) { return 1; }",
    ("ordered", "gcc"): "void GOMP_ordered_start(void) {}",
    ("ordered", "clang"): "void __kmpc_ordered(void *where, int thread) {}",
    ("routines", "gcc"): "int omp_get_level(void) { return 0; }",
    ("routines", "clang"): "int omp_get_level(void) { return 0; }",
    ("binding", "clang"): "int omp_get_place_num(void) { return 0; }",
    ("affinity_formats", "gcc"): "int omp_get_affinity_format(char *text, long size) { return 0; }",
    ("team_sizes", "gcc"): "int omp_get_max_threads(void) { return 4; }",
    ("kmp_routines", "clang"): "int kmp_get_blocktime(void) { return 200; }",
    ("tasks", "gcc"): "void GOMP_taskwait(void) {}",
    ("tasks", "clang"): "int __kmpc_omp_taskwait(void *where, int thread) { return 0; }",
}


@pytest.mark.parametrize(("name", "compiler"), FAULTS)
def test_programs_notice_faults(
    builds: Builds, own_environment: dict[str, str], tmp_path: Path, name: str, compiler: str
):
    (tmp_path / "fault.c").write_text(FAULTS[name, compiler])
    subprocess.run(["gcc", "-shared", "-fPIC", tmp_path / "fault.c", "-o", tmp_path / "fault.so"], check=True)
    program = builds.get(Program(SOURCES / f"{name}.c", compiler))
    status, _, said = say(program, own_environment | {"LD_PRELOAD": str(tmp_path / "fault.so")}, 4)
    assert status != 0 and "ok" not in said
