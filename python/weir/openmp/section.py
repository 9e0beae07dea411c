"""What the page shows of OpenMP: the figures of Bull 1999 for this machine, and the best runtime for each construct."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from weir.base.papers import BULL
from weir.base.parts import Chart, LeftOut, Section, Subject, disturbed_runs, failed_runs
from weir.base.records import Row
from weir.base.states import ANY, State, in_words
from weir.openmp import charts, tables
from weir.openmp.comparison import Construct, constructs, is_openmp
from weir.openmp.finding import finding, picture
from weir.openmp.situation import load_in_words
from weir.openmp.suite import PROGRAM

if TYPE_CHECKING:
    import altair as alt

# Figures 1 to 9 of Bull 1999 are three kinds on three machines; here three kinds on each runtime.
SYNCHRONISATION = ("parallel", "for", "parallel-for", "barrier", "single", "reduction")
EXCLUSION = ("critical", "lock", "atomic", "ordered")
SCHEDULES = ("schedule-static", "schedule-static-n", "schedule-dynamic-n", "schedule-guided-n")
GROUPS = {
    "synchronisation": "Constructs with a barrier in them, and their neighbours",
    "exclusion": "Mutual exclusion",
    "schedule": "Loop schedules, 1,024 iterations for each thread",
    "task": "Tasks",
    PROGRAM: "Task programs",
    "data": "Data clauses of a region, by the size of an array",
}
ANY_LOAD = "any"

INTERVALS = (
    "Medians with 95 % intervals, on a logarithmic axis. An open triangle is the upper end of an interval with "
    "zero in it: the overhead is at most that."
)
BY_THREADS = (
    f"What figures {{figures}} of {BULL} show, each for one machine with a line for each construct. Here each panel is "
    "a construct and each line a runtime of this machine. " + INTERVALS
)
BY_CHUNK = (
    f"What figures 7 to 9 of {BULL} show, each for one machine. Here each panel is a schedule and each line a "
    "runtime. A schedule without a chunk is a level line. " + INTERVALS
)


BEST = (
    "Medians of a directive's overhead or a whole program's time; cycles are those of the time-stamp counter. “By”: "
    "the median of the ratio over pairs of samples taken in one turn, with its 95 % interval. “In the noise”: the "
    "interval of the overhead contains zero."
)


def sections(rows: Sequence[Row]) -> list[Section]:
    found = constructs(rows)
    if not found:
        return []
    drawn = []
    for state in sorted({c.place.state for c in found}):
        drawn += [_of_state(chart, state) for chart in _charts([c for c in found if c.place.state == state])]
    return [Section(parts=drawn), Section("Which runtime is better where", BEST, tables.for_page(found))]


def wants(rows: Sequence[Row]) -> bool:
    return any(map(is_openmp, rows))


def left_out(rows: Sequence[Row]) -> list[LeftOut]:
    own = [row for row in rows if is_openmp(row)]
    return [*disturbed_runs(own, _name, _where), *failed_runs(own, _name, _where)]


def _name(row: Row) -> str:
    return row["what"].get("id") or row["what"]["algorithm"]


def _where(row: Row) -> str:
    return f"{row['where']['members']} threads on {row['where']['processors']} processors"


def _markdown(rows: Sequence[Row]) -> str:
    found = constructs(rows)
    return tables.markdown(found, in_words(rows)) if found else ""


def _csv(rows: Sequence[Row]) -> str:
    found = constructs(rows)
    return tables.as_csv(found) if found else ""


def _charts(found: Sequence[Construct]) -> list[Chart]:
    loads = sorted({c.place.load for c in found}, key=lambda load: (load != "none", load))
    return [
        chart
        for load in loads
        for of_load, draw in CHARTS
        if of_load in (load, ANY_LOAD)
        for chart in draw([c for c in found if c.place.load == load])
    ]


def _chart(name: str, title: str, drawn: "alt.TopLevelMixin | None", text: str, found: Sequence[Construct]) -> Chart:
    """Words alone, where the chart would be of one point."""
    if drawn is None:
        points = (f"{c.name} on {cost.runtime}: {tables.cell(cost)}" for c in found for cost in c.costs)
        return Chart(name, title, None, "; ".join(points) + ".")
    return Chart(name, title, drawn, text)


def cheapest(what: str, found: Sequence[Construct]) -> str:
    """Which runtime is the cheapest, and how often, where the intervals show it."""
    if max(len(c.costs) for c in found) < 2:
        return what
    best = Counter(c.best.runtime for c in found if _clear(c)).most_common()
    if not best:
        return f"{what}: no runtime is clearly the cheapest"
    others = "".join(f", {name} at {times}" for name, times in best[1:])
    languages = sorted({c.place.language for c in found})
    both = f" in {' and '.join(languages)}" if len(languages) > 1 else ""
    return f"{what}: {best[0][0]} is the cheapest at {best[0][1]} of {len(found)}{both}{others}"


def _clear(c: Construct) -> bool:
    """Whether the cheapest is cheaper than the next beyond the noise."""
    second = c.against_best(c.costs[1]) if len(c.costs) > 1 else None
    return second is not None and second.low > 1


def _of_state(chart: Chart, state: State) -> Chart:
    if state == ANY:
        return chart
    return replace(chart, name=f"{chart.name}-{state.name}".replace(" ", "-"), title=f"{chart.title} ({state.words()})")


def _team_shown(found: Sequence[Construct]) -> int:
    """The largest team that has a processor for each thread; else the smallest that has not."""
    sizes = {c.place.members for c in found}
    dedicated = {c.place.members for c in found if c.place.members <= c.place.processors}
    return max(dedicated) if dedicated else min(sizes)


def _of_names(found: Sequence[Construct], names: Sequence[str]) -> list[Construct]:
    return [c for c in found if c.name.partition(":")[0] in names]


def _synchronisation(found: Sequence[Construct]) -> list[Chart]:
    return _against_threads("1-3", "Synchronisation", _of_names(found, SYNCHRONISATION))


def _exclusion(found: Sequence[Construct]) -> list[Chart]:
    return _against_threads("4-6", "Mutual exclusion", _of_names(found, EXCLUSION))


def _against_threads(figures: str, what: str, found: Sequence[Construct]) -> list[Chart]:
    """Where several team sizes were measured."""
    sizes = sorted({c.place.members for c in found})
    if len(sizes) < 2:
        return []
    most = [c for c in found if c.place.members == sizes[-1]]
    title = f"{cheapest(f'{what} against threads', most)}, with {sizes[-1]} threads"
    text = BY_THREADS.format(figures=figures.replace("-", " to "))
    return [Chart(f"openmp-figures-{figures}", title, charts.by_threads(found), text)]


def _schedules(found: Sequence[Construct]) -> list[Chart]:
    """Where several chunks were measured: one is among the schedules of `_groups`."""
    scheduled = _of_names(found, SCHEDULES)
    shown = _team_shown(scheduled) if scheduled else 0
    largest = [c for c in scheduled if c.place.members == shown]
    if len({c.name.partition(":")[2] for c in largest if ":" in c.name}) < 2:
        return []
    title = f"{cheapest('Schedules against the chunk', largest)}, with {shown} threads"
    return [Chart("openmp-figures-7-9", title, charts.by_chunk(largest), BY_CHUNK)]


def _groups(found: Sequence[Construct]) -> list[Chart]:
    """A chart for each group of constructs, with one team."""
    load, shown = found[0].place.load, _team_shown(found)
    made = []
    for group, title in GROUPS.items():
        of_group = [c for c in found if c.group == group and c.place.members == shown]
        if of_group:
            name = f"openmp-{group}-{load}".replace(":", "-").replace(".", "-")
            says = f"{cheapest(title, of_group)}, with {shown} threads{load_in_words(load)}"
            made.append(_chart(name, says, charts.by_construct(of_group), INTERVALS, of_group))
    return made


# Under which load, and what draws the charts of the constructs under it.
CHARTS: tuple[tuple[str, Callable[[Sequence[Construct]], list[Chart]]], ...] = (
    ("none", _synchronisation),
    ("none", _exclusion),
    ("none", _schedules),
    (ANY_LOAD, _groups),
)

SUBJECT = Subject(
    name="OpenMP",
    title="OpenMP on this machine",
    heading="What OpenMP costs on this machine",
    about="The overhead of each construct, on each runtime: the time of a directive with its computing, less what the "
    "computing alone takes on the processors there are{on}. The method is that of J. M. Bull, “Measuring "
    "Synchronisation and Scheduling Overheads in OpenMP”, 1999.",
    wants=wants,
    sections=sections,
    left_out=left_out,
    finding=finding,
    picture=picture,
    texts={".md": _markdown, ".csv": _csv},
)
