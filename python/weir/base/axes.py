"""Logarithmic axes, of which three ticks at least are labelled, and dots that do not cover each other."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

Values = list[dict[str, Any]]
FEWEST_TICKS = 3
LEAST_RANGE = 1.3  # of an axis: the ratio of its ends
MARGIN = 0.04  # of an axis, at each end
ENDS = ("ns", "low", "high", "limit")  # where values have what an axis must hold
# Powers of ten of which each so many is labelled, or steps within one: the coarsest that gives ticks enough.
EVERY = (3, 2, 1)
STEPS = ((1, 3), (1, 2, 5))
TIME = (
    "datum.value >= 1e9 ? format(datum.value/1e9, '.4~g') + ' s' "
    ": datum.value >= 1e6 ? format(datum.value/1e6, '.4~g') + ' ms' "
    ": datum.value >= 1e3 ? format(datum.value/1e3, '.4~g') + ' µs' : format(datum.value, '.4~g') + ' ns'"
)
PERCENT = "format(datum.value, '.3~%')"
NUMBER = "format(datum.value, ',.4~r')"
TIMES = "datum.value < 0.1 ? '1/' + format(1/datum.value, ',.2~r') : format(datum.value, ',.3~r')"
DOT = 36  # the area of a dot, in pixels
RING = 45  # by so much larger is one that would be covered, for each of those over it
NEAR = 0.02  # of an axis: dots that are no farther apart cover each other


def ticks(low: float, high: float) -> list[float]:
    """Round numbers between the two, at least three."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))

    def inside(candidates: Iterable[float]) -> list[float]:
        return [float(f"{v:.12g}") for v in candidates if low * (1 - 1e-9) <= v <= high * (1 + 1e-9)]

    for every in EVERY:
        if len(found := inside(10.0**k for k in range(first, last + 1) if k % every == 0)) >= FEWEST_TICKS:
            return found
    for steps in STEPS:
        if len(found := inside(s * 10.0**k for k in range(first, last + 1) for s in steps)) >= FEWEST_TICKS:
            return found
    for k in range(last, first - 20, -1):
        for step in (5, 2, 1):
            each = step * 10.0**k
            if (high - low) / each > 100:
                break
            if len(found := inside(n * each for n in range(int(low / each), int(high / each) + 2))) >= FEWEST_TICKS:
                return found
    raise ValueError(f"no ticks between {low} and {high}")


@dataclass(frozen=True)
class Log:
    """A logarithmic axis from one value to another."""

    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[dict[str, Any]], fields: Sequence[str] = ENDS, *also: float) -> "Log":
        """Around all positive ones in these fields, with a margin; wider, where they are nearly the same."""
        held = [*also, *(v[k] for v in values for k in fields if v.get(k) is not None and v[k] > 0)] or [1.0]
        low, high = min(held), max(held)
        margin = max((high / low) ** MARGIN, (LEAST_RANGE / (high / low)) ** 0.5)
        return cls(low / margin, high * margin)

    @property
    def scale(self) -> alt.Scale:
        return alt.Scale(type="log", nice=False, domain=[self.low, self.high])

    @property
    def ticks(self) -> list[float]:
        return ticks(self.low, self.high)

    def axis(self, title: str, label: str = TIME, **more: Any) -> alt.Axis:
        return log_axis(self.ticks, title, label, **more)


def log_axis(at: Sequence[float], title: str, label: str = TIME, **more: Any) -> alt.Axis:
    """Only labels that would lie on each other are left out."""
    return alt.Axis(values=list(at), labelExpr=label, labelOverlap="greedy", title=title, **more)


def by_panel(values: Values, panel: str, fields: Sequence[str] = ENDS, *also: float) -> tuple[Values, list[float]]:
    """Where each panel has a logarithmic axis of its own: a row with each end of it (`edge`), to be drawn invisibly,
    and the ticks of all of them, of which each panel shows those within."""
    edges, at = [], set()
    for name in dict.fromkeys(v[panel] for v in values):
        log = Log.of([v for v in values if v[panel] == name], fields, *also)
        edges += [{panel: name, "edge": end} for end in (log.low, log.high)]
        at |= set(log.ticks)
    return edges, sorted(at)


def edges(along: str, axis: alt.Axis) -> alt.Chart:
    """The invisible layer of by_panel(). `along`: x or y."""
    channel = (alt.X if along == "x" else alt.Y)("edge:Q", scale=alt.Scale(type="log", nice=False), axis=axis)
    base = alt.Chart().transform_filter("isValid(datum.edge)")
    return base.mark_point(opacity=0, aria=False, tooltip=None).encode(**{along: channel})


def counts(field: str, values: Iterable[int], title: str) -> alt.X:
    """An axis of sizes that double. Two sizes are too few for a scale: they stand beside each other."""
    sizes = sorted(set(values))
    if len(sizes) < FEWEST_TICKS:
        return alt.X(f"{field}:O", sort=sizes, axis=alt.Axis(title=title, labelAngle=0, grid=False))
    margin = (sizes[-1] / sizes[0]) ** MARGIN
    return alt.X(
        f"{field}:Q",
        scale=alt.Scale(type="log", base=2, nice=False, domain=[sizes[0] / margin, sizes[-1] * margin]),
        axis=alt.Axis(values=sizes, title=title, format=",d", grid=False, labelOverlap="greedy"),
    )


def rings(values: Values, x: str, y: str, panel: str | None = None, log: bool = True, size: int = DOT) -> Values:
    """Dots at the same place become rings around each other: `dot` is the area of each. Later values are drawn over
    earlier ones."""
    panels: dict[Any, Values] = defaultdict(list)
    for v in values:
        panels[v[panel] if panel else None].append(v)
    for held_values in panels.values():
        held = [v[y] for v in held_values if v.get(y) is not None and (v[y] > 0 or not log)]
        span = _height(max(held), log) - _height(min(held), log) if held else 0
        columns: dict[Any, Values] = defaultdict(list)
        for v in held_values:
            v["dot"] = size
            if v.get(y) is not None and (v[y] > 0 or not log):
                columns[v[x]].append(v)
        for column in columns.values():
            for place, v in enumerate(column):
                near = [w for w in column[place + 1 :] if abs(_height(w[y], log) - _height(v[y], log)) <= NEAR * span]
                v["dot"] = size + RING * len(near)
    return values


def _height(value: float, log: bool) -> float:
    return math.log(value) if log else value
