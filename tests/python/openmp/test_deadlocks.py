"""WEIR_DEADLOCKS: a team whose members all wait for each other is reported, with where each waits; no other team is."""

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .. import skips, thorough
from ..openmp_programs import C_COMPILERS, COMPILERS, OPENMP, say

pytestmark = skips.mark("own", "other runtimes do not look for deadlocks")

BEGIN = """
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#define AWAY __attribute__((noinline)) static
int sum, ready;
omp_lock_t lock;
AWAY void until_ready(int members) {
  while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) < members) usleep(100);
}
AWAY void meet(void) {
#pragma omp barrier /* barrier */
  ++sum;
}
"""
# One member waits at a barrier in a critical section that another one wants to enter.
CRITICAL = """
int main(void) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 1) {
#pragma omp critical(a)
      {
        __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
        meet();
      }
    } else {
      until_ready(1);
#pragma omp critical(a) /* critical */
      ++sum;
      meet();
    }
    ++sum;
  }
}
"""
MISMATCH = """
int main(void) {
#pragma omp parallel num_threads(3) /* region */
  {
    if (omp_get_thread_num() == 1) meet();
    ++sum;
  }
}
"""
# Nobody fulfils the event. The other member waits at the end of single, or of the region.
EVENT = """
int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp masked
  {
    omp_event_handle_t event;
#pragma omp task detach(event)
    ++sum;
#pragma omp taskwait /* taskwait */
    ++sum;
  }
}
"""
GROUP = EVENT.replace("#pragma omp taskwait /* taskwait */", "").replace(
    "#pragma omp task detach", "#pragma omp taskgroup\n#pragma omp task detach"
)
CRITICAL_IN_ITSELF = """
AWAY void enter(void) {
#pragma omp critical(a) /* critical */
  ++sum;
}
int main(void) {
#pragma omp critical(a)
  enter();
}
"""
LOCK = """
int main(void) {
  omp_init_lock(&lock);
  omp_set_lock(&lock);
  omp_set_lock(&lock); /* lock */
  return 0;
}
"""
DOACROSS = """
int main(void) {
#pragma omp parallel for ordered(1) num_threads(2) schedule(static, 1)
  for (int i = 0; i < 10; ++i) {
#pragma omp ordered depend(sink : i + 1) /* sink */
    ++sum;
#pragma omp ordered depend(source)
  }
  return 0;
}
"""
AHEAD = """
AWAY void loop(void) {
#pragma omp for nowait schedule(dynamic) /* loop */
  for (int i = 0; i < 10; ++i) ++sum;
}
int main(void) {
#pragma omp parallel num_threads(2) /* region */
  {
    if (omp_get_thread_num() == 1)
      for (int i = 0; i < 20; ++i) loop();
    ++sum;
  }
}
"""
NESTED = """
int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
#pragma omp parallel num_threads(2) if (omp_get_thread_num() == 1) /* region */
    {
      if (omp_get_team_size(2) == 2 && omp_get_thread_num() == 1) meet();
      ++sum;
    }
    meet();
    ++sum;
  }
}
"""
END, WORKER = "the end of the parallel region", "the end of the parallel region$"
# By what waits: the program, and of each member what it waits at; then the word on its line.
CASES = {
    "critical": (CRITICAL, [("a critical construct", "critical"), ("a barrier", "barrier")]),
    "mismatch": (MISMATCH, [(END, "region"), ("a barrier", "barrier"), (WORKER, None)]),
    "event": (EVENT, [("taskwait", "taskwait"), (WORKER, None)]),
    "group": (GROUP, [("the end of a taskgroup", None), (WORKER, None)]),
    "critical-in-itself": (CRITICAL_IN_ITSELF, [("a critical construct", "critical")]),
    "lock": (LOCK, [("omp_set_lock", "lock")]),
    "doacross": (DOACROSS, [("the iteration of a doacross loop", "sink")] * 2),
    "ahead": (AHEAD, [(END, "region"), ("a worksharing construct that is too far ahead", "loop")]),
    "nested": (NESTED, [(END, "region"), ("a barrier", "barrier")]),
}


def built(text: str, folder: Path, compiler: str) -> Path:
    (folder / "stuck.c").write_text(BEGIN + text)
    words = [*COMPILERS[".c"][compiler], OPENMP[compiler], "-O1", "-g", "-fno-optimize-sibling-calls"]
    subprocess.run([*words, folder / "stuck.c", "-o", folder / "stuck"], check=True, capture_output=True)
    return folder / "stuck"


def line_of(word: str, text: str) -> int:
    return 1 + (BEGIN + text).split(f"/* {word} */")[0].count("\n")


@pytest.mark.parametrize("what", CASES)
@pytest.mark.parametrize("compiler", C_COMPILERS[:1] + thorough.more(*C_COMPILERS[1:]))
def test_a_deadlock_is_told_member_by_member(environment: dict[str, str], tmp_path: Path, compiler: str, what: str):
    text, members = CASES[what]
    program = built(text, tmp_path, compiler)
    status, said, _ = say(program, environment | {"WEIR_DEADLOCKS": "end"}, 2)
    assert status == -signal.SIGABRT, said
    lines = said.splitlines()
    whose = "the thread waits" if len(members) == 1 else f"all {len(members)} members of a team wait"
    assert lines[0] == f"weir: deadlock: {whose}, and none can go on"
    assert len(lines) == len(members) + 2 and "WEIR_DEADLOCKS=end" in lines[-1], said
    threads = set()
    for number, (line, (construct, word)) in enumerate(zip(lines[1:], members, strict=False)):
        found = re.match(rf"weir:   member {number} \(thread (\d+)\) waits at {construct}", line)
        assert found, said
        threads.add(found.group(1))
        if word:
            place = re.search(r", stuck\.c:(\d+) \(.+\)$", line)
            assert place and int(place.group(1)) in range(line_of(word, text) - 1, line_of(word, text) + 3), said
    assert len(threads) == len(members)


def test_a_report_leaves_the_program_alone(environment: dict[str, str], tmp_path: Path):
    """It is given once, also where members shall wait awake, as they do on processors of their own."""
    program = built(DOACROSS, tmp_path, "gcc")
    how = environment | {"WEIR_DEADLOCKS": "report", "OMP_WAIT_POLICY": "active"}
    with subprocess.Popen([program], env=how, stderr=subprocess.PIPE, text=True) as process:
        assert "weir: deadlock" in process.stderr.readline()
        time.sleep(2)
        assert process.poll() is None
        process.kill()
        assert "weir: deadlock" not in process.communicate()[1]


def test_nothing_is_said_unless_it_is_asked_for(environment: dict[str, str], tmp_path: Path):
    with subprocess.Popen([built(MISMATCH, tmp_path, "gcc")], env=environment, stderr=subprocess.PIPE) as process:
        time.sleep(2.5)
        process.kill()
        assert process.communicate()[1] == b""


# Each member waits for longer than two looks take, and is released by one that computes, sleeps, or is no member.
LONG = """
AWAY void *fulfil(void *event) {
  for (int i = 0; i < 20; ++i) usleep(100000);
  omp_fulfill_event((omp_event_handle_t)(size_t)event);
  return NULL;
}
AWAY void *unset(void *unused) {
  for (double end = omp_get_wtime() + 2; omp_get_wtime() < end;) {}
  omp_unset_lock(&lock);
  return unused;
}
int main(void) {
  pthread_t thread;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(3)
  {
    if (omp_get_thread_num() == 1) sleep(2);
    meet();
    if (omp_get_thread_num() == 2)
      for (double end = omp_get_wtime() + 2; omp_get_wtime() < end;) {}
    meet();
#pragma omp single
    {
      omp_event_handle_t event;
#pragma omp task detach(event)
      ++sum;
      pthread_create(&thread, NULL, fulfil, (void *)(size_t)event);
#pragma omp taskwait
      pthread_join(thread, NULL);
    }
#pragma omp single
    for (int i = 0; i < 8; ++i)
#pragma omp task
      for (double end = omp_get_wtime() + 1; omp_get_wtime() < end;) {}
  }
  omp_set_lock(&lock);
  pthread_create(&thread, NULL, unset, NULL);
  omp_set_lock(&lock);
  pthread_join(thread, NULL);
  puts("ok");
}
"""


@pytest.mark.parametrize("compiler", ["gcc", *thorough.more("clang")])
def test_long_waits_that_end_are_no_deadlocks(environment: dict[str, str], tmp_path: Path, compiler: str):
    status, said, _ = say(built(LONG, tmp_path, compiler), environment | {"WEIR_DEADLOCKS": "end"}, 3)
    assert (status, said) == (0, "ok\n")


# Until it is told.
OUTSIDE = """
AWAY void *fulfil(void *event) {
  char byte;
  while (read(0, &byte, 1) > 0) continue;
  omp_fulfill_event((omp_event_handle_t)(size_t)event);
  return NULL;
}
int main(void) {
  pthread_t thread;
#pragma omp parallel num_threads(2)
#pragma omp masked
  {
    omp_event_handle_t event;
#pragma omp task detach(event)
    ++sum;
    pthread_create(&thread, NULL, fulfil, (void *)(size_t)event);
#pragma omp taskwait
    ++sum;
  }
  pthread_join(thread, NULL);
  puts("ok");
}
"""


def test_a_sleeping_thread_may_release_the_team(environment: dict[str, str], tmp_path: Path):
    """It is reported, and the program is not ended."""
    how = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    end = environment | {"WEIR_DEADLOCKS": "end", "OMP_NUM_THREADS": "2"}
    with subprocess.Popen([built(OUTSIDE, tmp_path, "gcc")], env=end, **how) as process:
        told = []
        while not told or "outside of the team" not in told[-1]:
            told.append(process.stderr.readline())
            assert told[-1], told
        assert "threads outside of the team that have slept meanwhile, and may release it: 1\n" in told[-1]
        assert process.communicate(timeout=300)[0] == "ok\n"
    assert process.returncode == 0


FORKED = MISMATCH.replace("int main(void) {", "#include <sys/wait.h>\nint main(void) {\n" """
#pragma omp parallel num_threads(2)
  ++sum;
  if (fork() != 0) {
    int status;
    wait(&status);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }""")  # fmt: skip


def test_a_forked_child_is_looked_at_as_well(environment: dict[str, str], tmp_path: Path):
    status, said, _ = say(built(FORKED, tmp_path, "gcc"), environment | {"WEIR_DEADLOCKS": "end"}, 2)
    assert status == signal.SIGABRT and said.count("weir: deadlock: all 3 members") == 1


@pytest.mark.parametrize("other", [["--compare"], ["--mpi"], ["--check"]])
def test_weir_run_does_not_look_where_it_does_not_run(other: list[str]):
    command = [sys.executable, "-m", "weir", "run", "--deadlocks", "report", *other, "--", "true"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2 and "--deadlocks does not go with" in " ".join(done.stderr.split())


def test_weir_run_asks_for_it(tmp_path: Path):
    program = built(LOCK, tmp_path, "gcc")
    command = [sys.executable, "-m", "weir", "run", "--deadlocks", "end", "--", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == -signal.SIGABRT and "weir: deadlock: the thread waits" in done.stderr
