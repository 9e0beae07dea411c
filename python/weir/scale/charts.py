"""The chart of `weir scale`: time against ranks, a panel for each cluster and number of ranks on a node."""

from collections.abc import Iterable
from pathlib import Path

import altair as alt

from weir.base import theme
from weir.base.axes import Log, counts, rings
from weir.base.drawing import DOTS, mapped, panels, save
from weir.base.records import Row
from weir.base.screen import nanoseconds
from weir.scale.tables import ranked

BEST_OF_PLANS = "best of Weir's other plans"
DEFAULT = "Weir's default"
BEST_OF_SMPI = "best of SMPI's"
RADIX_2 = "Weir's radix 2, all by messages"
SERIES = (DEFAULT, BEST_OF_PLANS, RADIX_2, BEST_OF_SMPI)


def _points(groups: Iterable[list[Row]]) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for group in groups:
        first = group[0]
        panel = {"panel": f"{first['cluster']}, {first['per_node']} on a node", "ranks": first["ranks"]}
        smpi = [r for r in group if r["family"] == "SMPI"]
        weirs = [r for r in group if r["family"] == "Weir"]
        series = {
            DEFAULT: [r for r in weirs if r["algorithm"] == "auto"],
            BEST_OF_PLANS: [r for r in weirs if r["algorithm"] != "auto"],
            RADIX_2: [r for r in weirs if r["name"] == "dissemination 2"],
            BEST_OF_SMPI: smpi,
        }
        found += [
            panel | {"series": name, "which": points[0]["name"], "ns": points[0]["time_ns"],
                     "says": nanoseconds(points[0]["time_ns"])}
            for name, points in series.items() if points
        ]  # fmt: skip
    return found


def against_ranks(groups: Iterable[list[Row]]) -> alt.TopLevelMixin | None:
    """`groups`: the ranked rows of each place. None where all are of one size: that is no line."""
    points = _points(groups)
    sizes = {p["ranks"] for p in points}
    if len(sizes) < 2:
        return None
    names = [n for n in SERIES if any(p["series"] == n for p in points)]
    held = Log.of(points)
    legend = alt.Legend(title=None, orient="top", symbolType="stroke", symbolSize=400, symbolStrokeWidth=2)
    base = alt.Chart().encode(
        x=counts("ranks", sizes, "ranks"),
        y=alt.Y("ns:Q", scale=held.scale, axis=held.axis("time of one barrier")),
        color=alt.Color(
            "series:N",
            scale=mapped(theme.colours(names)),
            legend=legend,
        ),
        strokeDash=alt.StrokeDash(
            "series:N", scale=alt.Scale(domain=names, range=theme.DASHES[: len(names)]), legend=legend
        ),
        tooltip=[
            alt.Tooltip("series:N", title="simulated"),
            alt.Tooltip("which:N", title="barrier"),
            alt.Tooltip("ranks:Q"),
            alt.Tooltip("says:N", title="time"),
        ],
    )
    layered = alt.layer(
        base.mark_line(strokeWidth=2),
        base.mark_point(filled=True, opacity=1).encode(size=DOTS),
        data=alt.Data(values=rings(points, "ranks", "ns", "panel")),
    )
    order = list(dict.fromkeys(p["panel"] for p in points))
    return panels(layered, "panel", order, columns=len({p.rpartition(", ")[2] for p in order}), least=260, height=200)


def write(rows: Iterable[Row], path: Path) -> bool:
    """Whether there was something to draw."""
    drawn = against_ranks(ranked(rows))
    if drawn is not None:
        save(drawn, path, scale=1.5)
    return drawn is not None
