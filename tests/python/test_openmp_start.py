"""What Weir's OpenMP runtime costs a program by being there: it is counted, not timed."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from weir.openmp.runtimes import runtimes
from weir.run import elf

from .openmp_programs import OWN

pytestmark = pytest.mark.skipif(OWN, reason="what others cost is theirs")

ONE_REGION = """
int main(void) {
  int members = 0;
  #pragma omp parallel num_threads(2)
  #pragma omp atomic
  members++;
  return members != 2;
}
"""


@pytest.fixture(scope="module")
def one_region(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    program = tmp_path_factory.mktemp("start") / "one-region"
    subprocess.run(["gcc", "-fopenmp", "-xc", "-", "-o", program], input=ONE_REGION, text=True, check=True)
    yield program


def pages(program: Path, environment: dict[str, str]) -> int:
    """That it faults in from its start to its end: the least of a few times."""
    faults = []
    for _ in range(5):
        started = os.posix_spawn(program, [str(program)], environment)
        _, status, used = os.wait4(started, 0)
        assert status == 0
        faults.append(used.ru_minflt)
    return min(faults)


def test_the_c_library_is_all_that_it_loads(runtime: Path):
    of_the_c_library = ("libc.", "libpthread.", "libdl.", "libm.", "librt.", "ld-linux")
    others = [name for name in elf.read(runtime).needed if not name.startswith(of_the_c_library)]
    if any(name.startswith(("libtsan", "libasan", "libubsan")) for name in others):
        pytest.skip("a sanitizer is a library")
    assert others == []


@pytest.mark.parametrize("places", [{}, {"OMP_PLACES": "cores"}], ids=["unbound", "cores"])
def test_a_program_with_one_region_has_few_more_pages_than_on_libgomp(
    environment: dict[str, str], own_environment: dict[str, str], one_region: Path, places: dict[str, str]
):
    if not any(runtime.name == "libgomp" for runtime in runtimes()):
        pytest.skip("there is no libgomp")
    assert pages(one_region, environment | places) <= pages(one_region, own_environment | places) + 40
