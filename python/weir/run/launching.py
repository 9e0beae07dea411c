"""Starts MPI programs with Weir's MPI_Barrier: the launcher passes the environment on to them."""

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from weir.run import starting
from weir.run.starting import CannotRun

LIBRARY = "libweir-mpi.so"
BARRIERS = "by_messages"  # which of the library's there are over MPI
# These are asked for their version; a program of another name may be the user's own.
LAUNCHERS = re.compile(r"(mpirun|mpiexec|orterun|prterun)\b")


def library() -> Path:
    return starting.library(LIBRARY)


def environment(barrier: str | None) -> dict[str, str]:
    """With Weir's library before what the user preloads."""
    preloaded = ":".join(filter(None, (str(library()), os.environ.get("LD_PRELOAD"))))
    return os.environ | {"LD_PRELOAD": preloaded} | ({"WEIR_MPI_BARRIER": barrier} if barrier is not None else {})


def words(launcher: Path, asked: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """Open MPI's launcher needs the names of variables for other hosts; other launchers pass all of them."""
    if not LAUNCHERS.match(launcher.name):
        return list(asked)
    try:
        done = subprocess.run([launcher, "--version"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotRun(f"{launcher} --version failed: {error}") from None
    if not re.search("Open ?MPI|OpenRTE|PRRTE", done.stdout):
        return list(asked)
    names = [name for name in sorted(environment) if name == "LD_PRELOAD" or name.startswith("WEIR_MPI_")]
    return [asked[0], *(word for name in names for word in ("-x", name)), *asked[1:]]
