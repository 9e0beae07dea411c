"""Ranks of a job share the node with other programs: `mpirun ... weir run --share`."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from .. import skips
from ..conftest import eventually
from ..openmp_programs import Builds
from ..sharing_programs import PATIENCE, SHARING, Programs
from .preloading import ROOT, Mpi

pytestmark = skips.mark("processors")


def test_the_ranks_of_a_job_share_the_node_with_another_program(
    mpi: Mpi, compiled: Callable[..., Path], environment: dict[str, str], builds: Builds, tmp_path: Path
):
    place, end = tmp_path / "table", tmp_path / "end"
    place.mkdir(mode=0o700)
    share = {"WEIR_SHARE_DIR": str(place), "OMP_NUM_THREADS": "2", "WEIR_ADAPT": "false"}
    programs = Programs(builds.get(SHARING), environment | share | {"WEIR_SHARE": "node"})
    try:
        other = programs.start()
        other.until(2)
        rank = [sys.executable, "-m", "weir", "run", "--share", "--", compiled(mpi, "cc", "sharing_ranks.c"), end]
        plain = {n: v for n, v in environment.items() if n not in ("LD_PRELOAD", "LD_LIBRARY_PATH")}
        job = subprocess.Popen(
            [*mpi.launcher, "-n", "2", *map(str, rank)],
            env=plain | share | {"PYTHONPATH": str(ROOT / "python")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            other.until(1)
            eventually(lambda: len(list(place.iterdir())) == 3)
        finally:
            end.touch()
            said, complaints = job.communicate(timeout=PATIENCE)
        assert job.returncode == 0 and said == "kept\n", said + complaints
        other.until(2)
        assert other.end() == ""
        assert list(place.iterdir()) == []
    finally:
        programs.kill()
