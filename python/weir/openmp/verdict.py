"""A cost, and which runtime is better, in words."""

from weir.openmp.comparison import Construct, Cost
from weir.screen import nanoseconds


def cell(cost: Cost | None, with_cycles: bool = False) -> str:
    if cost is None:
        return "–"
    if cost.in_the_noise:
        return "in the noise"
    return nanoseconds(cost.overhead.value) + (f" ({cost.cycles:,.0f} cycles)" if with_cycles and cost.cycles else "")


def verdict(c: Construct) -> str:
    """The cheapest, and by how much it is cheaper than the next, where that can be told."""
    if len(c.costs) < 2:
        return ""
    second = c.against_best(c.costs[1])
    if second is None:
        apart = c.costs[1].overhead.low > c.best.overhead.high
        return f"{c.best.runtime}; too near the noise for a ratio" if apart else "in the noise"
    if second.low <= 1:
        return f"{c.best.runtime}, within the noise of {c.costs[1].runtime}"
    return f"{c.best.runtime}, by {second.value:.2f} ({second.low:.2f} … {second.high:.2f})"
