"""Programs that are built with ThreadSanitizer: on Weir's OpenMP runtime it sees what the runtime orders, and what it
does not."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from .openmp_programs import CLANG, OWN, SOURCES, Builds, Program, mark_of_compiler, programs, say

SIZES = (2, 4, 8)
UNWATCHED = {}


def _cases() -> Iterator:
    for program in programs(watched=True):
        marks = mark_of_compiler(program)
        if why := UNWATCHED.get(program.source.stem):
            marks.append(pytest.mark.skip(reason=why))
        for size in SIZES:
            yield pytest.param(program, size, marks=marks, id=f"{program.name}-{size}")


@pytest.fixture(scope="session")
def watched(environment: dict[str, str]) -> dict[str, str]:
    return environment | {"TSAN_OPTIONS": "halt_on_error=1:exitcode=66"}


@pytest.mark.parametrize(("program", "size"), list(_cases()))
def test_nothing_is_taken_for_a_race(watched: dict[str, str], builds: Builds, program: Program, size: int):
    status, all_of_it, said = say(builds.get(program), watched, size)
    assert status == 0 and said.strip() == "ok", f"{program.name}, {size} threads: status {status}\n{all_of_it}"
