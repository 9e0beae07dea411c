"""`weir bench openmp --report-to FILE`: what a person with another machine measures in ten minutes, in one file.

The file holds what the machine is (its processors, the signature of its topology), what a cache line takes between its
processors, and records of some constructs with 2, with half and with all processors. `weir simulate openmp --beside
FILE` fits a machine file to the transfers, and compares, on any machine.
"""

from collections.abc import Sequence

from weir.openmp.suite import Series

SECONDS, ROUNDS, SAMPLES = 600.0, 10, 20
# Those that weir simulate openmp has, too.
CONSTRUCTS = (
    "parallel", "parallel-for", "for", "barrier", "single", "sections", "reduction", "ordered", "task-by-master",
    "task-by-all", "task-tree", "taskwait", "schedule-dynamic-n:1", "schedule-guided-n:1",
)  # fmt: skip
MOST_PAIRS = 66  # so many are measured without a choice


def sizes(processors: int) -> tuple[int, ...]:
    """Of teams."""
    return tuple(sorted({2, max(2, processors // 2), max(2, processors)}))


def chosen(series: Sequence[Series]) -> list[Series]:
    return [s for s in series if s.construct in CONSTRUCTS]


def pairs(processors: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """All, or those that tell groups apart: from the first processor, and from the last, to both ends of each group
    whose size divides their number."""
    count = len(processors)
    if count * (count - 1) // 2 <= MOST_PAIRS:
        return tuple((a, b) for i, a in enumerate(processors) for b in processors[i + 1 :])
    away = sorted({d for size in range(1, count) if count % size == 0 for d in (size, size - 1, count - 1)} - {0})
    ends = [(0, d) for d in away] + [(count - 1 - d, count - 1) for d in away]
    return tuple((processors[a], processors[b]) for a, b in dict.fromkeys(ends))
