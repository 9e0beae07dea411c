"""What Weir's default barrier takes on this machine, in one sentence and one small picture."""

from typing import TYPE_CHECKING

from weir.barriers.comparison import Comparison, figures, places, ratio
from weir.base.findings import against, count_samples, sentence
from weir.base.records import Row
from weir.base.screen import nanoseconds

if TYPE_CHECKING:
    import altair as alt

PEERS_DRAWN = 4


def finding(rows: list[Row]) -> str:
    """What the default takes, with a processor for each member and with too few, beside the best of other libraries. It
    is what to use: one that is faster with a processor for each may be a thousand times slower without."""
    words = [
        f"with {_place(c)} it takes {nanoseconds(max(c.default.distribution().median.value, 0))}, "
        f"{against(ratio(c.default, c.best_peer), c.best_peer.name)}"
        for c in _largest(rows)
    ]
    return sentence(f"Weir's default barrier: {'; '.join(words)}" if words else "", "barriers")


def picture(rows: list[Row]) -> "alt.TopLevelMixin | None":
    """The default, the peers that the sentence names, and more of the fastest ones where processors are shared."""
    from weir.base.pictures import BREAK, times, value

    found = _largest(rows)
    if not found:
        return None
    named = [c.best_peer.id for c in found]
    fastest = [f.id for f in found[-1].barriers if f.family == "peer" and not f.all_rejected]
    drawn = {c.default.id for c in found} | set(list(dict.fromkeys(named + fastest))[:PEERS_DRAWN])
    return times(
        (value(_place(c, BREAK), f.name, f.distribution().median) for c in found for f in c.barriers if f.id in drawn),
        "overhead of a barrier",
    )


def _place(c: Comparison, between: str = " ") -> str:
    return f"{c.place.members} threads{between}on {c.place.processors} processors"


def _largest(rows: list[Row]) -> list[Comparison]:
    """The largest team that has a processor for each member, and the largest that has not."""
    all_figures = figures(rows)
    found = [Comparison(all_figures, place) for place in places(all_figures)]
    found = [c for c in found if c.default and c.best_peer and c.place.members > 1]
    made = []
    for oversubscribed in (False, True):
        here = [c for c in found if (c.place.members > c.place.processors) == oversubscribed]
        if here:
            made.append(max(here, key=lambda c: (c.place.members, count_samples(c.default.rows))))
    return made
