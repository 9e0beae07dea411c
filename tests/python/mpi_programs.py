"""Programs over MPI, as tests start them: under each MPI's launcher, on this machine alone."""

import os
import shutil
import subprocess
from pathlib import Path

BUILD = Path(__file__).parents[2] / "build"

MPIS = ("mpich", "openmpi")
_LAUNCHERS = {
    "mpich": ["mpiexec.mpich"],
    # Open MPI refuses root and more processes than processors, unless told.
    "openmpi": ["mpirun.openmpi", "--oversubscribe", *(["--allow-run-as-root"] if os.geteuid() == 0 else [])],
}


def launcher(mpi: str) -> list[str]:
    """The command that starts processes."""
    assert shutil.which(_LAUNCHERS[mpi][0]), f"there is no {_LAUNCHERS[mpi][0]}: scripts/setup installs it"
    return _LAUNCHERS[mpi]


def program(name: str, mpi: str) -> Path:
    """A program of tests/mpi/programs, built for an MPI."""
    path = BUILD / "tests" / "mpi" / f"{name}-{mpi}"
    assert path.exists(), f"{path.name} is not built: scripts/setup installs {mpi}, make build builds it"
    return path


def run(name: str, mpi: str, processes: int, *arguments: object, options: tuple[str, ...] = (), **environment: str):
    """What a program printed and how it ended; a program that hangs is ended after two minutes."""
    command = [*launcher(mpi), *options, "-n", str(processes), str(program(name, mpi)), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=os.environ | environment)


def require_kept(result) -> None:
    assert result.returncode == 0 and "kept" in result.stdout, result.stdout[-2000:] + result.stderr[-2000:]
