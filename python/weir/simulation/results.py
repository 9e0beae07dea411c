"""What a scenario's runs came to: the rows of one scenario, asked for by what its sweep chose."""

from collections import defaultdict
from collections.abc import Sequence
from statistics import median
from typing import Any

from weir.base.records import Row
from weir.base.statistics import Interval
from weir.simulation import rows as made


def short(key: str) -> str:
    """`application.barrier` is `barrier` to a reader."""
    return key.rpartition(".")[2]


class Results:
    """One scenario with its runs."""

    def __init__(self, head: Row, runs: Sequence[Row]) -> None:
        self.head = head
        self.name: str = head["name"]
        self.charts: list[dict[str, Any]] = head["charts"]
        self.runs = list(runs)
        by_point: dict[int, list[Row]] = defaultdict(list)
        for row in self.runs:
            by_point[row["point"]].append(row)
        self.points = [by_point[p] for p in sorted(by_point)]

    def at(self, **chosen: Any) -> list[Row]:
        """The runs, one for each seed, of the point that was chosen so; keys may be short. Exactly one point."""
        found = [
            rows
            for rows in self.points
            if all(v == chosen[short(k)] for k, v in rows[0]["chosen"].items() if short(k) in chosen)
        ]
        if len(found) != 1:
            raise KeyError(f"{self.name}: {len(found)} points are {chosen}")
        return found[0]

    def value(self, metric: str, **chosen: Any) -> float:
        """The median over the seeds."""
        return interval(self.at(**chosen), metric).value

    def swept(self, key: str) -> list[Any]:
        """The values of a key, in the order of the sweep; keys may be short."""
        full = next(k for k in self.head["swept"] if short(k) == key)
        return list(dict.fromkeys(rows[0]["chosen"][full] for rows in self.points))

    @property
    def is_complete(self) -> bool:
        return len(self.runs) == self.head["points"] * len(self.head["seeds"])


def interval(rows: Sequence[Row], metric: str) -> Interval:
    """The median over the seeds, and the range of all of them."""
    return over_seeds([made.metric(row, metric) for row in rows])


def over_seeds(values: Sequence[float]) -> Interval:
    return Interval(median(values), min(values), max(values))


def scenarios(rows: Sequence[Row]) -> list[Results]:
    runs: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row["kind"] == "simulation":
            runs[row["scenario"]].append(row)
    heads = [row for row in rows if row["kind"] == "scenario"]
    return [Results(head, runs[head["id"]]) for head in heads if runs[head["id"]]]
