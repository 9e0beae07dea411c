"""Tools that developers put around programs, on a pool of threads that wait in every usual way (tests/threads/tools):
they report nothing where the pool has no fault, and a planted fault as they do without Weir. Whether its threads are
members, `--explain` says."""

import re
import subprocess
from pathlib import Path

import pytest

from weir.base import native

from .. import skips
from ..openmp_programs import CLANG

pytestmark = skips.mark("own", "another runtime has no members")
POOL = native.REPOSITORY / "tests" / "threads" / "tools" / "pool.cpp"
COMPILERS = {"gcc": "g++", "clang": f"clang++-{CLANG}"}
MODES = ("auto", "all")
MEMBERS = re.compile(r"(\d+) of them have been members")


@pytest.fixture
def preloaded(runtime: Path, own_environment: dict[str, str]) -> dict[str, str]:
    return own_environment | {"LD_PRELOAD": str(runtime)}


def built(folder: Path, compiler: str, *how: str) -> Path:
    made = folder / "pool"
    words = [COMPILERS[compiler], "-std=c++20", "-O1", "-g1", "-pthread", *how, POOL, "-o", made]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return made


def run(environment: dict[str, str], mode: str, *words: object, launcher: tuple = ()) -> subprocess.CompletedProcess:
    own = environment | {"WEIR_THREADS": mode, "WEIR_EXPLAIN": "true"}
    # Old sanitizers do not bear the addresses that new kernels give.
    words = ["setarch", "-R", *launcher, *words]
    return subprocess.run(words, env=own, capture_output=True, text=True, errors="replace", timeout=300)


def members(done: subprocess.CompletedProcess) -> int:
    said = MEMBERS.search(done.stderr)
    return int(said[1]) if said else 0


def finds_nothing(done: subprocess.CompletedProcess) -> None:
    assert done.returncode == 0 and done.stdout == "ok\n", done
    assert "Sanitizer" not in done.stderr and "runtime error" not in done.stderr, done.stderr


# The compiler, and what else it is told; the fault that must be reported, and by which words; are there members?
KINDS = {
    "address": ("gcc", ("-fsanitize=address",), "freed", "heap-use-after-free", True),
    "address-in-the-program": ("gcc", ("-fsanitize=address", "-static-libasan"), "freed", "heap-use-after-free", False),
    "address-clang": ("clang", ("-fsanitize=address",), "freed", "heap-use-after-free", True),
    "address-clang-leak": ("clang", ("-fsanitize=address",), "leak", "12345 byte(s) leaked", True),
    "leak": ("gcc", ("-fsanitize=leak",), "leak", "12345 byte(s) leaked", True),
    "leak-clang": ("clang", ("-fsanitize=leak",), "leak", "12345 byte(s) leaked", True),
    "undefined": ("gcc", ("-fsanitize=undefined",), "overflow", "signed integer overflow", True),
    "undefined-clang": ("clang", ("-fsanitize=undefined",), "overflow", "signed integer overflow", True),
    "thread": ("gcc", ("-fsanitize=thread",), "race", "data race", False),
    "thread-in-the-program": ("gcc", ("-fsanitize=thread", "-static-libtsan"), "race", "data race", False),
    "thread-clang": ("clang", ("-fsanitize=thread",), "race", "data race", False),
}


@pytest.mark.parametrize("kind", KINDS)
def test_sanitizers_find_what_is_there_and_nothing_else(preloaded: dict[str, str], tmp_path: Path, kind: str):
    compiler, how, fault, says, has_members = KINDS[kind]
    program = built(tmp_path, compiler, *how)
    for mode in MODES:
        # Threads of ThreadSanitizer that poll for 16 take a minute without Weir, too.
        size = "4" if fault == "race" else "16"
        clean = run(preloaded, mode, program, "none", size)
        finds_nothing(clean)
        assert mode != "all" or (members(clean) > 4) == has_members, clean
        assert says in run(preloaded, mode, program, fault, size).stderr


def test_options_of_the_program_for_addresssanitizer_are_in_force(preloaded: dict[str, str], tmp_path: Path):
    (tmp_path / "own.cpp").write_text(
        'extern "C" const char* __asan_default_options() { return "verify_asan_link_order=0:exitcode=42"; }\n'
    )
    program = built(tmp_path, "gcc", "-fsanitize=address", str(tmp_path / "own.cpp"))
    assert run(preloaded, "all", program, "freed").returncode == 42


def test_memcheck_knows_the_stacks_of_threads_of_the_program(preloaded: dict[str, str], tmp_path: Path):
    program, memcheck = built(tmp_path, "gcc"), ("valgrind", "--error-exitcode=9", "--leak-check=no")
    for mode in MODES:
        clean = run(preloaded, mode, program, launcher=memcheck)
        finds_nothing(clean)
        assert "ERROR SUMMARY: 0 errors" in clean.stderr, clean.stderr
        assert mode != "all" or members(clean) > 4, clean.stderr
    for fault, says in (("uninitialised", "uninitialised value"), ("below", "Invalid read of size 1")):
        wrong = run(preloaded, "all", program, fault, launcher=memcheck)
        assert wrong.returncode == 9 and says in wrong.stderr and "ERROR SUMMARY: 1 errors" in wrong.stderr, wrong
        assert members(wrong) > 4


@pytest.mark.parametrize(
    ("tool", "fault", "says"),
    [("helgrind", "inverted", "lock order"), ("drd", "race", "Conflicting load"), ("callgrind", "none", "Collected")],
)
def test_tools_that_watch_locks_hear_of_each(
    preloaded: dict[str, str], tmp_path: Path, tool: str, fault: str, says: str
):
    program, watching = built(tmp_path, "gcc"), ("env", "-C", tmp_path, "valgrind", f"--tool={tool}")
    for mode in MODES:
        done = run(preloaded, mode, program, fault, "4", launcher=watching)
        assert done.stdout == "ok\n" and says in done.stderr and members(done) == 0, done
        # It does not know atomic variables, and reports those of the pool that poll. What locks order is no race.
        assert "of_sum" not in done.stderr and "pthread_mutex_unlock with" not in done.stderr, done.stderr
