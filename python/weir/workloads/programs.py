"""The programs that are measured: one table. Each prints its result on stdout and its time on stderr, as
workloads/README.md says."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from weir.base import native
from weir.base.names import Unknown

GCC, CLANG, OTHERS, OF_PROCESSES, POOLS = GROUPS = ("gcc", "clang", "others", "processes", "pools")
BY_DEFAULT = (GCC, OTHERS, OF_PROCESSES)
OVER = "MPICH"
PROCESSES = "-processes"  # after a program's name: the same work by processes of one thread each
CALLERS = "--python-threads"  # the option by which a driver calls its library from several threads of Python
POOLS_CALLERS = "--callers"  # the same of a program in C++
BESIDE = "beside"  # the work of programs beside busy processes
HELP_S = 20.0
SET_UP = native.REPOSITORY / ".venv-workloads"  # what scripts/setup workloads makes


@dataclass(frozen=True)
class Program:
    """`words`: its arguments; None: it is measured beside busy processes alone. Where the same work would take too
    long: `crowded` with more threads than processors, and `shared` where others have the processors, too, or there is a
    quota. Where it would be too short: `long`. `beside`: beside busy processes; None: it is not measured there. The
    team's size is OMP_NUM_THREADS, and the value of the option `team`. `barriers`: its team meets at barriers, so that
    WEIR_BARRIER matters. `per_member`: each member has so much work, however many there are. `callers`: the option for
    threads that call at the same time."""

    name: str
    file: Path
    group: str
    words: tuple[str, ...] | None = ()
    crowded: tuple[str, ...] | None = None
    shared: tuple[str, ...] | None = None
    beside: tuple[str, ...] | None = None
    team: str = ""
    barriers: bool = False
    quick: bool = False
    per_member: bool = False
    callers: str = CALLERS
    long: tuple[str, ...] | None = None

    def arguments(self, work: str, team: int | None, callers: int) -> tuple[str, ...]:
        """`work`: words, crowded, long, shared or beside. `team`: None: as many threads as it likes."""
        given_words = next((given for given in (getattr(self, work), self.words, self.beside) if given is not None), ())
        return (
            *given_words,
            *((self.team, str(team)) if self.team and team is not None else ()),
            *((self.callers, str(callers)) if callers else ()),
        )

    def how_to_build(self) -> str:
        if SET_UP in self.file.parents:
            return "`scripts/setup workloads` builds it in Weir's sources"
        # Installations have none of these programs.
        return "It is one of the programs of Weir's sources: `make build` makes it there"

    def takes(self, work: str) -> bool:
        return (self.beside if work == BESIDE else self.words) is not None

    def takes_callers(self) -> bool:
        """Whether several threads can call its library at the same time, as its --help says."""
        if self.group not in (OTHERS, POOLS):
            return False
        try:
            said = subprocess.run(
                [self.file, "--help"], capture_output=True, text=True, timeout=HELP_S, stdin=subprocess.DEVNULL
            )
        except (OSError, subprocess.TimeoutExpired):
            return False
        return self.callers in said.stdout


@dataclass(frozen=True)
class _Ours:
    """A row of the table. `compilers`: what NAME-... it is built as."""

    name: str
    words: str | None
    crowded: str | None = None
    shared: str | None = None
    beside: str | None = None
    team: str = ""
    barriers: bool = False
    quick: bool = False
    per_member: bool = False
    file: str = ""  # if it is not called as the program
    compilers: tuple[tuple[str, str], ...] = (("gcc", GCC), ("clang", CLANG))


# Sizes that take 0.1 to 0.3 s on two processors. Where processors are shared GCC's runtime may take a millisecond for
# each barrier: sizes are small there. With more threads than processors a program with `barriers` has the same work as
# otherwise: its times are drawn against the team's size.
INTERVAL = "--steps 20054"
OURS = (
    _Ours("hydro", "", "--steps 300", "--steps 20", "--steps 20", quick=True),
    _Ours("wavefront", "--pairs 800", "--pairs 20", "--pairs 40"),
    _Ours("doacross", "--doacross 64 --pairs 40", *2 * ["--doacross 64 --pairs 1"], file="wavefront"),
    _Ours("hosts", "--blocks 146", shared="--blocks 146 --regions 200", team="--threads"),
    _Ours(
        "intervals", f"{INTERVAL} --episodes 5000", shared=f"{INTERVAL} --episodes 500", barriers=True, per_member=True
    ),
    _Ours("gauss", "--systems 30", shared="--systems 2", barriers=True),
    _Ours("paths", "--sources 12", shared="--sources 1 --vertices 1024", barriers=True),
    _Ours("sort", "--keys 25000", shared="--keys 1000", beside="--keys 300", barriers=True, quick=True),
    _Ours("cholesky", "--size 3072", shared="--size 1536", beside="--size 768", quick=True),
    _Ours("aspcg", "", shared="--cells 48", barriers=True),
    _Ours("flow", "--steps 60", shared="--steps 5", barriers=True, compilers=(("gfortran", GCC),)),
    _Ours("regions-1", None, beside="--regions 1", file="regions"),
    _Ours("regions-10", None, beside="--regions 10", file="regions", quick=True),
    _Ours("regions-100", None, beside="--regions 100", file="regions"),
)  # fmt: skip


@dataclass(frozen=True)
class _Pool:
    """A row of the table of programs whose threads are not OpenMP's. `file`: a driver in workloads/others; else it is
    built as its name says, by CMake or, `set_up`, by scripts/setup workloads."""

    name: str
    words: str = ""
    crowded: str | None = None
    shared: str | None = None
    long: str | None = None
    file: str = ""
    set_up: bool = False

    def program(self) -> tuple[Path, str]:
        """And its option for threads that call at the same time."""
        if self.file:
            return native.REPOSITORY / "workloads" / "others" / self.file, CALLERS
        return SET_UP / self.name if self.set_up else _built(self.name), POOLS_CALLERS


# A barrier that spins takes a millisecond and more where threads share processors. Where it does not, the `long` work
# takes a second or more.
LARGER = "--width 1024 --sequences 4"  # a model whose barriers are as far apart as those of a small real one
OF_POOLS = (
    _Pool("pool-queue"),
    _Pool("pool-barrier"),
    _Pool("pool-spin", long="--jobs 16", crowded="--steps 25", shared="--steps 100"),
    _Pool("pool-tbb"),
    _Pool("pool-rayon", long="--jobs 32", set_up=True),
    _Pool("products", long="--matrices 240", crowded="--matrices 3", shared="--matrices 12", file="products.py"),
    _Pool(
        "tiles", long="--matrices 16", crowded="--size 288 --tile 96", shared="--size 512 --matrices 2", file="tiles.py"
    ),
    _Pool(
        "folds",
        long="--folds 24",
        crowded="--folds 4 --rows 1000 --trees 3",
        shared="--rows 3000 --trees 6",
        file="folds.py",
    ),
    _Pool("frames", long="--queries 120", file="frames.py"),
    _Pool("queries", long="--queries 180", file="queries.py"),
    _Pool("video", file="video.py"),
    _Pool("inference", long="--batches 4000", file="inference.py"),
    _Pool("inference-asleep", "--spinning off", long="--spinning off --batches 4000", file="inference.py"),
    _Pool(
        "llama",
        crowded="--layers 1 --sequences 4 --tokens 1",
        shared="--sequences 4 --tokens 2",
        long=LARGER,
        file="llama.py",
    ),
    _Pool(
        "llama-openmp",
        "--barrier openmp",
        "--barrier openmp --sequences 8 --tokens 4",
        long=f"--barrier openmp {LARGER}",
        file="llama.py",
    ),
)
OVER_MPI = ("aspcg", "flow")  # of these, as they are built over MPICH


def programs() -> list[Program]:
    """All, whether or not they are built: ours, those with pools of their own, and the drivers of others' programs,
    which are executable files."""
    found = []
    for one in OURS:
        for compiler, group in one.compilers:
            name = one.name if group == GCC else f"{one.name}-{group}"
            work = _split(one.words, one.crowded, one.shared, one.beside)
            file = _built(f"{one.file or one.name}-{compiler}")
            quick = one.quick and group == GCC
            found.append(Program(name, file, group, *work, one.team, one.barriers, quick, one.per_member))
    by_name = {one.name: one for one in found}
    for name in OVER_MPI:
        same, over = by_name[name], str(_built(f"{name}-mpich"))
        each = (None if words is None else (over, *words) for words in (same.words, same.crowded, same.shared))
        words, crowded, shared = each
        launched = native.REPOSITORY / "workloads" / "processes"
        found.append(Program(name + PROCESSES, launched, OF_PROCESSES, words, crowded, shared))
    others = native.REPOSITORY / "workloads" / "others"
    for one in OF_POOLS:
        *work, long = _split(one.words, one.crowded, one.shared, one.long)
        file, callers = one.program()
        found.append(Program(one.name, file, POOLS, *work, team="--threads", callers=callers, long=long))
    drivers = set(others.glob("*.py")) - {one.file for one in found}
    return found + [Program(p.stem, p, OTHERS) for p in sorted(drivers) if p.stat().st_mode & 0o100]


def _split(*works: str | None) -> list[tuple[str, ...] | None]:
    return [None if work is None else tuple(work.split()) for work in works]


def _built(name: str) -> Path:
    places = [folder.parent / "workloads" / name for folder in native.folders()]
    return next((place for place in places if place.is_file()), places[0])


def chosen(asked: Sequence[str] | None, quick: bool) -> list[Program]:
    """By name or group. Raises Unknown."""
    known = programs()
    for name in asked or ():
        if name not in GROUPS and all(one.name != name for one in known):
            there = ", ".join((*GROUPS, *(one.name for one in known)))
            raise Unknown(f"--programs: no program or group is called {name}; known are {there}")
    if asked:
        return [one for one in known if one.name in asked or one.group in asked]
    return [one for one in known if (one.quick if quick else one.group in BY_DEFAULT)]
