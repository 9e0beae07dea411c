"""Charts of a scenario: what its [[chart]] tables ask for."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import altair as alt

from weir.base import theme
from weir.base.axes import NUMBER, PERCENT, Log, counts, log_axis, rings, ticks
from weir.base.drawing import DOTS, WIDE, interval, mapped, panels
from weir.base.places import on_fullest
from weir.base.records import Row
from weir.base.statistics import Interval
from weir.simulation import rows as made
from weir.simulation import words
from weir.simulation.findings import published
from weir.simulation.results import Results, over_seeds, short
from weir.simulation.scenario import METRICS

UNITS = (("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1.0))
TIMES = ("episode", "overhead", "completion", "turnaround")
SIMULATED, PREDICTED, PAPER = "simulated", "predicted", "paper"


def _drawn(results: Results, chart: dict[str, Any]) -> Iterator[list[Row]]:
    for point in results.points:
        chosen = point[0]["chosen"]
        if all(chosen[k] in values for k, values in chart.get("only", {}).items()):
            yield point


def _against(results: Results, chart: dict[str, Any], point: list[Row]) -> list[Row] | None:
    """The runs that this point is to be compared with; None where it is one of them."""
    base = chart["against"]
    chosen = point[0]["chosen"]
    if chosen[base["key"]] == base["value"]:
        return None
    return results.at(**{short(k): v for k, v in (chosen | {base["key"]: base["value"]}).items()})


def _traces(results: Results, chart: dict[str, Any]) -> dict[str, int | str]:
    """What stands for each trace on the axis: its members, if they tell it from the others; else its name."""
    if short(chart["x"]) != "trace":
        return {}
    members = {p[0]["chosen"][chart["x"]]: p[0]["applications"][0]["members"] for p in _drawn(results, chart)}
    return members if len(set(members.values())) == len(members) else {path: Path(path).stem for path in members}


def points(results: Results, chart: dict[str, Any]) -> list[dict]:
    metric = chart.get("y", "episode")
    values = []
    named = _traces(results, chart)
    for point in _drawn(results, chart):
        each = [made.metric(row, metric) for row in point]
        if "against" in chart:
            base = _against(results, chart, point)
            if base is None:
                continue
            times = chart["against"].get("times", 1)
            each = [v / (times * made.metric(b, metric)) - 1 for v, b in zip(each, base, strict=True)]
        seen = over_seeds(each)
        chosen = point[0]["chosen"]
        values.append(
            {
                "x": named.get(chosen[chart["x"]], chosen[chart["x"]]),
                "y": seen.value,
                "low": seen.low,
                "high": seen.high,
                "color": words.value(chart["color"], chosen[chart["color"]]) if "color" in chart else results.name,
                "column": words.panel(chart["column"], chosen[chart["column"]]) if "column" in chart else "",
                "source": SIMULATED,
            }
        )
    return values


def _predicted(results: Results, chart: dict[str, Any], values: list[dict]) -> list[dict]:
    """The formulas' curves, over the same values of x."""
    if "predicted" not in chart:
        return []
    from weir.prediction import formulas as predict

    point = results.points[0][0]
    application = point["applications"][0]
    xs = sorted({v["x"] for v in values})
    curves: dict[str, list[tuple[float, float]]] = {}
    if chart["predicted"] == "spinning":
        quantum_ms, barriers, members = point["quantum_ns"] / 1e6, application["episodes"], application["members"]
        recurrence, tree = [], []
        for us in xs:
            done = predict.recurrence(quantum_ms, us / 1e3, barriers)
            recurrence.append((us, float(done[-1]) * 1e6 / barriers))
            tree.append((us, float(predict.tree_quanta(members, quantum_ms, us / 1e3)) * quantum_ms * 1e6))
        curves = {"counter": recurrence, "mcs": tree}
    else:
        each = application["compute_ns"]
        steps = [(p, on_fullest(application["members"], p) * each) for p in xs]
        curves = {v["color"]: steps for v in values}
    return [
        {"x": x, "y": y, "low": y, "high": y, "color": name, "column": column, "source": PREDICTED}
        for name, curve in curves.items()
        for x, y in curve
        for column in dict.fromkeys(v["column"] for v in values)
    ]


def _of_paper(results: Results, chart: dict[str, Any], values: list[dict]) -> list[dict]:
    """What the scenario's paper printed: in each panel, or in its own."""
    if (paper := published(results)) is None or not paper.legend:
        return []
    columns = list(dict.fromkeys(v["column"] for v in values))
    by = {(v["x"], v["color"], v["column"]): v["y"] for v in values}
    found = []
    for point in paper.points(results, chart):
        own = columns if point.column is None else [words.panel(chart["column"], point.column)]
        for column in own:
            y = by.get((point.x, point.color, column)) if point.y is None else point.y
            if y is not None:
                dot = {"x": point.x, "y": y, "low": y, "high": y, "color": point.color, "column": column}
                found.append(dot | {"source": PAPER, "printed": paper.legend})
    return found


def _unit(chart: dict[str, Any], values: list[dict]) -> tuple[str, float]:
    if chart.get("y", "episode") not in TIMES or "against" in chart:
        return "", 1.0
    largest = max(abs(v["y"]) for v in values)
    return next(((name, size) for name, size in UNITS if largest >= 2 * size), UNITS[-1])


def _x_axis(chart: dict[str, Any], values: list[dict]) -> alt.X:
    """Times in the unit that suits; numbers where they stand; names one beside the other."""
    key = short(chart["x"])
    title = words.key(key)
    if any(isinstance(v["x"], str) for v in values):
        return alt.X("x:N", title=title, sort=None, axis=alt.Axis(labelAngle=0))
    is_time = key.endswith("_us")
    in_ms = is_time and max(v["x"] for v in values) >= 2000
    for v in values:
        v["x"] = v["x"] / 1e3 if in_ms else v["x"]
    log = "x" in chart.get("log", "")
    title += " (ms)" if in_ms else " (µs)" if is_time else ""
    if log and not is_time:
        return counts("x", {v["x"] for v in values}, title)
    if log:
        held = Log.of(values, ("x",))
        return alt.X("x:Q", title=title, scale=held.scale, axis=held.axis(title, NUMBER, grid=False))
    axis = alt.Axis(
        grid=False,
        format=",.4~r",
        values=alt.Undefined if is_time else sorted({v["x"] for v in values}),
        labelOverlap=True,
        tickCount=8,
    )
    return alt.X("x:Q", title=title, scale=alt.Scale(nice=False), axis=axis)


def _y_axis(chart: dict[str, Any], values: list[dict]) -> alt.Y:
    metric = chart.get("y", "episode")
    unit, size = _unit(chart, values)
    for v in values:
        for k in ("y", "low", "high"):
            v[k] /= size
    title, percent = METRICS[metric] + (f" ({unit})" if unit else ""), metric == "efficiency"
    if "against" in chart:
        base = chart["against"]
        title, percent = beyond(base), True
    if "y" in chart.get("log", ""):
        held = Log.of(values, ("y", "low", "high"))
        axis = log_axis(ticks(held.low, held.high), title, PERCENT if percent else NUMBER)
        return alt.Y("y:Q", title=title, scale=held.scale, axis=axis)
    scale = alt.Scale(zero=True)
    return alt.Y("y:Q", title=title, scale=scale, axis=alt.Axis(format=".0%" if percent else ",.4~r"))


def _in_log(values: list[dict]) -> list[dict]:
    """What a logarithmic axis can show: an interval that reaches zero is an open triangle at its upper end."""
    made = []
    for v in values:
        drawn = interval(Interval(v["y"], v["low"], v["high"]))
        made.append(v | {"y": drawn["ns"], "low": drawn["low"], "high": drawn["high"], "limit": drawn["limit"]})
    return [v for v in made if v["y"] is not None or v["limit"] is not None]


def beyond(base: dict[str, Any]) -> str:
    """What a chart against another point shows."""
    times = {1: "", 2: "twice "}.get(base.get("times", 1), f"{base.get('times', 1)} times ")
    on = "on" if short(base["key"]) == "processors" else "with"
    return f"time beyond {times}that {on} {words.value(base['key'], base['value'])} {words.key(base['key'])}"


def draw(results: Results, number: int) -> alt.TopLevelMixin | None:
    """The scenario's chart of that number; None where of it one point has been simulated, or none."""
    chart = results.charts[number]
    values = points(results, chart)
    if len({(v["x"], v["color"]) for v in values}) < 2:
        return None
    values += [*_predicted(results, chart, values), *_of_paper(results, chart, values)]
    x, y = _x_axis(chart, values), _y_axis(chart, values)
    if "y" in chart.get("log", ""):
        values = _in_log(values)
    log = "y" in chart.get("log", "")
    simulated = rings([v for v in values if v["source"] == SIMULATED], "x", "y", "column", log)
    values = [*simulated, *(v for v in values if v["source"] != SIMULATED)]
    layered = _layers(chart, values, x, y)
    if "column" not in chart:
        return layered.properties(width=WIDE, height=380)
    columns = list(dict.fromkeys(v["column"] for v in values))
    return panels(layered, "column", columns, columns=2, least=280, height=320)


def _layers(chart: dict[str, Any], values: list[dict], x: alt.X, y: alt.Y) -> alt.LayerChart:
    ordered = not any(isinstance(v["x"], str) for v in values)
    names = list(dict.fromkeys(v["color"] for v in values))
    legend = alt.Legend(title=words.key(chart["color"]), orient="top") if "color" in chart else None
    pointed = alt.selection_point(fields=["color"], on="pointerover", clear="pointerout", nearest=True)
    base = alt.Chart().encode(
        x=x,
        color=alt.Color(
            "color:N",
            title=None,
            scale=mapped(theme.colours(names)),
            legend=legend,
        ),
        opacity=alt.condition(pointed, alt.value(1), alt.value(0.25)),
        tooltip=[
            alt.Tooltip("color:N", title=words.key(chart.get("color", "name"))),
            alt.Tooltip("source:N"),
            alt.Tooltip("x:Q" if ordered else "x:N", title=x["title"]),
            alt.Tooltip("y:Q", title=y["title"], format=",.6~g"),
        ],
    )
    simulated = base.transform_filter(f"datum.source == '{SIMULATED}'")
    dots = simulated.transform_filter("isValid(datum.y)").mark_point(filled=True)
    layers = [
        base.mark_rule(strokeWidth=1.5).encode(y=alt.Y("low:Q", title=y["title"]), y2="high:Q"),
        dots.encode(y=y, size=DOTS).add_params(pointed),
    ]
    if ordered:
        line = simulated.mark_line(strokeWidth=2, invalid="break-paths-filter-domains")
        layers.insert(1, line.encode(y=y))
    if any(v.get("limit") is not None for v in values):
        triangle = base.transform_filter("isValid(datum.limit)").mark_point(shape="triangle-down", size=55)
        layers.append(triangle.encode(y=alt.Y("limit:Q", title=y["title"])))
    if any(v["source"] == PREDICTED for v in values):
        predicted = base.transform_filter(f"datum.source == '{PREDICTED}'")
        layers.insert(1, predicted.mark_line(strokeDash=[5, 4], strokeWidth=3).encode(y=y))
    if printed := {v["printed"] for v in values if v["source"] == PAPER}:
        own = alt.Legend(title=None, orient="bottom")
        shape = alt.Shape("printed:N", scale=mapped(dict.fromkeys(printed, "diamond")), legend=own)
        hollow = base.transform_filter(f"datum.source == '{PAPER}'").mark_point(size=320, strokeWidth=1.8, filled=False)
        layers.append(hollow.encode(y=y, shape=shape))
    return alt.layer(*layers, data=alt.Data(values=values))
