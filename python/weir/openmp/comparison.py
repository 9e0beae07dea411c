"""Which runtime is better at which construct, and by how much."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from weir.base.places import Place
from weir.base.records import Row, by_turn, clean, rejected
from weir.base.states import split
from weir.base.statistics import Interval, median_interval, ratio_by_turn
from weir.openmp.situation import load_in_words
from weir.openmp.suite import PROGRAM


@dataclass(frozen=True)
class Cost:
    """A construct's overhead on one runtime, in nanoseconds, with its 95 % interval."""

    runtime: str
    version: str
    overhead: Interval
    cycles: float
    rows: list[Row]  # of clean runs, where there are any
    rejected: int

    @property
    def in_the_noise(self) -> bool:
        """The interval holds zero: that there is an overhead at all is not shown."""
        return self.overhead.known and self.overhead.low <= 0


# What a place consists of: one language, one team size, the same processors and load.
PLACE = ("what.language", "where.members", "where.processors")


# Of whole programs the time is compared, and so that of libraries for which they are written in other languages.
WHOLE = "whole programs"


def is_whole(place: Place) -> bool:
    return place.language == WHOLE


def words(place: Place) -> str:
    where = f"{place.language}, {place.members} threads on {place.processors} processors{load_in_words(place.load)}"
    return f"{where} ({place.state.words()})" if place.state.name else where


@dataclass(frozen=True)
class Construct:
    """One construct in one place: what it costs on each runtime, the cheapest first."""

    name: str
    group: str
    place: Place
    costs: list[Cost]

    @property
    def best(self) -> Cost:
        return self.costs[0]

    def against_best(self, cost: Cost) -> Interval | None:
        """Its overhead over the best's, by pairs of samples taken in one turn; None where the noise allows no ratio."""
        if cost is self.best or self.best.in_the_noise:
            return None
        ours, theirs = by_turn(cost.rows, "overhead_ns"), by_turn(self.best.rows, "overhead_ns")
        return ratio_by_turn(ours, theirs)


def is_openmp(row: Row, source: str = "measured") -> bool:
    """Is it a figure or a failure of the suite?"""
    fits = row["kind"] in ("overhead", "failure") and row["what"]["family"] == "openmp"
    return fits and (row.get("source") or "measured") == source


Key = tuple[str, str, str, str]


def _key(row: Row) -> Key:
    """Language, runtime, compiler, environment."""
    what = row["what"]
    environment = what.get("environment") or {}
    told = " ".join(f"{name}={value}" for name, value in environment.items())
    return (what["language"], what["runtime"], what.get("compiler", ""), told)


def _labels(rows: Sequence[Row]) -> dict[Key, str]:
    """The runtime; the compiler where programs of several met it, and its environment's settings."""
    seen = dict.fromkeys(map(_key, rows))
    compilers = {(language, runtime): set() for language, runtime, _, _ in seen}
    for language, runtime, compiler, _ in seen:
        compilers[language, runtime].add(compiler)
    labels = {}
    for key in seen:
        language, runtime, compiler, told = key
        by = f" by {compiler}" if len(compilers[language, runtime]) > 1 else ""
        labels[key] = runtime + by + (f" {told}" if told else "")
    return labels


def constructs(rows: Sequence[Row], source: str = "measured") -> list[Construct]:
    """`source`: where the rows come from, as they say; simulated ones of one machine at a time."""
    rows = [row for row in split(rows) if row["kind"] == "overhead" and is_openmp(row, source)]
    labels = _labels(rows)
    by_place: dict[tuple, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        what = row["what"]
        place = Place.of_row(row, PLACE, load=row["where"].get("load", "none"))
        if what["group"] == PROGRAM:
            place = place.but(language=WHOLE)
        by_place[what["group"], what["algorithm"], place][labels[_key(row)]].append(row)
    made = []
    for (group, name, place), runtimes in by_place.items():
        costs = sorted((_cost(n, r) for n, r in runtimes.items()), key=lambda c: c.overhead.value)
        made.append(Construct(name, group, place, costs))
    return sorted(made, key=lambda c: (c.place.members, c.place.state))


def _cost(runtime: str, rows: list[Row]) -> Cost:
    kept = sorted(clean(rows), key=lambda row: row["how"]["run"])
    overhead = median_interval([row["samples"]["overhead_ns"] for row in kept])
    cycles = overhead.value * float(rows[0].get("cycles_per_ns") or 0)
    return Cost(runtime, rows[0]["what"]["version"], overhead, cycles, kept, rejected(rows))
