"""Where programs are measured: alone, with more threads than processors, several at once, under a quota, and called
from several threads."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from weir.openmp.situation import LEAST_QUOTA
from weir.run.measuring import Conditions
from weir.workloads.programs import Program


@dataclass(frozen=True)
class Situation:
    """`teams`: which of the sizes it takes, by the number of processors. `work`: which arguments of programs."""

    name: str
    title: str
    teams: Callable[[int, int], bool]
    work: str = "shared"
    copies: int = 1
    quota: float = 0.0  # of the processors
    by_callers: bool = False  # the program's library is called from as many threads of Python as there are processors
    by_barrier: bool = False  # also with each barrier

    def conditions(self, team: int, processors: int) -> Conditions:
        quota = max(LEAST_QUOTA, self.quota * processors) if self.quota else None
        return Conditions(team, quota, 0, self.copies)


def _fits(team: int, processors: int) -> bool:
    return team <= processors


SITUATIONS = (
    Situation("dedicated", "dedicated", _fits, "words", by_barrier=True),
    Situation("crowded", "more threads than processors", lambda team, here: team > here, "crowded", by_barrier=True),
    Situation("copies-2", "two copies at once", _fits, copies=2),
    Situation("copies-4", "four copies at once", _fits, copies=4),
    Situation("quota", "a quota of half of the processors", _fits, quota=0.5),
    Situation("callers", "called from several Python threads", _fits, work="words", by_callers=True),
)
NAMES = tuple(one.name for one in SITUATIONS)
TITLES = {one.name: one.title for one in SITUATIONS}
QUICK = ("dedicated", "crowded", "copies-2", "quota")
CROWDED = 4  # times as many threads as processors


@dataclass(frozen=True)
class Cell:
    """A program with a team in a situation: what is run on each side in turn."""

    program: Program
    situation: Situation
    team: int
    processors: int

    @property
    def callers(self) -> int:
        return self.processors if self.situation.by_callers else 0

    @property
    def words(self) -> tuple[str, ...]:
        return self.program.arguments(self.situation.work, self.team, self.callers)

    @property
    def load(self) -> str:
        """As records state it."""
        where = self.situation
        if where.quota:
            return f"quota:{self.conditions.quota:g}"
        return f"copies:{where.copies}" if where.copies > 1 else f"callers:{self.callers}" if self.callers else "none"

    @property
    def conditions(self) -> Conditions:
        return self.situation.conditions(self.team, self.processors)

    def title(self) -> str:
        return f"{self.program.name}, {self.team} threads, {self.situation.title}"


def cells(program: Program, names: Sequence[str], teams: Sequence[int], processors: int, callers: bool) -> list[Cell]:
    """`callers`: the program can be called from several threads of Python."""
    return [
        Cell(program, where, team, processors)
        for where in SITUATIONS
        if where.name in names and (callers or not where.by_callers)
        for team in teams
        if where.teams(team, processors)
    ]
