"""Programs that are built with ThreadSanitizer: on Weir's OpenMP runtime it sees what the runtime orders, and reports
what nothing orders."""

import functools
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from .. import skips, thorough
from ..openmp_programs import COMPILERS, SOURCES, Builds, Program, programs, say

pytestmark = skips.mark("own", "they do not tell ThreadSanitizer what they order")
SIZES = {2: thorough.mark, 4: (), 8: thorough.mark}
UNWATCHED = {
    "forks": "ThreadSanitizer forbids a child of a process with threads to have threads",
    "kmpc_forks": "the same",
    "growth": "the memory that it measures is ThreadSanitizer's",
    "ends_of_hosts": "ThreadSanitizer knows neither thrd_create() nor pthread_clockjoin_np(), on any runtime",
    "signals": "ThreadSanitizer hands signals on when it likes, and the program counts them",
}


def _cases() -> Iterator:
    for program in programs(watched=True):
        if program.source.stem not in UNWATCHED:
            for size, marks in SIZES.items():
                yield pytest.param(program, size, marks=marks, id=f"{program.name}-{size}")


@functools.cache
def refusal(compiler: str) -> str:
    """Why programs of this compiler cannot be watched here, if they cannot: the sanitizer may be a package of its own,
    and an old one does not bear the addresses that new kernels give."""
    ending, text = (".f90", "end\n") if compiler == "gfortran" else (".c", "int main(void) { return 0; }\n")
    make = [*COMPILERS[ending][compiler], "-fsanitize=thread", f"nothing{ending}", "-o", "nothing"]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / f"nothing{ending}").write_text(text)
        for words in (make, ["./nothing"]):
            done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
            if done.returncode != 0:
                return f"{compiler} -fsanitize=thread: {done.stderr.strip() or 'the program does not start'}"
    return ""


def built(builds: Builds, program: Program) -> Path:
    assert not (why := refusal(program.compiler)), why
    return builds.get(program)


@pytest.fixture(scope="session")
def watched(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    suppressions = tmp_path_factory.mktemp("threadsanitizer") / "suppressions"
    suppressions.write_text("race:/ld-linux\n")  # the dynamic linker's own locks are not seen where several dlclose
    # Not the second that it waits at a program's end for races to come.
    return environment | {
        "TSAN_OPTIONS": f"halt_on_error=1:report_thread_leaks=0:atexit_sleep_ms=0:suppressions={suppressions}"
    }


@pytest.mark.parametrize(("program", "size"), list(_cases()))
def test_nothing_is_taken_for_a_race(watched: dict[str, str], builds: Builds, program: Program, size: int):
    status, all_of_it, said = say(built(builds, program), watched, size)
    assert status == 0 and said.strip() == "ok", f"{program.name}, {size} threads: status {status}\n{all_of_it}"


RACES = SOURCES.parent / "races.c"


def _races() -> Iterator:
    for compiler in ("gcc", "clang"):
        program = Program(RACES, compiler, watched=True)
        for race in re.findall(r"RACE\((\w+)\),", RACES.read_text()):
            yield pytest.param(program, race, id=f"{race}-{compiler}")


@pytest.mark.parametrize(("program", "race"), list(_races()))
def test_races_are_reported(watched: dict[str, str], builds: Builds, program: Program, race: str):
    status, all_of_it, _ = say(built(builds, program), watched | {"RACE": race}, 4)
    assert status == 66 and "ThreadSanitizer: data race" in all_of_it, f"{race}: status {status}\n{all_of_it}"
