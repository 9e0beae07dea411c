"""The figures of Bauskar and Sangle for this machine: against processes, over processes and threads, and together."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from weir.base import theme
from weir.base.axes import TIME, Log, Values, counts, rings, ticks
from weir.base.drawing import DOTS, LABEL, interval, mapped, panels, shown, spread
from weir.base.screen import nanoseconds, with_interval
from weir.base.theme import colour
from weir.mpi.comparison import COMBINED, Barrier, Comparison
from weir.mpi.plan import BARRIER, DEFAULT, OMP, PAIRING, PAPERS, TEAM

LEAST_NS = 1.0  # of the maps' colours, which are logarithms
TITLE = "time of one barrier, median"
# The same barrier as one of processes alone, and of threads alone: the maps' first column and row.
MAPS = {
    "Weir's default": (DEFAULT, TEAM),
    "sense + mcs": ("weir:mcs", PAPERS, "team:sense"),
    "omp barrier + MPI_Barrier": (BARRIER, PAIRING, OMP),
}
KINDS = {
    "Weir's default": (DEFAULT, TEAM),
    COMBINED: (PAPERS,),
    "omp barrier + MPI_Barrier": (PAIRING,),
    "OpenMP: one process": (OMP,),
    "MPI_Barrier: one thread each": (BARRIER,),
}


def _value(b: Barrier) -> dict[str, Any]:
    t = b.time
    return interval(t.median) | {
        "barrier": b.name,
        "machine": b.place.machine,
        "mpi": b.place.library,
        "processes": b.place.processes,
        "threads": b.place.threads,
        "members": b.place.members,
        "processors": b.place.processors,
        "nodes": b.place.nodes,
        "method": b.place.method,
        "says": with_interval(t.median),
        "mean": nanoseconds(t.mean),
        "least": nanoseconds(t.minimum),
    }


def _tooltip() -> list[alt.Tooltip]:
    names = ("barrier:N", "mpi:N", "machine:N", "nodes:Q", "processors:Q", "processes:Q", "threads:Q")
    names += ("says:N", "mean:N", "least:N", "method:N")
    titles = {"says:N": "median", "mpi:N": "MPI"}
    return [alt.Tooltip(n, title=titles.get(n, n.partition(":")[0])) for n in names]


def _own(b: Barrier) -> str:
    """What an MPI brings is called, and coloured, by its name."""
    return f"{b.place.library}'s MPI_Barrier" if b.id == BARRIER else b.name


def _legend(names: Sequence[str], colours: dict[str, str]) -> alt.Color:
    """Of those that have a colour; the others are grey."""
    scale = mapped({n: colours.get(n, colour("rest")) for n in names})
    return alt.Color("series:N", scale=scale, legend=alt.Legend(title=None, orient="top", values=list(colours)))


def against(counted: str, found: Sequence[Comparison]) -> alt.TopLevelMixin | None:
    """As figures 2 to 5 against "threads", as 6 to 9 against "processes": a panel for each MPI. The default and what a
    program has otherwise are in colour, the rest grey until the pointer is on one. None where all are of one size."""
    values = shown(_value(b) | {"series": _own(b)} for c in found for b in c.barriers)
    if len({v[counted] for v in values}) < 2:
        return None
    names = list(dict.fromkeys(v["series"] for v in values))
    spoken = [n for n in names if n == "Weir's default" or n.endswith("'s MPI_Barrier") or n.startswith("#pragma")]
    named = theme.colours(sorted(spoken, key=lambda n: n != "Weir's default"))
    order = sorted(values, key=lambda v: v["series"] in named)  # named on top
    pointed = alt.selection_point(fields=["series"], on="pointerover", clear="pointerout", nearest=True, empty=False)
    ink = _legend(names, named)
    held = Log.of(values)
    y = alt.Y("ns:Q", scale=held.scale, axis=held.axis(TITLE))
    base = alt.Chart().encode(x=counts(counted, (v[counted] for v in values), counted), color=ink, tooltip=_tooltip())
    is_named = alt.FieldOneOfPredicate(field="series", oneOf=list(named))
    width = alt.condition(is_named, alt.value(2.6), alt.value(1.1))
    over = base.transform_filter(pointed).encode(y=y, color=alt.value(colour("ink")))
    layers = [
        *spread(base, "y", held, TITLE),
        base.mark_line(invalid="break-paths-filter-domains").encode(y=y, size=width),
        base.transform_filter("isValid(datum.ns)").mark_point(filled=True, size=36, opacity=1).encode(y=y)
            .add_params(pointed),
        over.mark_line(strokeWidth=2.6),
        over.mark_point(filled=True, size=40, opacity=1),
        _pointed_name(over, counted, values),
    ]  # fmt: skip
    libraries = list(dict.fromkeys(v["mpi"] for v in values))
    return panels(alt.layer(*layers, data=alt.Data(values=order)), "mpi", libraries, columns=2, least=280, height=340)


def _pointed_name(over: alt.Chart, counted: str, values: Values) -> alt.Chart:
    largest = max(v[counted] for v in values)
    return (
        over.transform_filter(f"datum.{counted} == {largest}")
        .mark_text(align="right", dy=-10, fontSize=LABEL, fontWeight=600)
        .encode(text="series:N")
    )


def _of(found: Sequence[Comparison], ids: Sequence[str]) -> list[Barrier]:
    return [b for c in found for b in [c.find(*ids)] if b is not None]


def maps(found: Sequence[Comparison]) -> alt.TopLevelMixin | None:
    """As figures 10 to 13, of one MPI: processes by threads, a panel for each barrier, the least above the mean.
    None where none of these barriers was measured, or at one size alone."""
    columns = {c.place.threads for c in found if c.place.processes > 1}  # more of threads alone would make it too wide
    found = [c for c in found if c.place.threads in columns]
    values = []
    for name, ids in MAPS.items():
        for b in _of(found, ids):
            for what, ns in (("least", b.time.minimum), ("mean", b.time.mean)):
                cell = {"barrier": name, "what": f"{what} time", "panel": f"{what} time of {name}"}
                cell |= {"ns": max(ns, LEAST_NS), "cell": nanoseconds(ns)}
                values.append(_value(b) | cell)
    if len({(v["processes"], v["threads"]) for v in values}) < 2:
        return None
    times = [v["ns"] for v in values]
    held, middle = Log.of(values, ("ns",)), (min(times) * max(times)) ** 0.5
    x = alt.X("threads:O", axis=alt.Axis(title="threads in each", labelAngle=0))
    y = alt.Y("processes:O", axis=alt.Axis(title="processes"), sort="descending")
    ink = alt.Color(
        "ns:Q",
        scale=alt.Scale(type="log", scheme="viridis", reverse=True, domain=[held.low, held.high]),
        legend=alt.Legend(
            title="time of one barrier",
            labelExpr=TIME,
            gradientLength=240,
            values=ticks(held.low, held.high),
            labelOverlap=True,
            orient="top",
        ),
    )
    rect = alt.Chart().mark_rect().encode(x=x, y=y, color=ink, tooltip=[*_tooltip(), alt.Tooltip("cell:N")])
    words = alt.condition(f"datum.ns > {middle}", alt.value("white"), alt.value("black"))
    text = alt.Chart().mark_text(fontSize=LABEL).encode(x=x, y=y, text="cell:N", color=words)
    drawn = {v["panel"] for v in values}
    order = [p for p in (f"{what} time of {name}" for what in ("least", "mean") for name in MAPS) if p in drawn]
    rows = len({v["processes"] for v in values})
    return panels(
        alt.layer(rect, text, data=alt.Data(values=values)), "panel", order, columns=len(order) // 2, least=260,
        height=32 * rows,
    )  # fmt: skip


def by_members(found: Sequence[Comparison]) -> alt.TopLevelMixin | None:
    """As figure 14: all together against processes times threads, a panel for each MPI. None as with the maps."""
    values = []
    for name, ids in KINDS.items():
        for b in _of(found, ids):
            if ids == (DEFAULT, TEAM) and (b.place.processes == 1 or b.place.threads == 1):
                continue
            size = f"{b.place.processes} × {b.place.threads}"
            values.append(_value(b) | {"barrier": name, "series": name, "size": size})
    values = shown(values)
    if len({v["members"] for v in values}) < 2:
        return None
    names = [n for n in KINDS if any(v["series"] == n for v in values)]
    domain = alt.Scale(domain=names)
    base = alt.Chart().encode(
        x=counts("members", (v["members"] for v in values), "processes × threads"),
        color=_legend(names, theme.colours(names)),
        tooltip=[*_tooltip(), alt.Tooltip("size:N")],
    )
    held = Log.of(values)
    y = alt.Y("ns:Q", scale=held.scale, axis=held.axis(TITLE))
    points = base.transform_filter("isValid(datum.ns)").mark_point(filled=True, opacity=1)
    points = points.encode(
        y=y,
        shape=alt.Shape("series:N", scale=domain, legend=alt.Legend(title=None, orient="top", values=names)),
        size=DOTS,
    )
    alone = base.transform_filter("datum.processes == 1 || datum.threads == 1").mark_line(strokeWidth=1.5).encode(y=y)
    layers = [*spread(base, "y", held, TITLE), alone, points]
    values = rings(values, "members", "ns", "mpi", size=60)
    libraries = list(dict.fromkeys(v["mpi"] for v in values))
    return panels(alt.layer(*layers, data=alt.Data(values=values)), "mpi", libraries, columns=2, least=280, height=340)
