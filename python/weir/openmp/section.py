"""What the page shows of OpenMP's constructs: the figures, and a table of which runtime is better where."""

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from weir.openmp import charts
from weir.openmp.comparison import Construct, constructs
from weir.openmp.verdict import cell, verdict
from weir.records import Row

GROUPS = {
    "synchronisation": "Constructs with a barrier in them, and their neighbours",
    "exclusion": "Mutual exclusion",
    "schedule": "Loop schedules, 1,024 iterations for each thread",
    "task": "Tasks",
    "data": "Data clauses of a region, by the size of an array",
}


@dataclass(frozen=True)
class Chart:
    name: str
    title: str
    drawn: alt.TopLevelMixin


@dataclass(frozen=True)
class Table:
    title: str
    heads: list[str]
    rows: list[list[str]]


@dataclass(frozen=True)
class Section:
    charts: list[Chart]
    tables: list[Table]


def section(rows: Sequence[Row]) -> Section | None:
    """None where the records hold nothing of the suite."""
    found = constructs(rows)
    if not found:
        return None
    drawn = []
    for group, title in GROUPS.items():
        its = [c for c in found if c.group == group]
        if its:
            drawn.append(Chart(f"openmp-{group}", title, _chart(group, its)))
    sizes = dict.fromkeys((c.members, c.processors, c.language) for c in found)
    tables = [_table([c for c in found if (c.members, c.processors, c.language) == place]) for place in sizes]
    return Section(drawn, tables)


def _chart(group: str, its: list[Construct]) -> alt.TopLevelMixin:
    largest = [c for c in its if c.members == its[-1].members]
    if group == "schedule" and any(":" in c.name for c in its):
        return charts.by_chunk(largest)
    several = len({c.members for c in its}) > 1
    return charts.by_threads(its) if several else charts.by_construct(largest)


def _table(found: list[Construct]) -> Table:
    first = found[0]
    names = sorted({cost.runtime for c in found for cost in c.costs})
    rows = []
    for c in found:
        by_name = {cost.runtime: cost for cost in c.costs}
        rows.append([c.name, *(cell(by_name.get(n), with_cycles=True) for n in names), verdict(c)])
    title = f"{first.language}, {first.members} threads on {first.processors} processors"
    return Table(title, ["construct", *names, "best"], rows)
