"""Errors of a program that Weir's runtime sees: it names the construct and the line of the source, and aborts."""

import re
import signal
import subprocess
from pathlib import Path

import pytest

from .. import skips
from ..openmp_programs import C_COMPILERS, COMPILERS, OPENMP, say

pytestmark = skips.mark("own", "other runtimes hang, crash or go on")

# Each has one line marked "here". The errors are in a function that the compiler does not see through.
BEGIN = """
#include <omp.h>
#include <stdio.h>
#define AWAY __attribute__((noinline, noclone)) static
int sum;
omp_lock_t lock;
omp_nest_lock_t nest;
"""
UNMATCHED = """
AWAY void reduce(void) {
#pragma omp task in_reduction(+ : sum) /* here */
  sum += 1;
}
int main(void) {
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  reduce();
}
"""
FULFILLED_TWICE = """
AWAY void fulfil(omp_event_handle_t event) {
  omp_fulfill_event(event); /* here */
}
int main(void) {
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event) /* GCC drops an empty task */
    ++sum;
    fulfil(event);
#pragma omp taskwait
    fulfil(event);
  }
}
"""
NO_EVENT = """
int main(void) {
  omp_fulfill_event((omp_event_handle_t)0x7fff00001234); /* here */
}
"""
LOOP_IN_LOOP = """
AWAY void inner(void) {
#pragma omp for schedule(dynamic) nowait /* here */
  for (int j = 0; j < 4; ++j) ++sum;
}
int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp for schedule(dynamic)
  for (int i = 0; i < 100; ++i) inner();
}
"""
SINGLE_IN_LOOP = """
AWAY void inner(void) { /* here: GCC's line of a single's beginning */
#pragma omp single nowait
  ++sum;
}
int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp for schedule(dynamic)
  for (int i = 0; i < 100; ++i) inner();
}
"""
BARRIER_IN_LOOP = """
AWAY void wait(void) {
#pragma omp barrier /* here */
}
int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp for schedule(guided)
  for (int i = 0; i < 100; ++i) wait();
}
"""
BARRIER_IN_SINGLE = """
AWAY void wait(void) {
#pragma omp barrier /* here */
}
int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  wait();
}
"""
SINGLE_IN_SINGLE = BARRIER_IN_SINGLE.replace("omp barrier /* here */", "omp single /* here */\n  ++sum;")
BARRIER_IN_TASK = """
AWAY void wait(void) {
#pragma omp barrier /* here */
}
int main(void) {
#pragma omp parallel
#pragma omp single
#pragma omp task IF
  wait();
}
"""
LOOP_IN_TASK = """
AWAY void loop(void) {
#pragma omp for schedule(SCHEDULE) /* here */
  for (int i = 0; i < 10; ++i) __atomic_fetch_add(&sum, i, __ATOMIC_RELAXED);
}
int main(void) {
#pragma omp parallel
#pragma omp single
#pragma omp task
  loop();
}
"""
SINGLE_IN_TASK = """
AWAY void once(void) { /* here */
#pragma omp single
  ++sum;
}
int main(void) {
#pragma omp parallel
#pragma omp masked
#pragma omp task
  once();
}
"""
# The compilers refuse it where they see it.
DOACROSS_OUTSIDE = """
#ifdef __clang__
void __kmpc_doacross_post(void *, int, const long long *);
#define POST __kmpc_doacross_post(0, 0, (long long[]){0})
#else
void GOMP_doacross_post(long *);
#define POST GOMP_doacross_post((long[]){0})
#endif
int main(void) {
  POST; /* here */
}
"""
IN_MAIN = "int main(void) {\n%s\n}\n"
IN_TASK = "a barrier in a task"
SHARING_IN_TASK = "a worksharing construct in a task"
SHARING_IN_SHARING = "a worksharing construct in a loop, sections or single"
IN_SHARING = "a barrier in a loop, sections or single"
# By what is wrong: the program, the construct, and some of the words.
ERRORS = {
    "in_reduction": (UNMATCHED, "in_reduction", "no enclosing construct has a task reduction"),
    "event-twice": (FULFILLED_TWICE, "omp_fulfill_event", "it has been fulfilled already"),
    "no-event": (NO_EVENT, "omp_fulfill_event", "or it is none"),
    "loop-in-loop": (LOOP_IN_LOOP, SHARING_IN_SHARING, "the same team already"),
    "single-in-loop": (SINGLE_IN_LOOP, SHARING_IN_SHARING, "the same team already"),
    "barrier-in-task": (BARRIER_IN_TASK.replace("IF", ""), IN_TASK, "use taskwait or taskgroup"),
    "barrier-in-undeferred-task": (BARRIER_IN_TASK.replace("IF", "if(0)"), IN_TASK, "use taskwait or taskgroup"),
    "loop-in-task": (LOOP_IN_TASK.replace("SCHEDULE", "dynamic"), SHARING_IN_TASK, "taskloop divides"),
    "loop-without-barrier-in-task": (
        LOOP_IN_TASK.replace("SCHEDULE)", "dynamic) nowait"), SHARING_IN_TASK, "taskloop divides",
    ),
    "static-loop-in-task": (LOOP_IN_TASK.replace("SCHEDULE", "static"), IN_TASK, "constructs outside of them"),
    "single-in-task": (SINGLE_IN_TASK, SHARING_IN_TASK, "do not come to it"),
    "doacross-outside": (DOACROSS_OUTSIDE, "ordered depend", "the thread is in no loop with ordered(n)"),
    "destroyed-while-set": (
        IN_MAIN % "omp_init_lock(&lock); omp_set_lock(&lock);\n omp_destroy_lock(&lock); /* here */",
        "omp_destroy_lock", "the lock is set",
    ),
    "destroyed-never-initialized": (
        IN_MAIN % "omp_destroy_lock(&lock); /* here */", "omp_destroy_lock", "the lock is not initialized",
    ),
    "destroyed-twice": (
        IN_MAIN % "omp_init_lock(&lock); omp_destroy_lock(&lock);\n omp_destroy_lock(&lock); /* here */",
        "omp_destroy_lock", "or destroyed already",
    ),
    "set-after-destroyed": (
        IN_MAIN % "omp_init_lock(&lock); omp_destroy_lock(&lock);\n omp_set_lock(&lock); /* here */",
        "omp_set_lock", "or destroyed already",
    ),
    "tested-after-destroyed": (
        IN_MAIN % "omp_init_lock(&lock); omp_destroy_lock(&lock);\n return omp_test_lock(&lock); /* here */",
        "omp_test_lock", "or destroyed already",
    ),
    "garbage-set": (
        IN_MAIN % "__builtin_memset(&lock, 0x5a, sizeof lock);\n omp_set_lock(&lock); /* here */",
        "omp_set_lock", "the lock is not initialized",
    ),
    "unset-that-is-free": (
        IN_MAIN % "omp_init_lock(&lock); omp_set_lock(&lock); omp_unset_lock(&lock);\n"
        "omp_unset_lock(&lock); /* here */",
        "omp_unset_lock", "the lock is not set",
    ),
    "nest-destroyed-while-set": (
        IN_MAIN % "omp_init_nest_lock(&nest); omp_set_nest_lock(&nest);\n omp_destroy_nest_lock(&nest); /* here */",
        "omp_destroy_nest_lock", "the lock is set",
    ),
    "nest-destroyed-twice": (
        IN_MAIN % "omp_init_nest_lock(&nest); omp_destroy_nest_lock(&nest);\n omp_destroy_nest_lock(&nest); /* here */",
        "omp_destroy_nest_lock", "or destroyed already",
    ),
    "nest-never-initialized": (
        IN_MAIN % "omp_set_nest_lock(&nest); /* here */", "omp_set_nest_lock", "call omp_init_nest_lock first",
    ),
    "nest-unset-by-another": (
        "int main(void) {\nomp_init_nest_lock(&nest); omp_set_nest_lock(&nest);\n#pragma omp parallel\n"
        "#pragma omp masked\n omp_unset_nest_lock(&nest); /* here */\n}\n",
        "omp_unset_nest_lock", "the task has not set the lock",
    ),
    "nest-unset-that-is-free": (
        IN_MAIN % "omp_init_nest_lock(&nest);\n omp_unset_nest_lock(&nest); /* here */",
        "omp_unset_nest_lock", "the task has not set the lock",
    ),
}  # fmt: skip


def built(text: str, folder: Path, compiler: str, *how: str) -> Path:
    (folder / "error.c").write_text(BEGIN + text)
    program = folder / "error"
    words = [*COMPILERS[".c"][compiler], OPENMP[compiler], *how, folder / "error.c", "-o", program]
    subprocess.run(words, check=True, capture_output=True)
    return program


# GCC's code does not say that a single ends, and has barriers of its own in loops.
OF_CLANG = {
    ("clang", "barrier-in-loop"): (BARRIER_IN_LOOP, IN_SHARING, "do not come to it"),
    ("clang", "barrier-in-single"): (BARRIER_IN_SINGLE, IN_SHARING, "put it behind the construct"),
    ("clang", "single-in-single"): (SINGLE_IN_SINGLE, SHARING_IN_SHARING, "the same team already"),
}
EACH = {(compiler, what): error for compiler in C_COMPILERS for what, error in ERRORS.items()} | OF_CLANG


@pytest.mark.parametrize(("compiler", "what"), EACH)
def test_an_error_ends_with_its_construct_and_line(
    environment: dict[str, str], tmp_path: Path, compiler: str, what: str
):
    text, construct, words = EACH[compiler, what]
    line = 1 + (BEGIN + text).split("/* here")[0].count("\n")
    status, said, _ = say(built(text, tmp_path, compiler, "-O1", "-g", "-fno-optimize-sibling-calls"), environment, 4)
    assert status == -signal.SIGABRT, said
    pattern = rf"weir: {construct} at error\.c:(\d+) \(.*\): .*{re.escape(words)}.* \[OpenMP 5\.2, "
    found = re.match(pattern, said)
    assert found, said
    # The compilers attribute the call at a construct's end to its beginning, or to the line behind it.
    assert int(found.group(1)) in (line, line + 1), said


@pytest.mark.parametrize("policy", ["active", "passive"])
def test_a_barrier_in_a_stolen_task_is_seen_however_members_wait(
    environment: dict[str, str], tmp_path: Path, policy: str
):
    program = built(ERRORS["static-loop-in-task"][0], tmp_path, "gcc")
    for _ in range(10):
        status, said, _ = say(program, environment | {"OMP_WAIT_POLICY": policy}, 4)
        assert status == -signal.SIGABRT and IN_TASK in said


@pytest.mark.parametrize("compiler", C_COMPILERS)
def test_without_debugging_information_the_place_is_an_address(
    environment: dict[str, str], tmp_path: Path, compiler: str
):
    """Which addr2line takes."""
    text = ERRORS["unset-that-is-free"][0]
    program = built(text, tmp_path, compiler, "-O1", "-rdynamic", "-fno-optimize-sibling-calls")
    status, said, _ = say(program, environment, 2)
    found = re.match(r"weir: omp_unset_lock at error\+(0x[0-9a-f]+) \(main\): ", said)
    assert status == -signal.SIGABRT and found, said
    disassembled = subprocess.run(["objdump", "-d", "--no-show-raw-insn", program], capture_output=True, text=True)
    address = int(found.group(1), 16)
    calls = {int(at, 16) for at in re.findall(r"^ *([0-9a-f]+):\tcall .*omp_unset_lock", disassembled.stdout, re.M)}
    assert any(at <= address < at + 5 for at in calls), (said, calls)


ZEROS = """
omp_lock_t zeros;
int main(void) {
  omp_set_lock(&zeros);
  omp_unset_lock(&zeros);
  omp_destroy_lock(&zeros);
  omp_lock_t other = {0};
  return omp_test_lock(&other) == 1 && omp_test_lock(&other) == 0 ? 0 : 1;
}
"""


def test_a_lock_of_zeros_is_free(environment: dict[str, str], tmp_path: Path):
    """As on GCC's runtime: programs run there that never initialize their static locks."""
    assert say(built(ZEROS, tmp_path, "gcc"), environment, 2)[0] == 0


# What resembles those errors, and is none: a critical construct of another name, or of the same in a thread that has
# left it; a team that begins inside of a construct; constructs of a team of one, which nobody shares.
HARMLESS = """
AWAY void constructs(void) {
#pragma omp single
  __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
#pragma omp for schedule(dynamic)
  for (int i = 0; i < 4; ++i) __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
#pragma omp barrier
}
AWAY void team(int members) {
#pragma omp parallel num_threads(members)
  constructs();
}
AWAY void enter(void) {
#pragma omp critical(b)
#pragma omp critical
  ++sum;
}
int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  for (int round = 0; round < 100; ++round) {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 4; ++i) team(1 + i % 2);
#pragma omp single
    {
#pragma omp task
      team(2);
#pragma omp task
      team(1);
      team(2);
#pragma omp taskwait
    }
    constructs();
#pragma omp critical(a)
    enter();
#pragma omp masked
#pragma omp taskgroup
#pragma omp task
    enter();
    constructs();
  }
#pragma omp for schedule(dynamic)
  for (int i = 0; i < 4; ++i) {
    enter();
    team(2);
  }
  puts("ok");
}
"""


@pytest.mark.parametrize("compiler", C_COMPILERS)
def test_what_only_resembles_an_error_goes_on(environment: dict[str, str], tmp_path: Path, compiler: str):
    status, said, _ = say(built(HARMLESS, tmp_path, compiler, "-O1"), environment, 4)
    assert status == 0 and said == "ok\n", said


WARNING = """
AWAY void complain(void) {
#pragma omp error at(execution) severity(warning) message("apples") /* here */
}
int main(void) {
  for (int i = 0; i < 500; ++i) complain();
#pragma omp error at(execution) severity(fatal) message("pears")
}
"""


@pytest.mark.parametrize(("compiler", "how"), [("gcc", "-g"), ("clang", "-g"), ("clang", "-O1")])
def test_the_error_directive_says_its_name_and_place(
    environment: dict[str, str], tmp_path: Path, compiler: str, how: str
):
    """GCC's code does not say it, and Clang's always."""
    program = built(WARNING, tmp_path, compiler, how, "-fno-optimize-sibling-calls")
    status, said, _ = say(program, environment, 2)
    line = 1 + (BEGIN + WARNING).split("/* here")[0].count("\n")
    warned = rf"weir: error directive at error\.c:{line} \(complain\): the program warns: apples"
    *warnings, last = said.splitlines()
    assert status == 1 and len(warnings) == 500 and re.fullmatch(warned, warnings[0]), said[:1000]
    assert set(warnings) == {warnings[0]}
    assert re.fullmatch(r"weir: error directive at error\S+ \(main\): the program ends itself: pears", last), last
