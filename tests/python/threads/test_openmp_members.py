"""Members of OpenMP teams on virtual processors: who drives them, where teams are kernel threads instead, and how a
program ends whose member overflows its stack."""

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from .. import retries, skips, thorough
from ..openmp.test_threadsanitizer import refusal
from ..openmp_programs import C_COMPILERS, SOURCES, Builds, Program

pytestmark = skips.mark("own", "other runtimes have no virtual processors")
DRIVERS = SOURCES.parent / "drivers.c"
SHARES = SOURCES.parent / "shares.c"
ADAPTING = SOURCES.parent / "adapting.c"
LASTING = SOURCES.parent / "lasting.c"
FLUSHES = SOURCES.parent / "flushes.c"
ENDS_SLOWLY = SOURCES.parent / "ends_slowly.c"
MEMBERS = 8
HERE = len(os.sched_getaffinity(0))


def run(program: Path, environment: dict[str, str], *words: str, members: int = MEMBERS) -> subprocess.CompletedProcess:
    own = environment | {"OMP_NUM_THREADS": str(members), "OMP_STACKSIZE": "256k", "TSAN_OPTIONS": "exitcode=0"}
    return subprocess.run([program, *words], env=own, capture_output=True, text=True, timeout=300)


def drivers(program: Path, environment: dict[str, str], *words: str, members: int = MEMBERS) -> int:
    """How many kernel threads execute a region."""
    done = run(program, environment, *words, members=members)
    said = done.stdout.split()
    assert done.returncode == 0 and said[:4] == [str(members), "members,", str(members), "identities,"], done
    return int(said[4])


@pytest.mark.parametrize("compiler", C_COMPILERS)
@pytest.mark.parametrize("threads", ["user", "auto"])
def test_virtual_processors_drive_all_members(environment: dict[str, str], builds: Builds, compiler: str, threads: str):
    program, own = builds.get(Program(DRIVERS, compiler)), environment | {"WEIR_THREADS": threads}
    found = 0
    for _ in retries.tries("all drive", 3):
        found = drivers(program, own, members=MEMBERS * HERE)
        if found <= HERE:
            break
    assert 1 <= found <= HERE


@skips.mark("processors")
@pytest.mark.parametrize("compiler", C_COMPILERS)
def test_late_tasks_wake_a_virtual_processor_whose_members_sleep(
    environment: dict[str, str], builds: Builds, compiler: str
):
    program = builds.get(Program(DRIVERS, compiler))
    # Where only one member executes tasks, the program does not end.
    assert drivers(program, environment | {"WEIR_THREADS": "user"}, "tasks", members=4 * HERE) > 1


@skips.mark("processors")
def test_a_primary_thread_with_a_seat_has_a_team_on_all_processors(environment: dict[str, str], builds: Builds):
    program, settings = builds.get(Program(DRIVERS, "gcc")), {"WEIR_THREADS": "all", "WEIR_ADAPT": "false"}
    found: list[int] = []
    for _ in retries.tries("seated"):
        found = [drivers(program, environment | settings, "seated", members=4 * HERE) for _ in range(10)]
        if sorted(found)[len(found) // 2] > 1:
            return
    raise AssertionError(found)


# What cannot hold on virtual processors, and words of the program. The kernel drives each member of such a team.
KERNEL_THREADS = {
    "not asked for": ({"WEIR_THREADS": "kernel"}, ()),
    "bound": ({"OMP_PROC_BIND": "true"}, ()),
    "at places": ({"OMP_PLACES": "threads"}, ()),
    "deadlocks are looked for": ({"WEIR_DEADLOCKS": "end"}, ()),
}


@pytest.mark.parametrize("why", KERNEL_THREADS)
def test_the_kernel_drives_what_cannot_hold(environment: dict[str, str], builds: Builds, why: str):
    settings, words = KERNEL_THREADS[why]
    program = builds.get(Program(DRIVERS, "gcc"))
    assert drivers(program, environment | {"WEIR_THREADS": "user"} | settings, *words) == MEMBERS


@pytest.mark.parametrize("compiler", C_COMPILERS)
def test_the_kernel_drives_what_threadsanitizer_watches(environment: dict[str, str], builds: Builds, compiler: str):
    assert not (why := refusal(compiler)), why
    watched = builds.get(Program(DRIVERS, compiler, watched=True))
    assert drivers(watched, environment | {"WEIR_THREADS": "user"}) == MEMBERS


def test_automatic_leaves_teams_that_fit_to_the_kernel(environment: dict[str, str], builds: Builds):
    # Beside other programs it would begin with fewer processors.
    settings = {"WEIR_THREADS": "auto", "WEIR_ADAPT": "false"}
    assert drivers(builds.get(Program(DRIVERS, "gcc")), environment | settings, members=HERE) == HERE


@pytest.mark.parametrize(
    ("compiler", "threads", "members"),
    [
        ("gcc", "auto", 2),
        ("gcc", "user", 4),
        ("clang", "user", 9),
        ("clang", "auto", 4),
        *thorough.more(("gcc", "auto", 4), ("gcc", "auto", 9), ("gcc", "user", 2), ("gcc", "user", 9)),
        *thorough.more(("clang", "auto", 2), ("clang", "auto", 9), ("clang", "user", 2), ("clang", "user", 4)),
    ],
)
def test_regions_whose_processors_change(
    environment: dict[str, str], builds: Builds, compiler: str, threads: str, members: int
):
    program = builds.get(Program(ADAPTING, compiler))
    told = " from one region to the next; on "
    # Beside other programs, as other tests are, 4 s and more may pass before a trial.
    for seconds in ("0", "8", "40", "160"):
        done = run(program, environment | {"WEIR_THREADS": threads, "WEIR_EXPLAIN": "true"}, seconds, members=members)
        assert (done.returncode, done.stdout) == (0, "ok\n"), done
        if told in done.stderr:
            return
    raise AssertionError(done.stderr)


# A team of kernel threads goes to one virtual processor, and back, while its region does all kinds of things.
@skips.mark("processors")
@pytest.mark.parametrize("compiler", C_COMPILERS)
@pytest.mark.parametrize(("threads", "members"), [("auto", 2), ("user", 4)])
def test_members_follow_the_share_within_a_region(
    environment: dict[str, str], builds: Builds, compiler: str, threads: str, members: int
):
    program = builds.get(Program(LASTING, compiler))
    # Beside other work a member stays in its kernel thread to the end of a region in 2 of some 500 runs: not explained.
    for seconds in ("2", "8", "30"):
        done = run(program, environment | {"WEIR_THREADS": threads}, seconds, "bound", members=members)
        said = re.fullmatch(r"from (\d+) to (\d+)\nfollowed in (\d) of 3\nok\n", done.stdout)
        assert done.returncode == 0 and said, done
        if said[3] == "3":
            assert said[1] == "1" and int(said[2]) >= min(members, HERE), done
            return
    raise AssertionError(done.stdout)


@pytest.mark.parametrize(
    "settings", [{"WEIR_THREADS": "kernel"}, {"WEIR_THREADS": "auto", "WEIR_ADAPT": "false"}], ids=["kernel", "fixed"]
)
def test_regions_that_last_keep_their_processors(environment: dict[str, str], builds: Builds, settings: dict[str, str]):
    done = run(builds.get(Program(LASTING, "gcc")), environment | settings, "0.3", members=HERE)
    assert done.stdout == f"from {HERE} to {HERE}\nok\n", done


# Clang's code calls the runtime for each flush; GCC's has a fence instead, and ticks find it.
def test_who_polls_by_flushes_gives_way(environment: dict[str, str], builds: Builds):
    program = builds.get(Program(FLUSHES, "clang"))
    one = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
    own = environment | {"WEIR_THREADS": "user", "OMP_NUM_THREADS": str(MEMBERS)}
    done = subprocess.run([*one, program], env=own, capture_output=True, text=True, timeout=300)
    turns = 1000 * MEMBERS
    assert done.returncode == 0 and turns < int(done.stdout) < 100 * turns, done


@pytest.mark.parametrize("threads", ["user", "kernel"])
def test_a_stack_that_overflows_ends_the_program(environment: dict[str, str], builds: Builds, threads: str):
    done = run(builds.get(Program(DRIVERS, "gcc")), environment | {"WEIR_THREADS": threads}, "overflow")
    assert done.returncode == -signal.SIGSEGV and done.stdout == ""


@skips.mark("processors")
@pytest.mark.parametrize("compiler", C_COMPILERS)
@pytest.mark.parametrize(("what", "later"), [("begins", []), ("computes", ["spread yes"]), ("tasks", ["spread yes"])])
def test_a_program_begins_on_the_processors_that_others_leave(
    environment: dict[str, str], builds: Builds, what: str, later: list[str], compiler: str
):
    program = builds.get(Program(SHARES, compiler))
    for _ in retries.tries("alone"):
        settings = {"WEIR_THREADS": "auto", "WEIR_EXPLAIN": "true"}
        done = run(program, environment | settings, what, "3000", members=HERE)
        first, *then = done.stdout.splitlines()
        assert (done.returncode, then) == (0, later), done
        if first == "alone yes":
            assert "it has begun on 1 processor, because threads of other programs ran" in done.stderr
            return
    # A team that may take all processors has kernel threads, and is never alone.
    raise AssertionError("never alone")


# Regions so short would soon compute on one processor each.
DIVIDED = {"WEIR_THREADS": "user", "WEIR_ADAPT": "false"}
# What shares.c sees in the end.
SEEN = {
    "spread": "spread yes",
    "quiet": "spread yes",
    "together": "alone yes\nspread yes",
    "bound": "spread yes\nalone yes",
    "lasting": "changes 3",
}


@skips.mark("processors")
@pytest.mark.parametrize("what", SEEN)
def test_threads_of_the_program_divide_the_processors(environment: dict[str, str], builds: Builds, what: str):
    program = builds.get(Program(SHARES, "gcc"))
    done = run(program, environment | DIVIDED, what, "2000")
    assert done.stdout.strip() == SEEN[what], done


@pytest.mark.parametrize("threads", ["user", "auto", "all"])
def test_threads_that_have_opened_a_region_can_be_joined(environment: dict[str, str], builds: Builds, threads: str):
    done = run(builds.get(Program(ENDS_SLOWLY, "gcc")), environment | {"WEIR_THREADS": threads})
    assert done.stdout.strip() == "ok", done


# An hour ahead of the system's: for who waits until a time of it, the clock has been set back.
SET_BACK = """
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *now) {
  int failed = syscall(SYS_clock_gettime, clock, now);
  if (clock == CLOCK_REALTIME) now->tv_sec += 3600;
  return failed;
}
"""


@skips.mark("processors")
@pytest.mark.parametrize("what", ["quiet", "bound"])
def test_the_watch_goes_on_where_the_clock_is_set_back(
    environment: dict[str, str], builds: Builds, tmp_path: Path, what: str
):
    (tmp_path / "clock.c").write_text(SET_BACK)
    subprocess.run(["gcc", "-shared", "-fPIC", tmp_path / "clock.c", "-o", tmp_path / "clock.so"], check=True)
    preloaded = {"LD_PRELOAD": str(tmp_path / "clock.so")} | DIVIDED
    done = run(builds.get(Program(SHARES, "gcc")), environment | preloaded, what, "2000")
    assert done.stdout.strip() == SEEN[what], done


@skips.mark("processors")
def test_teams_of_several_threads_of_the_program_wait_briefly(environment: dict[str, str], builds: Builds):
    done = run(builds.get(Program(SHARES, "gcc")), environment | {"WEIR_THREADS": "kernel"}, "waiting", "50")
    assert done.stdout.strip() == "brief yes", done


def test_memcheck_knows_the_stacks(environment: dict[str, str], builds: Builds):
    own = environment | {"OMP_NUM_THREADS": str(MEMBERS), "WEIR_THREADS": "user"}
    words = ["valgrind", "--error-exitcode=9", "--leak-check=no", builds.get(Program(SOURCES / "barriers.c", "gcc"))]
    done = subprocess.run(words, env=own, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and "ERROR SUMMARY: 0 errors" in done.stderr, done.stderr[-4000:]
