"""What Weir's runtime costs compared with the compiler's, in one sentence."""

from weir.base.findings import sentence
from weir.base.records import Row
from weir.base.screen import nanoseconds
from weir.openmp.comparison import Construct, Cost, constructs, is_whole


def finding(rows: list[Row]) -> str:
    """On how many constructs Weir's runtime is cheaper than that of the compiler."""
    cheaper = dearer = 0
    barrier = ""
    found = [c for c in constructs(rows) if not is_whole(c.place)]
    theirs = next((n for n in ("libgomp", "libomp") if any(_cost(c, n) for c in found)), "")
    for c in found:
        ours, other = _cost(c, "weir"), _cost(c, theirs)
        if not ours or not other:
            continue
        cheaper += ours.overhead.high < other.overhead.low
        dearer += ours.overhead.low > other.overhead.high
        if c.name == "barrier":
            costs = [nanoseconds(max(cost.overhead.value, 0)) for cost in (ours, other)]
            barrier = f", a barrier for instance {costs[0]} instead of {costs[1]}"
    compared = sum(bool(_cost(c, "weir") and _cost(c, theirs)) for c in found)
    undecided = compared - cheaper - dearer
    if not compared:
        return sentence("", "OpenMP")
    return sentence(
        f"of {compared} OpenMP constructs, {cheaper} cost less on Weir's runtime than on {theirs}{barrier}, "
        f"{dearer} cost more, and {undecided} {'is' if undecided == 1 else 'are'} undecided by these samples",
        "OpenMP",
    )


def _cost(construct: Construct, runtime: str) -> Cost | None:
    return next((c for c in construct.costs if c.runtime.split()[0].startswith(runtime)), None) if runtime else None
