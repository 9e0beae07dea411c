"""A program's sched_yield on virtual processors reaches the members of its team. Counted is how often it has to ask."""

import os
import subprocess
from pathlib import Path

import pytest

from weir.base import native
from weir.run import starting

HANDOVERS = 4000
# Two members pass a turn back and forth, as OpenBLAS's wait for each other.
PROGRAM = f"""
#include <omp.h>
#include <sched.h>
#include <stdio.h>
int main(void) {{
  int turn = 0;
  long asked = 0;
#pragma omp parallel num_threads(2) reduction(+ : asked)
  for (int mine = omp_get_thread_num(); mine < {HANDOVERS}; mine += 2) {{
    for (; __atomic_load_n(&turn, __ATOMIC_ACQUIRE) != mine; asked++) sched_yield();
    __atomic_store_n(&turn, mine + 1, __ATOMIC_RELEASE);
  }}
  printf("%ld\\n", asked);
}}
"""


@pytest.mark.parametrize("threads", ["kernel", "user", "auto"])
def test_a_yield_of_the_program_reaches_its_members(threads: str, tmp_path: Path):
    runtime = native.library(starting.LIBRARY)
    assert runtime is not None, "libgomp-weir.so is not built: make build"
    (tmp_path / "turns.c").write_text(PROGRAM)
    subprocess.run(["gcc", "-O1", "-fopenmp", tmp_path / "turns.c", "-o", tmp_path / "turns"], check=True)
    environment = starting.environment(runtime, {"WEIR_THREADS": threads})
    one = {min(os.sched_getaffinity(0))}
    done = subprocess.run(
        [tmp_path / "turns"], env=environment, preexec_fn=lambda: os.sched_setaffinity(0, one), capture_output=True,
        text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    if threads != "kernel":  # which chooses among all threads of the machine
        # The kernel's own call comes back at once: then members ask some hundred times, until a look of the timer.
        assert int(done.stdout) < 5 * HANDOVERS
