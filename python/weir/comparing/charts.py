"""The ratios of all series as one small picture."""

from collections.abc import Sequence

import altair as alt

from weir.base.drawing import mapped
from weir.base.screen import times
from weir.base.theme import colour
from weir.comparing.comparison import FASTER, SLOWER, Change

MOST = 30  # series
UNDECIDED = "undecided"
COLOURS = {FASTER: "good", SLOWER: "bad", UNDECIDED: "soft"}
STEPS = (1, 1.1, 1.25, 1.5, 2, 3, 5)
ROOM = 1.03  # at both ends of the axis


def ratios(changes: Sequence[Change]) -> alt.TopLevelMixin | None:
    """A row for each of those that changed most. None where nothing has a ratio."""
    values = [
        {
            "series": c.label,
            "ratio": c.ratio.value,
            "low": c.ratio.low,
            "high": c.ratio.high,
            "verdict": c.verdict if c.is_decided else UNDECIDED,
            "says": times(c.ratio),
        }
        for c in changes
        if c.ratio is not None
    ][:MOST]
    if not values:
        return None
    met = [name for name in COLOURS if any(v["verdict"] == name for v in values)]
    ends = [v[end] for v in values for end in ("low", "high")]
    least, most = min(*ends, 1 / ROOM) / ROOM, max(*ends, ROOM) * ROOM
    at = sorted({way for k in range(6) for step in STEPS for way in (step * 10**k, 1 / (step * 10**k))})
    within = [ratio for ratio in at if least <= ratio <= most]
    axis = alt.Axis(title="B/A: left of 1, B is faster", format=".2~g", labelOverlap=True, values=within)
    base = alt.Chart(alt.Data(values=values)).encode(
        y=alt.Y("series:N", sort=None, title=None, axis=alt.Axis(grid=True, tickBand="extent", labelLimit=260)),
        color=alt.Color(
            "verdict:N",
            scale=mapped({name: colour(COLOURS[name]) for name in met}),
            legend=alt.Legend(title=None, orient="top"),
        ),
        tooltip=[alt.Tooltip("series:N"), alt.Tooltip("says:N", title="B/A"), alt.Tooltip("verdict:N", title="B is")],
    )

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=alt.Scale(type="log", domain=[least, most], nice=False), axis=axis)

    one = alt.Chart().mark_rule(strokeDash=[4, 3], color=colour("soft")).encode(x=alt.datum(1.0))
    return alt.layer(
        one,
        base.mark_rule(strokeWidth=1.6).encode(x=x("low"), x2="high:Q"),
        base.mark_point(filled=True, size=50, opacity=1).encode(x=x("ratio")),
    ).properties(width="container", height=alt.Step(20))
