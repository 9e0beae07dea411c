"""What Weir's OpenMP runtime refuses: it says its name, why, and what to do."""

import subprocess
from pathlib import Path

import pytest

from weir.run import needs

from .. import skips
from ..openmp_programs import C_COMPILERS, CLANG, COMPILERS, OPENMP, say

pytestmark = skips.mark("own", "what they refuse is theirs")

STUB = """
void __kmpc_for_collapsed_init(void);
int main(void) {
  __kmpc_for_collapsed_init();
  return 0;
}
"""


def test_a_stub_says_its_name_and_is_known_for_one(environment: dict[str, str], runtime: Path, tmp_path: Path):
    (tmp_path / "stub.c").write_text(STUB)
    program = tmp_path / "stub"
    subprocess.run([f"clang-{CLANG}", "-fopenmp=libomp", tmp_path / "stub.c", "-o", program], check=True)
    status, words, _ = say(program, environment, 2)
    assert status != 0 and "__kmpc_for_collapsed_init is not supported" in words
    assert [n.symbol.name for n in needs.needs(program, runtime).missing] == ["__kmpc_for_collapsed_init"]


VAST = """
int main(void) {
  long n = 1l << EACH;
#pragma omp parallel for ordered(2)
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < n; ++j) {
#pragma omp ordered depend(sink : i - 1, j)
#pragma omp ordered depend(source)
    }
  return 0;
}
"""


@pytest.mark.parametrize(("each", "why"), [(25, "has not enough memory"), (32, "more iterations than 64 bits")])
@pytest.mark.parametrize("compiler", C_COMPILERS)
def test_a_doacross_nest_that_is_too_large_says_so(
    environment: dict[str, str], tmp_path: Path, compiler: str, each: int, why: str
):
    (tmp_path / "vast.c").write_text(VAST)
    program = tmp_path / "vast"
    make = [*COMPILERS[".c"][compiler], OPENMP[compiler], f"-DEACH={each}", tmp_path / "vast.c", "-o", program]
    subprocess.run(make, check=True)
    status, words, _ = say(program, environment, 2)
    assert status != 0 and words.startswith("weir: a doacross nest") and why in words


HOW_MANY = """
#include <omp.h>
#include <stdio.h>
int main(void) {
  for (int i = 0; i < 3; ++i) {
#pragma omp parallel
#pragma omp single
    printf("%d", omp_get_num_threads());
  }
  return 0;
}
"""


@pytest.fixture
def how_many(tmp_path: Path) -> Path:
    (tmp_path / "how_many.c").write_text(HOW_MANY)
    subprocess.run(["gcc", "-fopenmp", tmp_path / "how_many.c", "-o", tmp_path / "how_many"], check=True)
    return tmp_path / "how_many"


def test_threads_that_the_system_refuses_make_the_team_smaller(environment: dict[str, str], how_many: Path):
    status, words, said = say(how_many, environment | {"OMP_STACKSIZE": "100000G"}, 4)
    assert status == 0 and said == "111" and words.count("the system refused a thread") == 1


def test_what_is_malformed_is_said_once_and_the_default_is_used(environment: dict[str, str], how_many: Path):
    wrong = {"OMP_SCHEDULE": "fast", "OMP_PROC_BIND": "perhaps", "WEIR_BARRIER": "wall", "KMP_BLOCKTIME": "soon"}
    status, words, said = say(how_many, environment | wrong, 3)
    assert status == 0 and said == "333"
    for name, value in wrong.items():
        assert words.count(f'{name}="{value}" is not understood: expected') == 1, words


def test_the_environment_is_displayed(environment: dict[str, str], how_many: Path):
    _, words, said = say(how_many, environment | {"OMP_DISPLAY_ENV": "true"}, 2)
    assert said == "222" and "OPENMP DISPLAY ENVIRONMENT BEGIN" in words and "OMP_NUM_THREADS='2'" in words
