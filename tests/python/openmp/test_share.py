"""Programs that divide the processors of the node: WEIR_SHARE=node. Two processors, whatever the machine has."""

import contextlib
import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from .. import skips
from ..conftest import eventually
from ..openmp_programs import SOURCES, Builds, Program
from ..sharing_programs import PATIENCE, PROCESSORS, SHARING, Programs, Running

pytestmark = [skips.mark("own", "other runtimes do not share"), skips.mark("processors")]
CONFINED = SOURCES.parent / "confined.c"


KINDS = {"regions": (), "one region": ("lasting",)}


# Two members have processors of their own while the program is alone.
@pytest.mark.parametrize("members", ["2", "4"])
@pytest.mark.parametrize("kind", KINDS)
def test_programs_take_no_more_processors_than_they_are_granted(
    programs: Programs, place: Path, kind: str, members: str
):
    first = programs.start(*KINDS[kind], OMP_NUM_THREADS=members)
    first.until(2)
    second = programs.start(*KINDS[kind], OMP_NUM_THREADS=members)
    first.until(1)
    second.until(1)
    assert first.end() == ""
    second.until(2)
    assert second.end() == ""
    assert list(place.iterdir()) == []


def test_a_killed_program_leaves_its_processors(programs: Programs, place: Path):
    first, second = programs.start(), programs.start()
    first.until(1)
    second.until(1)
    second.process.kill()
    first.until(2)
    assert len(list(place.iterdir())) == 1


def test_a_stopped_program_lends_its_processors(programs: Programs):
    first, second = programs.start(), programs.start()
    first.until(1)
    second.process.send_signal(signal.SIGSTOP)
    first.until(2)
    second.process.send_signal(signal.SIGCONT)
    first.until(1)


def test_an_idle_program_lends_its_processors(programs: Programs):
    first, second = programs.start(), programs.start()
    first.until(1)
    second.line()
    second.until("waits")
    first.until(2)
    second.line()
    first.until(1)
    second.until(1)


def test_four_programs_on_two_processors_have_one_each(programs: Programs):
    four = [programs.start() for _ in range(4)]
    for running in four:
        running.until(1)
    for running in four[:3]:
        assert running.end() == ""
    four[3].until(2)


def sleeps(process: int) -> bool:
    """Has the first thread slept in all of this time, without a wake-up?"""
    seen = set()
    for _ in range(5):
        status = Path(f"/proc/{process}/status").read_text().splitlines()
        seen.add(tuple(line for line in status if line.startswith(("State:", "voluntary_ctxt_switches:"))))
        time.sleep(0.01)
    return len(seen) == 1 and "S (sleeping)" in str(seen)


@pytest.mark.parametrize("kind", KINDS)
def test_a_program_with_less_than_a_processor_waits_for_its_turn(programs: Programs, kind: str):
    heavy = [programs.start(*KINDS[kind], WEIR_WEIGHT="100") for _ in range(2)]
    light = programs.start(*KINDS[kind], OMP_NUM_THREADS="2")
    for running in [*heavy, light]:
        running.until(1)
    end = time.monotonic() + PATIENCE
    while not sleeps(light.process.pid):
        assert time.monotonic() < end
    for running in heavy:
        assert running.end() == ""
    light.until(2)
    assert light.end() == ""


def test_ranks_do_not_wait_for_their_turn(programs: Programs):
    """They wait for each other."""
    heavy = [programs.start(WEIR_WEIGHT="100") for _ in range(2)]
    rank = programs.start(OMP_NUM_THREADS="2", PMI_RANK="0")
    for running in [*heavy, rank]:
        running.until(1)
    assert not any(sleeps(rank.process.pid) for _ in range(20))


def test_a_fork_leaves_the_entry_to_its_parent(environment: dict[str, str], place: Path, tmp_path: Path):
    text = """
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static void region(void) {
#pragma omp parallel num_threads(2)
  usleep(1000);
}
int main(void) {
  region();
  puts("begun");
  fflush(stdout);
  getchar();
  if (fork() == 0) { region(); exit(0); }
  wait(NULL);
  puts("forked");
  fflush(stdout);
  getchar();
  return 0;
}
"""
    (tmp_path / "forks.c").write_text(text)
    subprocess.run(["gcc", "-fopenmp", tmp_path / "forks.c", "-o", tmp_path / "forks"], check=True)
    own = environment | {"WEIR_SHARE": "node", "WEIR_SHARE_DIR": str(place)}
    running = Running(tmp_path / "forks", own)
    running.until("begun")
    eventually(lambda: list(place.iterdir()))
    running.line()
    running.until("forked")
    assert [file.name.split("-")[1] for file in place.iterdir()] == [str(running.process.pid)]
    assert running.end() == ""
    assert list(place.iterdir()) == []


# ---- a table that cannot be used


@pytest.mark.parametrize(
    ("spoil", "word"),
    [
        (lambda place: place.rmdir(), "No such file or directory"),
        (lambda place: place.chmod(0o777), "other users may remove files"),
        (lambda place: (place.rmdir(), place.write_text("garbage")), "Not a directory"),
    ],
)
def test_a_table_that_cannot_be_used_is_told_of(programs: Programs, place: Path, spoil, word: str):
    spoil(place)
    first = programs.start()
    first.until(2)
    said = first.end()
    begin, end = said.splitlines()
    assert "WEIR_SHARE=node: the processors are not shared: " in begin and word in begin
    assert end == begin.replace("the processors are", "in the end the processors were")


@skips.mark("root")
def test_a_folder_of_another_user_is_told_of(programs: Programs, place: Path):
    os.chown(place, 12345, 12345)
    first = programs.start()
    first.until(2)
    assert "belongs to user 12345" in first.end()


REFUSES = """
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int count, char **words) {
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {4, rules};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) return 1;
  return execv(words[1], words + 1);
}
"""


def test_without_files_of_its_own_the_watch_writes_none(environment: dict, builds: Builds, place: Path, tmp_path: Path):
    """It would write into what the program opens by the same number."""
    (tmp_path / "refuses.c").write_text(REFUSES)
    subprocess.run(["gcc", tmp_path / "refuses.c", "-o", tmp_path / "refuses"], check=True)
    own = {"OMP_NUM_THREADS": "4", "WEIR_SHARE": "node", "WEIR_SHARE_DIR": str(place), "WEIR_ADAPT": "false"}
    alone = Running(builds.get(SHARING), environment | own, launcher=(str(tmp_path / "refuses"),))
    alone.until(2)
    said = alone.end()
    assert "in the end the processors were not shared: the system refuses a thread files of its own" in said, said
    assert not list(place.iterdir())


def test_garbage_in_the_table_is_passed_over(programs: Programs, place: Path):
    (place / "program-1-1-1").write_bytes(os.urandom(352))
    (place / "program-2-1-1").symlink_to("/dev/zero")
    os.mkfifo(place / "program-3-1-1")
    first, second = programs.start(), programs.start()
    first.until(1)
    for file in place.iterdir():
        if file.is_file() and not file.is_symlink():
            os.truncate(file, 7)
            file.unlink()
    second.end()
    first.until(2)
    assert first.end() == ""


# ---- threads that Weir does not switch


@pytest.fixture
def confined(programs: Programs, builds: Builds) -> Programs:
    programs.program = builds.get(Program(CONFINED, "gcc"))
    return programs


# `all`: the program creates more threads than there are processors, and they become members.
@pytest.mark.parametrize(
    ("what", "threads"), [("team", "kernel"), ("threads", "kernel"), ("threads", "auto"), ("threads", "all")]
)
def test_kernel_threads_keep_to_the_processors_that_are_granted(confined: Programs, what: str, threads: str):
    first = confined.start(what, WEIR_THREADS=threads)
    first.until(2)
    second = confined.start(what, WEIR_THREADS=threads)
    first.until(1)
    second.until(1)
    assert first.end() == ""
    second.until(2)
    assert second.end() == ""


STARTS = ("posix_spawn", "posix_spawnp", "system", "popen", "vfork", "fork", "exec", "execl")


@pytest.mark.parametrize("threads", ["kernel", "all"])
@pytest.mark.parametrize("how", STARTS)
def test_a_program_that_a_confined_thread_starts_has_all_processors(
    programs: Programs, builds: Builds, how: str, threads: str
):
    programs.start().until(2)
    programs.program = builds.get(Program(SOURCES.parent / "starts.c", "gcc"))
    first = programs.start(how, WEIR_THREADS=threads)
    assert first.until(2).count("1") == 0
    assert first.end() == ""


def test_threads_of_a_program_have_as_many_virtual_processors_as_are_granted(programs: Programs):
    first = programs.start("threads", WEIR_THREADS="all")
    first.until(2)
    second = programs.start("threads", WEIR_THREADS="all")
    first.until(1)
    second.until(1)
    assert first.end() == ""
    second.until(2)


def test_a_stopped_program_of_kernel_threads_lends_its_processors(confined: Programs):
    first, second = (confined.start("team", WEIR_THREADS="kernel") for _ in range(2))
    first.until(1)
    second.process.send_signal(signal.SIGSTOP)
    first.until(2)
    second.process.send_signal(signal.SIGCONT)
    first.until(1)


@pytest.mark.parametrize("launcher", ["PMI_RANK", "OMPI_COMM_WORLD_RANK"])
def test_a_rank_with_one_thread_has_one_processor(confined: Programs, launcher: str):
    first = confined.start("team", WEIR_THREADS="kernel")
    first.until(2)
    rank = confined.start("alone", **{launcher: "0"})
    first.until(1)
    assert rank.end() == ""
    first.until(2)


def test_a_team_that_is_bound_is_told_of(confined: Programs):
    first = confined.start("team", OMP_PROC_BIND="true")
    first.until(1)
    assert "WEIR_SHARE=node: teams are bound to places" in first.end()


# ---- the watch


def test_a_table_that_is_made_again_is_found(programs: Programs, place: Path):
    first, second = programs.start(), programs.start()
    first.until(1)
    shutil.rmtree(place)
    first.until(2)
    place.mkdir(mode=0o700)
    first.until(1)
    second.until(1)


@skips.mark("root")
def test_without_proc_a_process_ends_with_its_threads_and_says_what_is_missing(
    environment: dict[str, str], place: Path, tmp_path: Path
):
    """Its first thread ends first."""
    text = """
#include <omp.h>
#include <pthread.h>
#include <unistd.h>
static void *wait(void *unused) {
  char line[64];
  if (omp_get_max_threads() > 0)
    while (read(0, line, sizeof line) > 0) continue;
  return unused;
}
int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, wait, NULL);
  pthread_exit(NULL);
}
"""
    (tmp_path / "lasts.c").write_text(text)
    subprocess.run(["gcc", "-fopenmp", tmp_path / "lasts.c", "-o", tmp_path / "lasts"], check=True)
    own = environment | {"OMP_NUM_THREADS": "2", "WEIR_SHARE": "node", "WEIR_SHARE_DIR": str(place)}
    words = ["unshare", "--mount", "sh", "-c", f"mount -t tmpfs none /proc && exec {tmp_path / 'lasts'}"]
    running = subprocess.Popen(words, env=own, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    missing = running.stderr.readline()
    _, more = running.communicate(timeout=PATIENCE)
    assert running.returncode == 0 and "/proc/self/task: No such file or directory" in missing, missing + more


def test_the_environment_is_read_at_the_start(confined: Programs, place: Path):
    first = confined.start("team", "elsewhere", WEIR_THREADS="kernel")
    first.until(2)
    end = time.monotonic() + PATIENCE
    while not list(place.iterdir()):
        assert time.monotonic() < end
    assert first.end() == ""


def test_a_watch_without_memory_looks_again(programs: Programs, builds: Builds):
    programs.program = builds.get(Program(SOURCES.parent / "starved.c", "gcc"))
    first = programs.start(WEIR_THREADS="kernel")
    first.until("starved")
    assert first.end() == ""


FEWER = "weir: WEIR_SHARE=node: the program may use 1 of its 2 processors now\n"


def bind(running: Running, processors: list[int] | None = None) -> None:
    """All threads of the process, as an administrator does; None: each to any."""
    for task in Path(f"/proc/{running.process.pid}/task").iterdir():
        with contextlib.suppress(ProcessLookupError):  # it has ended since
            affinity = processors or random.choice([PROCESSORS, PROCESSORS[:1], PROCESSORS[1:]])
            os.sched_setaffinity(int(task.name), affinity)


def test_masks_may_change_while_seats_are_chosen(programs: Programs):
    first, second = programs.start(), programs.start("lasting")
    first.until(1)
    end = time.monotonic() + 1
    while time.monotonic() < end:
        for running in (first, second):
            bind(running)
    for running in (first, second):
        bind(running, PROCESSORS)
    assert first.end() in ("", FEWER)
    second.until(2)
    assert second.end() in ("", FEWER)


@pytest.mark.parametrize(("kind", "threads"), [("regions", "auto"), ("regions", "user"), ("one region", "user")])
def test_without_sharing_too_teams_follow_their_masks(programs: Programs, kind: str, threads: str):
    alone = programs.start(*KINDS[kind], WEIR_SHARE="off", WEIR_THREADS=threads, OMP_NUM_THREADS="2")
    alone.until(2)
    bind(alone, PROCESSORS[:1])
    alone.until(1)
    bind(alone, PROCESSORS)
    alone.until(2)
    assert alone.end() == ""


def test_a_processor_that_a_team_gets_in_its_region_has_nothing_of_a_member(programs: Programs):
    one = ("taskset", "--cpu-list", str(PROCESSORS[0]))
    own = {"WEIR_SHARE": "off", "WEIR_THREADS": "user", "OMP_NUM_THREADS": "4"}
    alone = programs.start("lasting", "nice", launcher=one, **own)
    alone.until(1)
    bind(alone, PROCESSORS)
    alone.until(2)
    tasks = Path(f"/proc/{alone.process.pid}/task").iterdir()
    assert sum(os.getpriority(os.PRIO_PROCESS, int(task.name)) == 5 for task in tasks) == 1
    assert alone.end() == ""


def test_a_team_of_kernel_threads_follows_its_mask_in_a_region_that_lasts(programs: Programs):
    own = {"WEIR_SHARE": "off", "WEIR_THREADS": "auto", "WEIR_ADAPT": "true", "OMP_NUM_THREADS": "2"}
    alone = programs.start("lasting", **own)
    alone.until(2)
    bind(alone, PROCESSORS[:1])
    alone.until(1)
    bind(alone, PROCESSORS)  # it may stay there, beside other programs
    assert alone.end() == ""


def test_a_program_that_may_use_fewer_processors_says_so_once(programs: Programs):
    first = programs.start()
    first.until(2)
    for _ in range(2):
        bind(first, PROCESSORS[:1])
        first.until(1)
        bind(first, PROCESSORS)
        first.until(2)
    assert first.end() == FEWER
