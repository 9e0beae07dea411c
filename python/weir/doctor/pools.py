"""Pools of threads, and languages with threads of their own, by the files that a process has mapped."""

import mmap
import os
import re
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from weir.run import elf

WEIR, OPENMP, MPI, OTHER, LANGUAGE = "weir", "openmp", "mpi", "other", "language"
# GCC's and LLVM's calls that begin a region, which an OpenMP program or runtime has as text.
MARKS = (b"GOMP_parallel", b"__kmpc_fork_call")
LINKER = re.compile(r"ld(-|64|\.so)")  # the dynamic linker itself may be the program
MOST_BYTES = 1 << 28  # of a file that is looked through


@dataclass(frozen=True)
class Library:
    """What a file is whose name matches. `limit`: the variable that sets its number of threads."""

    name: str
    kind: str
    file: re.Pattern[str]
    limit: str = ""
    version: Callable[[Path], str] = lambda _: ""


@dataclass(frozen=True)
class Pool:
    library: Library
    path: str  # as the process has it
    version: str = ""
    note: str = ""


def _in_file(pattern: bytes) -> Callable[[Path], str]:
    def version(path: Path) -> str:
        with Mapped(path) as text:
            found = re.search(pattern, text)
            return found[1].decode() if found else ""

    return version


def _in_name(pattern: str) -> Callable[[Path], str]:
    def version(path: Path) -> str:
        found = re.search(pattern, str(path))
        return found[1] if found else ""

    return version


def _newest_symbols(path: Path) -> str:
    """GCC's runtime holds no release. The newest version of a symbol says which interface it has."""
    with Mapped(path) as text:
        found = {match[1] for match in re.finditer(rb"GOMP_(\d+(?:\.\d+)*)\0", text)}
    newest = max(found, key=lambda v: tuple(map(int, v.split(b"."))), default=b"")
    return f"GOMP_{newest.decode()}" if newest else ""


def _library(name: str, kind: str, file: str, limit: str = "", version: Callable[[Path], str] | None = None) -> Library:
    return Library(name, kind, re.compile(file), limit, version or (lambda _: ""))


NUMBERED = r"\.so\.(\d+\.\d+[\d.]*)$"
# Wheels bring copies with a digest in the name: libgomp-a34b3233.so.1. The first row that matches counts.
LIBRARIES = (
    _library("Weir's OpenMP runtime", WEIR, r"lib(gomp-weir|weir-omp)\b", "OMP_NUM_THREADS"),
    _library("libgomp (GCC)", OPENMP, r"libgomp[.-]", "OMP_NUM_THREADS", _newest_symbols),
    _library("libomp (LLVM)", OPENMP, r"libomp[.-]", "OMP_NUM_THREADS", _in_name(r"llvm-(\d+)")),
    _library("libiomp5 (Intel)", OPENMP, r"libiomp5[.-]", "OMP_NUM_THREADS"),
    _library("OpenBLAS", OTHER, r"lib(scipy_)?openblas", "OPENBLAS_NUM_THREADS",
             _in_file(rb"OpenBLAS (\d+\.\d+\.\d+)")),
    _library("MKL", OTHER, r"libmkl_(rt|intel_thread|gnu_thread|tbb_thread)\b", "MKL_NUM_THREADS"),
    _library("BLIS", OTHER, r"libblis\b", "BLIS_NUM_THREADS"),
    _library("oneTBB", OTHER, r"libtbb(12)?[.-]", "", _in_name(NUMBERED)),
    _library("ONNX Runtime", OTHER, r"(lib)?onnxruntime(_pybind11_state)?[.-]", "", _in_name(NUMBERED)),
    _library("MPI", MPI, r"libmpi(ch)?[.-]"),
    _library("Java", LANGUAGE, r"libjvm\.so", "JAVA_TOOL_OPTIONS=-XX:ActiveProcessorCount"),
    _library(".NET", LANGUAGE, r"libcoreclr\.so", "DOTNET_PROCESSOR_COUNT"),
)  # fmt: skip


def pools(files: Iterable[tuple[str, Path]]) -> list[Pool]:
    """Each file as the process names it, and where we find it."""
    found = []
    for path, place in files:
        name = os.path.basename(path)
        library = next((known for known in LIBRARIES if known.file.match(name) and ".so" in name), None)
        if library is not None:
            found.append(Pool(library, path, _version(library, place), _note(library, place)))
    return found


def _version(library: Library, place: Path) -> str:
    try:
        return library.version(place)
    except (OSError, ValueError):
        return ""


def _note(library: Library, place: Path) -> str:
    """OpenBLAS and BLIS exist over OpenMP and over threads of their own, under one name."""
    if library.name not in ("OpenBLAS", "BLIS"):
        return ""
    try:
        needed = elf.needed(place)
    except (OSError, elf.NotElf):
        return ""
    over = any(known.kind in (WEIR, OPENMP) and known.file.match(name) for known in LIBRARIES for name in needed)
    return "on OpenMP" if over else "threads of its own"


@dataclass(frozen=True)
class Program:
    """What an executable's file tells."""

    go: bool = False
    static: bool = False
    openmp_inside: bool = False  # it asks for a runtime, or holds one


def program(place: Path) -> Program:
    """By its file alone: what a process has mapped is incomplete while it begins, and nothing once it has ended."""
    try:
        with Mapped(place) as text:
            static = not elf.names_linker(place, text) and not LINKER.match(place.name)
            names = sections(text)
            return Program(b".go.buildinfo" in names, static, any(text.find(mark) >= 0 for mark in MARKS))
    except (OSError, ValueError, struct.error, elf.NotElf):
        return Program()


class Mapped:
    """A file as bytes that are read only where they are looked at. Raises OSError, and ValueError of an empty file and
    of one that is too large."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> mmap.mmap:
        with self.path.open("rb") as file:
            if os.fstat(file.fileno()).st_size > MOST_BYTES:
                raise ValueError("too large")
            self.text = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return self.text

    def __exit__(self, *_: object) -> None:
        self.text.close()


def sections(text: mmap.mmap | bytes) -> set[bytes]:
    """The names of an ELF file's sections, none of other files. Raises ValueError and struct.error of a damaged one."""
    if text[:6] != b"\x7fELF\x02\x01":
        return set()
    (begin,) = struct.unpack_from("<Q", text, 40)
    size, count, names = struct.unpack_from("<HHH", text, 58)
    if not begin or names >= count:
        return set()
    heads = [struct.unpack_from("<II8x8xQQ", text, begin + size * i) for i in range(count)]
    _, _, at, length = heads[names]
    strings = text[at : at + length]
    return {strings[name : strings.index(b"\0", name)] for name, *_ in heads}
