"""From rows to figures: the runs of one series become one distribution, and figures are compared."""

from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any

from weir.barriers import fields
from weir.base import records
from weir.base.places import Place, on_fullest
from weir.base.records import Row, by_turn, clean, machine_names, rejected
from weir.base.states import ANY, split
from weir.base.statistics import Distribution, Interval, Runs, describe, median_interval, ratio_by_turn

PLACE = tuple(f"where.{part}" for part in ("processors", "pinned", "load", "members", "delay_ns"))


@dataclass
class Figure:
    family: str
    id: str
    algorithm: str
    waiting: str
    version: str
    place: Place
    source: str = "measured"
    rows: list[Row] = field(default_factory=list)
    _distribution: Distribution | None = None

    @property
    def name(self) -> str:
        """What a reader calls it."""
        if self.source != "measured":
            return f"{self.algorithm} / {self.waiting}, {self.source}"
        if self.family != "weir":
            return self.algorithm
        return "Weir's default" if self.is_default else f"{self.algorithm} / {self.waiting}"

    @property
    def is_default(self) -> bool:
        return self.source == "measured" and self.algorithm == "auto" and self.waiting == "auto"

    @property
    def clean_rows(self) -> list[Row]:
        """The page marks a figure that has none."""
        return clean(self.rows)

    @property
    def rejected(self) -> int:
        return rejected(self.rows)

    @property
    def all_rejected(self) -> bool:
        return self.rejected == len(self.rows)

    @property
    def of_all_states(self) -> bool:
        """Its samples outlast a state of the machine."""
        return any(row["how"].get("of_all_states") for row in self.rows)

    @property
    def cycles_per_ns(self) -> float:
        return float(self.rows[0].get("cycles_per_ns") or 0)

    def runs(self, name: str = "overhead_ns") -> Runs:
        return [row["samples"][name] for row in self.clean_rows]

    def distribution(self) -> Distribution:
        if self._distribution is None:
            self._distribution = describe(self.runs())
        return self._distribution

    @property
    def in_the_noise(self) -> bool:
        """The interval holds zero: that there is an overhead at all is not shown, only how large it is at most."""
        median = self.distribution().median
        return self.source == "measured" and median.known and median.low <= 0

    @property
    def median_of_all_runs(self) -> float:
        """With the rejected ones: where the two medians differ, rejection has chosen between two regimes."""
        return median(x for row in self.rows for x in row["samples"]["overhead_ns"])

    def waste(self) -> Interval:
        """Processor time beyond the members' own computing, as a share of all that they took."""
        there = on_fullest(self.place.members, self.place.processors)
        wasted = []
        for row in self.clean_rows:
            samples = row["samples"]
            own = [self.place.members * r / there for r in samples["reference_ns"]]
            wasted.append([(c - o) / c for c, o in zip(samples["cpu_ns"], own, strict=True)])
        return median_interval(wasted)


def place_of(row: Row, names: dict[Any, str]) -> Place:
    return Place.of_row(row, PLACE, machine=names.get(row.get("session"), ""))


def figures(rows: list[Row]) -> list[Figure]:
    """Measured ones; and of those simulated or predicted, the ones that stand beside a measured one: the pages of
    scenarios show the others."""
    made = _merged(split(rows))
    measured = [f for f in made if f.source == "measured"]
    places = sorted({f.place for f in measured})
    if not places:
        return made if not any(row["kind"] == "scenario" for row in rows) else []
    for f in made:
        if f.source == "measured":
            continue
        there = [p for p in places if _alike(p, f.place, f.source)]
        if f.source == "predicted":
            there = [p for p in there if replace(p, state=ANY) == replace(there[0], state=ANY)]
        measured += [replace(f, place=p) for p in there]
    return measured


def _alike(a: Place, b: Place, source: str) -> bool:
    """In any state of the machine. A formula has no machine."""
    if source == "predicted":
        return (a.members, a.processors, a.load, a.delay_ns) == (b.members, b.processors, b.load, b.delay_ns)
    return replace(a, state=ANY) == replace(b, state=ANY)


def _merged(rows: list[Row]) -> list[Figure]:
    names = machine_names(rows)
    merged: dict[tuple[Any, ...], Figure] = {}
    for row in rows:
        if row["kind"] != "overhead" or not is_barrier(row):
            continue
        one = of_row(row, names)
        merged.setdefault((one.id, one.version, one.place, one.source), one).rows.append(row)
    return list(merged.values())


def of_row(row: Row, names: dict[Any, str]) -> Figure:
    """The figure to which a run belongs, without runs."""
    what = row["what"]
    identity = what.get("id") or f"{what['family']}:{what['algorithm']}/{what['waiting']}"
    version, source = what.get("version") or "", row.get("source", "measured")
    return Figure(what["family"], identity, what["algorithm"], what["waiting"], version, place_of(row, names), source)


def is_barrier(row: Row) -> bool:
    """Of threads, measured or not. Other families with fields of their own are other subjects'."""
    ours = row["kind"] in ("overhead", "failure") and row["what"]["family"]
    return bool(ours) and (ours in fields.DRAWN or ours not in records.families())


class Comparison:
    """The figures of one place, ranked, with the floor that the machine sets there."""

    def __init__(self, all_figures: list[Figure], place: Place) -> None:
        here = [f for f in all_figures if f.place == place]
        self.place = place
        self.barriers = sorted((f for f in here if f.family != "floor"), key=lambda f: f.distribution().median.value)
        self._floor = [f for f in here if f.family == "floor"]

    @property
    def floor(self) -> Figure | None:
        """The step that every barrier needs, at its highest cost: one line transfer if there is a
        processor for each member, else a context switch."""
        kind = "transfer" if self.floor_steps == 1 else "switch"
        costs = [f for f in self._floor if f.algorithm == kind]
        return max(costs, key=lambda f: f.distribution().median.value, default=None)

    @property
    def floor_steps(self) -> int:
        """One, or a switch for each member of the fullest processor."""
        return on_fullest(self.place.members, self.place.processors)

    def floor_ns(self) -> float | None:
        return self.floor_steps * self.floor.distribution().median.value if self.floor else None

    def _first(self, wanted: Any) -> Figure | None:
        return next((f for f in self.barriers if f.source == "measured" and wanted(f)), None)

    @property
    def default(self) -> Figure | None:
        return self._first(lambda f: f.is_default)

    @property
    def best_peer(self) -> Figure | None:
        return self._first(lambda f: f.family == "peer" and not f.all_rejected)

    @property
    def custom(self) -> list[Figure]:
        """The user's own barriers."""
        return [f for f in self.barriers if f.family == "mine"]

    @property
    def best_weir(self) -> Figure | None:
        return self._first(lambda f: f.family == "weir" and not f.all_rejected)


def ratio(a: Figure, b: Figure, times: int = 1) -> Interval | None:
    """a / (times x b) by pairs of samples taken next to each other, over the clean runs that both have."""
    found = ratio_by_turn(by_turn(a.clean_rows, "overhead_ns"), by_turn(b.clean_rows, "overhead_ns"))
    return found and Interval(found.value / times, found.low / times, found.high / times)


def failures(rows: list[Row]) -> list[tuple[str, Place, Row]]:
    """Runs that gave no figure: the subject's id, where, and the row with the reason."""
    names = machine_names(rows)
    return [
        (row["what"].get("id") or row["what"]["algorithm"], place_of(row, names), row)
        for row in rows
        if row["kind"] == "failure" and is_barrier(row)
    ]


def places(all_figures: list[Figure], load: str = "none") -> list[Place]:
    return sorted({f.place for f in all_figures if f.place.load == load and f.family != "floor"})


def groups(comparisons: list[Comparison]) -> list[list[Comparison]]:
    """Comparisons that one line may join: one machine and state, one way of binding, each team size once."""
    made: list[list[Comparison]] = []
    for c in comparisons:
        same = [
            g
            for g in made
            if (g[0].place.machine, g[0].place.processors, g[0].place.pinned, g[0].place.state)
            == (c.place.machine, c.place.processors, c.place.pinned, c.place.state)
            and all(d.place.members != c.place.members for d in g)
        ]
        same[0].append(c) if same else made.append([c])
    return made
