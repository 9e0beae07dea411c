"""What all charts share: intervals, lines of which a few are named, and how wide a chart is."""

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import altair as alt
import vl_convert

from weir.base import theme
from weir.base.axes import DOT, Log, Values, rings
from weir.base.statistics import Interval
from weir.base.theme import colour

WIDE = 720  # of a chart as a picture; on a page it is as wide as its column
LABEL = 12  # the least size of letters
LONG_INTERVAL = 30  # from this ratio of a median to its lower end a logarithmic axis shows the upper end alone
DOTS = alt.Size("dot:Q", scale=None, legend=None)  # of rings()
HEADER = alt.Header(labelFontWeight="bold", labelFontSize=13, labelColor=colour("ink"), title=None)


def interval(time: Interval) -> dict[str, float | None]:
    """For a logarithmic axis: the value with its interval; or, where that reaches zero, its upper end alone."""
    value, (low, high) = time.value, time.drawn
    if low > 0 and value <= LONG_INTERVAL * low:
        return {"ns": value, "low": low, "high": high, "limit": None}
    return {"ns": None, "low": None, "high": None, "limit": high if high > 0 else None}


def shown(values: Iterable[dict[str, Any]]) -> Values:
    """Those that have a place on a logarithmic axis."""
    return [v for v in values if v["ns"] is not None or v["limit"] is not None]


def mapped(values: Mapping[str, Any]) -> alt.Scale:
    """Gives each name its colour, dash or shape."""
    return alt.Scale(domain=list(values), range=list(values.values()))


def spread(base: alt.Chart, along: str, held: Log, title: str = "") -> list[alt.Chart]:
    """The intervals, and the open triangles of those that reach zero. `along`: x or y."""
    axis = (alt.X if along == "x" else alt.Y)("low:Q", scale=held.scale, axis=held.axis(title))
    only = (alt.X if along == "x" else alt.Y)("limit:Q", scale=held.scale)
    triangle = "triangle-left" if along == "x" else "triangle-down"
    measured = base.transform_filter("isValid(datum.ns)").mark_rule(strokeWidth=1.6)
    bounded = base.transform_filter("isValid(datum.limit)").mark_point(
        shape=triangle, size=55, filled=False, strokeWidth=1.4
    )
    return [measured.encode(**{along: axis, f"{along}2": "high:Q"}), bounded.encode(**{along: only})]


def _apart(ends: list[dict[str, Any]], domain: tuple[float, float], height: int) -> None:
    """Moves names that would lie on each other: `at` is where each is written."""
    step = math.log10(domain[1] / domain[0]) * (LABEL + 3) / height
    ends.sort(key=lambda e: e["ns"])
    at = [math.log10(e["ns"]) for e in ends]
    for _ in range(100):  # names push each other aside until each has its line
        moved = False
        for i in range(1, len(at)):
            short = step - (at[i] - at[i - 1])
            if short > 1e-9:
                at[i - 1], at[i], moved = at[i - 1] - short / 2, at[i] + short / 2, True
        if not moved:
            break
    inside = max(0.0, math.log10(domain[0]) - at[0]) if at else 0.0
    for end, height_of in zip(ends, at, strict=True):
        end["at"] = 10 ** (height_of + inside)


def few_of_many(
    values: Values,
    *,
    x: alt.X,
    x_field: str,
    series: str,
    named: dict[str, str],
    title: str,
    tooltip: list[alt.Tooltip],
    dashed: Iterable[str] = (),
    height: int = 440,
) -> alt.LayerChart:
    """Lines, of which a few are in colour and named where they end (`named`: the name and its colour), and the rest
    grey until the pointer is on one."""
    values = shown(values)
    held = Log.of(values)
    y = alt.Y("ns:Q", scale=held.scale, axis=held.axis(title))
    names = list(dict.fromkeys(v[series] for v in values))
    named = {n: c for n, c in named.items() if n in names}
    scale = mapped({n: named.get(n, colour("rest")) for n in names})
    ink = alt.Color(f"{series}:N", scale=scale, legend=None)
    rest = [v for v in values if v[series] not in named]
    first = [v for n in reversed(named) for v in values if v[series] == n]
    pointed = alt.selection_point(fields=[series], on="pointerover", clear="pointerout", nearest=True, empty=False)

    def lines(those: Values, width: float) -> list[alt.Chart]:
        base = alt.Chart(alt.Data(values=those)).encode(x=x, color=ink, tooltip=tooltip)
        full, broken = [n for n in names if n not in dashed], [n for n in names if n in dashed]
        dash = alt.StrokeDash(
            f"{series}:N", scale=alt.Scale(domain=full + broken, range=[[1, 0]] * len(full) + [[6, 4]] * len(broken)),
            legend=None,
        )  # fmt: skip
        line = base.mark_line(strokeWidth=width, invalid="break-paths-filter-domains")
        drawn = [line.encode(y=y, strokeDash=dash)] if any(v["ns"] is not None for v in those) else []
        return drawn + spread(base, "y", held, title)

    points = (
        alt.Chart(alt.Data(values=[v | {"dot": DOT} for v in rest] + rings(first, x_field, "ns")))
        .transform_filter("isValid(datum.ns)")
        .mark_point(filled=True, opacity=1)
        .encode(x=x, y=y, color=ink, tooltip=tooltip, size=DOTS)
        .add_params(pointed)
    )
    ends = _ends(values, series, x_field, names)
    _apart([e for e in ends if e[series] in named], (held.low, held.high), height)
    over = alt.Chart(alt.Data(values=values)).transform_filter(pointed).encode(x=x, y=y)
    layers = [*(lines(rest, 1.2) if rest else []), *(lines(first, 2.6) if first else []), points]
    layers += [over.mark_line(strokeWidth=2.6, color=colour("ink")), over.mark_point(filled=True, color=colour("ink"))]
    spoken, unspoken = ([e for e in ends if (e[series] in named) is so] for so in (True, False))
    if spoken:
        base = alt.Chart(alt.Data(values=spoken)).encode(x=x, y=alt.Y("at:Q", scale=held.scale))
        layers += [_name(base, series, halo=True), _name(base, series).encode(color=ink)]
    if unspoken:
        base = alt.Chart(alt.Data(values=unspoken)).transform_filter(pointed).encode(x=x, y=y)
        layers += [_name(base, series, halo=True), _name(base, series, color=colour("ink"))]
    return alt.layer(*layers).properties(width=WIDE, height=height)


def _ends(values: Values, series: str, x_field: str, names: list[str]) -> list[dict[str, Any]]:
    ends = []
    for name in names:
        of_series = [v for v in values if v[series] == name and v["ns"] is not None]
        if of_series:
            ends.append(dict(max(of_series, key=lambda v: v[x_field])))
    return ends


def _name(base: alt.Chart, series: str, halo: bool = False, **how: Any) -> alt.Chart:
    """Behind the line's end; above it, where a chart is too narrow for that. The halo keeps it apart from lines."""
    narrow = "width < 420"
    ground = {"stroke": colour("paper"), "strokeWidth": 4, "color": colour("paper")} if halo else how
    return base.mark_text(
        fontSize=LABEL,
        fontWeight=600,
        align={"expr": f"{narrow} ? 'right' : 'left'"},
        dx={"expr": f"{narrow} ? 6 : 9"},
        dy={"expr": f"{narrow} ? -10 : 0"},
        **ground,
    ).encode(text=f"{series}:N")


def panels(chart: alt.Chart | alt.LayerChart, field: str, order: list[Any], columns: int = 3, least: int = 240,
           height: int = 260) -> alt.FacetChart:  # fmt: skip
    """Small multiples: as many beside each other as there is room for, each at least so wide."""
    columns = max(1, min(columns, len(order)))
    each = max(least, (WIDE - 40) // columns - 20)
    return (
        chart.properties(width=each, height=height)
        .facet(facet=alt.Facet(f"{field}:N", sort=order, title=None, header=HEADER), columns=columns)
        .resolve_axis(x="independent")
        .properties(usermeta={"columns": columns, "least": least})
    )


def styled(chart: alt.TopLevelMixin) -> alt.TopLevelMixin:
    ink, soft, line = colour("ink"), colour("soft"), colour("line")
    words = {"labelFontSize": LABEL, "titleFontSize": LABEL, "titleFontWeight": "normal"}
    return (
        chart.configure(font=theme.FONT, background=colour("paper"))
        .configure_view(stroke=None)
        .configure_axis(**words, labelColor=ink, titleColor=soft, gridColor=line, domainColor=soft, tickColor=soft)
        .configure_legend(**words, labelColor=ink, titleColor=soft, labelLimit=260, symbolLimit=60, symbolOpacity=1)
        .configure_text(color=ink)
    )


def spec(chart: alt.TopLevelMixin) -> dict[str, Any]:
    """As a page draws it."""
    return styled(chart).to_dict()


def picture(chart: alt.TopLevelMixin, kind: str, scale: float = 2) -> bytes:
    """As PNG or SVG, in light colours."""
    text = theme.light(styled(chart).to_json(indent=None))
    if kind == "svg":
        return vl_convert.vegalite_to_svg(text).encode()
    return vl_convert.vegalite_to_png(text, scale=scale)


def save(chart: alt.TopLevelMixin, path: Path, scale: float = 2) -> None:
    path.write_bytes(picture(chart, path.suffix.removeprefix("."), scale))
