"""Runs of a comparison that are unlike the others, as hyperfine warns of them."""

from collections.abc import Sequence
from statistics import median

from weir.base.screen import nanoseconds
from weir.base.statistics import far
from weir.run.measuring import Side, Trial

MOST_SHOWN = 3  # of the times that lie far off
MUCH = 1.2  # a first run that takes this much longer than the others


def notes(sides: Sequence[Side], trials: Sequence[Trial]) -> list[str]:
    """Sentences: what lies far off on each side and what to do, and which runs do not count."""
    made = [said for side in sides for said in _of(side, [t for t in trials if t.side == side.name])]
    if any(t.pair == 0 and not t.counted for t in trials):
        made.append("The first run on each side warms up and is left out.")
    return made


def _of(side: Side, trials: Sequence[Trial]) -> list[str]:
    whole = [t for t in trials if not t.failed]
    first = next((t for t in whole if t.pair == 0), None)
    others = [t.wall_s for t in whole if t.counted and t is not first]
    made = []
    if first is not None and far([first.wall_s], others) and first.wall_s > MUCH * median(others):
        took = f"{side.title}: the first run was much slower than the others: {_s(first.wall_s)} instead of "
        counts = (
            "It counts, as it took long: repeat the comparison, since its files are in memory now."
            if first.counted
            else "It is not among the figures: who starts the program once waits as long."
        )
        made.append(f"{took}{_s(median(others))} (median). {counts}")
    if off := far(others):
        shown = ", ".join(_s(others[i]) for i in off[:MOST_SHOWN]) + (", ..." if len(off) > MOST_SHOWN else "")
        lie = "lies" if len(off) == 1 else "lie"
        made.append(
            f"{side.title}: {len(off)} of {len(others)} runs {lie} far from the median, {_s(median(others))}: {shown}. "
            "Other programs may have disturbed them: repeat the comparison on an idle machine, or with more runs "
            f"(--times {2 * len(others)})."
        )
    return made


def _s(seconds: float) -> str:
    return nanoseconds(1e9 * seconds)
