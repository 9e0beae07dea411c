"""Which barrier to use on this machine, in one sentence."""

from weir.barriers.comparison import Comparison, figures, places, ratio
from weir.base.findings import against, count_samples, sentence
from weir.base.records import Row
from weir.base.screen import nanoseconds


def finding(rows: list[Row]) -> str:
    """Which barrier to use, with a processor for each member and with too few."""
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
        best, default, peer = c.best_weir, c.default, c.best_peer
        ahead = ratio(default, best) if best is not default else None
        take = best.name if ahead and ahead.low > 1 else "Weir's default"
        chosen = best if ahead and ahead.low > 1 else default
        cost = nanoseconds(max(chosen.distribution().median.value, 0))
        words.append(
            f"with {c.place.members} threads on {c.place.processors} processors use {take}, which takes "
            f"{cost}, {against(ratio(chosen, peer), peer.name)}"
        )
    return sentence("; ".join(words), "barriers")
