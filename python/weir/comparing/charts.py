"""The ratios of all series as one small picture."""

from collections.abc import Sequence

import altair as alt

from weir.base.axes import TIMES, Log
from weir.base.drawing import mapped
from weir.base.pictures import BREAK
from weir.base.screen import times
from weir.base.theme import colour
from weir.comparing.comparison import FASTER, SLOWER, Change

MOST = 20  # series
UNDECIDED = "undecided"
COLOURS = {FASTER: "good", SLOWER: "bad", UNDECIDED: "soft"}
LONG = 22  # characters of a label, from which on it has two lines


def ratios(changes: Sequence[Change]) -> alt.TopLevelMixin | None:
    """A row for each of those that changed most. None where nothing has a ratio."""
    values = [
        {
            "series": _in_lines(c.label),
            "label": c.label,
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
    held = Log.of(values, ("low", "high"), 1.0)
    axis = held.axis("B/A: left of 1, B is faster", TIMES)
    label = alt.Axis(grid=True, tickBand="extent", labelExpr=f"split(datum.label, '{BREAK}')")
    base = alt.Chart(alt.Data(values=values)).encode(
        y=alt.Y("series:N", sort=None, title=None, axis=label),
        color=alt.Color("verdict:N", scale=mapped({name: colour(role) for name, role in COLOURS.items()}), legend=None),
        tooltip=[
            alt.Tooltip("label:N", title="series"),
            alt.Tooltip("says:N", title="B/A"),
            alt.Tooltip("verdict:N", title="B is"),
        ],
    )

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=held.scale, axis=axis)

    one = alt.Chart().mark_rule(strokeDash=[4, 3], color=colour("soft")).encode(x=alt.datum(1.0))
    return alt.layer(
        one,
        base.mark_rule(strokeWidth=1.6).encode(x=x("low"), x2="high:Q"),
        base.mark_point(filled=True, size=50, opacity=1).encode(x=x("ratio")),
    ).properties(width="container", height=alt.Step(34 if any(BREAK in v["series"] for v in values) else 20))


def _in_lines(label: str) -> str:
    """Broken at the comma that is nearest to its middle."""
    commas = [i for i, letter in enumerate(label) if letter == ","]
    if len(label) <= LONG or not commas:
        return label
    at = min(commas, key=lambda i: abs(i - len(label) / 2))
    return f"{label[: at + 1]}{BREAK}{label[at + 1 :].strip()}"
