"""One chart for each experiment: measured, simulated and predicted curves, a panel for each kind of threads."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import altair as alt

from weir.base import theme
from weir.base.axes import NUMBER, Log, Values, by_panel, edges, log_axis, rings
from weir.base.drawing import DOTS, mapped, panels
from weir.threads.experiments import NAMES
from weir.threads.findings import overhead
from weir.threads.results import MEASURED, PREDICTED, SIMULATED, SOURCES, Point, Results

DASHES = {MEASURED: [1, 0], SIMULATED: [7, 4], PREDICTED: [2, 3]}
# Of barriers, ways to wait and policies, by the roles of the theme.
COLOURS = {
    "counter": "weir",
    "mcs": "libgomp",
    "combination": "libomp",
    "dissemination": "libiomp5",
    "spins": "spinning",
    "yields": "weir",
    "partition": "weir",
    "coscheduling": "libgomp",
    "shared": "libiomp5",
}
Three = tuple[float, float, float]  # a value with its interval
WAITING = {"spin": "spins", "share": "yields"}


def _episode(point: Point, unit_ns: float) -> Three:
    episode = point.episode
    return episode.value / unit_ns, episode.drawn[0] / unit_ns, episode.drawn[1] / unit_ns


@dataclass(frozen=True)
class Axes:
    """What an experiment's chart shows of a point."""

    x_title: str
    y_title: str
    x: Callable[[Point], float]
    y: Callable[[Results, Point], Three | None]
    colour: Callable[[Point], str]
    panel: Callable[[Point], str]
    log: str = ""
    percent: bool = False
    y_scales: str = "shared"


def _kind(point: Point) -> str:
    return NAMES[point.program.threads]


def _efficiency(point: Point) -> Three:
    efficiency = point.efficiency
    return efficiency.value, *efficiency.drawn


AXES: dict[str, Axes] = {
    "spinning": Axes(
        "computing between two barriers (quanta)",
        "time of a barrier (quanta)",
        lambda p: p.compute_ns / p.quantum_ns,
        lambda _, p: _episode(p, p.quantum_ns),
        lambda p: p.program.barrier,
        _kind,
        "xy",
    ),
    "blocking": Axes(
        "computing between two barriers (quanta)",
        "time of a barrier (quanta)",
        lambda p: p.compute_ns / p.quantum_ns,
        lambda _, p: _episode(p, p.quantum_ns),
        lambda p: WAITING[p.program.waiting],
        _kind,
        "xy",
    ),
    "overhead": Axes(
        "computing between two barriers (context switches)",
        "beyond twice the time with a processor each",
        lambda p: p.compute_ns / p.switch_ns,
        overhead,
        lambda p: p.program.barrier,
        _kind,
        "x",
        True,
        "independent",
    ),
    "processors": Axes(
        "threads",
        "time of a barrier (times of computing)",
        lambda p: p.program.members,
        lambda _, p: _episode(p, p.compute_ns),
        lambda p: p.program.barrier,
        lambda p: f"{_kind(p)}, {p.program.processors} processor{'s' * (p.program.processors > 1)}",
    ),
    "policies": Axes(
        "computing between two barriers (µs)",
        "share of processor time spent computing",
        lambda p: p.compute_ns / 1e3,
        lambda _, p: _efficiency(p),
        lambda p: p.program.policy,
        lambda p: f"{_kind(p)}: {p.program.distribution}",
        "x",
        True,
    ),
}


def values(results: Results) -> Values:
    return list(_values(results))


def _values(results: Results) -> Iterator[dict]:
    axes = AXES[results.experiment]
    for source in SOURCES:
        for p in results.of(source):
            if (y := axes.y(results, p)) is None:
                continue
            yield {
                "x": axes.x(p),
                "y": y[0],
                "low": y[1],
                "high": y[2],
                "colour": axes.colour(p),
                "panel": axes.panel(p),
                "source": source,
            }


def draw(results: Results) -> alt.TopLevelMixin | None:
    """None where a single point was measured, or none."""
    axes, found = AXES[results.experiment], values(results)
    if len({(v["x"], v["colour"], v["panel"]) for v in found if v["source"] == MEASURED}) < 2:
        return None
    names = list(dict.fromkeys(v["colour"] for v in found))
    shown = [source for source in SOURCES if any(v["source"] == source for v in found)]
    ends, at = by_panel(found, "panel", ("x",)) if "x" in axes.log else ([], [])
    if ends:
        x_axis = log_axis(at, axes.x_title, NUMBER, grid=False)
        x = alt.X("x:Q", scale=alt.Scale(type="log", nice=False), axis=x_axis)
    else:
        x_axis = alt.Axis(title=axes.x_title, grid=False, format=".3~r", labelOverlap=True, tickCount=6)
        x = alt.X("x:Q", scale=alt.Scale(nice=False, zero=False), axis=x_axis)
    if "y" in axes.log:
        held = Log.of(found, ("y", "low", "high"))
        scale, axis = held.scale, held.axis(axes.y_title, NUMBER)
    else:
        scale, axis = alt.Scale(zero=True), alt.Axis(format=".0%" if axes.percent else ".3~r", title=axes.y_title)

    def y(field: str) -> alt.Y:
        return alt.Y(f"{field}:Q", scale=scale, axis=axis)

    legend = alt.Legend(title=None, orient="top")
    base = (
        alt.Chart()
        .transform_filter("isValid(datum.y)")
        .encode(
            x=x,
            color=alt.Color(
                "colour:N", scale=mapped({name: theme.colour(COLOURS[name]) for name in names}), legend=legend
            ),
            tooltip=[
                alt.Tooltip("colour:N", title="which"),
                alt.Tooltip("source:N"),
                alt.Tooltip("x:Q", title=axes.x_title, format=".3~r"),
                alt.Tooltip("y:Q", title=axes.y_title, format=".1%" if axes.percent else ".3~r"),
            ],
        )
    )
    below = alt.Legend(title=None, orient="bottom")  # a row of its own, for narrow pages
    dash = alt.StrokeDash("source:N", scale=mapped({s: DASHES[s] for s in shown}), legend=below)
    measured = base.transform_filter(f"datum.source == '{MEASURED}'")
    layers = [
        measured.mark_rule(strokeWidth=1.6).encode(y=y("low"), y2="high:Q"),
        base.mark_line(strokeWidth=2).encode(y=y("y"), strokeDash=dash, detail="source:N"),
        measured.mark_point(filled=True, opacity=1).encode(y=y("y"), size=DOTS),
        *([edges("x", x_axis)] if ends else []),
    ]
    dots = rings([v for v in found if v["source"] == MEASURED], "x", "y", "panel", "y" in axes.log)
    others = [v for v in found if v["source"] != MEASURED]
    layered = alt.layer(*layers, data=alt.Data(values=[*dots, *others, *ends]))
    order = sorted({v["panel"] for v in found})
    return panels(layered, "panel", order, columns=2, least=280, height=280).resolve_scale(
        x="independent", y=axes.y_scales
    )
