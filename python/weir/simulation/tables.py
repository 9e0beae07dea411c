"""Tables for the screen."""

import tomllib
from collections.abc import Sequence
from pathlib import Path

from rich.console import Group, RenderableType
from rich.markup import escape

from weir.barriers.comparison import Figure
from weir.base.records import Row
from weir.base.screen import Table, between, nanoseconds, two_digits
from weir.simulation import words
from weir.simulation.calibrate import Fit
from weir.simulation.findings import called, published
from weir.simulation.findings import findings as found
from weir.simulation.results import Results, interval
from weir.simulation.results import scenarios as read
from weir.simulation.scenario import METRICS, Plan

TIMES = ("episode", "overhead", "completion", "turnaround")
MOST_ROWS = 60


def shown(metric: str, value: float) -> str:
    if metric in TIMES:
        return nanoseconds(value)
    return f"{value:.1%}" if metric == "efficiency" else f"{value:.3g}"


def scenarios(known: dict[str, Path]) -> Table:
    table = Table(title="Scenarios: weir simulate NAME", title_justify="left")
    table.add_column("name", no_wrap=True)
    table.add_column("about")
    for name, path in known.items():
        table.add_row(name, tomllib.loads(path.read_text(encoding="utf-8")).get("about", ""))
    return table


def dry(plan: Plan) -> RenderableType:
    table = Table(title=f"{plan.name}: {len(plan.points)} points, {len(plan.seeds)} seeds", title_justify="left")
    for key in plan.swept:
        table.add_column(words.key(key))
    for column in ("machine", "processors", "applications"):
        table.add_column(column)
    for point in plan.points[:MOST_ROWS]:
        apps = "; ".join(
            f"{a['members']} × {a['barriers']} {a['barrier']}/{a['waiting']}" for a in point["applications"][:4]
        )
        table.add_row(*_chosen(point), point["machine"], str(point["processors"]), apps)
    more = len(plan.points) - MOST_ROWS
    return Group(table, f"and {more} more points" if more > 0 else "Everything can be run.")


def _chosen(of: Row) -> list[str]:
    return [words.value(key, value) for key, value in of["chosen"].items()]


def results(rows: Sequence[Row]) -> Group:
    return Group(*[_table(r) for r in read(rows)])


def metrics(results: Results) -> list[str]:
    return list(dict.fromkeys(["episode", "overhead", *(c.get("y", "episode") for c in results.charts), "efficiency"]))


def _table(results: Results) -> RenderableType:
    columns = metrics(results)
    table = Table(title=escape(f"{results.name}: {results.head['about']}"), title_justify="left")
    for key in results.head["swept"]:
        table.add_column(words.key(key))
    for metric in columns:
        table.add_column(METRICS[metric], justify="right")
    for point in results.points[:MOST_ROWS]:
        values = [interval(point, m) for m in columns]
        cells = [
            shown(m, v.value) + (f" ({shown(m, v.low)} … {shown(m, v.high)})" if len(point) > 1 else "")
            for m, v in zip(columns, values, strict=True)
        ]
        table.add_row(*_chosen(point[0]), *cells)
    more = len(results.points) - MOST_ROWS
    return Group(table, f"and {more} more points, in the records") if more > 0 else table


def findings(rows: Sequence[Row]) -> list[Table]:
    tables = []
    for results in read(rows):
        stated = found(results)
        if not stated:
            continue
        paper = published(results).paper
        title = f"What {paper} found, and what the simulation finds. {called(results)}".strip()
        table = Table(title=title, title_justify="left")
        for column in ("where", "finding", "simulated", "verdict"):
            table.add_column(column)
        for f in stated:
            verdict = f"[{'green' if f.holds else 'yellow'}]{f.verdict}[/], {f.within}"
            table.add_row(f.source, f.says, f.simulated + (f"\n{f.why}" if not f.holds else ""), verdict)
        tables.append(table)
    return tables


def fits(fitted: Sequence[Fit]) -> Table:
    table = Table(title="Distances, fitted to one-way transfers", title_justify="left")
    for column in ("processors within", "pairs", "measured", "fitted fetch", "simulated"):
        table.add_column(column, justify="right")
    for f in fitted:
        cells = (nanoseconds(ns) for ns in (f.measured_ns, f.fetch_ns, f.simulated_ns))
        table.add_row(str(f.group), str(f.pairs), *cells)
    return table


def against(pairs: Sequence[tuple[Figure, Figure]], summary: Row) -> Table:
    title = (
        f"Simulated against measured: {two_digits(summary['median'])} of it in the median of {summary['pairs']}, "
        f"from {two_digits(summary['least'])} to {two_digits(summary['most'])}"
    )
    table = Table(title=title, title_justify="left")
    for column in ("threads", "barrier", "measured", "95 % interval", "simulated", "simulated / measured"):
        table.add_column(column, justify="left" if column == "barrier" else "right")
    for m, s in sorted(pairs, key=lambda p: (p[0].place.members, p[0].id)):
        median, simulated = m.distribution().median, s.distribution().median.value
        factor = two_digits(simulated / median.value) if median.value > 0 else "–"
        table.add_row(
            str(m.place.members), m.name, nanoseconds(median.value), between(median), nanoseconds(simulated), factor
        )
    return table
