"""Weir's targets, compared with what was measured."""

from collections.abc import Sequence
from dataclasses import dataclass

from weir.base.parts import Cell, Section, Table
from weir.base.screen import percent, times
from weir.base.statistics import Interval

TEXT = (
    "Each ratio is the median over pairs of samples taken next to each other, with its 95 % interval. “Reached” and "
    "“missed”: the whole interval lies on that side of the limit. “Within the noise”: the interval "
    "contains the limit, so that this session does not decide."
)


@dataclass(frozen=True)
class Target:
    """`reached` is decided by the interval's lower end: a target within the noise counts as met."""

    members: int
    what: str
    measured: Interval
    limit: float
    detail: str
    is_share: bool = False  # of processor time; else a ratio of two times

    @property
    def reached(self) -> bool:
        return self.measured.low <= self.limit

    @property
    def clearly(self) -> bool:
        """The whole interval is on the right side."""
        return self.measured.high <= self.limit

    @property
    def verdict(self) -> str:
        return "reached" if self.clearly else "within the noise" if self.reached else "missed"


def section(heading: str, targets: Sequence[Target]) -> list[Section]:
    """For the page; nothing where there are no targets."""
    heads = ["what", "verdict", "threads", "measured", "at most", "which"]
    table = Table("", heads, [_cells(t) for t in targets], words=(0, 1, 5))
    return [Section(heading, TEXT, [table], judges=True)] if targets else []


def _cells(t: Target) -> list[str]:
    limit = f"{t.limit:.0%}" if t.is_share else f"{t.limit:.2f}"
    verdict = Cell(t.verdict, verdict=t.verdict)
    return [t.what, verdict, str(t.members), _measured(t), limit, Cell("", t.detail)]


def _measured(t: Target) -> str:
    return percent(t.measured) if t.is_share else times(t.measured)
