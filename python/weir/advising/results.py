"""What a session measured, from its records: the times of each way at each size."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median

from weir.advising import model
from weir.advising.fields import FAMILY
from weir.advising.model import Model
from weir.advising.sizes import Size
from weir.advising.staircase import Staircase
from weir.base.records import Row, at
from weir.run.measuring import OWN, WEIR


@dataclass
class Point:
    """One way at one size. `seconds`: of each round that counts."""

    side: str
    title: str
    size: Size
    seconds: dict[int, float] = field(default_factory=dict)
    disturbed: dict[int, float] = field(default_factory=dict)
    failed: str = ""  # why; it was not tried again

    @property
    def times(self) -> dict[int, float]:
        """Those beside other programs, too, where there are no others."""
        return self.seconds or self.disturbed

    @property
    def least(self) -> float:
        """What disturbs a run only adds to it: other programs, the kernel's choice of processors, a processor that is
        slow for a while. So the least comes nearest to what the program itself takes."""
        return min(self.times.values())

    @property
    def median(self) -> float:
        return median(self.times.values())


class Session:
    def __init__(self, machine: Row, runs: Sequence[Row]) -> None:
        self.id, self.machine = machine.get("id"), machine
        self.points: dict[tuple[str, Size], Point] = {}
        for row in runs:
            where, how = row["where"], row["how"]
            size = Size(where["processors"], where["members"], where["quota"])
            key = (row["what"]["side"], size)
            point = self.points.setdefault(key, Point(key[0], row["what"]["runtime"], size))
            if row["kind"] == "failure":
                point.failed = how["stopped"]
            else:
                (point.disturbed if how["rejected"] else point.seconds)[how["run"]] = how["wall_s"]

    def setting(self, name: str) -> object:
        return at(self.machine, f"settings.{name}")

    @property
    def program(self) -> str:
        return str(self.setting("program"))

    @property
    def processors(self) -> int:
        """That may be used here."""
        found = self.setting("processors")
        return found if isinstance(found, int) else max(size.processors for _, size in self.points)

    @property
    def has_openmp(self) -> bool:
        return isinstance(self.setting("team"), int)

    @property
    def obeys(self) -> bool:
        """Is its team of the size that it is asked to have?"""
        return self.setting("obeys") is True

    @cached_property
    def sides(self) -> dict[str, str]:
        """Names and titles, of runtimes first."""
        titles = {point.side: point.title for point in self.points.values()}
        return {name: titles[name] for name in (OWN, WEIR) if name in titles} | titles

    def times(self, side: str) -> dict[Size, float]:
        """Of all runs that ended, without those under a quota."""
        return {
            size: point.least
            for (name, size), point in sorted(self.points.items(), key=lambda item: item[0][1].processors)
            if name == side and size.quota is None and point.times
        }

    @cached_property
    def models(self) -> dict[str, Model]:
        """Of each runtime of which enough sizes were measured. On others than Weir's a thread that waits may keep its
        processor: what more threads than processors take there follows no rule, and is left out."""
        own = {size: seconds for size, seconds in self.times(OWN).items() if size.is_matched}
        made = {OWN: model.model(own), WEIR: model.model(self.times(WEIR))}
        return {side: fitted for side, fitted in made.items() if fitted is not None}

    @cached_property
    def trace(self) -> Staircase | None:
        trace = self.setting("trace")
        try:
            return Staircase(
                int(trace["threads"]), int(trace["barriers"]), float(trace["computing_s"]),
                {int(p): float(s) for p, s in trace["seconds"].items()},
            )  # fmt: skip
        except (TypeError, KeyError, ValueError, AttributeError):  # none, or one that somebody has written by hand
            return None


def is_of_advice(row: Row) -> bool:
    return row["kind"] in ("overhead", "failure") and row["what"]["family"] == FAMILY


def sessions(rows: Sequence[Row]) -> list[Session]:
    made = []
    for machine in (row for row in rows if row["kind"] == "machine"):
        if runs := [row for row in rows if row.get("session") == machine.get("id") and is_of_advice(row)]:
            made.append(Session(machine, runs))
    return made
