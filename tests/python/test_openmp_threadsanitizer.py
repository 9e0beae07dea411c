"""Programs that are built with ThreadSanitizer: on Weir's OpenMP runtime it sees what the runtime orders, and reports what
nobody orders."""

import re
from collections.abc import Iterator

import pytest

from .openmp_programs import SOURCES, Builds, Program, mark_of_compiler, programs, say
from .test_openmp_runtime import MISSING

SIZES = (2, 4, 8)
UNWATCHED = {
    "forks": "ThreadSanitizer forbids a child of a process with threads to have threads",
    "growth": "the memory that it measures is ThreadSanitizer's",
    "signals": "ThreadSanitizer hands signals on when it likes, and the program counts them",
}


def _cases() -> Iterator:
    for program in programs(watched=True):
        stem = program.source.stem
        marks = mark_of_compiler(program)
        if why := UNWATCHED.get(stem):
            marks.append(pytest.mark.skip(reason=why))
        if why := MISSING.get(stem):
            marks.append(pytest.mark.xfail(reason=f"not there yet: {why}", strict=True))
        for size in SIZES:
            yield pytest.param(program, size, marks=marks, id=f"{program.name}-{size}")


@pytest.fixture(scope="session")
def watched(environment: dict[str, str]) -> dict[str, str]:
    # Not the second that it waits at a program's end for races to come.
    return environment | {"TSAN_OPTIONS": "halt_on_error=1:atexit_sleep_ms=0"}


@pytest.mark.parametrize(("program", "size"), list(_cases()))
def test_nothing_is_taken_for_a_race(watched: dict[str, str], builds: Builds, program: Program, size: int):
    status, all_of_it, said = say(builds.get(program), watched, size)
    assert status == 0 and said.strip() == "ok", f"{program.name}, {size} threads: status {status}\n{all_of_it}"


RACES = SOURCES.parent / "races.c"


def _races() -> Iterator:
    for compiler in ("gcc", "clang"):
        program = Program(RACES, compiler, watched=True)
        for race in re.findall(r"RACE\((\w+)\),", RACES.read_text()):
            yield pytest.param(program, race, marks=mark_of_compiler(program), id=f"{race}-{compiler}")


@pytest.mark.parametrize(("program", "race"), list(_races()))
def test_races_are_reported(watched: dict[str, str], builds: Builds, program: Program, race: str):
    status, all_of_it, _ = say(builds.get(program), watched | {"RACE": race}, 4)
    assert status == 66 and "ThreadSanitizer: data race" in all_of_it, f"{race}: status {status}\n{all_of_it}"
