"""What Weir's default barrier takes on this machine, in one sentence."""

from weir.barriers.comparison import Comparison, figures, places, ratio
from weir.base.findings import against, count_samples, sentence
from weir.base.records import Row
from weir.base.screen import nanoseconds


def finding(rows: list[Row]) -> str:
    """What the default takes, with a processor for each member and with too few, beside the best of other libraries. It
    is what to use: one that is faster with a processor for each may be a thousand times slower without."""
    all_figures = figures(rows)
    found = [Comparison(all_figures, place) for place in places(all_figures)]
    found = [c for c in found if c.default and c.best_peer and c.place.members > 1]
    words = []
    for oversubscribed in (False, True):
        here = [c for c in found if (c.place.members > c.place.processors) == oversubscribed]
        if not here:
            continue
        most = max(c.place.members for c in here)
        c = max((c for c in here if c.place.members == most), key=lambda c: count_samples(c.default.rows))
        cost = nanoseconds(max(c.default.distribution().median.value, 0))
        words.append(
            f"with {c.place.members} threads on {c.place.processors} processors it takes {cost}, "
            f"{against(ratio(c.default, c.best_peer), c.best_peer.name)}"
        )
    return sentence(f"Weir's default barrier: {'; '.join(words)}" if words else "", "barriers")
