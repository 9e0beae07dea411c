"""The small picture of a page's first lines: a time for each of a few rows, by a few names; or each run as a dot."""

from collections.abc import Iterable
from typing import Any

import altair as alt

from weir.base import theme
from weir.base.axes import TIME, Log
from weir.base.drawing import interval, mapped, shown, spread
from weir.base.screen import with_interval
from weir.base.statistics import Interval

BREAK = "|"  # between the lines of a row's label
NARROW, LETTER, SYMBOL = 350, 6.5, 24  # pixels: a page on a telephone, and what a name in the legend takes
WIDE_RANGE = 4  # from this ratio of the longest time to the shortest on an axis of times is logarithmic
# Between its top and its bottom each row has lanes in which dots lie, so that few hide others.
LANES = 5
COUNTS, LEFT_OUT, FAILED = "counts", "left out", "failed"  # what becomes of a run
SHAPES = {COUNTS: "circle", LEFT_OUT: "triangle-up", FAILED: "cross"}


def value(row: str, name: str, time: Interval) -> dict[str, Any]:
    """One point; a time of nanoseconds."""
    return interval(time) | {"row": row, "name": name, "says": with_interval(time)}


def times(values: Iterable[dict[str, Any]], title: str) -> alt.TopLevelMixin | None:
    """A row for each `row`, and in it a line of points for each name in a colour of its own. None of fewer than two
    names."""
    values = shown(values)
    names = list(dict.fromkeys(v["name"] for v in values))
    if len(names) < 2:
        return None
    label = alt.Axis(grid=True, tickBand="extent", labelExpr=f"split(datum.label, '{BREAK}')", labelLimit=200)
    # A legend wider than the page would leave the chart no room.
    columns = max(1, int(NARROW // (SYMBOL + LETTER * max(map(len, names)))))
    base = alt.Chart(alt.Data(values=values)).encode(
        y=alt.Y("row:N", sort=None, title=None, axis=label),
        yOffset=alt.YOffset("name:N", sort=names),
        color=alt.Color(
            "name:N", scale=mapped(theme.colours(names)), legend=alt.Legend(title=None, orient="top", columns=columns)
        ),
        tooltip=[
            alt.Tooltip("row:N", title="where"),
            alt.Tooltip("name:N", title="what"),
            alt.Tooltip("says:N", title="time"),
        ],
    )
    held = Log.of(values)
    points = base.transform_filter("isValid(datum.ns)").mark_point(filled=True, size=60, opacity=1)
    return alt.layer(
        *spread(base, "x", held, title),
        points.encode(x=alt.X("ns:Q", scale=held.scale, axis=held.axis(title))),
    ).properties(width="container", height=alt.Step(16))


def run(row: str, number: int, ns: float, becomes: str = COUNTS) -> dict[str, Any]:
    """One dot. `number`: of the run; those of a number lie in the same lane."""
    return {"row": row, "lane": number % LANES, "ns": ns, "becomes": becomes, "says": with_interval(Interval(ns))}


def runs(dots: list[dict[str, Any]], medians: dict[str, Interval], title: str) -> alt.TopLevelMixin | None:
    """A row for each name: a dot for each run, and above them the median with its interval. None without dots."""
    if not dots:
        return None
    rows = list(dict.fromkeys(dot["row"] for dot in dots))
    times = [dot["ns"] for dot in dots]
    wide = max(times) >= WIDE_RANGE * min(times)
    middles = [
        {"row": row, "ns": median.value, "low": median.drawn[0], "high": median.drawn[1], "says": with_interval(median)}
        for row, median in medians.items()
    ]
    held = Log.of([*dots, *middles])
    axis = held.axis(title) if wide else alt.Axis(labelExpr=TIME, title=title, tickCount=5)
    scale = held.scale if wide else alt.Scale(zero=False, padding=10)
    met = [kind for kind in SHAPES if any(dot["becomes"] == kind for dot in dots)]
    shape = alt.Shape(
        "becomes:N",
        scale=mapped({kind: SHAPES[kind] for kind in met}),
        legend=alt.Legend(
            title=None, orient="top", symbolFillColor=theme.colour("ink"), symbolStrokeColor=theme.colour("ink")
        )
        if len(met) > 1
        else None,
    )
    bands = alt.Scale(paddingInner=0, paddingOuter=0)
    y = alt.Y("row:N", sort=rows, title=None, scale=bands, axis=alt.Axis(grid=True, tickBand="extent"))
    ink = alt.Color("row:N", scale=mapped(theme.colours(rows)), legend=None)
    tips = [alt.Tooltip("row:N", title="on"), alt.Tooltip("says:N", title="time")]

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, axis=axis)

    each = alt.Chart(alt.Data(values=dots)).mark_point(filled=True, size=36, opacity=0.75)
    each = each.encode(
        x=x("ns"), y=y, color=ink, shape=shape, tooltip=[*tips, alt.Tooltip("becomes:N", title="the run")],
        yOffset=alt.YOffset("lane:Q", scale=alt.Scale(domain=[-4, LANES])),
    )  # fmt: skip
    base = alt.Chart(alt.Data(values=middles)).encode(y=y, tooltip=tips)
    at = {"yOffset": alt.YOffsetDatum(-2)}
    layers = [
        base.mark_rule(strokeWidth=3, color=theme.colour("ink")).encode(x=x("low"), x2="high:Q", **at),
        base.mark_point(shape="diamond", filled=True, size=110, opacity=1, color=theme.colour("ink")).encode(
            x=x("ns"), **at
        ),
    ]
    return alt.layer(*(layers if middles else []), each).properties(width="container", height=alt.Step(64))
