"""How MPI programs are started with MPI_Barrier taken over: their launcher hands the environment on to them."""

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from weir.base import native
from weir.run.starting import CannotRun

LIBRARY = "libweir-mpi.so"
# Asked for their version. What has another name may be the program itself.
LAUNCHERS = re.compile(r"(mpirun|mpiexec|orterun|prterun)\b")


def library() -> Path:
    if found := native.library(LIBRARY):
        return found
    looked = ", ".join(str(folder) for folder in native.folders())
    raise CannotRun(f"{LIBRARY} was not found beside {looked}. {native.how_to_get(LIBRARY)}")


def environment(barrier: str | None) -> dict[str, str]:
    """Ours and what takes the barrier over; what the user preloads stays."""
    preloaded = ":".join(filter(None, (str(library()), os.environ.get("LD_PRELOAD"))))
    return os.environ | {"LD_PRELOAD": preloaded} | ({"WEIR_MPI_BARRIER": barrier} if barrier is not None else {})


def words(launcher: Path, asked: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """Open MPI's launcher is told what to hand on to other hosts; the others hand on all."""
    if not LAUNCHERS.match(launcher.name):
        return list(asked)
    try:
        done = subprocess.run([launcher, "--version"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotRun(f"{launcher} --version says nothing: {error}") from None
    if not re.search("Open ?MPI|OpenRTE|PRRTE", done.stdout):
        return list(asked)
    names = [name for name in sorted(environment) if name == "LD_PRELOAD" or name.startswith("WEIR_MPI_")]
    return [asked[0], *(word for name in names for word in ("-x", name)), *asked[1:]]
