"""Which runtime is better at which construct, and by how much."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from weir.records import Row
from weir.statistics import Interval, median_interval, paired_ratio


@dataclass(frozen=True)
class Cost:
    """A construct's overhead on one runtime, in nanoseconds, with its 95 % interval."""

    runtime: str
    version: str
    overhead: Interval
    cycles: float
    runs: list[list[float]]  # by run
    rejected: int

    @property
    def in_the_noise(self) -> bool:
        """The interval holds zero: that there is an overhead at all is not shown."""
        return self.overhead.low <= 0


@dataclass(frozen=True)
class Construct:
    """One construct with one team size: what it costs on each runtime, the cheapest first."""

    name: str
    group: str
    language: str
    members: int
    processors: int
    costs: list[Cost]

    @property
    def best(self) -> Cost:
        return self.costs[0]

    def against_best(self, cost: Cost) -> Interval | None:
        """Its overhead over the best's, by pairs of samples taken in one turn; None where the noise allows no ratio."""
        if cost is self.best or self.best.in_the_noise:
            return None
        return paired_ratio(cost.runs, self.best.runs)


def _labels(rows: Sequence[Row]) -> dict[tuple[str, str, str], str]:
    """By language, runtime and compiler: the runtime, and the compiler where programs of several met it."""
    seen = dict.fromkeys((r["what"]["language"], r["what"]["runtime"], r["what"].get("compiler", "")) for r in rows)
    several = {key[:2] for key in seen if sum(other[:2] == key[:2] for other in seen) > 1}
    return {key: f"{key[1]} by {key[2]}" if key[:2] in several else key[1] for key in seen}


def constructs(rows: Sequence[Row]) -> list[Construct]:
    rows = [row for row in rows if row["kind"] == "overhead" and row["what"]["family"] == "openmp"]
    labels = _labels(rows)
    by_place: dict[tuple, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        what, where = row["what"], row["where"]
        place = (where["members"], what["group"], what["algorithm"], what["language"], where["processors"])
        label = labels[what["language"], what["runtime"], what.get("compiler", "")]
        by_place[place][label].append(row)
    made = []
    for (members, group, name, language, processors), runtimes in by_place.items():
        costs = sorted((_cost(n, r) for n, r in runtimes.items()), key=lambda c: c.overhead.value)
        made.append(Construct(name, group, language, members, processors, costs))
    return sorted(made, key=lambda c: c.members)


def _cost(runtime: str, rows: list[Row]) -> Cost:
    clean = [row for row in rows if row["how"]["rejected"] is None] or rows
    runs = [row["samples"]["overhead_ns"] for row in sorted(clean, key=lambda r: r["how"]["run"])]
    overhead = median_interval(runs)
    rejected = sum(row["how"]["rejected"] is not None for row in rows)
    cycles = overhead.value * float(rows[0].get("cycles_per_ns") or 0)
    return Cost(runtime, rows[0]["what"]["version"], overhead, cycles, runs, rejected)
