"""What the page shows of `weir scale`: time against ranks, and all barriers of each place."""

from collections.abc import Sequence

from weir.base.parts import Chart, Section
from weir.base.records import Row
from weir.scale import charts as scale_chart
from weir.scale.tables import as_table, ranked

TEXT = (
    "The library's own sources in the time of SimGrid's MPI, on clusters described by their files; the node's own "
    "barrier from the simulator of shared memory. In the tables: one of ten in a row, one alone that all reach at the "
    "same moment, the node's part of it, and the ratio to the best. No intervals: the same run gives the same digits."
)


def section(rows: Sequence[Row]) -> Section | None:
    """None where the records hold no simulated ranks."""
    groups = ranked(rows)
    if not groups:
        return None
    return Section([Chart("scale", _finding(groups), scale_chart.draw(rows), TEXT)], [as_table(g) for g in groups])


def _finding(groups: list[list[Row]]) -> str:
    most = max(g[0]["ranks"] for g in groups)
    ratios = [r["ratio"] for g in groups for r in g if r["ranks"] == most and r["algorithm"] == "auto"]
    if not ratios:
        return "Barriers of simulated ranks"
    return f"Among {most:,} simulated ranks Weir's default takes at most {max(ratios):.2f} times as long as the best"
