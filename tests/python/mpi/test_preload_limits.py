"""libweir-mpi.so, preloaded: prices that cannot be read, and processes whose memory is limited."""

import shutil
import subprocess
from pathlib import Path

import pytest

from .preloading import MPICH, PRELOADED, Mpi, kept, run


@pytest.mark.parametrize("price", ["inf", "1e30"])
def test_a_price_beyond_all_is_never_paid(mpi: Mpi, unmodified: Path, price: str):
    assert "weir" not in kept(run(mpi, 2, unmodified, "holds", WEIR_MPI_VERBOSE="1", WEIR_MPI_PRICE=price))


@pytest.mark.parametrize("price", ["abc", "5us", "-1", "nan", "0,5", " 1"])
def test_a_price_that_cannot_be_read_is_told_of(mpi: Mpi, unmodified: Path, price: str):
    said = kept(run(mpi, 3, unmodified, "holds", WEIR_MPI_PRICE=price))
    wrong = f'weir: WEIR_MPI_PRICE is "{price}" in rank 2, and no number of microseconds (0 or more): ignored there'
    assert said.strip() == wrong


def test_a_price_is_wrong_where_it_is(mpi: Mpi, unmodified: Path):
    one, other = (["-n", "1", "env", f"WEIR_MPI_PRICE={price}", f"LD_PRELOAD={PRELOADED}", str(unmodified), "holds"]
                  for price in ("x", "1e9"))  # fmt: skip
    said = kept(subprocess.run([*mpi.launcher, *one, ":", *other], capture_output=True, text=True, timeout=300))
    assert said.count("weir") == 1 and 'WEIR_MPI_PRICE is "x" in rank 0' in said


def test_the_first_barrier_needs_little_stack(mpi: Mpi, unmodified: Path, tmp_path: Path):
    assert kept(run(mpi, 2, unmodified, "small_stack")) == ""
    alone = Path(shutil.copy(PRELOADED, tmp_path))  # without its library it has something to say, too
    assert "weir: MPI_Barrier stays MPI's own" in kept(run(mpi, 2, unmodified, "small_stack", preload=alone))


# MPICH's nonblocking operations wait for ever where it may not attach to its peers' memory; its barriers need none.
@pytest.mark.parametrize("kib", [1 << 10, 4 << 10, 60 << 10])
def test_where_the_address_space_is_short_barriers_stay_mpis_own(mpi: Mpi, failing: Path, kib: int):
    said = kept(run(mpi, 2, failing, "address_space_of_all", kib, WEIR_MPI_VERBOSE="1"))
    assert "barriers stay MPI's own" in said or "MPI_Barrier stays MPI's own" in said
    assert "weir: barrier of" not in said


def test_a_limit_on_the_address_space_that_leaves_enough_does_not_matter(failing: Path, mpi: Mpi):
    enough = 200 << 10 if mpi is MPICH else 400 << 10
    assert "weir: barrier of 2" in kept(run(mpi, 2, failing, "address_space_of_all", enough, WEIR_MPI_VERBOSE="1"))
