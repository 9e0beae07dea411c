"""Time against processors: what was measured, and what is predicted."""

from collections.abc import Callable
from typing import Any

import altair as alt

from weir.advising import advice
from weir.advising.results import Session
from weir.advising.sizes import Size, doubling
from weir.advising.telling import seconds
from weir.base import theme
from weir.base.axes import Log, Values, counts, rings
from weir.base.drawing import DOTS, mapped
from weir.run.measuring import OWN, WEIR

MOST_EACH = 64  # processors of which each has its place on a line
HERE, BEYOND = "as many processors as here", "more processors"
DASH = {HERE: [1, 0], BEYOND: [6, 4]}
WIDE, HIGH = 720, 420


def against_processors(session: Session) -> alt.TopLevelMixin | None:
    """None of fewer than two places on the axis."""
    dots, lines = measured(session), predicted(session)
    places = {v["processors"] for v in [*dots, *lines]}
    if len(places) < 2:
        return None
    names = list(dict.fromkeys(v["series"] for v in [*dots, *lines]))
    held = Log.of([*dots, *lines])
    x = counts("processors", doubling(max(places)), "processors")
    color = alt.Color(
        "series:N",
        scale=mapped(_colours(session, names)),
        legend=alt.Legend(title=None, orient="top", columns=1, symbolType="circle"),
    )

    def y(field: str = "ns") -> alt.Y:
        return alt.Y(f"{field}:Q", scale=held.scale, axis=held.axis("time of a run"))

    tips = [alt.Tooltip("series:N", title="on"), alt.Tooltip("where:N"), alt.Tooltip("says:N", title="time")]
    layers = []
    if lines:
        base = alt.Chart(alt.Data(values=lines)).encode(x=x, color=color)
        whole = [name for side in session.models for name in list(_lines(session, side))[:1]]
        band = base.transform_filter(alt.FieldOneOfPredicate("series", whole) & (alt.datum.which == BEYOND))
        band = band.mark_area(opacity=0.15)
        layers.append(band.encode(y=y("low"), y2="high:Q", detail="series:N"))
        dash = alt.StrokeDash("which:N", scale=mapped(DASH), legend=None)
        layers.append(base.mark_line(strokeWidth=2).encode(y=y(), strokeDash=dash, tooltip=tips))
    base = alt.Chart(alt.Data(values=rings(dots, "processors", "ns"))).encode(x=x, color=color, tooltip=tips)
    layers += [
        base.mark_rule(strokeWidth=1.6).encode(y=y("low"), y2="high:Q"),
        base.mark_point(filled=True, opacity=1).encode(y=y(), size=DOTS),
    ]
    return alt.layer(*layers).properties(width=WIDE, height=HIGH)


def _crowd(session: Session) -> int | None:
    """The threads of a line of one team, which shows the steps of ceil(M/P): the largest that was measured."""
    teams = [size.threads for size in session.times(WEIR) if size.threads and size.threads > session.processors]
    return max(teams, default=None)


def _lines(session: Session, side: str) -> dict[str, Callable[[int], Size]]:
    """The size at each number of processors: of as many threads, and of the largest team; or of the program's team."""
    title = session.sides[side]
    if session.has_openmp and not session.obeys:
        team = next(size.threads for size in session.times(side))
        return {f"{title}, {team} threads": lambda p: Size(p, team)}
    made = {title: lambda p: Size(p, p if session.has_openmp else None)}
    if side == WEIR and (crowd := _crowd(session)):
        made[f"{title}, {crowd} threads"] = lambda p: Size(p, crowd)
    return made


def _colours(session: Session, names: list[str]) -> dict[str, str]:
    one = session.sides.get(WEIR)
    found = theme.colours(names)
    return {
        n: theme.colour("weirs") if one and n.startswith(f"{one},") and session.obeys else c for n, c in found.items()
    }


def measured(session: Session) -> Values:
    """The least time of each size; its bar ends at the median."""
    found: Values = []
    for side in (OWN, WEIR):
        times = session.times(side)
        for name, at in (_lines(session, side) if times else {}).items():
            for size in (size for size in times if size == at(size.processors)):
                point = session.points[side, size]
                found.append({
                    "series": name, "processors": size.processors, "where": size.words(), "ns": 1e9 * point.least,
                    "low": 1e9 * point.least, "high": 1e9 * point.median,
                    "says": f"{seconds(point.least)}, half of the runs at most {seconds(point.median)}",
                })  # fmt: skip
    return found


def predicted(session: Session) -> Values:
    """As the models have it; of more processors than are here at least what the trace has."""
    most = max(advice.FARTHER) * session.processors
    places = range(1, most + 1) if most <= MOST_EACH else doubling(most)
    return [
        _value(name, at(p), advice.predicted(session, side, at(p)), part)
        for side in session.models
        for name, at in _lines(session, side).items()
        for p in places
        for part in _parts(session, p)
    ]


def _parts(session: Session, processors: int) -> list[str]:
    """Both parts of a line have the place where they meet."""
    return [HERE] * (processors <= session.processors) + [BEYOND] * (processors >= session.processors)


def _value(name: str, size: Size, foreseen: advice.Predicted, which: str) -> dict[str, Any]:
    return {
        "series": name, "processors": size.processors, "where": size.words(), "which": which,
        "ns": 1e9 * foreseen.seconds, "low": 1e9 * foreseen.low, "high": 1e9 * foreseen.high,
        "says": f"predicted: {seconds(foreseen.seconds)} ({seconds(foreseen.low)} … {seconds(foreseen.high)})",
    }  # fmt: skip
