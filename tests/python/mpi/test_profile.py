"""The profile of the machine decides within a node, if all processes have found the same one."""

import subprocess
from pathlib import Path

from weir.base import native
from weir.tuning import profile_file
from weir.tuning.judging import Finding
from weir.tuning.plan import Team
from weir.tuning.profile_file import Section

from .. import skips
from .preloading import PRELOADED, Mpi, kept, run

pytestmark = skips.mark("processors")


def of(path: Path, barrier: str) -> str:
    """Of this machine, with this barrier for two threads."""
    info = native.ask("weir-info")
    found = [Finding(Team(2, False), "distributed", 50.0, barrier, 40.0)]
    profile_file.write(path, Section(info["signature"], len(info["affinity"]), "2026-11-25", False, "it", found))
    return str(path)


def test_a_common_profile_decides_within_a_node(mpi: Mpi, unmodified: Path, tmp_path: Path):
    profile = of(tmp_path / "profile", "mcs")
    said = kept(run(mpi, 2, unmodified, "holds", WEIR_MPI_VERBOSE="1", WEIR_PROFILE=profile))
    assert "within a node: mcs" in said and "measured with threads on this machine on 2026-11-25" in said, said


def test_profiles_that_differ_decide_nothing(mpi: Mpi, unmodified: Path, tmp_path: Path):
    each = [
        ["-n", "1", "env", f"WEIR_PROFILE={of(tmp_path / barrier, barrier)}", "WEIR_MPI_PRICE=0", "WEIR_MPI_VERBOSE=1",
         f"LD_PRELOAD={PRELOADED}", str(unmodified), "holds"]
        for barrier in ("mcs", "tournament")
    ]  # fmt: skip
    done = subprocess.run([*mpi.launcher, *each[0], ":", *each[1]], capture_output=True, text=True, timeout=300)
    said = kept(done)
    assert "within a node: dissemination" in said and "measured" not in said, said
