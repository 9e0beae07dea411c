"""What the page shows of `weir scale`: time against ranks, and all barriers of each place."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from weir.base.parts import Chart, Section, Subject
from weir.base.records import Row
from weir.base.screen import two_digits
from weir.scale import charts
from weir.scale.tables import as_table, left_out, ranked

TEXT = (
    "The library's own sources in the time of SimGrid's MPI, on clusters described by their files; the node's own "
    "barrier from the simulator of shared memory. In the tables: one of ten in a row, one alone that all ranks reach "
    "at once, the node's part of it, and the ratio to the best. No intervals: the same run gives the same digits."
)


ALL = (
    "Times of one barrier, those of the node's processes included. MPI_Barrier with a name: one that SMPI has taken "
    "from another MPI. Clusters, and the sources of their figures, are in machines/clusters; what is left out is in "
    "docs/mpi/scale.md."
)


def sections(rows: Sequence[Row]) -> list[Section]:
    groups = ranked(rows)
    if not groups:
        return []
    tables = [replace(as_table(g), is_open=g is groups[-1]) for g in groups]
    drawn = [chart for draw in CHARTS for chart in draw(groups)]
    return [Section(parts=drawn), Section("All barriers of simulated ranks", ALL, tables)]


def wants(rows: Sequence[Row]) -> bool:
    return any(row["kind"] == "scale" for row in rows)


def _finding(groups: list[list[Row]]) -> str:
    most = max(g[0]["ranks"] for g in groups)
    ratios = [r["ratio"] for g in groups for r in g if r["ranks"] == most and r["algorithm"] == "auto"]
    if not ratios:
        return "Barriers of simulated ranks"
    if max(ratios) < 1.005:
        return f"Among {most:,} simulated ranks Weir's default is the best"
    worst = two_digits(max(ratios))
    return f"Among {most:,} simulated ranks Weir's default takes at most {worst} times as long as the best"


def _against_ranks(groups: list[list[Row]]) -> list[Chart]:
    return [Chart("scale", _finding(groups), charts.against_ranks(groups), TEXT)]


# What draws the charts of all places; the rows of each are ranked.
CHARTS: tuple[Callable[[list[list[Row]]], list[Chart]], ...] = (
    _against_ranks,
)  # fmt: skip

SUBJECT = Subject(
    name="Scale",
    title="barriers at scale",
    heading="Barriers at scale",
    about="What a barrier of many processes costs on clusters that are not here: Weir's, by every algorithm, beside "
    "those of other MPIs.",
    wants=wants,
    sections=sections,
    left_out=left_out,
)
