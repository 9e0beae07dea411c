"""Which runtime is better where, as a table: for the terminal and the page, as Markdown and as CSV."""

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

from weir.base import parts
from weir.base.parts import Table
from weir.base.places import Place
from weir.base.screen import nanoseconds, times, two_digits
from weir.openmp.comparison import WHOLE, Construct, Cost, words


def cell(cost: Cost | None, with_cycles: bool = False) -> str:
    if cost is None:
        return "–"
    if cost.in_the_noise:
        return "in the noise"
    return nanoseconds(cost.overhead.value) + (f" ({cost.cycles:,.0f} cycles)" if with_cycles and cost.cycles else "")


def verdict(c: Construct) -> str:
    """The cheapest, and how much cheaper it is than the next, where the intervals show it."""
    if len(c.costs) < 2:
        return ""
    second = c.against_best(c.costs[1])
    if second is None:
        apart = c.costs[1].overhead.low > c.best.overhead.high
        return f"{c.best.runtime}; too near the noise for a ratio" if apart else "in the noise"
    if second.low <= 1:
        return f"{c.best.runtime}, within the noise of {c.costs[1].runtime}"
    return f"{c.best.runtime}, by {times(second)}"


def places(found: Sequence[Construct]) -> list[Place]:
    return list(dict.fromkeys(c.place for c in found))


def title(table: Table) -> str:
    """With what its figures are."""
    return f"{table.title}: {'time of one run' if table.title.startswith(WHOLE) else 'overhead of one directive'}"


def tables(found: Sequence[Construct], with_cycles: bool = False) -> list[Table]:
    """One for each place: a row for each construct with the verdict, and a column for each runtime."""
    return [_table([c for c in found if c.place == place], with_cycles) for place in places(found)]


def for_page(found: Sequence[Construct]) -> list[Table]:
    made = tables(found, with_cycles=True)
    return [replace(t, is_open=t is made[0]) for t in made]


def _table(found: Sequence[Construct], with_cycles: bool) -> Table:
    names = sorted({cost.runtime for c in found for cost in c.costs})
    rows = []
    for c in found:
        by_name = {cost.runtime: cost for cost in c.costs}
        said = [verdict(c)] if len(names) > 1 else []
        rows.append([c.name, *said, *(cell(by_name.get(n), with_cycles) for n in names)])
    title = words(found[0].place)
    if len(names) == 1:
        return Table(title, ["construct", *names], rows)
    return Table(title, ["construct", "best", *names], rows, words=(0, 1))


def summaries(found: Sequence[Construct]) -> list[Table]:
    """Where there is no room for a column of each runtime: the cheapest, and what it takes."""
    made = []
    for place in places(found):
        here = [c for c in found if c.place == place]
        made.append(
            Table(
                words(place),
                ["construct", "best", "takes"],
                [[c.name, _short(c), cell(c.best)] for c in here],
                words=(0, 1),
            )
        )
    return made


def _short(c: Construct) -> str:
    second = c.against_best(c.costs[1]) if len(c.costs) > 1 else None
    if len(c.costs) < 2 or second is None:
        return "" if c.best.in_the_noise else c.best.runtime
    if second.low <= 1:
        return f"{c.best.runtime} or {c.costs[1].runtime}"
    return f"{c.best.runtime}, by {two_digits(second.value)}"


def markdown(found: Sequence[Construct], states: Sequence[str] = ()) -> str:
    """To paste where Markdown is read, with the runtimes' versions below."""
    made = [*states]
    for table in tables(found):
        where, _, what = title(table).rpartition(": ")
        made.append(f"**{where}**: {what}\n\n{parts.markdown(table)}")
    versions = dict.fromkeys(f"{cost.runtime}: {cost.version}" for c in found for cost in c.costs)
    return "\n\n".join([*made, "; ".join(versions) + "."]) + "\n"


CSV_HEADS = (
    "language", "threads", "processors", "load", "group", "construct", "runtime", "version", "overhead_ns", "low_ns",
    "high_ns", "cycles", "in_the_noise", "runs", "rejected_runs", "to_best", "to_best_low", "to_best_high", "state",
    "transfer_ns", "share_of_time",
)  # fmt: skip


def as_csv(found: Sequence[Construct]) -> str:
    """A row for each construct, runtime and state of the machine (none, where it had one); `to_best`: its overhead over
    that of the cheapest, by pairs of samples."""
    text = io.StringIO()
    write = csv.writer(text, lineterminator="\n").writerow
    write(CSV_HEADS)
    for c in found:
        for cost in c.costs:
            ratio = c.against_best(cost)
            figures = [cost.overhead.value, cost.overhead.low, cost.overhead.high, cost.cycles]
            ratios = ["", "", ""] if ratio is None else [f"{v:.3f}" for v in (ratio.value, ratio.low, ratio.high)]
            where = [c.place.language, c.place.members, c.place.processors, c.place.load, c.group, c.name]
            noise = "yes" if cost.in_the_noise else "no"
            s = c.place.state
            state = [s.name, f"{s.transfer_ns:.1f}", f"{s.share:.3f}"] if s.name else ["", "", ""]
            write(
                [
                    *where,
                    cost.runtime,
                    cost.version,
                    *(f"{v:.2f}" if isfinite(v) else "" for v in figures),
                    noise,
                    len(cost.rows),
                    cost.rejected,
                    *ratios,
                    *state,
                ]
            )
    return text.getvalue()
