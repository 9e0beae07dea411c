"""The figures of Bull 1999 for this machine. A runtime has one colour on all of them."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from weir.base import theme
from weir.base.axes import Log, Values, counts, rings
from weir.base.drawing import DOTS, WIDE, interval, mapped, panels, shown, spread
from weir.base.screen import nanoseconds, with_interval
from weir.openmp.comparison import Construct, Cost, is_whole

ROW = 11  # pixels for each runtime: its dots cover no other's
SHAPES = ("circle", "square", "diamond", "cross", "triangle-up")  # as many as theme.DASHES


def _value(c: Construct, cost: Cost, languages: int) -> dict[str, Any]:
    o = cost.overhead
    name = f"{cost.runtime} ({c.place.language})" if languages > 1 else cost.runtime
    return interval(o) | {
        "construct": c.name,
        "runtime": name,
        "members": c.place.members,
        "says": f"in the noise, at most {nanoseconds(max(o.high, 0))}" if cost.in_the_noise else with_interval(o),
        "cycles": f"{cost.cycles:,.0f}",
    }


def _values(found: Sequence[Construct]) -> Values:
    languages = len({c.place.language for c in found})
    return shown(_value(c, cost, languages) for c in found for cost in c.costs)


def _tooltip() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("construct:N"),
        alt.Tooltip("runtime:N"),
        alt.Tooltip("members:Q", title="threads"),
        alt.Tooltip("says:N", title="overhead"),
        alt.Tooltip("cycles:N"),
    ]


def _runtimes(values: Values) -> dict[str, Any]:
    """Colour; and dashes and shapes, where one runtime was measured in several settings or languages. One
    legend tells all of them."""
    names = sorted({v["runtime"] for v in values})
    colours, dashes = theme.colours(names), theme.dashes(names)
    legend = alt.Legend(title=None, orient="top")
    shapes = {n: SHAPES[theme.DASHES.index(dash)] for n, dash in dashes.items()}
    return {
        "color": alt.Color("runtime:N", scale=mapped(colours), legend=legend),
        "strokeDash": alt.StrokeDash("runtime:N", scale=mapped(dashes), legend=legend),
        "shape": alt.Shape("runtime:N", scale=mapped(shapes), legend=legend),
    }


def _order(found: Sequence[Construct], values: Values) -> list[str]:
    """The constructs that have a place in the chart, as they were found."""
    drawn = {v["construct"] for v in values}
    return [name for name in dict.fromkeys(c.name for c in found) if name in drawn]


def by_construct(found: Sequence[Construct]) -> alt.TopLevelMixin | None:
    """One team size: a row for each construct, a point for each runtime. None where nothing stands out of the noise."""
    values = _values(found)
    order = _order(found, values)
    if len(values) < 2:
        return None
    title = "time of one run" if all(is_whole(c.place) for c in found) else "overhead of one directive"
    told = _runtimes(values)
    long = "split(replace(datum.label, 'monotonic-', 'monotonic- '), ' ')"  # on two lines
    axis = alt.Axis(grid=True, tickBand="extent", labelExpr=long)
    base = alt.Chart(alt.Data(values=values)).encode(
        y=alt.Y("construct:N", sort=order, title=None, axis=axis),
        yOffset=alt.YOffset("runtime:N", sort=sorted({v["runtime"] for v in values})),
        tooltip=_tooltip(),
        color=told["color"],
    )
    held = Log.of(values)
    x = alt.X("ns:Q", scale=held.scale, axis=held.axis(title))
    dots = base.transform_filter("isValid(datum.ns)").mark_point(filled=True, size=60, opacity=1)
    dots = dots.encode(shape=told["shape"])
    high = 28 if any("monotonic-" in name for name in order) else 22  # of a row
    row = alt.Step(max(ROW, high / len({v["runtime"] for v in values})), **{"for": "offset"})
    return alt.layer(*spread(base, "x", held, title), dots.encode(x=x)).properties(width=WIDE, height=row)


def _lines(values: Values, along: str, x: alt.X, title: str, panel: str, order: list[str]) -> alt.TopLevelMixin:
    """A panel for each construct, a line for each runtime."""
    held = Log.of(values)
    y = alt.Y("ns:Q", scale=held.scale, axis=held.axis(title))
    told = _runtimes(values)
    base = alt.Chart().encode(x=x, color=told["color"], tooltip=_tooltip())
    lines = base.mark_line(strokeWidth=2, invalid="break-paths-filter-domains").encode(
        y=y, strokeDash=told["strokeDash"]
    )
    dots = base.transform_filter("isValid(datum.ns)").mark_point(filled=True, opacity=1)
    dots = dots.encode(y=y, shape=told["shape"], size=DOTS)
    layered = alt.layer(
        *spread(base, "y", held, title), lines, dots, data=alt.Data(values=rings(values, along, "ns", panel))
    )
    return panels(layered, panel, order, columns=3, least=220)


def by_threads(found: Sequence[Construct]) -> alt.TopLevelMixin:
    """What figures 1 to 6 show, arranged so that runtimes are compared."""
    values = _values(found)
    order = _order(found, values)
    x = counts("members", (c.place.members for c in found), "threads")
    return _lines(values, "members", x, "overhead of one directive", "construct", order)


def by_chunk(found: Sequence[Construct]) -> alt.TopLevelMixin:
    """As figures 7 to 9: overhead of a schedule against its chunk."""
    chunks = sorted({int(c.name.partition(":")[2]) for c in found if ":" in c.name})
    values = []
    languages = len({c.place.language for c in found})
    for c in found:
        kind, _, chunk = c.name.partition(":")
        for at in [int(chunk)] if chunk else chunks:  # one without a chunk is a level line
            values += [_value(c, cost, languages) | {"construct": kind, "chunk": at} for cost in c.costs]
    values = shown(values)
    order = list(dict.fromkeys(v["construct"] for v in values))
    return _lines(values, "chunk", counts("chunk", chunks, "chunk"), "overhead of one loop", "construct", order)
