"""The figures of paper 003 for this machine: overheads against threads, and of schedules against the chunk."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from weir.base.screen import nanoseconds
from weir.openmp.comparison import Construct, Cost

LEAST_NS = 0.5  # a logarithmic axis begins here; less is noise


def _value(c: Construct, cost: Cost) -> dict[str, Any]:
    return {
        "construct": c.name,
        "runtime": f"{cost.runtime} ({c.place.language})",
        "members": c.place.members,
        "ns": max(cost.overhead.value, LEAST_NS),
        "low": max(cost.overhead.low, LEAST_NS),
        "high": max(cost.overhead.high, LEAST_NS),
        "says": "in the noise" if cost.in_the_noise else nanoseconds(cost.overhead.value),
        "cycles": f"{cost.cycles:,.0f}",
    }


def _axis(title: str) -> alt.Axis:
    label = (
        "datum.value >= 1e6 ? datum.value/1e6 + ' ms' "
        ": datum.value >= 1e3 ? datum.value/1e3 + ' µs' : datum.value + ' ns'"
    )
    return alt.Axis(values=[10**k for k in range(10)], labelExpr=label, title=title)


def _tooltip() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("construct:N"),
        alt.Tooltip("runtime:N"),
        alt.Tooltip("members:Q", title="threads"),
        alt.Tooltip("says:N", title="overhead"),
        alt.Tooltip("cycles:N"),
    ]


def by_construct(found: Sequence[Construct]) -> alt.TopLevelMixin:
    """One team size: a row for each construct, a point for each runtime."""
    values = [_value(c, cost) for c in found for cost in c.costs]
    order = list(dict.fromkeys(c.name for c in found))
    base = alt.Chart(alt.Data(values=values)).encode(
        y=alt.Y("construct:N", sort=order, title=None, axis=alt.Axis(labelLimit=260)),
        color=alt.Color("runtime:N", legend=alt.Legend(title=None, orient="top", labelLimit=240)),
        tooltip=_tooltip(),
    )
    x = alt.X("ns:Q", scale=alt.Scale(type="log"), axis=_axis("overhead of one directive"))
    bars = base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", scale=alt.Scale(type="log")), x2="high:Q")
    return (bars + base.mark_point(filled=True, size=70, opacity=1).encode(x=x)).properties(
        width=520, height=alt.Step(18)
    )


# A panel for each runtime, as many beside each other as the page is wide.
_RUNTIMES = alt.Facet("runtime:N", title=None, header=alt.Header(labelFontWeight="bold", labelFontSize=13))


def by_threads(found: Sequence[Construct]) -> alt.TopLevelMixin:
    """As figures 1 to 6: a column for each runtime, a line for each construct."""
    values = [_value(c, cost) for c in found for cost in c.costs]
    sizes = sorted({c.place.members for c in found})
    picked = alt.selection_point(fields=["construct"], bind="legend")
    x = alt.X(
        "members:Q",
        scale=alt.Scale(type="log", base=2, nice=False, padding=12),
        axis=alt.Axis(values=sizes, title="threads", format="d", grid=False),
    )
    return (
        alt.Chart(alt.Data(values=values))
        .mark_line(point=True, strokeWidth=1.8)
        .encode(
            x=x,
            y=alt.Y("ns:Q", scale=alt.Scale(type="log"), axis=_axis("overhead of one directive")),
            color=alt.Color("construct:N", legend=alt.Legend(orient="bottom", columns=5, title="construct")),
            opacity=alt.condition(picked, alt.value(1), alt.value(0.08)),
            tooltip=_tooltip(),
        )
        .properties(width=185, height=260)
        .facet(_RUNTIMES, columns=4)
        .add_params(picked)
    )


def by_chunk(found: Sequence[Construct]) -> alt.TopLevelMixin:
    """As figures 7 to 9: overhead of a schedule against its chunk, a column for each runtime."""
    chunks = sorted({int(c.name.partition(":")[2]) for c in found if ":" in c.name})
    values = []
    for c in found:
        kind, _, chunk = c.name.partition(":")
        for at in [int(chunk)] if chunk else chunks:  # one without a chunk is a level line
            values += [_value(c, cost) | {"construct": kind, "chunk": at} for cost in c.costs]
    return (
        alt.Chart(alt.Data(values=values))
        .mark_line(point=True, strokeWidth=1.8)
        .encode(
            x=alt.X(
                "chunk:Q",
                scale=alt.Scale(type="log", base=2, nice=False, padding=12),
                axis=alt.Axis(values=chunks, format="d", grid=False),
            ),
            y=alt.Y("ns:Q", scale=alt.Scale(type="log"), axis=_axis("overhead of one loop")),
            color=alt.Color("construct:N", legend=alt.Legend(orient="bottom", columns=3, title="schedule")),
            tooltip=[*_tooltip(), alt.Tooltip("chunk:Q")],
        )
        .properties(width=185, height=260)
        .facet(_RUNTIMES, columns=4)
    )
