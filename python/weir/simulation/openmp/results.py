"""What simulated constructs came to, by machine."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

from weir.base.records import Row
from weir.openmp.comparison import Construct, constructs, is_openmp

SOURCE = "simulated"
OURS = "weir"


@dataclass(frozen=True)
class Simulated:
    """The constructs on one machine, with its memory placed in one way."""

    machine: str
    homes: str
    constructs: list[Construct]

    @property
    def title(self) -> str:
        return self.machine if self.homes == "first-touch" else f"{self.machine}, memory: {self.homes}"


def simulated(rows: Sequence[Row]) -> list[Simulated]:
    names = {row["id"]: row["host"].get("cpu_model", "") for row in rows if row["kind"] == "machine"}
    own = [row for row in rows if row["kind"] == "overhead" and is_openmp(row, SOURCE)]
    by_machine: dict[tuple[str, str], list[Row]] = {}
    for row in own:
        key = (names.get(row["session"], ""), row["where"].get("homes", ""))
        by_machine.setdefault(key, []).append(row)
    return [Simulated(*key, constructs(found, SOURCE)) for key, found in by_machine.items()]


def counts(rows: Sequence[Row]) -> dict[str, float]:
    """For one directive, in the mean of the seeds; `moved`: lines, over all distances."""
    kept = [row["counts"] for row in rows]
    made = {name: mean(c[name] for c in kept) for name in kept[0] if name != "moved"}
    return made | {"moved": mean(sum(c["moved"]) for c in kept)}
