"""The figures of paper 004 for this machine: against processes, over processes and threads, and against all threads."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from weir.base.screen import nanoseconds
from weir.mpi.comparison import Barrier, Comparison
from weir.mpi.plan import BARRIER, DEFAULT, OMP, PAIRING, PAPERS, TEAM

LEAST_NS = 1.0  # a logarithmic axis begins here
HEADER = alt.Header(labelFontWeight="bold", labelFontSize=13)
# The same barrier as one of processes alone, and of threads alone: the maps' first column and row.
MAPS = {
    "Weir's default": (DEFAULT, TEAM),
    "sense + mcs (paper 004)": ("weir:mcs", PAPERS, "team:sense"),
    "omp barrier + MPI_Barrier": (BARRIER, PAIRING, OMP),
}
KINDS = {
    "Weir's default": (DEFAULT, TEAM),
    "sense + mcs (paper 004)": (PAPERS,),
    "omp barrier + MPI_Barrier": (PAIRING,),
    "OpenMP: one process": (OMP,),
    "MPI_Barrier: one thread each": (BARRIER,),
}
COLOURS = ["#0b57d0", "#7aa7e8", "#5f6368", "#d9730d", "#188038"]


def _axis(title: str) -> alt.Axis:
    label = (
        "datum.value >= 1e9 ? datum.value/1e9 + ' s' : datum.value >= 1e6 ? datum.value/1e6 + ' ms' "
        ": datum.value >= 1e3 ? datum.value/1e3 + ' µs' : datum.value + ' ns'"
    )
    return alt.Axis(values=[10**k for k in range(11)], labelExpr=label, title=title)


def _value(b: Barrier) -> dict[str, Any]:
    t = b.time
    return {
        "barrier": b.name,
        "machine": b.place.machine,
        "mpi": b.place.library,
        "processes": b.place.processes,
        "threads": b.place.threads,
        "members": b.place.members,
        "processors": b.place.processors,
        "nodes": b.place.nodes,
        "method": b.place.method,
        "ns": max(t.median.value, LEAST_NS),
        "low": max(t.median.low, LEAST_NS),
        "high": max(t.median.high, LEAST_NS),
        "says": f"{nanoseconds(t.median.value)} ({nanoseconds(t.median.low)} … {nanoseconds(t.median.high)})",
        "mean": nanoseconds(t.mean),
        "least": nanoseconds(t.minimum),
    }


def _tooltip() -> list[alt.Tooltip]:
    names = ("barrier:N", "mpi:N", "machine:N", "nodes:Q", "processors:Q", "processes:Q", "threads:Q")
    names += ("says:N", "mean:N", "least:N", "method:N")
    titles = {"says:N": "median", "mpi:N": "MPI"}
    return [alt.Tooltip(n, title=titles.get(n, n.partition(":")[0])) for n in names]


def _counts(name: str, values: Sequence[dict[str, Any]], title: str) -> alt.X:
    return alt.X(
        f"{name}:Q",
        scale=alt.Scale(type="log", base=2, nice=False, padding=14),
        axis=alt.Axis(values=sorted({v[name] for v in values}), title=title, format="d", grid=False),
    )


def against(counted: str, found: Sequence[Comparison]) -> alt.TopLevelMixin:
    """As figures 2 to 5 against "threads", as 6 to 9 against "processes": a panel for each MPI."""
    values = [_value(b) for c in found for b in c.barriers]
    order = {v["barrier"]: v["ns"] for v in sorted(values, key=lambda v: (v["members"], v["ns"]))}
    peers = sorted({b.name for c in found for b in c.barriers if b.is_peer})
    ours = [n for n in sorted(order, key=lambda n: -order[n]) if n not in peers and n != "Weir's default"]
    names = ["Weir's default", *peers, *ours]
    picked = alt.selection_point(fields=["barrier"], bind="legend")
    legend = alt.Legend(title="click to pick one", orient="bottom", columns=4, symbolLimit=40, labelLimit=230)
    emphasis = alt.condition(
        alt.FieldOneOfPredicate(field="barrier", oneOf=["Weir's default", *peers[:1]]), alt.value(4), alt.value(1.4)
    )
    scheme = ["#0b57d0", "#d9730d", "#f0b27a"][: 1 + len(peers)]
    rest = ["#188038", "#7b3fb5", "#c2185b", "#00838f", "#6d4c41", "#9e9d24", "#5f6368", "#81c995", "#b39ddb",
            "#f48fb1", "#80cbc4", "#bcaaa4", "#7aa7e8", "#455a64"]  # fmt: skip
    colours = alt.Scale(domain=names, range=(scheme + rest)[: len(names)])
    base = alt.Chart().encode(
        x=_counts(counted, values, counted),
        color=alt.Color("barrier:N", scale=colours, sort=names, legend=legend),
        opacity=alt.condition(picked, alt.value(1), alt.value(0.06)),
        tooltip=_tooltip(),
    )
    y = alt.Y("ns:Q", scale=alt.Scale(type="log"), axis=_axis("time of one barrier, median"))
    lines = base.mark_line().encode(y=y, size=emphasis)
    points = base.mark_point(filled=True, size=40).encode(y=y)
    bars = base.mark_rule().encode(y=alt.Y("low:Q", scale=alt.Scale(type="log")), y2="high:Q")
    return (
        alt.layer(bars, lines, points, data=alt.Data(values=values))
        .add_params(picked)
        .properties(width=370, height=360)
        .facet(column=alt.Column("mpi:N", title=None, header=HEADER))
    )


def _of(found: Sequence[Comparison], ids: Sequence[str]) -> list[Barrier]:
    return [b for c in found for b in [c.find(*ids)] if b is not None]


def maps(found: Sequence[Comparison]) -> alt.TopLevelMixin | None:
    """As figures 10 to 13, of one MPI: processes by threads, a column for each barrier, the least above the mean.
    None where none of these barriers was measured."""
    columns = {c.place.threads for c in found if c.place.processes > 1}  # more of threads alone would make it too wide
    found = [c for c in found if c.place.threads in columns]
    values = []
    for name, ids in MAPS.items():
        for b in _of(found, ids):
            for what, ns in (("least", b.time.minimum), ("mean", b.time.mean)):
                shown = {"barrier": name, "what": f"{what} time", "ns": max(ns, LEAST_NS), "cell": nanoseconds(ns)}
                values.append(_value(b) | shown)
    if not values:
        return None
    times = [v["ns"] for v in values]
    middle = (min(times) * max(times)) ** 0.5
    decades = [10**k for k in range(11) if min(times) <= 10**k <= max(times)]
    x = alt.X("threads:O", axis=alt.Axis(title="threads in each", labelAngle=0))
    y = alt.Y("processes:O", axis=alt.Axis(title="processes"), sort="descending")
    label = _axis("").labelExpr
    colour = alt.Color(
        "ns:Q",
        scale=alt.Scale(type="log", scheme="viridis", reverse=True),
        legend=alt.Legend(title="time of one barrier", labelExpr=label, gradientLength=180, values=decades),
    )
    rect = alt.Chart().mark_rect().encode(x=x, y=y, color=colour, tooltip=[*_tooltip(), alt.Tooltip("cell:N")])
    ink = alt.condition(f"datum.ns > {middle}", alt.value("white"), alt.value("black"))
    text = alt.Chart().mark_text(fontSize=11).encode(x=x, y=y, text="cell:N", color=ink)
    return (
        alt.layer(rect, text, data=alt.Data(values=values))
        .properties(width=alt.Step(74), height=alt.Step(30))
        .facet(
            column=alt.Column("barrier:N", sort=list(MAPS), title=None, header=HEADER),
            row=alt.Row("what:N", sort=["least time", "mean time"], title=None, header=HEADER),
            spacing={"column": 60, "row": 24},
        )
    )


def by_members(found: Sequence[Comparison]) -> alt.TopLevelMixin | None:
    """As figure 14: all together against processes times threads, a column for each MPI. None as with the maps."""
    values = []
    for name, ids in KINDS.items():
        for b in _of(found, ids):
            if ids == (DEFAULT, TEAM) and (b.place.processes == 1 or b.place.threads == 1):
                continue
            values.append(_value(b) | {"barrier": name, "size": f"{b.place.processes} × {b.place.threads}"})
    if not values:
        return None
    names = [n for n in KINDS if any(v["barrier"] == n for v in values)]
    colours = [COLOURS[list(KINDS).index(n)] for n in names]
    base = alt.Chart().encode(
        x=_counts("members", values, "processes × threads"),
        y=alt.Y("ns:Q", scale=alt.Scale(type="log"), axis=_axis("time of one barrier, median")),
        color=alt.Color(
            "barrier:N",
            scale=alt.Scale(domain=names, range=colours),
            legend=alt.Legend(title=None, orient="bottom", columns=3, labelLimit=260),
        ),
        tooltip=[*_tooltip(), alt.Tooltip("size:N")],
    )
    points = base.mark_point(filled=True, size=80, opacity=0.9).encode(
        shape=alt.Shape("barrier:N", scale=alt.Scale(domain=names), legend=None)
    )
    alone = base.transform_filter("datum.processes == 1 || datum.threads == 1").mark_line(strokeWidth=1.5)
    words = base.transform_filter("datum.processes > 1 && datum.threads > 1").mark_text(dx=8, align="left", fontSize=10)
    return (
        alt.layer(alone, points, words.encode(text="size:N"), data=alt.Data(values=values))
        .properties(width=370, height=320)
        .facet(column=alt.Column("mpi:N", title=None, header=HEADER))
    )
