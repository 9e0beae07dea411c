"""How many processors a program hears of under `weir run`: as many as it can use, wherever it asks."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from weir.openmp.situation import limited
from weir.run import starting

from .. import retries, skips
from .test_run import compiled

HERE = sorted(os.sched_getaffinity(0))
ASKS = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>
static void allowed(void) { /* what the kernel says */
  char line[4096];
  FILE *status = fopen("/proc/thread-self/status", "r");
  while (fgets(line, sizeof line, status))
    if (strncmp(line, "Cpus_allowed_list:", 18) == 0) printf("allowed %s", line + 19);
  fclose(status);
}
int main(int count, char **words) {
  cpu_set_t mine, threads, called, before;
  memset(&called, 0, sizeof called);
  sched_getaffinity(0, sizeof mine, &mine);
  pthread_getaffinity_np(pthread_self(), sizeof threads, &threads);
  syscall(SYS_sched_getaffinity, 0, sizeof called, &called);
  printf("onln %ld\nconf %ld\n", sysconf(_SC_NPROCESSORS_ONLN), sysconf(_SC_NPROCESSORS_CONF));
  printf("nprocs %d\nnprocs_conf %d\n", get_nprocs(), get_nprocs_conf());
  printf("mask %d\nsame %d\n", CPU_COUNT(&mine), CPU_EQUAL(&mine, &threads) && CPU_EQUAL(&mine, &called));
  if (count > 1) { /* as a program that binds itself to each processor in turn, and restores its mask */
    before = mine;
    for (int p = 0; p < CPU_SETSIZE; ++p)
      if (CPU_ISSET(p, &before) && CPU_COUNT(&before) > 1) {
        CPU_ZERO(&mine);
        CPU_SET(p, &mine);
        sched_setaffinity(0, sizeof mine, &mine);
        sched_getaffinity(0, sizeof threads, &threads);
        printf("bound %d\n", CPU_EQUAL(&mine, &threads) && sched_getcpu() == p);
      }
    sched_setaffinity(0, sizeof before, &before);
  }
  allowed();
  return 0;
}
"""
OPENMP = r"""
#include <omp.h>
#include <stdio.h>
int main(void) {
  int threads = 0;
#pragma omp parallel reduction(+ : threads)
  ++threads;
  printf("procs %d\nthreads %d\n", omp_get_num_procs(), threads);
  return 0;
}
"""
CONCURRENCY = r"""
#include <cstdio>
#include <thread>
int main() { std::printf("%u\n", std::thread::hardware_concurrency()); }
"""

BOUND = r"""
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static void *ask(void *name) {
  char line[4096];
  FILE *status = fopen("/proc/thread-self/status", "r");
  while (fgets(line, sizeof line, status))
    if (strncmp(line, "Cpus_allowed_list:", 18) == 0) printf("%s_allowed %s", (char *)name, line + 19);
  fclose(status);
  printf("%s_hears %ld\n", (char *)name, sysconf(_SC_NPROCESSORS_ONLN));
  return NULL;
}
static void begin(const char *name, const cpu_set_t *mask) {
  pthread_attr_t how;
  pthread_t thread;
  pthread_attr_init(&how);
  pthread_attr_setaffinity_np(&how, sizeof *mask, mask);
  pthread_create(&thread, &how, ask, (void *)name);
  pthread_join(thread, NULL);
}
int main(void) {
  cpu_set_t mask;
  int members = 0;
#pragma omp parallel reduction(+ : members)
  ++members;
  CPU_ZERO(&mask);
  CPU_SET(sched_getcpu(), &mask);
  begin("bound", &mask);
  sched_getaffinity(0, sizeof mask, &mask);
  begin("heard", &mask);
  printf("members %d\nprocs %d\n", members, omp_get_num_procs());
  return 0;
}
"""

RUST = 'fn main() { println!("{}", std::thread::available_parallelism().unwrap()); }'
# Loads the library on one processor while it may use all, and says which ones it hears of then.
LOADS = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
  cpu_set_t all, one, heard;
  int (*ask)(int, size_t, cpu_set_t *), first = atoi(words[count - 1]);
  sched_getaffinity(0, sizeof all, &all);
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  sched_setaffinity(0, sizeof one, &one);
  sched_setaffinity(0, sizeof all, &all);
  int before = sched_getcpu();
  void *library = dlopen(words[1], RTLD_NOW);
  *(void **)&ask = library ? dlsym(library, "sched_getaffinity") : NULL;
  if (!ask || ask(0, sizeof heard, &heard) != 0) return fprintf(stderr, "%s\n", dlerror()), 1;
  printf("stayed %d\nheard ", before == first && sched_getcpu() == first);
  for (int p = 0; p < CPU_SETSIZE; ++p)
    if (CPU_ISSET(p, &heard)) printf("%d,", p);
  printf("\n");
  return 0;
}
"""


@pytest.fixture(scope="module")
def asks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(ASKS, tmp_path_factory.mktemp("heard") / "asks")


def heard(*words: object, kept: Mapping[str, str] = os.environ, before: tuple[str, ...] = ()) -> dict[str, str]:
    done = subprocess.run([*before, *map(str, words)], capture_output=True, text=True, env=dict(kept))
    assert done.returncode == 0, done.stderr
    return dict(line.split() for line in done.stdout.splitlines())


def weir(*options: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "weir", "run", *options, "--")


ALL = {"onln": str(len(HERE)), "mask": str(len(HERE)), "nprocs": str(len(HERE)), "same": "1"}


def counts(said: Mapping[str, str]) -> dict[str, str]:
    return {name: said[name] for name in ALL}


def test_a_mask_is_what_all_who_ask_hear(asks: Path):
    said = heard(*weir(), asks, before=("taskset", "-c", str(HERE[-1])))
    assert counts(said) == {"onln": "1", "mask": "1", "nprocs": "1", "same": "1"} and said["allowed"] == str(HERE[-1])
    assert said["conf"] == said["nprocs_conf"] == str(HERE[-1] + 1), (
        "an array of so many may be indexed by sched_getcpu"
    )


@skips.mark("quota")
def test_under_a_quota_it_is_the_quota_and_the_kernel_may_still_use_all(asks: Path):
    with limited(1.0) as members:
        inside = ("/bin/sh", "-c", f'echo $$ >"{members}" && exec "$@"', "sh")
        said = heard(*inside, *weir(), asks, "binds")
        plain = heard(*inside, asks)
    assert counts(said) == {"onln": "1", "mask": "1", "nprocs": "1", "same": "1"}
    assert said["allowed"] == plain["allowed"], "who sets the mask that it has heard is not bound"
    assert plain["mask"] == ALL["mask"]


@skips.mark("processors")
def test_the_option_and_the_variable_say_how_many(asks: Path):
    assert heard(*weir("--processors", "machine"), asks) == heard(asks)
    for words in (weir("--processors", "auto"), weir("--processors", "999")):
        assert counts(heard(*words, asks)) == ALL
    assert heard(*weir("--processors", "1"), asks)["onln"] == "1"
    assert heard(*weir(), asks, kept=os.environ | {starting.PROCESSORS: "1"})["onln"] == "1"
    assert (
        heard(*weir("--processors", "auto"), asks, kept=os.environ | {starting.PROCESSORS: "1"})["onln"] == ALL["onln"]
    )


@skips.mark("processors")
def test_a_program_that_binds_itself_is_bound(asks: Path):
    done = subprocess.run([*weir(), asks, "binds"], capture_output=True, text=True, check=True)
    assert done.stdout.count("bound 1") == len(HERE) and "bound 0" not in done.stdout


@skips.mark("processors")
def test_a_bound_thread_that_asks_first_hears_what_all_hear(tmp_path: Path):
    program, all_of_them = compiled(BOUND, tmp_path / "bound", "-fopenmp", "-pthread"), str(len(HERE))
    said = heard(*weir(), program)
    assert said["bound_hears"] == said["heard_hears"] == all_of_them
    said = heard(*weir("--processors", "1"), program)
    assert said["bound_hears"] == said["heard_hears"] == "1"
    assert said["heard_allowed"] == heard(program)["heard_allowed"], "who begins with the mask heard is not bound"


@skips.mark("processors")
@pytest.mark.parametrize("binds", ["false", "true"])
def test_teams_that_are_bound_leave_the_number_as_it_is(binds: str, tmp_path: Path):
    program, all_of_them = compiled(BOUND, tmp_path / "bound", "-fopenmp", "-pthread"), str(len(HERE))
    plain = {n: v for n, v in os.environ.items() if n != starting.PROCESSORS} | {"OMP_PROC_BIND": binds}
    # Preloaded alone, where libgomp is loaded, too: its constructor binds the first thread.
    alone = plain | {"LD_PRELOAD": str(starting.library())}
    for said in (
        heard(*weir(), program, kept=plain),
        heard(program, kept=alone),
        heard(program, kept=alone | {starting.PROCESSORS: "auto"}),
    ):
        assert said["members"] == said["procs"] == said["bound_hears"] == all_of_them


@skips.mark("processors")
def test_tools_that_set_masks_hear_the_truth(asks: Path, tmp_path: Path):
    for name, says in (("taskset", len(HERE)), ("mpiexec.hydra", len(HERE)), ("program", 1)):
        tool = tmp_path / name
        tool.symlink_to(asks)
        assert heard(*weir("--processors", "1"), tool)["onln"] == str(says), name
    said = heard(*weir("--processors", "1"), "taskset", "-c", HERE[-1], asks)
    assert said["allowed"] == str(HERE[-1])


@skips.mark("processors")
@pytest.mark.parametrize("first", [HERE[0], HERE[-1]])
def test_the_mask_that_is_heard_begins_where_the_library_was_loaded(first: int, tmp_path: Path):
    """Two containers with a quota, whose programs bind themselves to what they hear, are not both on the first one."""
    program, one = compiled(LOADS, tmp_path / "loads"), os.environ | {starting.PROCESSORS: "1"}
    for _ in retries.tries("stays", 100):
        said = heard(program, starting.library(), first, kept=one)
        if said["stayed"] == "1":
            break
    assert said == {"stayed": "1", "heard": f"{first},"}


@skips.mark("processors")
def test_openmp_hears_it_too(tmp_path: Path):
    program = compiled(OPENMP, tmp_path / "openmp", "-fopenmp")
    plain = {n: v for n, v in os.environ.items() if n != "OMP_NUM_THREADS"}
    assert heard(*weir("--processors", "1"), program, kept=plain) == {"procs": "1", "threads": "1"}
    assert heard(*weir(), program, kept=plain) == {"procs": ALL["mask"], "threads": ALL["mask"]}


@skips.mark("processors")
def test_languages_hear_it(tmp_path: Path):
    threads = tmp_path / "threads.cpp"
    threads.write_text(CONCURRENCY)
    subprocess.run(["g++", threads, "-o", tmp_path / "threads"], check=True)
    python = "import joblib, os; print(os.cpu_count(), len(os.sched_getaffinity(0)), joblib.cpu_count())"
    for words, says in ((["nproc"], "1"), ([tmp_path / "threads"], "1"), ([sys.executable, "-c", python], "1 1 1")):
        done = subprocess.run([*weir("--processors", "1"), *words], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == says, words


@skips.mark("processors")
@skips.mark("rust")
def test_rust_hears_it(tmp_path: Path):
    (tmp_path / "threads.rs").write_text(RUST)
    subprocess.run(["rustc", tmp_path / "threads.rs", "-o", tmp_path / "threads"], check=True)
    for words, says in ((weir("--processors", "1"), 1), (weir(), len(HERE))):
        done = subprocess.run([*words, tmp_path / "threads"], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == str(says), words


def test_without_the_variable_the_library_says_the_truth(asks: Path):
    plain = {n: v for n, v in os.environ.items() if n != starting.PROCESSORS}
    said = heard(asks, kept=plain | {"LD_PRELOAD": str(starting.library())}, before=("taskset", "-c", str(HERE[0])))
    assert said == heard(asks, kept=plain, before=("taskset", "-c", str(HERE[0])))
