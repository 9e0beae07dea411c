"""What the page shows of barriers over MPI: the figures of Bauskar and Sangle, targets, and all barriers."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from weir.base.papers import BAUSKAR, cited
from weir.base.parts import FAILED, STOPPED, Chart, LeftOut, Part, Section, Subject, distinct, disturbed_runs, of_runs
from weir.base.places import Place
from weir.base.records import Row
from weir.base.screen import nanoseconds, two_digits
from weir.base.targets import Target
from weir.base.targets import section as targets_section
from weir.mpi import charts, tables
from weir.mpi.comparison import LIBRARIES, Comparison, comparisons, is_shared, targets
from weir.mpi.finding import finding, picture

ALL = (
    "The last column: the median of the ratio over pairs of samples taken in one turn, with its 95 % interval. "
    "Round-time: from the last arrival to the last departure, where each thread has a processor, on a clock common to "
    "the processes{clock}. Consecutive: the mean of barriers one after the other, by the slowest process's own clock."
)


def sections(rows: Sequence[Row]) -> list[Section]:
    found = comparisons(rows)
    if not found:
        return []
    rows = [r for r in rows if r["kind"] == "overhead" and _is_mpi(r)]
    drawn = [
        distinct(chart, number, condition)
        for number, (condition, of_condition) in enumerate(_joined(_drawn(found)).items())
        for draw in CHARTS
        for chart in draw(of_condition)
    ]
    all_of_them: list[Part] = [*tables.for_page(found)]
    stopped = [_run(r, STOPPED) for r in rows if r["how"].get("stopped")]
    if stopped:
        all_of_them.append(of_runs("series over MPI with fewer samples than planned", stopped))
    return [
        *targets_section("Over MPI: what Weir sets out to reach", machines_targets(found)),
        Section(parts=drawn),
        Section("All barriers over MPI", ALL.format(clock=_clock(rows)), all_of_them),
    ]


def wants(rows: Sequence[Row]) -> bool:
    return any(_is_mpi(row) for row in rows)


def left_out(rows: Sequence[Row]) -> list[LeftOut]:
    """Starts that gave no figure, and runs that were disturbed."""
    own = [row for row in rows if _is_mpi(row)]
    return disturbed_runs(own, lambda row: row["what"]["algorithm"], _where) + [
        _run(r, FAILED) for r in own if r["kind"] == "failure"
    ]


def _is_mpi(row: Row) -> bool:
    return row["kind"] in ("overhead", "failure") and row["what"]["family"] == "mpi"


def _clock(rows: Sequence[Row]) -> str:
    """How far clocks may have been apart; empty if they were not compared."""
    most = max((r["how"].get("clock_ns") or 0.0 for r in rows), default=0.0)
    if not most:
        return ""
    return (
        f". It is known to within {nanoseconds(most)}, half of a message's round trip; the error is the same for all "
        "barriers of a turn, so that it moves them together, and intervals hold the scatter alone"
    )


def _run(row: Row, reason: str) -> LeftOut:
    return LeftOut(reason, row["what"]["algorithm"], _where(row), row["how"]["run"] + 1, row["how"].get("stopped"))


def _where(row: Row) -> str:
    mpi, where = row["what"]["mpi"], row["where"]
    return f"{LIBRARIES.get(mpi, mpi)}, {where['processes']} × {where['threads']} threads"


def machines_targets(found: Sequence[Comparison]) -> list[Target]:
    """With the machine, where the records are of several."""
    named = tables.machines(found)
    return [
        replace(t, detail=f"{machine}: {t.detail}") if machine in named else t
        for machine in dict.fromkeys(c.place.machine for c in found)
        for t in targets([c for c in found if c.place.machine == machine])
    ]


def _drawn(found: Sequence[Comparison]) -> list[Comparison]:
    """Each size once: of the lowest thread level, and where both methods were used by the one that suits."""
    kept: dict[tuple, Comparison] = {}
    for c in found:
        p = c.place
        suits = "consecutive" if is_shared(p) else "round-time"
        rank = (p.method == suits, p.level == "funneled")
        key = p.but(method="", level="")
        if key not in kept or rank > (kept[key].place.method == suits, kept[key].place.level == "funneled"):
            kept[key] = c
    return list(kept.values())


def _joined(found: Sequence[Comparison]) -> dict[str, list[Comparison]]:
    """The comparisons that one line may join, by what distinguishes them, which is often nothing: the machine; where it
    had a size on several sets of processors, which; and in which state of the machine."""
    sizes = Counter(c.place.but(processors=0, nodes=0, method="", level="") for c in found)
    repeated = {size.machine for size, times in sizes.items() if times > 1}
    named = tables.machines(found)
    made = defaultdict(list)
    for c in found:
        p = c.place
        of_nodes = f" of {p.nodes} nodes" if p.nodes > 1 else ""
        words = [p.machine] if p.machine in named else []
        words += [f"{p.processors} processors{of_nodes}"] if p.machine in repeated else []
        words += [p.state.words()] if p.state.name else []
        made[", ".join(words)].append(c)
    return made


def _of_threads(found: Sequence[Comparison]) -> list[Chart]:
    threads = [c for c in found if c.place.processes == 1]
    if not threads:
        return []
    title = f"Barriers of threads in one process{_finding(threads)}"
    return [_against("mpi-figures-2-5", title, "threads", threads, OF_THREADS)]


def _of_processes(found: Sequence[Comparison]) -> list[Chart]:
    processes = [c for c in found if c.place.threads == 1]
    if not processes:
        return []
    title = f"Barriers of processes{_finding(processes)}"
    return [_against("mpi-figures-6-9", title, "processes", processes, OF_PROCESSES)]


def _of_both(found: Sequence[Comparison]) -> list[Comparison]:
    return [c for c in found if c.place.threads > 1 and c.place.processes > 1]


def _maps(found: Sequence[Comparison]) -> list[Chart]:
    made = []
    for mpi in dict.fromkeys(c.place.mpi for c in found):
        of_library = [c for c in _of_both(found) if c.place.mpi == mpi]
        if _measured(of_library, charts.MAPS):
            title = f"Threads and processes together, {LIBRARIES.get(mpi, mpi)}{_finding(of_library)}"
            drawn = charts.maps([c for c in found if c.place.mpi == mpi])
            made.append(Chart(f"mpi-figures-10-13-{mpi}", title, drawn, MAPS if drawn else ONE_SIZE))
    return made


def _together(found: Sequence[Comparison]) -> list[Chart]:
    both = _of_both(found)
    if not both or not _measured(found, charts.KINDS):
        return []
    drawn = charts.by_members(found)
    return [Chart("mpi-figure-14", f"All together{_finding(both)}", drawn, TOGETHER if drawn else ONE_SIZE)]


ONE_SIZE = "One size was measured, so there is no line to draw: all of its barriers are in the table."
INTERVALS = "Medians with 95 % intervals, both axes logarithmic. Point at a grey line to see its name."
OF_THREADS = (
    f"As figures 2 to 5 of {cited(BAUSKAR)}. {INTERVALS} “#pragma omp barrier” is of the OpenMP that this program was "
    "compiled with; that of others is measured by weir bench."
)
OF_PROCESSES = (
    f"As figures 6 to 9 of {BAUSKAR}. {INTERVALS} Barriers go by messages, unless their names say “shared memory”: "
    "the memory that the processes of a node share. Where there are more processes than processors, barriers are "
    "measured one after the other; else from the last arrival to the last departure."
)
MAPS = (
    f"As figures 10 to 13 of {BAUSKAR}. The least and the mean time, as colours on a logarithmic scale. The first "
    "column is a barrier of processes alone, the lowest row one of threads alone; sense + mcs is their combined "
    "barrier."
)
TOGETHER = (
    f"As figure 14 of {BAUSKAR}: against all threads of all processes. Lines join barriers of threads alone or of "
    "processes alone; points between them are of both; point at one to see how many of each."
)


def _against(name: str, title: str, counted: str, found: Sequence[Comparison], text: str) -> Chart:
    """Words alone where one size was measured: that is no line."""
    drawn = charts.against(counted, found)
    return Chart(name, title, drawn, text if drawn else ONE_SIZE)


def _measured(found: Sequence[Comparison], names: Mapping[str, Sequence[str]]) -> bool:
    return any(c.find(*ids) for c in found for ids in names.values())


def _finding(found: Sequence[Comparison]) -> str:
    """The time of a program's own barrier as a multiple of the default's, in the largest team of each MPI."""
    says = []
    for mpi in dict.fromkeys(c.place.mpi for c in found):
        largest = max((c for c in found if c.place.mpi == mpi), key=lambda c: c.place.members)
        ratio = largest.default and largest.baseline and largest.default.against(largest.baseline)
        if ratio and ratio.value > 0:
            says.append((largest.place, largest.baseline.name, 1 / ratio.value))
    if not says:
        return ""
    place, name, _ = says[0]
    alike = {(p.members, p.processors) for p, _, _ in says} == {(place.members, place.processors)}
    where = f"{_team(place)} on {place.processors} processors" if alike else "the largest team"
    several = len({c.place.mpi for c in found}) > 1
    taken = [
        f"{two_digits(factor)} times" + (f" under {LIBRARIES.get(p.mpi, p.mpi)}" if several else "")
        for p, _, factor in says
    ]
    return f": with {where} {name} takes {', '.join(taken)} as long as Weir's default"


def _team(place: Place) -> str:
    if place.threads > 1 and place.processes > 1:
        return f"{place.processes} × {place.threads} threads"
    return f"{place.processes} processes" if place.threads == 1 else f"{place.threads} threads"


# What draws the charts of those comparisons that one line may join.
CHARTS: tuple[Callable[[Sequence[Comparison]], list[Chart]], ...] = (
    _of_threads,
    _of_processes,
    _maps,
    _together,
)

SUBJECT = Subject(
    name="MPI",
    title="barriers over MPI",
    heading="Barriers across processes",
    about="What a barrier of processes costs under MPI, and one of threads and processes together{on}: Weir's, by "
    "every algorithm, and what a program has otherwise.",
    wants=wants,
    sections=sections,
    left_out=left_out,
    finding=finding,
    picture=picture,
)
