"""Simulated constructs as tables, for the terminal and the page."""

from collections.abc import Iterable

from weir.base.parts import Table
from weir.base.screen import nanoseconds, two_digits
from weir.openmp.comparison import Construct, Cost
from weir.simulation.openmp.results import OURS, Simulated, counts

COUNTS = {
    "critical_path": "critical path",
    "moved": "lines moved",
    "busiest_line": "of one line",
    "read_line": "to its readers",
    "busiest_member": "to one thread",
    "atomics": "updates",
    "calls": "calls",
    "woken": "woken",
}

INTERVAL = "95 % interval"
# Columns that a narrow screen has no room for.
SAY_LESS = (INTERVAL, "best model", "takes", *list(COUNTS.values())[2:])


def ours_of(c: Construct) -> Cost | None:
    return next((cost for cost in c.costs if cost.runtime == OURS), None)


def best_model(c: Construct) -> Cost | None:
    return next((cost for cost in c.costs if cost.runtime != OURS), None)  # the cheapest is first


def ratio(c: Construct) -> float | None:
    """Weir's overhead over the least of the models."""
    ours, best = ours_of(c), best_model(c)
    if ours is None or best is None or best.overhead.value <= 0:
        return None
    return ours.overhead.value / best.overhead.value


def over_floor(c: Construct) -> float | None:
    """Weir's overhead over what no runtime can be faster than on that machine."""
    ours = ours_of(c)
    floor = ours.rows[0].get("floor_ns") if ours else None
    return ours.overhead.value / floor if ours and floor else None


def overheads(of: Simulated) -> Table:
    """A row for each construct and team, a column for each runtime."""
    runtimes = list(dict.fromkeys([OURS, *(cost.runtime for c in of.constructs for cost in c.costs)]))
    heads = ["construct", "threads", *runtimes, "weir / best model", "weir / floor"]
    rows = []
    for c in _in_order(of):
        by_name = {cost.runtime: cost for cost in c.costs}
        times = [_time(by_name.get(n)) for n in runtimes]
        rows.append([c.name, str(c.place.members), *times, _two(ratio(c)), _two(over_floor(c))])
    return Table(f"{of.title}: overhead of one directive", heads, rows)


def counted(of: Simulated) -> Table:
    """What Weir's runtime moves and asks for in one directive."""
    rows = [[c.name, str(c.place.members), *_counts(cost)] for c in _in_order(of) if (cost := ours_of(c))]
    return Table(f"{of.title}: what weir moves in one directive", ["construct", "threads", *COUNTS.values()], rows)


def best(of: Simulated) -> Table:
    """For the terminal: Weir's runtime, and the best of the models."""
    heads = ["construct", "threads", "weir", "best model", "takes", "ratio", "over floor"]
    rows = []
    for c in _in_order(of):
        ours, model = ours_of(c), best_model(c)
        name = model.runtime if model else "–"
        ratios = (_two(ratio(c)), _two(over_floor(c)))
        rows.append([c.name, str(c.place.members), _time(ours), name, _time(model), *ratios])
    return Table(f"{of.title}: overhead of one directive", heads, rows, words=(0, 3))


def _in_order(of: Simulated) -> Iterable[Construct]:
    names = list(dict.fromkeys(one.name for one in of.constructs))
    return sorted(of.constructs, key=lambda c: (names.index(c.name), c.place.members))


def _time(cost: Cost | None) -> str:
    return "–" if cost is None else nanoseconds(cost.overhead.value)


def _two(value: float | None) -> str:
    return "–" if value is None else two_digits(value)


def _counts(cost: Cost) -> list[str]:
    numbers = counts(cost.rows)
    return [_number(numbers.get(name)) for name in COUNTS]


def _number(value: float | None) -> str:
    """Records before a count was made do not have it."""
    return "–" if value is None else f"{value:,.1f}" if value < 100 else f"{value:,.0f}"
