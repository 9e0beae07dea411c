"""What the page shows of OpenMP: the figures of paper 003 for this machine, every construct, and who is better."""

from collections.abc import Sequence
from dataclasses import replace

from weir.base.parts import Chart, Section
from weir.base.records import Row
from weir.base.states import ANY, State
from weir.openmp import charts, tables
from weir.openmp.comparison import Construct, constructs
from weir.openmp.situation import company

# Figures 1 to 9 of paper 003 are three kinds on three machines; here three kinds on each runtime.
SYNCHRONISATION = ("parallel", "for", "parallel-for", "barrier", "single", "reduction")
EXCLUSION = ("critical", "lock", "atomic", "ordered")
SCHEDULES = ("schedule-static", "schedule-static-n", "schedule-dynamic-n", "schedule-guided-n")
GROUPS = {
    "synchronisation": "Constructs with a barrier in them, and their neighbours",
    "exclusion": "Mutual exclusion",
    "schedule": "Loop schedules, 1,024 iterations for each thread",
    "task": "Tasks",
    "data": "Data clauses of a region, by the size of an array",
}


def section(rows: Sequence[Row]) -> Section | None:
    """None where the records hold nothing of the suite."""
    found = constructs(rows)
    if not found:
        return None
    drawn = []
    for state in sorted({c.place.state for c in found}):
        drawn += [_of_state(chart, state) for chart in _charts([c for c in found if c.place.state == state])]
    return Section(drawn, tables.tables(found, with_cycles=True))


def _charts(found: Sequence[Construct]) -> list[Chart]:
    drawn = _papers([c for c in found if c.place.load == "none"])
    for load in dict.fromkeys(c.place.load for c in found):
        its = [c for c in found if c.place.load == load]
        largest = _team_shown(its)
        for group, title in GROUPS.items():
            those = [c for c in its if c.group == group and c.place.members == largest]
            if those:
                name = f"openmp-{group}-{load}".replace(":", "-").replace(".", "-")
                drawn.append(Chart(name, f"{title}: {largest} threads{company(load)}", charts.by_construct(those)))
    return drawn


def _of_state(chart: Chart, state: State) -> Chart:
    if state == ANY:
        return chart
    return replace(chart, name=f"{chart.name}-{state.name}".replace(" ", "-"), title=f"{chart.title} ({state.words()})")


def _team_shown(found: Sequence[Construct]) -> int:
    """The largest team that has a processor for each thread; else the smallest that has not."""
    sizes = {c.place.members for c in found}
    dedicated = {c.place.members for c in found if c.place.members <= c.place.processors}
    return max(dedicated) if dedicated else min(sizes)


def _papers(found: Sequence[Construct]) -> list[Chart]:
    """Against threads where several team sizes were measured, against the chunk where several chunks were."""

    def those(names: Sequence[str]) -> list[Construct]:
        return [c for c in found if c.name.partition(":")[0] in names]

    kinds = []
    if len({c.place.members for c in found}) > 1:
        kinds = [
            (
                "openmp-figures-1-3",
                "Synchronisation against threads (paper 003, figures 1 to 3)",
                those(SYNCHRONISATION),
            ),
            ("openmp-figures-4-6", "Mutual exclusion against threads (figures 4 to 6)", those(EXCLUSION)),
        ]
    drawn = [Chart(name, title, charts.by_threads(its)) for name, title, its in kinds if its]
    scheduled = those(SCHEDULES)
    shown = _team_shown(scheduled) if scheduled else 0
    largest = [c for c in scheduled if c.place.members == shown]
    if any(":" in c.name for c in largest):
        title = f"Schedules against the chunk, {largest[0].place.members} threads (figures 7 to 9)"
        drawn.append(Chart("openmp-figures-7-9", title, charts.by_chunk(largest)))
    return drawn
