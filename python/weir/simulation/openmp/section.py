"""What the page shows of simulated constructs: their overhead against threads, and what they move."""

from collections.abc import Sequence
from dataclasses import replace

from weir.base.parts import FAILED, Chart, LeftOut, Section, Subject
from weir.base.records import Row
from weir.base.screen import nanoseconds, two_digits
from weir.openmp.charts import by_threads
from weir.openmp.comparison import is_openmp
from weir.simulation.openmp import tables
from weir.simulation.openmp.results import OURS, SOURCE, Simulated, simulated

TEXT = (
    "Medians over all runs. What is called weir is Weir's own source; the others are models of published algorithms, "
    "which leave out what their runtimes do besides."
)


def sections(rows: Sequence[Row]) -> list[Section]:
    return [_section(of, number) for number, of in enumerate(simulated(rows))]


def wants(rows: Sequence[Row]) -> bool:
    return any(is_openmp(row, SOURCE) for row in rows)


def left_out(rows: Sequence[Row]) -> list[LeftOut]:
    failed = [row for row in rows if row["kind"] == "failure" and is_openmp(row, SOURCE)]
    return [
        LeftOut(FAILED, r["what"]["id"], f"{r['where']['members']} threads", r["how"]["run"], r["how"]["stopped"])
        for r in failed
    ]


def _section(of: Simulated, number: int) -> Section:
    several = len({c.place.members for c in of.constructs}) > 1
    drawn = [Chart(f"simulated-openmp-{number}", _title(of), by_threads(of.constructs), TEXT)] if several else []
    made = [replace(table(of), is_open=True) for table in (tables.overheads, tables.counted)]
    return Section(of.title, "" if drawn else TEXT, [*drawn, *(t for t in made if t.rows)])


def _title(of: Simulated) -> str:
    """Where Weir's runtime is farthest from the best of the models, with the most threads."""
    most = max(c.place.members for c in of.constructs)
    compared = [(ratio, c) for c in of.constructs if c.place.members == most and (ratio := tables.ratio(c)) is not None]
    if not compared:
        return f"Overhead against threads, up to {most}"
    times, c = max(compared, key=lambda one: one[0])
    takes = nanoseconds(next(cost.overhead.value for cost in c.costs if cost.runtime == OURS))
    return f"With {most} threads, {c.name} takes {takes} on {OURS}, {two_digits(times)} times the best model"


SUBJECT = Subject(
    name="Simulated OpenMP",
    title="OpenMP on simulated machines",
    heading="What OpenMP costs on simulated machines",
    about="The source of Weir's OpenMP runtime, run in virtual time on machines described by their files, beside "
    "models of other runtimes. What runs of the runtime, and what is left out, is in docs/simulator/openmp.md.",
    wants=wants,
    sections=sections,
    left_out=left_out,
)
