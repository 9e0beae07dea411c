"""Programs of tests/mpi/programs, for each MPI."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from .preloading import LIBRARIES, MPICH, OPENMPI, PRELOADED, PROGRAMS, Mpi


@pytest.fixture(autouse=True)
def precedence() -> Iterator[None]:
    """Before other tests, where the user may have it: MPIs spin, and lose a time slice to each of those at every step.

    An algorithm's contract between 3 processes of Open MPI takes 0.4 s by itself, and took 55 beside four other tests.
    """
    before = os.getpriority(os.PRIO_PROCESS, 0)
    with suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, before - 10)
    yield
    os.setpriority(os.PRIO_PROCESS, 0, before)


@pytest.fixture(params=[MPICH, OPENMPI], ids=lambda mpi: mpi.name)
def mpi(request: pytest.FixtureRequest) -> Mpi:
    for needed in (PRELOADED, LIBRARIES / f"libweir-mpi-{request.param.name}.so"):
        assert needed.is_file(), f"{needed.name} is not built: scripts/setup, and make build"
    launcher = request.param.launcher[0]
    assert shutil.which(launcher), f"there is no {launcher}: scripts/setup installs it"
    return request.param


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """A program of tests/mpi/programs, with an MPI's own compiler and nothing of Weir's; each is built once."""
    folder = tmp_path_factory.mktemp("mpi-programs")

    def build(mpi: Mpi, language: str, source: str, *options: str, name: str = "") -> Path:
        to = folder / f"{name or Path(source).stem}-{mpi.name}"
        if not to.exists():
            command = [mpi.wrapper(language), PROGRAMS / source, "-o", to, *options]
            subprocess.run(command, check=True, cwd=folder)
        return to

    return build


@pytest.fixture
def unmodified(compiled: Callable[..., Path], mpi: Mpi) -> Path:
    skip = ("-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX")
    return compiled(mpi, "cxx", "unmodified.cpp", "-std=c++20", "-O1", "-pthread", *skip)


@pytest.fixture
def failing(compiled: Callable[..., Path], mpi: Mpi) -> Path:
    skip = ("-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX")
    return compiled(mpi, "cxx", "failing.cpp", "-std=c++20", "-O1", "-pthread", "-rdynamic", *skip)
