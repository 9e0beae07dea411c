"""Programs over MPI, as tests start them: under each MPI's launcher, on this machine alone."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
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


@contextmanager
def nodes(count: int) -> Iterator[list[list[str]]]:
    """For each of some nodes, which share no memory, the words before a command on it: each is a name space."""
    holders = [subprocess.Popen(["unshare", "--ipc", "sleep", "300"]) for _ in range(count)]
    spaces = [f"/proc/{holder.pid}/ns/ipc" for holder in holders]
    try:
        while any(os.readlink(space) == os.readlink("/proc/self/ns/ipc") for space in spaces):
            time.sleep(0.01)
        yield [["nsenter", f"--ipc={space}"] for space in spaces]
    finally:
        for holder in holders:
            holder.kill()
            holder.wait()


def said_between_nodes(name: str, mpi: str, count: int, each: int, *arguments: object, **environment: str) -> str:
    """What a program says on some nodes, with so many processes on each, up to the line "kept"; or until two minutes.

    MPICH 4.0 may not come back from MPI_Finalize (docs/mpi/hosts.md): it is ended.
    """
    words = list(map(str, (program(name, mpi), *arguments)))
    command = ["timeout", "120", *launcher(mpi)]
    said = ""
    with nodes(count) as on:
        for number, node in enumerate(on):
            command += [*[":"][:number], "-n", str(each), *node, *words]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | environment) as started:
            for line in started.stdout:
                said += line
                if line == "kept\n":
                    break
            if mpi == "mpich":
                started.terminate()
    assert mpi == "mpich" or started.returncode == 0, said
    return said


def require_kept(result) -> None:
    assert result.returncode == 0 and "kept" in result.stdout, result.stdout[-2000:] + result.stderr[-2000:]
