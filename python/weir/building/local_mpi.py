"""Builds what depends on this machine's MPI: the barriers over it, what measures them, and what simulates them."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from weir.base import native

CMAKE = (3, 25)
COMPILERS = ("c++", "g++", "clang++")
# What each lets Weir build, and the package that has it in Debian and Ubuntu.
MPIS = {
    "mpicc.mpich": ("barriers over MPICH", "libmpich-dev"),
    "mpicc.openmpi": ("barriers over Open MPI", "libopenmpi-dev"),
    "smpicxx": ("weir scale, on SimGrid's simulated clusters", "libsimgrid-dev"),
}


class CannotBuild(Exception):
    """The message says what is missing or went wrong, and what to do."""


@dataclass(frozen=True)
class Tools:
    cmake: str
    words: tuple[str, ...]  # of what was found, for people
    missing: tuple[str, ...]  # what is left out without it


def tools() -> Tools:
    """What building needs and finds here. Raises CannotBuild with everything that is missing, not the first of it."""
    lacks, found, missing = [], [], []
    cmake, release = _cmake()
    if cmake is None:
        lacks.append(f"CMake {CMAKE[0]}.{CMAKE[1]} or later{release} (pip install cmake, or apt-get install cmake)")
    compiler = os.environ.get("CXX") or next(filter(shutil.which, COMPILERS), None)
    if compiler is None or shutil.which(compiler.split()[0]) is None:
        lacks.append("a C++20 compiler, such as GCC 12 (apt-get install g++)")
    if not shutil.which("ninja") and not shutil.which("make"):
        lacks.append("make or ninja (apt-get install ninja-build)")
    for name, (builds, package) in MPIS.items():
        path = shutil.which(name) or (_generic(name) if name.startswith("mpicc.") else None)
        if path:
            found.append(f"{path}: {builds}")
        else:
            missing.append(f"{builds}: there is no {name} (apt-get install {package})")
    if not found:
        ways = (f"{name} (apt-get install {package})" for name, (_, package) in MPIS.items())
        lacks.append(f"an MPI: {', or '.join(ways)}")
    if lacks:
        raise CannotBuild("build mpi needs what is not on this machine: " + "; ".join(lacks))
    return Tools(str(cmake), tuple(found), tuple(missing))


def _cmake() -> tuple[str | None, str]:
    """The program; or None, and a word on the one that is too old."""
    path = shutil.which("cmake")
    if path is None:
        return None, ""
    said = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
    numbers = re.search(r"(\d+)\.(\d+)", said)
    if numbers and tuple(map(int, numbers.groups())) >= CMAKE:
        return path, ""
    return None, f", instead of {numbers.group() if numbers else 'one that says no version'} at {path}"


def _generic(name: str) -> str | None:
    """`mpicc` where it is that MPI's; CMake's part decides in the same way."""
    path = shutil.which("mpicc")
    if path is None:
        return None
    shown = subprocess.run([path, "-show"], capture_output=True, text=True).stdout
    marks = {"mpicc.mpich": r"mpich", "mpicc.openmpi": r"openmpi|-lmpi(\s|$)"}
    return path if re.search(marks[name], shown) else None


def build(tools: Tools, folder: Path, jobs: int) -> list[Path]:
    """What is built, once it lies in the folder. Its progress goes to the terminal."""
    source = native.sources()
    if not (source / "CMakeLists.txt").is_file():
        raise CannotBuild(f"the sources are not in {source}: install Weir again")
    with tempfile.TemporaryDirectory(prefix="weir-build-") as made:
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        options = ["-DWEIR_MPI_ONLY=ON", "-DCMAKE_BUILD_TYPE=Release"]
        _run([tools.cmake, "-S", str(source), "-B", made, *generator, *options], "configuring")
        _run([tools.cmake, "--build", made, "--target", "weir-local-mpi", "--parallel", str(jobs)], "compiling")
        _run([tools.cmake, "--install", made, "--prefix", str(folder), "--strip"], "installing")
        manifest = Path(made) / "install_manifest.txt"
        return sorted(Path(line) for line in manifest.read_text().splitlines())


def _run(words: Sequence[str], doing: str) -> None:
    if subprocess.run(words).returncode != 0:
        raise CannotBuild(f"{doing} failed, as said above")
