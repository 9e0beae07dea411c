"""Writes the page: findings computed from the records, charts, tables, the machine."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

import altair as alt
import jinja2
import vl_convert

from weir.barriers import charts
from weir.barriers.comparison import (
    ELSEWHERE,
    Comparison,
    Figure,
    Place,
    failures,
    figures,
    groups,
    machines,
    places,
    ratio,
)
from weir.base.outputs import prepare, prepare_folder, writing
from weir.base.records import Row
from weir.base.screen import nanoseconds, times
from weir.base.states import State, in_words
from weir.base.targets import Target, targets
from weir.mpi import section as mpi
from weir.openmp import section as openmp
from weir.scale import section as scale_section
from weir.scale import tables as scale_rows
from weir.simulation import section as simulated


@dataclass(frozen=True)
class Section:
    """A chart with what it shows: the heading is the finding."""

    name: str  # of the file, if charts are written as pictures
    heading: str
    text: str
    chart: alt.TopLevelMixin


def _subject(rows: list[Row], measured: bool) -> str:
    """What the page is about first, by the rows that there are: they may all be failures."""
    asked = [r for r in rows if r["kind"] in ("overhead", "failure") and r.get("source", "measured") == "measured"]
    families = {r["what"]["family"] for r in asked}
    if measured or families - set(ELSEWHERE):
        return "barriers"
    kinds = families | {r["kind"] for r in rows}
    return next((kind for kind in (*ELSEWHERE, "scale") if kind in kinds), "simulation")


def _about(place: Place) -> str:
    return f"{place.members} members on {place.processors} processors"


def _conditions(comparisons: list[Comparison]) -> dict[Place, str]:
    """What tells a place from the others on the page, beside its team size: often nothing."""
    kinds = {
        "machine": lambda p: p.machine,
        "pinned": lambda p: "bound to processors" if p.pinned else "not bound",
        "processors": lambda p: f"{p.processors} processors",
        "state": lambda p: p.state.words(),
    }
    places = [c.place for c in comparisons]
    varied = [n for n in kinds if len({getattr(p, n) for p in places}) > 1]
    words = {p: [kinds[n](p) for n in varied] for p in places}
    for p in places:
        if any(q.members == p.members and q.load == p.load and q.delay_ns != p.delay_ns for q in places):
            words[p].append(f"{nanoseconds(p.delay_ns)} of work between barriers")
    return {p: ", ".join(filter(None, w)) for p, w in words.items()}


def _times(value: float) -> str:
    return f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def _sections(plain: list[Comparison], loaded: list[Comparison]) -> list[Section]:
    conditions = _conditions(plain + loaded)
    sections = []
    for number, group in enumerate(groups(plain)):
        made = [_overview(group)]
        if any(f.waiting == "block" for c in group for f in c.barriers):
            made.append(_waiting(group))
        made += [_ranking(c) for c in group]
        sections += [_distinct(s, number, conditions[group[-1].place]) for s in made]
    for number, group in enumerate(groups(loaded)):
        sections.append(_distinct(_waste(group), number, conditions[group[-1].place]))
    return sections


def _distinct(section: Section, number: int, condition: str) -> Section:
    """Where a page shows several machines or settings: which one this section is about."""
    heading = f"{condition[:1].upper()}{condition[1:]}: {section.heading}" if condition else section.heading
    name = f"{section.name}-{number + 1}" if number else section.name
    return replace(section, name=name, heading=heading)


def _overview(plain: list[Comparison]) -> Section:
    c = plain[-1]
    heading = "Overhead against team size"
    if c.default and c.best_peer:
        factor = ratio(c.best_peer, c.default)
        if factor:
            better = factor.value >= 1
            heading = (
                f"With {c.place.members} members on {c.place.processors} processors, Weir's default takes "
                f"{nanoseconds(c.default.distribution().median.value)}; {c.best_peer.name}, the best of the others, "
                + (f"{_times(factor.value)} times as long" if better else f"only {factor.value:.2f} of that")
            )
    text = (
        "What one barrier adds to the time of the work between barriers: the time of members that each compute and "
        "pass the barrier, less the time of the computing alone. Medians with 95 % intervals; both axes are "
        "logarithmic. Weir's barriers wait by the policy auto here. The dashed line is the floor, in terms of this "
        "machine: one cache-line transfer where each member has a processor, else a context switch for each member of "
        "the fullest one."
    )
    return Section("overhead", heading, text, charts.styled(charts.by_team_size(plain)))


def _waiting(plain: list[Comparison]) -> Section:
    text = (
        "The same barriers under each way to wait. spin never gives the processor away; yield gives it to whoever is "
        "next; block sleeps; share yields only where another member shares the processor; auto decides as it goes."
    )
    c = plain[-1]
    spins = [f for f in c.barriers if f.family == "weir" and f.waiting == "spin" and f.distribution().median.value > 0]
    heading = "Each way to wait, with each barrier"
    if spins and c.default:
        least = min(f.distribution().median.value for f in spins) / c.default.distribution().median.value
        if least > 1.5:
            heading = (
                f"How to wait matters more than which barrier: with {c.place.members} members the best that only "
                f"spins takes {_times(least)} times as long as the default"
            )
    return Section("waiting", heading, text, charts.styled(charts.by_waiting(plain)))


def _ranking(c: Comparison) -> Section:
    measured = [f for f in c.barriers if f.source == "measured"] or c.barriers
    best = measured[0]
    heading = f"{_about(c.place)}: {best.name} is first"
    if c.default and not best.is_default:
        heading += f"; the default is number {measured.index(c.default) + 1}"
        against = ratio(c.default, best)
        if against:
            heading += f", {against.value:.2f} times as long" if against.low > 1 else ", within the noise"
    floor = c.floor_ns()
    text = f"The floor here is {nanoseconds(floor)}. " if floor else ""
    shown = len(c.barriers)
    others = f", and {shown - len(measured)} simulated or predicted" if len(measured) < shown else ""
    rest = f"the best {charts.MOST_RANKED}, and all in the table below" if shown > charts.MOST_RANKED else "all of them"
    text += f"{len(measured)} barriers were measured{others}; here are {rest}."
    return Section(f"ranking-{c.place.members}", heading, text, charts.styled(charts.ranking(c)))


def _waste(loaded: list[Comparison]) -> Section:
    worst = max((f for c in loaded for f in c.barriers), key=lambda f: f.waste().value)
    default = [c.default.waste().value for c in loaded if c.default]
    heading = "Beside other programs"
    if default:
        heading += f", the default wastes {max(default):.0%} of its processor time at most"
        heading += f", {worst.name} {worst.waste().value:.0%}"
    text = (
        "A foreign process computes on each processor all the time; members compute 1 ms between barriers. Shown is "
        "the team's processor time beyond that computing, as a share of all it took: time that the other program could "
        "have had. The dashed line is the 10 % that Weir sets itself."
    )
    return Section("beside-others", heading, text, charts.styled(charts.waste(loaded)))


def _ranked_row(c: Comparison, f: Figure) -> dict:
    d = f.distribution()
    floor = c.floor_ns() if c.place.load == "none" else None
    against = ratio(f, c.best_peer) if c.best_peer and f is not c.best_peer and not f.in_the_noise else None
    return {
        "name": f.name,
        "version": f.version,
        "kind": "default" if f.is_default else f.family,
        "median": "in the noise" if f.in_the_noise else nanoseconds(d.median.value),
        "interval": f"at most {nanoseconds(max(d.median.high, 0))}"
        if f.in_the_noise
        else f"{nanoseconds(d.median.low)} … {nanoseconds(d.median.high)}",
        "mean": nanoseconds(d.mean),
        "sigma": nanoseconds(d.sigma),
        "least": nanoseconds(d.minimum),
        "cycles": "–" if f.in_the_noise else f"{d.median.value * f.cycles_per_ns:,.0f}",
        "floor": f"{d.median.value / floor:.2f}" if floor and not f.in_the_noise else "–",
        "peer": f"{against.value:.2f} ({against.low:.2f} … {against.high:.2f})" if against else "–",
        "runs": f"{len(f.rows)} × {max(len(r['samples']['overhead_ns']) for r in f.rows)}",
        "rejected": f.rejected,
        "all_runs": nanoseconds(f.median_of_all_runs) if f.rejected and not f.all_rejected else "",
        "unclean": f.all_rejected,
        "of_all_states": f.of_all_states,
    }


def _title(place: Place, condition: str = "") -> str:
    words = _about(place)
    if place.load == "busy":
        words += ", beside a busy process on each"
    return f"{words} ({condition})" if condition else words


def _runs(all_figures: list[Figure], why: str) -> list[dict]:
    """The runs that have something to say under `why`, each once though its samples be of several states."""
    found = [
        {"name": f.name, "where": _title(f.place), "run": row["how"]["run"] + 1, "why": row["how"][why]}
        for f in all_figures
        for row in f.rows
        if row["how"].get(why)
    ]
    return [run for i, run in enumerate(found) if run not in found[:i]]


def _measured(t: Target) -> str:
    m = t.measured
    if t.is_share:
        return f"{m.value:.1%} ({m.low:.1%} … {m.high:.1%})"
    return times(m)


def _target_rows(reached_for: list[Target]) -> list[dict]:
    return [
        {
            "members": t.members,
            "what": t.what,
            "detail": t.detail,
            "measured": _measured(t),
            "limit": f"{t.limit:.0%}" if t.is_share else f"{t.limit:.2f}",
            "verdict": t.verdict,
        }
        for t in reached_for
    ]


def _floors(all_figures: list[Figure]) -> list[dict]:
    """The floor's costs over all team sizes: they do not depend on it."""
    merged: dict[tuple[str, State], Figure] = {}
    for f in all_figures:
        if f.family == "floor" and f.place.load == "none":
            alone = Figure(f.family, f.id, f.algorithm, f.waiting, "", f.place)
            merged.setdefault((f.id, f.place.state), alone).rows.extend(f.rows)
    rows = []
    for _, f in sorted(merged.items(), key=lambda item: item[0]):
        where = f.id.split(":")[2:]
        what = (
            "cache-line transfer, " + " to ".join(where)
            if f.algorithm == "transfer"
            else f"context switch on {where[0]}"
        )
        what += f" ({f.place.state.name})" if f.place.state.name else ""
        d = f.distribution()
        rows.append(
            {
                "what": what,
                "median": nanoseconds(d.median.value),
                "interval": f"{nanoseconds(d.median.low)} … {nanoseconds(d.median.high)}",
                "cycles": f"{d.median.value * f.cycles_per_ns:,.0f}",
            }
        )
    return rows


def _host(row: Row) -> dict:
    host = row["host"]
    quota = host.get("quota")
    rows = {
        "processor": host.get("cpu_model"),
        "kernel": host.get("kernel"),
        "affinity mask": ", ".join(map(str, host.get("affinity") or [])),
        "CPU quota": f"{quota['processors']:g} processors ({quota['source']})" if quota else "none",
        "time-stamp counter": f"{host.get('cycles_per_ns') or 0:.3f} GHz",
        "Weir": f"{host.get('version')}, built by {host.get('compiler')}",
        "measured": row.get("time"),
    }
    return {"rows": rows, "topology": host.get("topology_text", "")}


def _draw(sections: list[Section], folder: Path, kind: str) -> list[Path]:
    prepare_folder(folder)
    written = []
    for s in sections:
        path = folder / f"{s.name}.{kind}"
        with writing(path):
            s.chart.save(str(path), **({"scale_factor": 2} if kind == "png" else {}))
        written.append(path)
    return written


def write(
    rows: list[Row], complaints: list[str], output: Path, png: Path | None = None, svg: Path | None = None
) -> list[Path]:
    """Writes the page, and the charts as pictures if folders are given; returns what was written."""
    all_figures = figures(rows)
    plain = [Comparison(all_figures, place) for place in places(all_figures)]
    loaded = [Comparison(all_figures, place) for place in places(all_figures, "busy")]
    sections = _sections(plain, loaded)
    scenarios = simulated.sections(rows)
    suite = openmp.section(rows)
    across = mpi.section(rows)
    at_scale = scale_section.section(rows)
    charted = sections + [Section(c.name, "", "", charts.styled(c.drawn)) for s in scenarios for c in s.charts]
    for part in (suite, across, at_scale):
        charted += [Section(c.name, "", "", charts.styled(c.drawn)) for c in (part.charts if part else [])]
    conditions = _conditions(plain + loaded)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    html = environment.get_template("page.html.j2").render(
        about=_subject(rows, measured=bool(sections)),
        sections=[{"name": s.name, "heading": s.heading, "text": s.text} for s in sections],
        scenarios=scenarios,
        openmp=suite,
        mpi=across,
        scale=at_scale,
        mpi_targets=_target_rows(across.targets) if across else [],
        names=json.dumps([s.name for s in charted]),
        specs=json.dumps([s.chart.to_dict() for s in charted]).replace("</", "<\\/"),
        library=vl_convert.javascript_bundle(),
        targets=_target_rows(targets(plain + loaded)),
        tables=[
            {"title": _title(c.place, conditions[c.place]), "rows": [_ranked_row(c, f) for f in c.barriers]}
            for c in plain + loaded
        ],
        floors=_floors(all_figures),
        rejected=_runs(all_figures, "rejected"),
        stopped=_runs(all_figures, "stopped"),
        failed=[
            {"name": name, "where": _title(place), "run": row["how"]["run"] + 1, "why": row["how"].get("stopped")}
            for name, place, row in failures(rows)
        ]
        + mpi.failures(rows),
        unranked=scale_rows.left_out(rows),
        complaints=complaints,
        states=in_words(rows),
        hosts=[_host(row) for row in machines(rows) if not row["host"].get("simulated")],
    )  # fmt: skip
    prepare(output)
    with writing(output):
        output.write_text(html, encoding="utf-8")
    written = [output]
    for folder, kind in ((png, "png"), (svg, "svg")):
        if folder is not None:
            written += _draw(charted, folder, kind)
    return written
