"""From rows to figures: times and ratios of programs on each runtime and by each barrier."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, log
from statistics import median

import numpy as np

from weir.base.places import Place
from weir.base.records import Row, by_turn
from weir.base.statistics import FEWEST, Interval, Turns, median_interval
from weir.workloads.rows import AUTO, DEFAULT, FIXED, KERNEL, OWN, PROFILE, RUN, is_by_hand, is_of_workloads
from weir.workloads.situations import NAMES

RESAMPLED = 4000


@dataclass(frozen=True)
class Ratio:
    """Of two times: the median of their ratios by rounds. `interval`: None where there are too few rounds for 95 %."""

    value: float
    interval: Interval | None
    rounds: int


class Cell:
    """A program with a team in a situation. `failed`: why a way to run it has no figure, by (runtime, barrier)."""

    def __init__(self, program: str, group: str, command: str, place: Place) -> None:
        self.program, self.group, self.command, self.place = program, group, command, place
        self.per_member = False
        self.rows: dict[tuple[str, str], list[Row]] = defaultdict(list)
        self.failed: dict[tuple[str, str], str] = {}

    def times(self, runtime: str, barrier: str = DEFAULT) -> Turns:
        """None of a way that failed, though it may have come to its end before."""
        rows = () if self.fails(runtime, barrier) else self.rows.get(_key(runtime, barrier), ())
        return by_turn(rows, "episode_ns")

    def fails(self, runtime: str, barrier: str = DEFAULT) -> bool:
        return _key(runtime, barrier) in self.failed

    def time(self, runtime: str, barrier: str = DEFAULT) -> Interval | None:
        runs = [list(turns.values()) for turns in self.times(runtime, barrier).values()]
        return median_interval(runs) if runs else None

    def enough(self, runtime: str, barrier: str = DEFAULT) -> bool:
        return len(self.times(runtime, barrier)) >= FEWEST

    def ratios(self, runtime: str, of: str, barrier: str = DEFAULT, of_barrier: str = DEFAULT) -> list[float]:
        """By rounds: the time on `runtime` in that on `of`."""
        own, theirs = self.times(runtime, barrier), self.times(of, of_barrier)
        return [
            own[run][turn] / ns for run in own if run in theirs for turn, ns in theirs[run].items() if turn in own[run]
        ]

    def fastest(self, runtimes: Iterable[str]) -> str | None:
        """The one with the least median time."""
        there = [name for name in runtimes if self.times(name)]
        return min(there, key=lambda name: self.time(name).value) if there else None

    @property
    def by_hand(self) -> str | None:
        """The fastest of the program as it is, with this number of threads and others, where others were measured."""
        others = [name for name, _ in self.rows if is_by_hand(name)]
        return self.fastest((OWN, *others)) if others else None

    @property
    def best_fixed(self) -> tuple[str, str] | None:
        """Of the ways to run it on Weir's runtime without a choice while it runs, the one with the least median time:
        runtime and barrier. None unless they were measured."""
        if not any(name in FIXED for name, _ in self.rows):
            return None
        ways = [way for way in self.rows if way[0] in (KERNEL, *FIXED) and self.times(*way)]
        return min(ways, key=lambda way: self.time(*way).value) if ways else None

    def ratio(self, runtime: str, of: str, barrier: str = DEFAULT, of_barrier: str = DEFAULT) -> Ratio | None:
        """One run is a round, and has one time."""
        if not (ratios := self.ratios(runtime, of, barrier, of_barrier)):
            return None
        found = median_interval([[ratio] for ratio in ratios])
        return Ratio(found.value, found if found.known else None, len(ratios))

    @property
    def barriers(self) -> list[str]:
        """Of Weir's kernel threads, the default among them, as they were measured."""
        return [barrier for runtime, barrier in self.rows if runtime == KERNEL and self.times(runtime, barrier)]

    @property
    def best(self) -> str | None:
        """The barrier with the least median time, where several were measured."""
        others = [name for name in self.barriers if name != DEFAULT]
        return min(others, key=lambda name: self.time(KERNEL, name).value) if others else None


def _key(runtime: str, barrier: str) -> tuple[str, str]:
    return runtime, barrier if runtime == KERNEL else ""


@dataclass(frozen=True)
class Share:
    program: str
    runtime: str
    version: str
    members: int
    processors: int
    situation: str
    time_ns: float
    waited_ns: float
    priced_ns: float  # it may be more: members pay at the same time as others
    directives: int

    @property
    def of_time(self) -> float:
        return self.waited_ns / self.time_ns


class Results:
    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = [row for row in rows if is_of_workloads(row)]

    @cached_property
    def cells(self) -> list[Cell]:
        """In the order of situations, then as the programs were met."""
        found: dict[tuple, Cell] = {}
        for row in self.rows:
            if row["how"]["method"] != RUN:
                continue
            what = row["what"]
            place = Place.of_row(row, ("where.situation", "where.members", "where.processors", "where.load"))
            cell = found.setdefault(
                (what["algorithm"], what["command"], place),
                Cell(what["algorithm"], what["group"], what["command"], place),
            )
            cell.per_member = what.get("per_member", False)
            key = _key(what["runtime"], what["barrier"])
            if row["kind"] == "failure":
                cell.failed[key] = row["how"]["stopped"]
            else:
                cell.rows[key].append(row)
        return sorted(found.values(), key=lambda c: (_order(c.place.situation), c.program, c.place.members))

    @cached_property
    def situations(self) -> list[str]:
        return list(dict.fromkeys(cell.place.situation for cell in self.cells))

    def of(self, situation: str) -> list[Cell]:
        return [cell for cell in self.cells if cell.place.situation == situation]

    @property
    def runtimes(self) -> list[str]:
        """All but the programs' own and fixed choices; Weir's default first."""
        runtimes = (runtime for c in self.cells for runtime, _ in (*c.rows, *c.failed))
        found = dict.fromkeys(name for name in runtimes if name not in (OWN, *FIXED))
        return sorted(found, key=lambda name: name != AUTO)

    def version(self, runtime: str) -> str:
        named = dict.fromkeys(
            r["what"]["version"] for r in self.rows if r["what"]["runtime"] == runtime and r["what"]["version"]
        )
        return ", ".join(named)

    @cached_property
    def shares(self) -> list[Share]:
        """The last of each."""
        found = {}
        for row in self.rows:
            if row["how"]["method"] == PROFILE and row["kind"] == "overhead":
                what, where, samples = row["what"], row["where"], row["samples"]
                one = Share(what["algorithm"], what["runtime"], what["version"], where["members"], where["processors"],
                            where["situation"], samples["episode_ns"][0], samples["overhead_ns"][0],
                            1e9 * row["how"].get("priced_s", 0), row["how"].get("directives", 0))  # fmt: skip
                found[one.program, one.runtime, one.members, one.situation] = one
        return sorted(found.values(), key=lambda s: (s.program, s.members, s.runtime))


def _order(situation: str) -> int:
    return NAMES.index(situation) if situation in NAMES else len(NAMES)


def geometric_mean(ratios: Iterable[Sequence[float]]) -> Ratio | None:
    """Over programs: of the medians of each program's ratios. The interval resamples each program's rounds, not the
    programs."""
    series = [list(one) for one in ratios if one]
    if not series:
        return None
    value = exp(sum(log(median(one)) for one in series) / len(series))
    rounds = min(map(len, series))
    if rounds < FEWEST:
        return Ratio(value, None, rounds)
    random = np.random.default_rng(1)
    logs = np.zeros(RESAMPLED)
    for one in series:
        values = np.asarray(one)
        logs += np.log(np.median(values[random.integers(len(values), size=(RESAMPLED, len(values)))], axis=1))
    low, high = np.exp(np.quantile(logs / len(series), [0.025, 0.975]))
    return Ratio(value, Interval(value, min(float(low), value), max(float(high), value)), rounds)
