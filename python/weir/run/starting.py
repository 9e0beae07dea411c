"""How a program is started on Weir's OpenMP runtime: nothing of it is changed but its environment."""

import hashlib
import os
import shutil
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

from weir.base import native
from weir.openmp.runtimes import LIBRARY, OPENMPS
from weir.run import elf

PTHREAD = "libweir-pthread.so"
THREADS, KINDS = "WEIR_THREADS", ("kernel", "user", "auto", "all")  # of threads: docs/threads.md
BY_DEFAULT = KINDS[2]  # of these, where neither the option nor the environment says
# How many processors the program sees where it asks (src/machine/visible_processors.hpp): as many as it can use.
PROCESSORS, USABLE, MACHINE = "WEIR_PROCESSORS", "auto", "machine"
# Stacks of ended threads that the C library keeps for new ones, in bytes: 40 MiB by itself, which are five stacks. To
# map a stack and unmap it is half of what a thread costs (docs/threads-measured.md). By this number the runtime knows
# what is not the user's, and takes it away: what the program starts does not inherit it
# (src/openmp/settings/own_tunable.cpp).
TUNABLES, KEPT_STACKS = "GLIBC_TUNABLES", ("glibc.pthread.stack_cache_size", str((1 << 30) + 1))


# As env, nice and timeout end where the program cannot be executed, or is not there [POSIX, env].
NOT_EXECUTABLE, NOT_THERE = 126, 127


class CannotRun(Exception):
    """The message says why not, and what to do; `status` is the command's then."""

    def __init__(self, message: str, status: int = 2):
        super().__init__(message)
        self.status = status


def library(name: str = LIBRARY) -> Path:
    if found := native.library(name):
        return found
    looked = ", ".join(str(folder) for folder in native.folders())
    raise CannotRun(f"{name} was not found beside {looked}. {native.how_to_get(name)}")


def program(words: Sequence[str], only_read: bool = False, of: str = "weir run") -> Path:
    """`only_read`: it is looked into and not run, so that a library will do, too. `of`: the command that asks."""
    if not words:
        raise CannotRun(f"no program was named: {of} -- PROGRAM [ARGUMENTS]")
    found = shutil.which(words[0])
    if found is None and only_read and Path(words[0]).is_file():
        return Path(words[0])
    if found is None:
        path = Path(words[0])
        why = "is a folder" if path.is_dir() else "is there but cannot be executed" if path.exists() else None
        if why:
            raise CannotRun(f"{words[0]} {why}", NOT_EXECUTABLE)
        raise CannotRun(f"{words[0]}: no such program", NOT_THERE)
    return Path(os.path.abspath(found))  # a Path loses the ./ by which a shell tells a file from a name


def examine(path: Path) -> elf.Elf | None:
    """None of a script: what it starts inherits the environment. Raises where preloading would do nothing."""
    try:
        file = elf.read(path)
    except elf.NotElf as error:
        if str(error) == "is a script":
            return None
        raise CannotRun(f"{path} {error}: it cannot be run on {LIBRARY}") from None
    except OSError as error:
        raise CannotRun(f"{path} cannot be read: {error.strerror}") from None
    if not file.dynamic or not (file.needed or file.interpreter):
        raise CannotRun(f"{path} is statically linked, with its OpenMP runtime in it: link it dynamically")
    if path.stat().st_mode & (stat.S_ISUID | stat.S_ISGID):
        raise CannotRun(f"{path} is a set-user-ID program: nothing is preloaded into such")
    return file


def names(runtime: Path) -> Path:
    """A folder with the runtime under every name of an OpenMP runtime. It is kept: running programs may need it."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = Path(home) / "weir" / f"openmp-{hashlib.sha256(str(runtime).encode()).hexdigest()[:16]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for left in folder.glob("lib*"):  # by an earlier version
            if left.name not in OPENMPS:
                left.unlink(missing_ok=True)
        for name in OPENMPS:
            if not (folder / name).is_symlink() or (folder / name).readlink() != runtime:
                made = folder / f".{name}.{os.getpid()}"  # two that start at once do not disturb each other
                made.symlink_to(runtime)
                made.replace(folder / name)
    except OSError as error:
        raise CannotRun(f"{folder} cannot be made: {error.strerror}; set XDG_CACHE_HOME to another folder") from None
    return folder


def before_pthread() -> dict[str, str]:
    """Ours, with Weir's POSIX barriers before what the user preloads."""
    preloaded = ":".join(filter(None, (str(library(PTHREAD)), os.environ.get("LD_PRELOAD"))))
    return os.environ | {"LD_PRELOAD": preloaded}


def without_settings() -> dict[str, str]:
    """Our environment without what the user has set for OpenMP's runtimes and for Weir's."""
    return {n: v for n, v in os.environ.items() if not n.startswith(("OMP_", "GOMP_", "KMP_", "WEIR_"))}


def environment(runtime: Path, options: Mapping[str, str], before: Mapping[str, str] = os.environ) -> dict[str, str]:
    """`before`, and what makes the program run on the runtime; what the user preloads stays."""
    paths = {"LD_PRELOAD": str(runtime), "LD_LIBRARY_PATH": str(names(runtime))}
    if KEPT_STACKS[0] not in before.get(TUNABLES, ""):
        paths[TUNABLES] = "=".join(KEPT_STACKS)
    joined = {name: f"{own}:{before[name]}" if before.get(name) else own for name, own in paths.items()}
    return {THREADS: BY_DEFAULT, PROCESSORS: USABLE} | dict(before) | joined | dict(options)
