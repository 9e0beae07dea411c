"""Tables of findings, of agreement and of all points: for the page, the terminal and as CSV."""

import csv
import io
from collections.abc import Sequence
from math import isfinite

from rich import table as rich

from weir.base.others import disturbed
from weir.base.papers import MARKATOS
from weir.base.parts import Cell, Table
from weir.base.records import Row
from weir.base.screen import nanoseconds, shown, with_interval
from weir.threads.experiments import NAMES
from weir.threads.findings import MOST_NEAR, Finding, agreements, findings, why_apart
from weir.threads.results import PREDICTED, SIMULATED, Results, experiments
from weir.threads.rows import COSTS, is_of_threads


def of_findings(found: Sequence[Finding]) -> Table:
    heads = [MARKATOS, "what it found", "on", "verdict", "here"]
    rows = [
        [one.source, one.says, one.threads, _verdict(one.holds, "holds", "does not hold", one.within),
         Cell(one.found, "" if one.holds else one.why, below=True)]
        for one in found
    ]  # fmt: skip
    return Table("", heads, rows, words=(0, 1, 2, 3, 4))


def _verdict(good: bool, yes: str, no: str, within: str) -> Cell:
    """With its tolerance."""
    return Cell(yes if good else no, within, below=True, verdict="reached" if good else "missed")


def of_agreements(results: Results) -> Table:
    rows = [
        [NAMES[one.threads], one.source, _verdict(one.agrees, "agrees", "differs", MOST_NEAR),
         Cell(one.words(), why_apart(results, one), below=True)]
        for one in agreements(results)
    ]  # fmt: skip
    return Table("", ["on", "against", "verdict", "points"], rows, words=(0, 1, 2, 3))


def costs(rows: Sequence[Row]) -> Table:
    found = [r for r in rows if is_of_threads(r) and r["kind"] == "overhead" and r["what"]["experiment"] == COSTS]
    cells = []
    for row in found:
        values = sorted(row["samples"]["episode_ns"])
        middle = values[len(values) // 2]
        spread = f"{nanoseconds(values[0])} … {nanoseconds(values[-1])}"
        cells.append([NAMES[row["what"]["threads"]], row["what"]["algorithm"], nanoseconds(middle), spread])
    return Table("", ["on", "what", "median", "least … most"], cells, words=(0, 1))


HEADS = ["on", "barrier", "waiting", "threads", "processors", "policy", "computing"]


def of_points(results: Results) -> Table:
    """Every program, with its times from each source."""
    rows = []
    for p in results.of():
        one = p.program
        others = (results.beside(p, source) for source in (SIMULATED, PREDICTED))
        policy = f"{one.policy}, {one.distribution}" if one.applications > 1 else ""
        rows.append(
            [NAMES[one.threads], one.barrier, one.waiting, str(one.members), str(one.processors), policy]
            + [nanoseconds(p.compute_ns), with_interval(p.episode)]
            + ["–" if other is None else nanoseconds(other.episode.value) for other in others]
        )
    heads = [*HEADS, "measured", "simulated", "predicted"]
    return Table(f"All {len(rows)} programs", heads, rows, words=(0, 1, 2, 5))


def for_terminal(rows: Sequence[Row]) -> list[rich.Table]:
    made, judged = [], disturbed(rows) is None
    for results in experiments(rows):
        found, near = of_findings(findings(results)), of_agreements(results)
        if found.rows and judged:
            made.append(shown(_titled(found, results), (1, 2, 3, 4)))
        if near.rows:
            made.append(shown(near, (0, 1, 2, 3)))
    return made


def _titled(table: Table, results: Results) -> Table:
    return Table(f"{results.experiment}: what {MARKATOS} found, and what is found here", table.heads, table.rows,
                 words=table.words)  # fmt: skip


def as_csv(rows: Sequence[Row]) -> str:
    """A line for each program and source. Times in nanoseconds."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        ["experiment", "threads", "barrier", "waiting", "members", "processors", "applications", "policy",
         "distribution", "computing_ns", "switch_ns", "quantum_ns", "state", "source", "median_ns", "low_ns", "high_ns"]
    )  # fmt: skip
    count = 0
    for results in experiments(rows):
        for (source, one), p in sorted(results.points.items(), key=lambda item: (item[0][0], item[0][1].id)):
            episode = p.episode
            numbers = (p.compute_ns, p.switch_ns, p.quantum_ns)
            writer.writerow(
                [one.experiment, one.threads, one.barrier, one.waiting, one.members, one.processors, one.applications,
                 one.policy, one.distribution, *(f"{n:.4g}" for n in numbers), results.state.name, source,
                 *(f"{n:.4g}" if isfinite(n) else "" for n in (episode.value, episode.low, episode.high))]
            )  # fmt: skip
            count += 1
    return text.getvalue() if count else ""
