"""How programs are started with libweir-mpi.so preloaded, under each MPI."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]
PROGRAMS = ROOT / "tests" / "mpi" / "programs"
LIBRARIES = Path(os.environ.get("WEIR_MPI_LIBRARIES", ROOT / "build" / "src" / "mpi"))
PRELOADED = LIBRARIES / "libweir-mpi.so"


@dataclass(frozen=True)
class Mpi:
    name: str
    launcher: tuple[str, ...]
    # Where a process may end and the others go on.
    enduring: tuple[str, ...]

    def wrapper(self, language: str) -> str:
        """The compiler with this MPI, of "cc", "cxx" or "fort"."""
        found = shutil.which(f"mpi{language}.{self.name}")
        assert found, f"there is no mpi{language}.{self.name}: scripts/setup installs it"
        return found


MPICH = Mpi("mpich", ("mpiexec.mpich",), ("-disable-auto-cleanup",))
OPENMPI = Mpi("openmpi", ("mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"), ("--enable-recovery",))


def run(
    mpi: Mpi,
    ranks: int,
    *words: object,
    preload: Path | None = PRELOADED,
    options: tuple[str, ...] = (),
    limit_s: float = 300,
    **asked: str,
) -> subprocess.CompletedProcess[str]:
    plain = {n: v for n, v in os.environ.items() if not n.startswith("WEIR_") and n != "LD_PRELOAD"}
    plain["WEIR_MPI_PRICE"] = "0"  # whether a barrier is made shall not depend on what MPI's own take
    launcher = [*mpi.launcher, *options, "-n", str(ranks)]
    # The launcher itself is left alone; its programs get the library from `env`.
    program = [*(["env", f"LD_PRELOAD={preload}"] if preload else []), *map(str, words)]
    return subprocess.run(launcher + program, env=plain | asked, capture_output=True, text=True, timeout=limit_s)


def kept(done: subprocess.CompletedProcess[str]) -> str:
    """What it said besides."""
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("kept\n") == 1, done.stdout + done.stderr
    return done.stderr
