"""Settings of LLVM's runtime, as its programs have them: on that runtime, and on Weir's."""

import os
import subprocess
from pathlib import Path

import pytest

from .. import skips
from ..openmp_programs import SOURCES, Builds, Program

MADE_FOR = Program(SOURCES.parent / "kmp_settings.c", "clang")
USABLE = len(os.sched_getaffinity(0))


def said(builds: Builds, environment: dict[str, str], part: str, **more: str) -> tuple[str, str]:
    done = subprocess.run(
        [builds.get(MADE_FOR), part],
        env=environment | more,
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    return done.stdout, done.stderr


@pytest.fixture(params=["libomp", "weir"])
def on(request: pytest.FixtureRequest, environment: dict[str, str], own_environment: dict[str, str]) -> dict[str, str]:
    return own_environment if request.param == "libomp" else environment


@skips.mark("own", "LLVM's own runtime ignores the clause by this name (19)")
def test_proc_bind_primary_by_its_new_name(builds: Builds, environment: dict[str, str]):
    assert said(builds, environment, "primary", OMP_PLACES="threads", OMP_PROC_BIND="spread")[0] == "place 0\n" * 4


def test_the_primary_thread_is_freed_after_its_region(builds: Builds, on: dict[str, str]):
    after = {how: said(builds, on, "reset", KMP_AFFINITY=f"compact,{how}")[0] for how in ("reset", "noreset")}
    assert after["reset"] == "within 1, afterwards as before\n"
    if USABLE > 1:
        assert after["noreset"].startswith("within 1, ")


@pytest.mark.parametrize("name", ["KMP_HW_SUBSET", "KMP_PLACE_THREADS"])
def test_a_part_of_the_machine(builds: Builds, on: dict[str, str], name: str):
    assert said(builds, on, "subset", **{name: "1c,1t"})[0] == "processors 1, threads 1\n"


@skips.mark("own", "LLVM's own runtime counts anew")
@skips.mark("processors")
def test_what_is_left_out_is_left_out_once(builds: Builds, environment: dict[str, str], runtime: Path):
    """Not in each program that another one starts."""
    given = environment | {"KMP_HW_SUBSET": "*c@1", "LD_PRELOAD": str(runtime)}
    words = ["sh", "-c", f"{builds.get(MADE_FOR)} subset; true"]
    done = subprocess.run(words, env=given, capture_output=True, text=True, timeout=300, check=True)
    assert (done.stdout, done.stderr) == (f"processors {USABLE - 1}, threads {USABLE - 1}\n", "")


def test_more_than_the_machine_has_is_ignored(builds: Builds, on: dict[str, str]):
    assert said(builds, on, "subset", KMP_HW_SUBSET="9999c")[0] == f"processors {USABLE}, threads {USABLE}\n"


@skips.mark("own", "another runtime has other words")
def test_what_is_wrong_is_told(builds: Builds, environment: dict[str, str]):
    assert "asks for more than the machine has" in said(builds, environment, "subset", KMP_HW_SUBSET="9999c")[1]
    assert 'KMP_HW_SUBSET="1q" is not understood' in said(builds, environment, "subset", KMP_HW_SUBSET="1q")[1]


def test_affinity_is_shown_where_llvms_runtime_writes(builds: Builds, on: dict[str, str]):
    assert said(builds, on, "display") == ("OMP: pid %P tid %i thread %n bound to OS proc set {%A}\nmember 0\n", "")


def test_variables_count_that_the_program_sets_first(builds: Builds, on: dict[str, str]):
    assert said(builds, on, "late", OMP_DYNAMIC="false")[0] == "3 threads, schedule 2, 7\n"


@pytest.mark.parametrize("schedule", ["trapezoidal", "trapezoidal,7"])
def test_chunks_get_shorter_by_the_same_number(builds: Builds, on: dict[str, str], schedule: str):
    assert said(builds, on, "chunks", OMP_SCHEDULE=schedule, OMP_DYNAMIC="false")[0] == "schedule 101, chunks right\n"
