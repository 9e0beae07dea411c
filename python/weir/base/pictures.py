"""The small picture of a page's first lines: a time for each of a few rows, by a few names."""

from collections.abc import Iterable
from typing import Any

import altair as alt

from weir.base import theme
from weir.base.drawing import interval, log, mapped, shown, spread, time_axis
from weir.base.screen import with_interval
from weir.base.statistics import Interval

BREAK = "|"  # between the lines of a row's label
NARROW, LETTER, SYMBOL = 350, 6.5, 24  # pixels: a page on a telephone, and what a name in the legend takes


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
    steps = (1, 3)
    points = base.transform_filter("isValid(datum.ns)").mark_point(filled=True, size=60, opacity=1)
    return alt.layer(
        *spread(base, "x", title, steps),
        points.encode(x=alt.X("ns:Q", scale=log(), axis=time_axis(title, steps))),
    ).properties(width="container", height=alt.Step(16))
