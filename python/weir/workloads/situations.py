"""Where programs are measured: alone, with more threads than processors, several at once, under a quota, called from
several threads, and beside busy processes."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from weir.base.load import busy
from weir.openmp.situation import LEAST_QUOTA, PROCESSORS, Unavailable
from weir.run.measuring import Conditions
from weir.workloads.programs import BESIDE, POOLS, Program

SLOWER = 1.02  # the time of any program on Weir's runtime, in its time on its own: at most
SETTLING_S = 0.05  # until busy processes have begun


@dataclass(frozen=True)
class Situation:
    """`teams`: which of the sizes it takes, by the number of processors, and `usual` those by default, in numbers of
    processors. `work`: which arguments of programs. `peers`: other runtimes that Weir's is compared with, too.
    `asks`: who runs the program says how many threads it has; else the program decides. `own_fits`: on its own runtime
    it has as many threads as processors, divided among the callers. `pools`: it is for programs whose threads are not
    OpenMP's."""

    name: str
    title: str
    teams: Callable[[int, int], bool]
    usual: tuple[int, ...] = (1,)
    work: str = "shared"
    copies: int = 1
    quota: float = 0.0  # of the processors
    callers: int = 0  # threads that call the program's library at the same time, in numbers of processors
    by_barrier: bool = False  # also with each barrier
    busy: int = 0  # processes that compute all the time, on each processor
    nice: int = 0  # of these
    peers: tuple[str, ...] = ()
    slower: float = SLOWER
    asks: bool = True
    own_fits: bool = False
    pools: bool = False

    def conditions(self, team: int | None, processors: int) -> Conditions:
        quota = max(LEAST_QUOTA, self.quota * processors) if self.quota else None
        return Conditions(team, quota, 0, self.copies)

    @contextmanager
    def loaded(self) -> Iterator[None]:
        """While what is beside the programs runs. Raises NativeError, and Unavailable."""
        if not self.busy:
            yield
            return
        try:
            with busy([one for one in PROCESSORS for _ in range(self.busy)], self.nice):
                time.sleep(SETTLING_S)
                yield
        except PermissionError:
            why = f"the nice value {self.nice} was refused: it takes CAP_SYS_NICE, which root has"
            raise Unavailable(why) from None


def _fits(team: int, processors: int) -> bool:
    return team <= processors


def _crowds(team: int, processors: int) -> bool:
    return team > processors


def _beside(each: int, nice: int) -> Situation:
    name = f"beside-{each}" + {-5: "-heavier", 0: "", 5: "-lighter"}[nice]
    processes = "a busy process" if each == 1 else f"{each} busy processes"
    title = f"{processes} per processor" + (f", nice {nice:+d}" if nice else "")
    return Situation(
        name, title, _crowds, (2, 4), work=BESIDE, busy=each, nice=nice, peers=("libomp",), slower=BESIDE_SLOWER
    )


CROWDED = 4  # times as many threads as processors
BESIDE_SLOWER = 1.05  # in the better of the times on its own runtime and on the peers
CROWDS_WEIR = "more threads than processors, longer"  # on the own runtime as many as processors
CALLERS_LONG = "called from twice as many threads, longer"
DEFAULTS = "a quota, and all defaults"
SITUATIONS = (
    Situation("dedicated", "dedicated", _fits, work="words", by_barrier=True),
    Situation("crowded", "more threads than processors", _crowds, (CROWDED,), "crowded", by_barrier=True),
    Situation("copies-2", "two copies at once", _fits, copies=2),
    Situation("copies-4", "four copies at once", _fits, copies=4),
    Situation("quota", "a quota of half of the processors", _fits, quota=0.5),
    Situation("callers", "called from several Python threads", _fits, work="words", callers=1),
    Situation("crowded-callers", "called from twice as many threads", _crowds, (2,), "crowded", callers=2),
    Situation("crowded-long", CROWDS_WEIR, _crowds, (CROWDED,), "long", own_fits=True, pools=True),
    Situation("callers-long", CALLERS_LONG, _crowds, (2,), "long", callers=2, own_fits=True, pools=True),
    Situation("quota-defaults", DEFAULTS, _fits, quota=0.5, asks=False, pools=True),
    *(_beside(each, nice) for each in (1, 4) for nice in (0, -5, 5)),
)
NAMES = tuple(one.name for one in SITUATIONS)
TITLES = {one.name: one.title for one in SITUATIONS}
# Of programs whose threads are not OpenMP's.
FOR_POOLS = ("dedicated", "crowded", "crowded-long", "quota", "quota-defaults", "crowded-callers", "callers-long")
QUICK = ("dedicated", "crowded", "copies-2", "quota", "beside-4")
GROUPS = {BESIDE: tuple(one.name for one in SITUATIONS if one.busy)}
BY_NAME = {one.name: one for one in SITUATIONS}


@dataclass(frozen=True)
class Cell:
    """A program with a team in a situation: what is run on each side in turn."""

    program: Program
    situation: Situation
    team: int
    processors: int
    asks: bool = True

    @property
    def asked(self) -> int | None:
        """As many threads as the program is told to have."""
        return self.team if self.asks else None

    def by_hand(self, team: int) -> "Cell":
        """The same with so many threads, whoever decides otherwise."""
        return replace(self, team=team, asks=True)

    @property
    def callers(self) -> int:
        return self.situation.callers * self.processors

    def fitting(self) -> "Cell":
        """The same with as many threads as processors, or one for each caller."""
        return self.by_hand(max(1, self.processors // max(1, self.callers)))

    @property
    def words(self) -> tuple[str, ...]:
        return self.program.arguments(self.situation.work, self.asked, self.callers)

    @property
    def load(self) -> str:
        """As records state it."""
        where = self.situation
        if where.quota:
            return f"quota:{self.conditions.quota:g}"
        if where.busy:
            return f"busy:{where.busy}:{where.nice}"
        return f"copies:{where.copies}" if where.copies > 1 else f"callers:{self.callers}" if self.callers else "none"

    @property
    def conditions(self) -> Conditions:
        return self.situation.conditions(self.asked, self.processors)

    def title(self) -> str:
        return f"{self.program.name}, {self.team} threads, {self.situation.title}"


def named(names: Sequence[str]) -> tuple[str, ...]:
    """Situations and groups of them: situations."""
    return tuple(dict.fromkeys(one for name in names for one in GROUPS.get(name, (name,))))


def cells(
    program: Program, names: Sequence[str], teams: Sequence[int] | None, processors: int, callers: bool
) -> list[Cell]:
    """`callers`: the program can be called from several threads at the same time. `teams`: None: the usual ones."""
    return [
        Cell(program, where, team, processors, where.asks)
        for where in SITUATIONS
        if where.name in names and program.takes(where.work) and (callers or not where.callers)
        if not where.pools or program.group == POOLS
        for team in teams or [times * processors for times in where.usual]
        if where.teams(team, processors)
    ]
