"""The programs of tests/openmp/programs: how they are built, and run on Weir's OpenMP runtime or the compilers' own."""

import fcntl
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from weir.run import starting

from . import retries, skips

SOURCES = Path(__file__).resolve().parent.parent / "openmp" / "programs"
OWN = skips.REASONS["own"].holds()
try:
    LIBRARY: Path | None = starting.library()
except starting.CannotRun:
    LIBRARY = None
# Where there is none, what it should compile fails, and names it so.
CLANG = next((str(v) for v in range(19, 13, -1) if shutil.which(f"clang-{v}")), "which-scripts/setup-installs")
C, CPP, FORTRAN = ["-std=gnu11"], ["-std=c++20"], ["-std=f2018"]
# By the ending of a program, and the name of a compiler in the tests.
COMPILERS = {
    ".c": {"gcc": ["gcc", *C], "clang": [f"clang-{CLANG}", *C]},
    ".cpp": {"gcc": ["g++", *CPP], "clang": [f"clang++-{CLANG}", *CPP]},
    ".f90": {"gfortran": ["gfortran", *FORTRAN]},
}
# threadprivate variables that are the runtime's to give, not the linker's.
CALLS = "clang-without-tls"
for languages in (".c", ".cpp"):
    COMPILERS[languages][CALLS] = [*COMPILERS[languages]["clang"], "-fnoopenmp-use-tls"]
# Programs that call one interface by its functions' names begin with its own.
INTERFACES = {"gomp": "gcc", "kmpc": "clang"}
WITH_LIBRARY = ("late", "stress")  # that they open, made of the same source
WITHOUT_OPENMP = ("late",)  # its library has it
OPENMP = {"gcc": "-fopenmp", "gfortran": "-fopenmp", "clang": "-fopenmp=libomp", CALLS: "-fopenmp=libomp"}


C_COMPILERS = ["gcc", "clang"]


@dataclass(frozen=True)
class Program:
    """A source, and what makes a program of it."""

    source: Path
    compiler: str
    watched: bool = False  # by ThreadSanitizer
    level: str = "-O1"  # of optimisation

    @property
    def name(self) -> str:
        return f"{self.source.name}-{self.compiler}"

    @property
    def words(self) -> list[str]:
        return COMPILERS[self.source.suffix][self.compiler]


def programs(watched: bool = False) -> Iterator[Program]:
    for source in sorted(SOURCES.glob("*.*")):
        for compiler in COMPILERS.get(source.suffix, {}):
            of_its_interface = INTERFACES.get(source.stem.split("_")[0], compiler) == compiler
            if of_its_interface and (compiler != CALLS or source.stem.startswith("threadprivate")):
                yield Program(source, compiler, watched)


def program(name: str, compiler: str) -> Program:
    return Program(SOURCES / name, compiler)


def runs_ok(
    built: Path, environment: dict[str, str], size: int, launcher: Sequence[str] = (), seconds: float = 300
) -> str:
    """Fails the test where it does not; what it said."""
    status, all_of_it, said = say(built, environment, size, launcher, seconds)
    assert status == 0 and said.strip() == "ok", f"{built.name}, {size} threads: status {status}\n{all_of_it}"
    retries.note_said(all_of_it)
    return all_of_it


class Builds:
    """The programs that tests need. The first of pytest's processes that needs a program builds it, in the folder that
    all share, under the program's lock. Each process builds the chosen tests' programs ahead, one at a time."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self._pool = ThreadPoolExecutor(max_workers=1)
        self._begun: set[Program] = set()

    def begin(self, program: Program) -> None:
        if program not in self._begun:
            self._begun.add(program)
            self._pool.submit(self._build, program, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def get(self, program: Program) -> Path:
        return self._build(program, fcntl.LOCK_EX)

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def _build(self, program: Program, lock: int) -> Path:
        kind = "-watched" if program.watched else program.level.removesuffix("-O1")
        target = self.folder / f"{program.source.stem}-{program.compiler}{kind}"
        done = Path(f"{target}.built")
        if not done.exists():
            with open(f"{target}.lock", "w") as file:
                fcntl.flock(file, lock)  # raises where another process builds it, and this one only builds ahead
                if not done.exists():
                    self._make(program, target)
                    done.touch()
        return target

    def _make(self, program: Program, target: Path) -> None:
        source, openmp = program.source, OPENMP[program.compiler]
        # Optimised, GCC's code reads a variable before it knows whether this thread may: a race of its own making.
        how = ["-O0", "-g", "-fsanitize=thread"] if program.watched else [program.level]
        make = [*program.words, *how, f"-I{SOURCES}", *self._modules(program, target), source]
        if source.stem in WITH_LIBRARY:
            self._compile([*make, openmp, "-DLIBRARY", "-shared", "-fPIC", "-o", f"{target}.so"])
        if source.stem not in WITHOUT_OPENMP:
            make.append(openmp)
        # Atomic objects without an instruction of their size are LLVM's to ask libatomic for.
        self._compile([*make, "-o", target, "-lm", "-ldl", "-pthread", "-Wl,--as-needed", "-latomic"])

    def _modules(self, program: Program, target: Path) -> list:
        """Fortran's are made with each program anew: what the compiler writes about them is not shared."""
        if program.source.suffix != ".f90":
            return []
        folder = target.with_suffix(".modules")
        folder.mkdir(exist_ok=True)
        return [f"-J{folder}", SOURCES.parent / "checking.f90"]

    def _compile(self, words: list) -> None:
        done = subprocess.run(words, capture_output=True, text=True, cwd=self.folder, timeout=600)
        assert done.returncode == 0, f"{words[0]} does not compile this:\n{done.stderr}"


def say(
    program: Path, environment: dict[str, str], size: int, launcher: Sequence[str] = (), seconds: float = 300
) -> tuple[int, str, str]:
    """Its status, and what it said: all, and where it should have said ok."""
    try:
        done = subprocess.run(
            [*launcher, program],
            env=environment | {"OMP_NUM_THREADS": str(size)},
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired as late:
        said = b"".join(text for text in (late.stdout, late.stderr) if text).decode(errors="replace")
        pytest.fail(f"{program.name} with {size} threads does not end\n{said}")
    return done.returncode, done.stdout + done.stderr, done.stdout
