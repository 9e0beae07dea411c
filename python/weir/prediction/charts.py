"""Charts of predictions, and a page that holds one of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import altair as alt

from weir.base import layout
from weir.base.axes import rings
from weir.base.drawing import DOTS, LABEL, WIDE, picture
from weir.base.papers import MARKATOS, cited
from weir.base.theme import colour
from weir.prediction.formulas import Step

FIGURES = {
    "processors": "figure 6",
    "spinning": "figures 1 and 2",
    "tree": "figures 1 and 2",
    "blocking": "figures 4 and 5",
}
DASHES = {"floor": [6, 4], "estimate": [2, 3], "": [1, 0]}


def staircase(steps: Sequence[Step], available: int, useful: int) -> alt.TopLevelMixin:
    """Figure 6's axes: processors, and the threads that the fullest has."""
    values = [{"processors": p, "threads": s.threads} for s in steps for p in range(s.least, s.most + 1)]
    by_processors = {v["processors"]: v["threads"] for v in values}
    marks = {available: f"{available} available", useful: f"{useful} do as well"}
    if useful == available:
        marks = {useful: f"{useful} available, all of use"}
    x = alt.X(
        "processors:Q", title="processors", axis=alt.Axis(format="d", tickMinStep=1, grid=False), scale=_from_zero()
    )
    y = alt.Y("threads:Q", title="threads on the fullest processor", axis=alt.Axis(format="d", tickMinStep=1))
    tooltip = [alt.Tooltip("processors:Q"), alt.Tooltip("threads:Q", title="threads on the fullest")]
    line = alt.Chart(alt.Data(values=values)).mark_line(interpolate="step-after", color=colour("weir")).encode(x=x, y=y)
    dots = alt.Chart(alt.Data(values=values)).mark_point(filled=True, color=colour("weir"), size=45, opacity=1)
    layers = [line, dots.encode(x=x, y=y, tooltip=tooltip)]
    for height, (processors, says) in zip((0.28, 0.14), marks.items(), strict=False):
        here = {"processors": processors, "threads": by_processors[processors], "says": says}
        here["top"] = here["threads"] + height * steps[0].threads
        base = alt.Chart(alt.Data(values=[here])).encode(x=x)
        side = {"align": "right", "dx": -5} if processors > 0.7 * max(by_processors) else {"align": "left", "dx": 5}
        layers += [
            base.mark_rule(color=colour("other1"), strokeDash=[3, 3]).encode(y=y, y2="top:Q"),
            base.mark_point(size=160, strokeWidth=2, color=colour("other1")).encode(y=y),
            base.mark_text(color=colour("other1"), fontSize=LABEL, **side).encode(y="top:Q", text="says:N"),
        ]
    return alt.layer(*layers).properties(width=WIDE, height=320)


def _from_zero() -> alt.Scale:
    return alt.Scale(zero=True, nice=False, padding=12)


def curves(
    values: list[dict[str, Any]], names: dict[str, str], x_title: str, y_title: str, percent: bool = False
) -> alt.TopLevelMixin:
    """Lines of x and y, one for each `line`. `names`: the kind of each, "estimate", "floor" or ""."""
    palette = iter(("weir", "other1", "other2", "other4"))
    colours = [colour("floor" if kind == "floor" else next(palette)) for kind in names.values()]
    order = list(names)
    legend = alt.Legend(title=None, orient="top", symbolType="stroke", symbolSize=400, symbolStrokeWidth=2)
    color = alt.Color(
        "line:N",
        sort=order,
        scale=alt.Scale(domain=order, range=colours),
        legend=legend,
    )
    dash = alt.StrokeDash(
        "line:N",
        sort=order,
        scale=alt.Scale(domain=order, range=[DASHES[kind] for kind in names.values()]),
        legend=legend,
    )
    y_format = ".3~%" if percent else ",.4~g"
    drawn = rings(values, "x", "y", log=False, size=18)
    base = alt.Chart().encode(
        x=alt.X("x:Q", title=x_title, axis=alt.Axis(grid=False), scale=alt.Scale(nice=False, padding=8)),
        y=alt.Y("y:Q", title=y_title, axis=alt.Axis(format=".0%") if percent else alt.Axis()),
        color=color,
        tooltip=[
            alt.Tooltip("line:N", title="what"),
            alt.Tooltip("x:Q", title=x_title),
            alt.Tooltip("y:Q", title=y_title, format=y_format),
        ],
    )
    lines = base.mark_line(strokeWidth=1.8).encode(strokeDash=dash)
    dots = base.mark_point(filled=True, opacity=1).encode(size=DOTS)
    return alt.layer(lines, dots, data=alt.Data(values=drawn)).properties(width=WIDE, height=360)


def write_svg(chart: alt.TopLevelMixin, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(picture(chart, "svg"))


def write_page(
    chart: alt.TopLevelMixin,
    path: Path,
    name: str,
    title: str,
    notes: list[str],
    header: list[str],
    rows: list[list[str]],
) -> None:
    """One self-contained file: the chart, its table and notes. `name`: of the prediction."""
    notes = [*notes, f"By the formulas of {cited(MARKATOS)}, as {FIGURES[name]} there."]
    template = Path(__file__).with_name("prediction.html.j2")
    html = layout.render(template, {"chart": chart}, title=title, notes=notes, header=header, rows=rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(html, encoding="utf-8")
