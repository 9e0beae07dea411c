"""What Weir's OpenMP runtime costs a program by being there: it is counted, not timed."""

import os
import subprocess
from pathlib import Path

import pytest

from weir.run import elf

from .. import skips

pytestmark = skips.mark("own", "what they cost is theirs")

ONE_REGION = """
int main(void) {
  int members = 0;
  #pragma omp parallel num_threads(2)
  #pragma omp atomic
  members++;
  return members != 2;
}
"""

# As a library of arrays computes: each operation has a region and an array for what comes of it, 200 pages.
TEMPORARIES = """
#include <stdlib.h>
enum { numbers = 200000, at_once = 4 };
static float *ones(void) {
  float *volatile made = malloc(numbers * sizeof *made);
  #pragma omp parallel for num_threads(2)
  for (int i = 0; i < numbers; i++) made[i] = 1;
  return made;
}
int main(void) {
  for (int time = 0; time < 30; time++) {
    float *made[at_once];
    for (int i = 0; i < at_once; i++) made[i] = ones();
    for (int i = 0; i < at_once; i++) free(made[i]);
  }
}
"""

# A library whose initializer creates its pool of threads, before Weir's initializers run. Heavy fences are granted to
# who has asked.
POOL = """
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
static void *runs(void *what) { return what; }
static int is_granted(void) { return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0; }
__attribute__((constructor)) static void makes_pool(void) {
  const int before = is_granted();
  pthread_t one;
  pthread_create(&one, 0, runs, 0);
  printf("before %d, after %d, known %d\\n", before, is_granted(),
         (syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0) & MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0);
  pthread_join(one, 0);
}
void has_pool(void) {}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("start")


def built(folder: Path, text: str) -> Path:
    program = folder / "program"
    subprocess.run(["gcc", "-O1", "-fopenmp", "-xc", "-", "-o", program], input=text, text=True, check=True)
    return program


def pages(program: Path, environment: dict[str, str], times: int = 5) -> int:
    """That it faults in from its start to its end: the least of a few times."""
    faults = []
    for _ in range(times):
        started = os.posix_spawn(program, [str(program)], environment)
        _, status, used = os.wait4(started, 0)
        assert status == 0
        faults.append(used.ru_minflt)
    return min(faults)


def test_the_c_library_is_all_that_it_loads(runtime: Path):
    # Not libm, which takes a dozen system calls of each start.
    of_the_c_library = ("libc.", "libpthread.", "libdl.", "librt.", "ld-linux")
    others = [name for name in elf.read(runtime).needed if not name.startswith(of_the_c_library)]
    assert others == []


@pytest.mark.parametrize("places", [{}, {"OMP_PLACES": "cores"}], ids=["unbound", "cores"])
def test_a_program_with_one_region_has_few_more_pages_than_on_libgomp(
    environment: dict[str, str], own_environment: dict[str, str], folder: Path, places: dict[str, str]
):
    program = built(folder, ONE_REGION)
    # 43 to 46: where the loader puts the libraries decides which of their parts share a page.
    assert pages(program, environment | places) <= pages(program, own_environment | places) + 50


def test_temporary_arrays_are_faulted_in_once(environment: dict[str, str], folder: Path):
    program = built(folder, TEMPORARIES)
    plain = {name: value for name, value in environment.items() if not name.startswith(("MALLOC_", "GLIBC_TUNABLES"))}
    assert pages(program, plain, 1) < 2_000
    as_asked_for = plain | {"MALLOC_TRIM_THRESHOLD_": "131072"}
    assert pages(program, as_asked_for, 1) > 10_000, "what the environment says of malloc stays in force"


def test_fences_are_asked_for_before_the_process_has_a_second_thread(
    runtime: Path, own_environment: dict[str, str], folder: Path
):
    """Later the kernel lets the program wait, which took flow 110 of 120 ms, linked with a library of this kind."""
    library, program = folder / "pool.so", folder / "uses_pool"
    subprocess.run(["gcc", "-shared", "-fPIC", "-xc", "-", "-o", library], input=POOL, text=True, check=True)
    uses = "void has_pool(void); int main(void) { has_pool(); }"
    subprocess.run(["gcc", "-xc", "-", "-xnone", library, "-o", program], input=uses, text=True, check=True)
    done = subprocess.run(
        [program], env=own_environment | {"LD_PRELOAD": str(runtime)}, capture_output=True, text=True, check=True
    )
    assert done.stdout == "before 0, after 1, known 1\n"
