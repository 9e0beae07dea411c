"""What the page shows of a scenario: the findings, the charts, every point, and one point in detail."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from weir.base.papers import MARKATOS
from weir.base.parts import Cell, Chart, Detail, Section, Subject, Table
from weir.base.records import Row
from weir.base.screen import nanoseconds
from weir.simulation import charts, tables, words
from weir.simulation.findings import Finding, called, findings, published
from weir.simulation.openmp.section import SUBJECT as OF_OPENMP
from weir.simulation.results import Results, interval, scenarios, short
from weir.simulation.scenario import METRICS

ACTIVITIES = ("computing", "spinning", "synchronizing", "switching", "ready", "sleeping", "idle")
MOST_ROWS = 64


def sections(rows: Sequence[Row]) -> list[Section]:
    return [_section(r, number) for number, r in enumerate(scenarios(rows))]


def wants(rows: Sequence[Row]) -> bool:
    return any(r["kind"] == "simulation" or (_is_failure(r) and not OF_OPENMP.wants([r])) for r in rows)


def _is_failure(row: Row) -> bool:
    return row["kind"] == "failure" and row.get("source") == "simulated"


def _section(results: Results, number: int) -> Section:
    head = results.head
    machines = ", ".join(dict.fromkeys(row["machine"] for row in results.runs))
    done = f"{len(results.runs)} of {head['points'] * len(head['seeds'])} runs"
    says = f"Simulated on {machines}: {done}, {len(head['seeds'])} seed{'s' * (len(head['seeds']) > 1)} a point."
    paper = published(results)
    if any("predicted" in c for c in results.charts):
        says += f" Dashed: what the formulas of {MARKATOS} predict."
    if paper and paper.legend:
        says += f" Hollow diamonds: {', '.join(filter(None, (paper.legend, paper.scale)))}."
    says = " ".join(filter(None, [says, called(results)]))
    if len(head["seeds"]) > 1:
        says += " Bars: from the least to the greatest of the seeds."
    names = (f"scenario-{results.name}-{number}-{i}" for i in range(len(results.charts)))
    made = [_chart(results, i, name) for i, name in enumerate(names)]
    found = findings(results)
    before = [_findings(found, paper.paper if paper else "paper")] if found else []
    after = [_points(results), _detail(results.points[-1][0])]
    return Section(head["about"] or results.name, says, [*before, *filter(None, made), *after])


def _findings(found: Sequence[Finding], paper: str) -> Table:
    heads = [paper, "verdict", "what it found", "what the simulation finds"]
    rows: list[list[str]] = [
        [f.source, _verdict(f), f.says, Cell(f.simulated, "" if f.holds else f.why, below=True)] for f in found
    ]
    return Table("", heads, rows, words=(0, 1, 2, 3))


def _verdict(f: Finding) -> Cell:
    """With its tolerance."""
    return Cell(f.verdict, f.within, below=True, verdict="reached" if f.holds else "missed")


def _points(results: Results) -> Table:
    metrics = tables.metrics(results)
    heads = [words.key(k) for k in results.head["swept"]] + [METRICS[m] for m in metrics]
    rows = [
        [words.value(k, v) for k, v in point[0]["chosen"].items()]
        + [tables.shown(m, interval(point, m).value) for m in metrics]
        for point in results.points
    ]
    return Table(f"All {len(results.points)} points", heads, rows)


def _chart(results: Results, number: int, name: str) -> Chart | None:
    """Words alone, where one point was simulated."""
    points = charts.points(results, results.charts[number])
    if not points:
        return None
    chart = results.charts[number]
    metric = METRICS[chart.get("y", "episode")]
    if "against" in chart:
        metric = charts.beyond(chart["against"])
    drawn = charts.draw(results, number)
    text = "" if drawn is None else f"{metric[:1].upper()}{metric[1:]}, by {words.key(chart['x'])}."
    return Chart(name, _title(chart, metric, points), drawn, text)


def _at(key: str, value: object) -> str:
    if short(key) == "compute_us":
        return f"with {nanoseconds(float(value) * 1e3)} of computing"
    if short(key) == "trace":
        return f"with {value} threads" if isinstance(value, int) else f"in {value}"
    return f"{'on' if short(key) == 'processors' else 'with'} {value} {words.key(key)}"


def _title(chart: dict, metric: str, points: list[dict]) -> str:
    """Where the lines are farthest apart, and by how much; of a single line its ends."""

    def value(p: dict) -> str:
        return f"{p['y']:.0%}" if "against" in chart else tables.shown(chart.get("y", "episode"), p["y"])

    metric = metric[:1].upper() + metric[1:]
    there = defaultdict(list)
    for p in sorted(points, key=lambda p: p["y"]):
        there[p["x"], p["column"]].append(p)
    compared = [line for line in there.values() if len(line) > 1 and line[0]["y"] > 0]
    if not compared:
        first, last = points[0], points[-1]
        return f"{metric}: {value(first)} {_at(chart['x'], first['x'])}, {value(last)} {_at(chart['x'], last['x'])}"
    line = max(compared, key=lambda line: line[-1]["y"] / line[0]["y"])
    least, most = line[0], line[-1]
    where = _at(chart["x"], least["x"]) + (f" ({least['column']})" if least["column"] else "")
    return f"{metric} differs most {where}: {value(least)} with {least['color']}, {value(most)} with {most['color']}"


def _detail(row: Row) -> Detail:
    chosen = ", ".join(words.panel(k, v) for k, v in row["chosen"].items()) or "the run"
    made = [replace(t, is_open=True) for t in (_applications(row), _threads(row), _processors(row), _lines(row))]
    return Detail(f"Where time went in {chosen} (seed {row['seed']})", made)


def _applications(row: Row) -> Table:
    heads = ["application", "threads", "barrier", "arrived", "begun", "finished", "a barrier", "after the last arrival"]
    rows = [
        [a["name"], str(a["members"]), f"{a['barrier']} / {a['waiting']}", nanoseconds(a["arrived_ns"])]
        + [nanoseconds(a[k]) for k in ("begun_ns", "finished_ns", "episode_ns", "barrier_ns")]
        for a in row["applications"]
    ]
    return Table("Applications", heads, rows)


def _time_columns(columns: Row) -> list[str]:
    return [a for a in ACTIVITIES if any(columns.get(f"{a}_ns", []))]


def _threads(row: Row) -> Table:
    t = row["threads"]
    spent = _time_columns(t)
    counts = ("switches", "preemptions", "migrations")
    rows = [
        [f"{t['application'][i]}.{t['member'][i]}"]
        + [nanoseconds(t[f"{a}_ns"][i]) for a in spent]
        + [str(t[c][i]) for c in counts]
        for i in range(min(MOST_ROWS, len(t["member"])))
    ]
    return Table(_some("Threads", len(t["member"])), ["thread", *spent, *counts], rows)


def _processors(row: Row) -> Table:
    p = row["on_processors"]
    spent = _time_columns(p)
    distances = row["distances"]
    rows = []
    for i in range(min(MOST_ROWS, len(p["switches"]))):
        rows.append(
            [str(i)]
            + [nanoseconds(p[f"{a}_ns"][i]) for a in spent]
            + [str(p["switches"][i])]
            + [str(m) for m in p["misses"][i]]
        )
    heads = ["processor", *spent, "switches", *(f"misses: {d}" for d in distances)]
    return Table(_some("Processors", len(p["switches"])), heads, rows)


def _lines(row: Row) -> Table:
    heads = ["line", *(f"misses: {d}" for d in row["distances"]), "hits", "invalidations", "atomic updates", "failed"]
    rows = [
        [str(line["line"]), *map(str, line["misses"])]
        + [str(line[k]) for k in ("hits", "invalidations", "atomics", "failed")]
        for line in row["lines"]
    ]
    return Table(f"The {len(rows)} of {row['memory']['lines']} cache lines with most misses", heads, rows)


def _some(what: str, count: int) -> str:
    return what if count <= MOST_ROWS else f"{what}, the first {MOST_ROWS} of {count}"


SUBJECT = Subject(
    name="Simulation",
    title="simulated barriers",
    heading="Simulated barriers",
    about="The source of Weir's barriers, run in virtual time on machines described by their files: processors, caches "
    "and distances, and an operating system that takes processors away. What the model holds, and what it leaves out, "
    "is in docs/simulator/README.md.",
    wants=wants,
    sections=sections,
)
