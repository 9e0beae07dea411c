"""What Weir's barrier takes compared with MPI_Barrier, in one sentence."""

from weir.base.findings import against, count_samples, sentence
from weir.base.records import Row
from weir.base.screen import nanoseconds
from weir.mpi.comparison import Barrier, comparisons

TOLD = 0.5  # of a time: clocks that are known no better are spoken of


def finding(rows: list[Row]) -> str:
    """What Weir's barrier takes instead of MPI_Barrier, with the fewest processes and with the most."""
    found = [c for c in comparisons(rows) if c.place.threads == 1 and c.default and c.find("MPI_Barrier")]
    words = []
    for processes in sorted({c.place.processes for c in found})[:: max(len({c.place.processes for c in found}) - 1, 1)]:
        c = max((c for c in found if c.place.processes == processes), key=lambda c: count_samples(c.default.rows))
        ratio = c.default.against(c.find("MPI_Barrier"))
        words.append(
            f"with {processes} processes on {c.place.processors} processors Weir's barrier takes "
            f"{_time(c.default)}, {against(ratio, f'MPI_Barrier of {c.place.library}')}"
        )
    return sentence("; ".join(words), "MPI")


def _time(barrier: Barrier) -> str:
    """With what its clocks may add, where that is much: the interval of the median holds the scatter alone."""
    its, clock = barrier.time.median.value, barrier.clock_ns
    if clock <= TOLD * its:
        return nanoseconds(its)
    return f"at most {nanoseconds(its + clock)} ({nanoseconds(its)} by clocks that agree within {nanoseconds(clock)})"
