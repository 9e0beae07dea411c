"""Where the native programs are: the ones that measure, and weir-info."""

import json
import os
import platform
import re
import subprocess
from pathlib import Path
from typing import Any

from weir.base.late import late

metadata = late("importlib.metadata")

PACKAGE = Path(__file__).resolve().parent.parent
REPOSITORY = PACKAGE.parent.parent
# What the dynamic loader says of a library that it does not find.
NOT_LOADED = re.compile(r"error while loading shared libraries: ([^:]+): cannot open shared object file")


class NativeError(Exception):
    """A native program is missing or failed. The message says which, where, and what to do."""


class NotLoaded(NativeError):
    """A native program needs a shared library that this machine does not have."""

    def __init__(self, program: str, library: str) -> None:
        super().__init__(f"{program} needs {library}, which is not on this machine")


def folders() -> list[Path]:
    """Where programs are looked for, in this order."""
    asked = os.environ.get("WEIR_NATIVE")
    if asked:
        return [Path(asked)]
    return [REPOSITORY / "build" / "bench" if in_tree() else PACKAGE / "native", built_here()]


def in_tree() -> bool:
    """Used from its repository, instead of from an installation, which has its programs beside the package."""
    return not (PACKAGE / "native").is_dir()


def built_here() -> Path:
    """Where `weir build mpi` puts what depends on this machine's MPI. Among the user's data, since the package's folder
    may belong to the administrator; by version and kind of processor, since machines share homes."""
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(home) / "weir" / f"{version()}-{platform.machine()}"


def version() -> str:
    try:
        return metadata.version("weir")
    except metadata.PackageNotFoundError:
        return "tree"  # used from its repository, without being installed


def sources() -> Path:
    """The C++ sources: the wheel has them with it."""
    installed = PACKAGE / "source"
    return installed if installed.is_dir() else REPOSITORY


def data(name: str) -> Path:
    """A folder of files that Weir reads, such as `machines`: beside the installed package, or in the repository."""
    installed = PACKAGE / name
    return installed if installed.is_dir() else REPOSITORY / name


def how_to_get(name: str) -> str:
    """What to do about a program or library that is missing."""
    if in_tree():
        return "Build it with `make build`"
    if name.startswith(("weir-mpi", "libweir-mpi")):
        return "Build it for this machine's MPI: weir build mpi"
    return "This installation lacks it: install Weir again"


def find(name: str) -> Path | None:
    """The program of that name, or None."""
    for folder in folders():
        program = folder / name
        if os.access(program, os.X_OK) and program.is_file():
            return program
    return None


def library(name: str) -> Path | None:
    """A shared library of ours: beside the programs, or where a build puts it; or None."""
    for folder in folders():
        for place in (folder, folder.parent / "src", folder.parent / "src" / "mpi"):
            if (place / name).is_file():
                return (place / name).resolve()
    return None


def require(name: str) -> Path:
    program = find(name)
    if program is None:
        looked = ", ".join(str(folder) for folder in folders())
        raise NativeError(
            f"{name} was not found in {looked}. {how_to_get(name)}, or say in WEIR_NATIVE in which folder it is."
        )
    return program


def ask(name: str, *arguments: str, seconds: float = 60) -> Any:
    """Runs a program that prints one JSON text, and reads it."""
    program = require(name)
    done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=seconds)
    if lacking := NOT_LOADED.search(done.stderr):
        raise NotLoaded(name, lacking.group(1))
    if done.returncode != 0:
        raise NativeError(f"{program} {' '.join(arguments)} failed: {done.stderr.strip()}")
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError as error:
        raise NativeError(f"{program} printed no JSON: {error}") from error


def barriers(having: str | None = None) -> list[str]:
    """The names of the library's barriers, or of those that have a property which weir-info states of each: halves,
    logarithmic, by_messages."""
    return [a["name"] for a in ask("weir-info")["algorithms"] if having is None or a[having]]
