"""What Weir's barrier takes compared with MPI_Barrier, in one sentence and one small picture."""

from typing import TYPE_CHECKING

from weir.base.findings import against, count_samples, sentence
from weir.base.records import Row
from weir.base.screen import nanoseconds
from weir.mpi.comparison import BARRIER, Barrier, Comparison, comparisons

if TYPE_CHECKING:
    import altair as alt

TOLD = 0.5  # of a time: clocks that are known no better are spoken of


def finding(rows: list[Row]) -> str:
    """What Weir's barrier takes instead of MPI_Barrier, with the fewest processes and with the most."""
    words = [
        f"with {_place(c)} Weir's barrier takes {_time(c.default)}, "
        f"{against(c.default.against(c.find(BARRIER)), _theirs(c))}"
        for c in _extremes(rows)
    ]
    return sentence("; ".join(words), "MPI")


def picture(rows: list[Row]) -> "alt.TopLevelMixin | None":
    """The two barriers that the sentence compares."""
    from weir.base.pictures import BREAK, times, value

    values = []
    for c in _extremes(rows):
        values.append(value(_place(c, BREAK), c.default.name, c.default.time.median))
        values.append(value(_place(c, BREAK), _theirs(c), c.find(BARRIER).time.median))
    return times(values, "time of a barrier of processes")


def _place(c: Comparison, between: str = " ") -> str:
    return f"{c.place.processes} processes{between}on {c.place.processors} processors"


def _theirs(c: Comparison) -> str:
    return f"{BARRIER} of {c.place.library}"


def _extremes(rows: list[Row]) -> list[Comparison]:
    """The places with the fewest processes and with the most."""
    found = [c for c in comparisons(rows) if c.place.threads == 1 and c.default and c.find(BARRIER)]
    sizes = sorted({c.place.processes for c in found})
    return [
        max((c for c in found if c.place.processes == size), key=lambda c: count_samples(c.default.rows))
        for size in sizes[:: max(len(sizes) - 1, 1)]
    ]


def _time(barrier: Barrier) -> str:
    """With what its clocks may add, where that is much: the interval of the median holds the scatter alone."""
    ns, clock = barrier.time.median.value, barrier.clock_ns
    if clock <= TOLD * ns:
        return nanoseconds(ns)
    return f"at most {nanoseconds(ns + clock)} ({nanoseconds(ns)} by clocks that agree within {nanoseconds(clock)})"
