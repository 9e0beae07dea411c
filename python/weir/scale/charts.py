"""The chart of `weir scale`: time against ranks, a row for each cluster, a column for how many are on a node."""

from collections.abc import Iterable
from pathlib import Path

import altair as alt

from weir.base.records import Row
from weir.scale.tables import ranked

BEST_OF_PLANS = "best of Weir's other plans"
DEFAULT = "Weir's default"
BEST_OF_SMPI = "best of SMPI's"
RADIX_2 = "Weir's radix 2, all by messages"
SERIES = (DEFAULT, BEST_OF_PLANS, RADIX_2, BEST_OF_SMPI)


def _points(rows: Iterable[Row]) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for group in ranked(rows):
        first = group[0]
        panel = {"cluster": first["cluster"], "place": f"{first['per_node']} on a node", "ranks": first["ranks"]}
        smpi = [r["time_ns"] for r in group if r["family"] == "SMPI"]
        weirs = [r for r in group if r["family"] == "Weir"]
        others = [r["time_ns"] for r in weirs if r["algorithm"] != "auto"]
        series = {
            DEFAULT: [r["time_ns"] for r in weirs if r["algorithm"] == "auto"],
            BEST_OF_PLANS: others[:1],
            RADIX_2: [r["time_ns"] for r in weirs if r["name"] == "dissemination 2"],
            BEST_OF_SMPI: smpi[:1],
        }
        found += [panel | {"barrier": name, "time": values[0] / 1e3} for name, values in series.items() if values]
    return found


def draw(rows: Iterable[Row]) -> alt.TopLevelMixin:
    points = _points(rows)
    ranks = sorted({p["ranks"] for p in points})
    return (
        alt.Chart(alt.Data(values=points))
        .mark_line(point=True)
        .encode(
            x=alt.X("ranks:Q", scale=alt.Scale(type="log", base=2), axis=alt.Axis(values=ranks), title="ranks"),
            y=alt.Y("time:Q", scale=alt.Scale(type="log", nice=False), title="a barrier, µs"),
            color=alt.Color("barrier:N", sort=list(SERIES), title="simulated", legend=alt.Legend(labelLimit=240)),
            strokeDash=alt.StrokeDash("barrier:N", sort=list(SERIES), legend=None),
        )
        .properties(width=260, height=150)
        .facet(row=alt.Row("cluster:N", title=None), column=alt.Column("place:N", title=None))
        .resolve_scale(y="independent")
    )


def write(rows: Iterable[Row], path: Path) -> None:
    draw(rows).save(str(path), scale_factor=1.5)
