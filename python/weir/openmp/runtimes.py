"""The OpenMP runtimes of this machine, other libraries of tasks, and how a built program is run on one of them."""

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from weir.base import native
from weir.base.late import late

metadata = late("importlib.metadata")

# Weir's. threadpoolctl, by which joblib and scikit-learn limit threads, knows a runtime by how its file's name begins.
LIBRARY = "libgomp-weir.so"
# Names under which programs ask for a runtime: GCC's, LLVM's, Intel's; and for oneTBB.
ASKED_FOR = {
    "gomp": ("libgomp.so.1",),
    "kmp": ("libomp.so.5", "libomp.so", "libiomp5.so"),
    "tbb": ("libtbb.so.12",),
}
# A program may use oneTBB, too, and needs oneTBB itself then.
OPENMPS = (*ASKED_FOR["gomp"], *ASKED_FOR["kmp"])


@dataclass(frozen=True)
class Runtime:
    """One library. `serves`: the interfaces that it has: gomp (that of GCC's programs), kmp (of LLVM's), tbb."""

    name: str
    version: str
    library: Path
    serves: tuple[str, ...]
    meant_for: tuple[str, ...] = ()  # whose programs are measured on it; empty: its own


def _libgomp() -> list[Runtime]:
    try:
        said = subprocess.run(["gcc", "-print-file-name=libgomp.so.1"], capture_output=True, text=True, check=True)
        version = subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return [Runtime("libgomp", "", path, ("gomp",)) for path in _known_to_the_loader("libgomp.so.1")]
    path = Path(said.stdout.strip())
    return [Runtime("libgomp", f"GCC {version.stdout.strip()}", path.resolve(), ("gomp",))] if path.is_file() else []


def _known_to_the_loader(name: str) -> list[Path]:
    """Where programs would find a library of that name, without a compiler that says so; or none."""
    try:
        listed = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return []
    paths = re.findall(rf"^\s*{re.escape(name)} .* => (/.*)$", listed, re.MULTILINE)
    return [Path(path).resolve() for path in paths[:1]]


def _libomp() -> list[Runtime]:
    found = []
    for path in sorted(Path("/usr/lib").glob("llvm-*/lib/libomp.so.5")):
        number = re.search(r"llvm-(\d+)", str(path))
        release = number.group(1) if number else ""
        found.append(Runtime(f"libomp-{release}", f"LLVM {release}", path.resolve(), ("kmp", "gomp")))
    return found


def _libiomp5() -> list[Runtime]:
    """Intel's, from the package intel-openmp, where it is installed."""
    try:
        files = metadata.files("intel-openmp") or []
        version = metadata.version("intel-openmp")
    except metadata.PackageNotFoundError:
        return []
    paths = [Path(str(f.locate())).resolve() for f in files if f.name == "libiomp5.so"]
    return [Runtime("libiomp5", f"Intel {version}", p, ("kmp", "gomp")) for p in paths[:1] if p.is_file()]


def _weir() -> list[Runtime]:
    """Our own, where it is built."""
    path = native.library(LIBRARY)
    return [Runtime("weir", "this build", path, ("kmp", "gomp"), ("kmp", "gomp"))] if path else []


def at(path: Path) -> Runtime:
    """A library that lies anywhere, by its path. Raises OSError, and ValueError where it is no OpenMP runtime."""
    path = path.resolve()
    if not path.is_file() and path.exists():
        raise ValueError("it is no file")
    holds = path.read_bytes()
    marks = {"gomp": b"GOMP_parallel", "kmp": b"__kmpc_fork_call"}
    serves = tuple(interface for interface, mark in marks.items() if mark in holds)
    if not holds.startswith(b"\x7fELF") or not serves:
        raise ValueError(f"{path} is no OpenMP runtime: it has neither GOMP_parallel nor __kmpc_fork_call")
    return Runtime(str(path), "", path, serves)


def runtimes() -> list[Runtime]:
    """Those found here; several versions of LLVM's are several runtimes."""
    return _libgomp() + _libomp() + _libiomp5() + _weir()


def task_libraries() -> list[Runtime]:
    """What task programs are written for besides OpenMP, where it is installed: oneTBB."""
    paths = _known_to_the_loader("libtbb.so.12")
    return [Runtime("onetbb", path.name.replace(".so.", " "), path, ("tbb",)) for path in paths]


def clang() -> str | None:
    """The newest Clang found here, whose programs ask for LLVM's runtime; or None."""
    names = [*(f"clang-{release}" for release in range(19, 13, -1)), "clang"]
    return next((name for name in names if shutil.which(name)), None)


class Stage:
    """A folder for each runtime in which it goes by every name that a program may ask for. Gone with the object."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="weir-openmp-")

    def environment(self, runtime: Runtime) -> dict[str, str]:
        """What makes a program built for any interface that the runtime serves run on it."""
        folder = Path(self._folder.name) / runtime.name.strip("/").replace("/", "-")
        if not folder.exists():
            folder.mkdir()
            for interface in runtime.serves:
                for name in ASKED_FOR[interface]:
                    (folder / name).symlink_to(runtime.library)
        before = os.environ.get("LD_LIBRARY_PATH")
        return {"LD_LIBRARY_PATH": f"{folder}:{before}" if before else str(folder)}

    def close(self) -> None:
        self._folder.cleanup()
