"""What the page shows of barriers over MPI: the figures of paper 004 for this machine, targets, and all barriers."""

from collections.abc import Sequence
from dataclasses import dataclass

from weir.mpi import charts, tables
from weir.mpi.comparison import LIBRARIES, Comparison, comparisons, targets
from weir.records import Row
from weir.report import parts
from weir.report.parts import Chart
from weir.screen import nanoseconds
from weir.targets import Target


@dataclass(frozen=True)
class Section(parts.Section):
    targets: list[Target]
    stopped: list[dict]
    clock: str  # how far clocks may have been apart; empty where nobody looked at them


def section(rows: Sequence[Row]) -> Section | None:
    """None where the records hold nothing over MPI."""
    found = comparisons(rows)
    if not found:
        return None
    rows = [r for r in rows if r["kind"] == "overhead" and r["what"]["family"] == "mpi"]
    clock = max((r["how"].get("clock_ns") or 0.0 for r in rows), default=0.0)
    stopped = [
        {
            "name": r["what"]["algorithm"],
            "where": f"{r['what']['mpi']}, {r['where']['processes']} × {r['where']['threads']}",
            "run": r["how"]["run"] + 1,
            "why": r["how"]["stopped"],
        }
        for r in rows
        if r["how"].get("stopped")
    ]
    words = nanoseconds(clock) if clock else ""
    return Section(_charts(_drawn(found)), tables.tables(found), targets(found), stopped, words)


def _drawn(found: Sequence[Comparison]) -> list[Comparison]:
    """Each size once: of the lowest thread level, and where both methods were used by the one that suits."""
    kept: dict[tuple, Comparison] = {}
    for c in found:
        p = c.place
        suits = "consecutive" if p.shared else "round-time"
        rank = (p.method == suits, p.level == "funneled")
        key = (p.machine, p.mpi, p.threads, p.processes)
        if key not in kept or rank > (kept[key].place.method == suits, kept[key].place.level == "funneled"):
            kept[key] = c
    return list(kept.values())


def _charts(found: Sequence[Comparison]) -> list[Chart]:
    made = []
    threads = [c for c in found if c.place.processes == 1]
    if threads:
        text = (
            "Medians with 95 % intervals, both axes logarithmic. “#pragma omp barrier” is of the OpenMP that this "
            "program was compiled with; that of others is measured by weir bench."
        )
        title = "Barriers of threads in one process (paper 004, figures 2 to 5)"
        made.append(Chart("mpi-figures-2-5", title, charts.against("threads", threads), text))
    processes = [c for c in found if c.place.threads == 1]
    if processes:
        text = (
            "Medians with 95 % intervals, both axes logarithmic. Names alone are by messages; “shared memory” is "
            "through what the processes of a node share. Where there are more processes than processors, barriers are "
            "measured one after the other; where there are not, from the last coming to the last leaving."
        )
        title = "Barriers of processes (figures 6 to 9)"
        made.append(Chart("mpi-figures-6-9", title, charts.against("processes", processes), text))
    if any(c.place.threads > 1 and c.place.processes > 1 for c in found):
        for mpi in dict.fromkeys(c.place.mpi for c in found):
            text = (
                "The least and the mean time, as colours on a logarithmic scale. The first column is a barrier of "
                "processes alone, the lowest row one of threads alone."
            )
            title = f"Threads and processes together, {LIBRARIES.get(mpi, mpi)} (figures 10 to 13)"
            drawn = charts.maps([c for c in found if c.place.mpi == mpi])
            made.append(Chart(f"mpi-figures-10-13-{mpi}", title, drawn, text))
        text = "Against all threads of all processes. Barriers of threads and processes are marked with both numbers."
        title = "All together (figure 14)"
        made.append(Chart("mpi-figure-14", title, charts.by_members(found), text))
    return made
