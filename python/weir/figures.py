"""From rows to figures: the runs of one series become one distribution, and figures are compared."""

from dataclasses import dataclass, field
from typing import Any

from weir.records import Row
from weir.sitting import share
from weir.statistics import Distribution, Interval, Runs, describe, median_interval, paired_ratio


@dataclass(frozen=True, order=True)
class Place:
    """Where a figure was taken: only figures of one place are compared."""

    members: int
    processors: int
    pinned: bool
    load: str


@dataclass
class Figure:
    family: str
    id: str
    algorithm: str
    waiting: str
    version: str
    place: Place
    rows: list[Row] = field(default_factory=list)
    _distribution: Distribution | None = None

    @property
    def name(self) -> str:
        """What a reader calls it."""
        if self.family != "weir":
            return self.algorithm
        return "Weir's default" if self.is_default else f"{self.algorithm} / {self.waiting}"

    @property
    def is_default(self) -> bool:
        return self.algorithm == "auto" and self.waiting == "auto"

    @property
    def clean_rows(self) -> list[Row]:
        """Rows of clean runs; all of them where no run is clean (the page marks such a figure)."""
        clean = [row for row in self.rows if row["how"].get("rejected") is None]
        return clean or self.rows

    @property
    def rejected(self) -> int:
        return sum(row["how"].get("rejected") is not None for row in self.rows)

    @property
    def all_rejected(self) -> bool:
        return self.rejected == len(self.rows)

    @property
    def cycles_per_ns(self) -> float:
        return float(self.rows[0].get("cycles_per_ns") or 0)

    def runs(self, name: str = "overhead_ns") -> Runs:
        return [row["samples"][name] for row in self.clean_rows]

    def distribution(self) -> Distribution:
        if self._distribution is None:
            self._distribution = describe(self.runs())
        return self._distribution

    def waste(self) -> Interval:
        """Processor time beyond the members' own computing, as a share of all that they took."""
        fullest = share(self.place.members, self.place.processors)
        wasted = []
        for row in self.clean_rows:
            samples = row["samples"]
            own = [self.place.members * r / fullest for r in samples["reference_ns"]]
            wasted.append([(c - o) / c for c, o in zip(samples["cpu_ns"], own, strict=True)])
        return median_interval(wasted)


def figures(rows: list[Row]) -> list[Figure]:
    merged: dict[tuple[Any, ...], Figure] = {}
    for row in rows:
        if row["kind"] != "overhead":
            continue
        what, where = row["what"], row["where"]
        place = Place(where["members"], where["processors"], where["pinned"], where["load"])
        identity = what.get("id") or f"{what['family']}:{what['algorithm']}/{what['waiting']}"
        key = (identity, what.get("version"), place)
        if key not in merged:
            merged[key] = Figure(
                what["family"], identity, what["algorithm"], what["waiting"], what.get("version") or "", place
            )
        merged[key].rows.append(row)
    return list(merged.values())


def machines(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["kind"] == "machine"]


class Comparison:
    """The figures of one place, ranked, with the floor that the machine sets there."""

    def __init__(self, all_figures: list[Figure], place: Place) -> None:
        here = [f for f in all_figures if f.place == place]
        self.place = place
        self.barriers = sorted((f for f in here if f.family != "floor"), key=lambda f: f.distribution().median.value)
        self._floor = [f for f in here if f.family == "floor"]

    def floor_ns(self) -> float | None:
        """One line transfer where there is a processor for each member; where there is not, a context
        switch for each member of the fullest processor."""
        switches = share(self.place.members, self.place.processors)
        kind = "transfer" if switches == 1 else "switch"
        costs = [f.distribution().median.value for f in self._floor if f.algorithm == kind]
        return switches * max(costs) if costs else None

    def floor_runs(self) -> Runs | None:
        """The floor's samples, to be paired with a barrier's."""
        switches = share(self.place.members, self.place.processors)
        kind = "transfer" if switches == 1 else "switch"
        found = [f for f in self._floor if f.algorithm == kind]
        if not found:
            return None
        worst = max(found, key=lambda f: f.distribution().median.value)
        return [[switches * x for x in run] for run in worst.runs()]

    def _first(self, wanted: Any) -> Figure | None:
        return next((f for f in self.barriers if wanted(f)), None)

    @property
    def default(self) -> Figure | None:
        return self._first(lambda f: f.is_default)

    @property
    def best_peer(self) -> Figure | None:
        return self._first(lambda f: f.family == "peer" and not f.all_rejected)

    @property
    def best_weir(self) -> Figure | None:
        return self._first(lambda f: f.family == "weir" and not f.all_rejected)


def ratio(a: Figure, b: Figure) -> Interval | None:
    """a / b by pairs of samples of the same run and round, over the runs that both have."""
    by_run = {row["how"]["run"]: row["samples"]["overhead_ns"] for row in b.clean_rows}
    pairs = [
        (row["samples"]["overhead_ns"], by_run[row["how"]["run"]])
        for row in a.clean_rows
        if row["how"]["run"] in by_run
    ]
    return paired_ratio([x for x, _ in pairs], [y for _, y in pairs]) if pairs else None


def places(all_figures: list[Figure], load: str = "none") -> list[Place]:
    return sorted({f.place for f in all_figures if f.place.load == load and f.family != "floor"})
