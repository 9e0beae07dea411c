"""What Weir's runtime costs compared with the best of the others, in one sentence and one small picture."""

from typing import TYPE_CHECKING

from weir.base.findings import sentence
from weir.base.records import Row
from weir.base.screen import nanoseconds
from weir.openmp.comparison import Construct, Cost, constructs, is_whole

if TYPE_CHECKING:
    import altair as alt

WEIR = "weir"
DRAWN = ("parallel", "barrier", "reduction", "critical")


def finding(rows: list[Row]) -> str:
    """On how many constructs Weir's runtime is cheaper than the cheapest other one."""
    cheaper = dearer = compared = 0
    barrier = ""
    names: dict[str, None] = {}
    for c in constructs(rows):
        ours, other = _cheapest(c, weirs=True), _cheapest(c, weirs=False)
        if is_whole(c.place) or not ours or not other:
            continue
        compared += 1
        names |= dict.fromkeys(_runtime(cost) for cost in c.costs if not _is_weirs(cost))
        cheaper += ours.overhead.high < other.overhead.low
        dearer += ours.overhead.low > other.overhead.high
        if c.name == "barrier" and c.place.language == "C":
            costs = [nanoseconds(max(cost.overhead.value, 0)) for cost in (ours, other)]
            instead = f"{costs[0]} instead of {costs[1]} on {other.runtime}"
            barrier = f", a barrier of {c.place.members} threads for instance {instead}"
    undecided = compared - cheaper - dearer
    if not compared:
        return sentence("", "OpenMP")
    *first, last = names
    others = f"the cheapest of {', '.join(first)} and {last}" if first else last
    return sentence(
        f"of {compared} OpenMP constructs, {cheaper} cost less on Weir's runtime than on {others}{barrier}, "
        f"{dearer} cost more, and {undecided} {'is' if undecided == 1 else 'are'} undecided by these samples",
        "OpenMP",
    )


def picture(rows: list[Row]) -> "alt.TopLevelMixin | None":
    """A few constructs on each runtime, in the largest team that nothing disturbs; in C, by the cheaper compiler."""
    from weir.base.pictures import times, value

    found = [c for c in constructs(rows) if c.name in DRAWN and c.place.load == "none" and c.place.language == "C"]
    most = max((c.place.members for c in found), default=0)
    here = sorted((c for c in found if c.place.members == most), key=lambda c: DRAWN.index(c.name))
    values = []
    for c in here:
        cheapest = {_runtime(cost): cost for cost in reversed(c.costs)}
        values += [value(c.name, runtime, cheapest[runtime].overhead) for runtime in sorted(cheapest, key=_weirs_first)]
    return times(values, f"overhead with {most} threads")


def _weirs_first(runtime: str) -> tuple[bool, str]:
    return runtime != WEIR, runtime


def _runtime(cost: Cost) -> str:
    """Without the compiler whose program met it."""
    return cost.runtime.split()[0]


def _is_weirs(cost: Cost) -> bool:
    return _runtime(cost) == WEIR


def _cheapest(construct: Construct, weirs: bool) -> Cost | None:
    """Costs are in order."""
    return next((c for c in construct.costs if _is_weirs(c) is weirs), None)
