"""docs/threads-functions.md has each function of the C library that Weir's library replaces, and no other. Weir
finds them in the version that programs are linked with today."""

import os
import platform
import re
import subprocess
from collections import Counter
from pathlib import Path

from weir.base import native
from weir.run import starting

from .. import skips
from ..run.test_run import compiled
from .test_calls import symbols

pytestmark = skips.mark("own", "another runtime stands before no function of the C library")

# Programs ask an OpenMP runtime for these, and AddressSanitizer for its options.
OPENMPS = re.compile(r"(GOMP|GOACC|omp|ompc|ompt|__kmpc|kmp|kmpc|weir_lacks)_|__asan_default_options$")
OF_X86 = {"iopl", "ioperm"}


def listed() -> list[str]:
    """Those in the first column of the tables."""
    text = (native.REPOSITORY / "docs" / "threads-functions.md").read_text()
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    return [name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])]


def test_each_replaced_function_is_in_the_tables_once_and_no_other_is(runtime: Path):
    exported = {name for kind, name in symbols(runtime, "-D", "--defined-only") if kind != "A"}
    replaced = {name for name in exported if not OPENMPS.match(name)}
    said = listed()
    assert not [name for name, times in Counter(said).items() if times > 1]
    assert set(said) - (OF_X86 if platform.machine() != "x86_64" else set()) == replaced


def test_each_is_cancelled_at_its_instructions_or_it_is_said_why_not():
    text = (native.REPOSITORY / "tests/threads/posix/replaced_functions.hpp").read_text()
    assert not set(listed()) - set(re.findall(r"\w+", text))


# As the C library's dlsym() before version 2.36.
FINDS_OLDEST = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
void *dlsym(void *handle, const char *name) {
  static const char *const versions[] = {"GLIBC_2.2.5", "GLIBC_2.3.2", "GLIBC_2.3.3", "GLIBC_2.3.4"};
  void *library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), *found = NULL;
  void *(*its)(void *, const char *) = (void *(*)(void *, const char *))dlvsym(library, "dlsym", "GLIBC_2.34");
  if (handle != RTLD_NEXT) return its(handle, name);
  for (int v = 0; v < 4 && found == NULL; ++v) found = dlvsym(library, name, versions[v]);
  return found != NULL ? found : its(library, name);
}
const char *gnu_get_libc_version(void) { return "2.35"; }
"""
ASKS = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>
int main(void) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  int failed = sched_getaffinity(0, sizeof mask, &mask);
  printf("%d %d\n", failed, CPU_COUNT(&mask));
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_condattr_t by;
  pthread_cond_t never;
  struct timespec now;
  pthread_condattr_init(&by);
  pthread_condattr_setclock(&by, CLOCK_MONOTONIC);
  pthread_cond_init(&never, &by);
  clock_gettime(CLOCK_MONOTONIC, &now);
  pthread_mutex_lock(&mutex);
  printf("%d\n", pthread_cond_timedwait(&never, &mutex, &now) == ETIMEDOUT);
  return 0;
}
"""


def test_functions_are_found_in_their_default_version_where_the_c_library_looks_for_the_oldest(
    runtime: Path, tmp_path: Path
):
    asks = compiled(ASKS, tmp_path / "asks", "-pthread")
    oldest = compiled(FINDS_OLDEST, tmp_path / "oldest.so", "-shared", "-fPIC")
    plain = starting.without_settings()
    said = [
        subprocess.run([asks], env=plain | {"LD_PRELOAD": preload}, capture_output=True, text=True, timeout=300).stdout
        for preload in ("", f"{oldest}:{runtime}")
    ]
    assert said[0] == said[1] == f"0 {len(os.sched_getaffinity(0))}\n1\n"
