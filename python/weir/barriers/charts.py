"""The charts of barriers on one machine, as Altair objects."""

import altair as alt

from weir.barriers.comparison import Comparison, Figure
from weir.base import theme
from weir.base.axes import ENDS, Log, Values, counts
from weir.base.drawing import WIDE, few_of_many, interval, mapped, panels, shown, spread
from weir.base.screen import nanoseconds, percent, with_interval
from weir.base.theme import colour

DEFAULT = "Weir's default"
FLOOR = "floor"
MOST_RANKED = 26
SHAPES = {"measured": "circle", "simulated": "diamond", "predicted": "square"}
TITLE = "overhead of one barrier"
AT_MOST = "An open triangle is the upper end of an interval that reaches zero: the overhead is at most that."


def _value(figure: Figure) -> dict:
    d = figure.distribution()
    return interval(d.median) | {
        "barrier": figure.name,
        "algorithm": figure.algorithm,
        "waiting": figure.waiting,
        "source": figure.source,
        "peer": figure.family == "peer",
        "members": figure.place.members,
        "says": with_interval(d.median),
    }


def _values(figures: list[Figure]) -> Values:
    return shown(map(_value, figures))


def _tooltip() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("barrier:N", title="barrier"),
        alt.Tooltip("members:Q", title="threads"),
        alt.Tooltip("says:N", title="overhead"),
    ]


def _colours(figures: list[Figure]) -> dict[str, str]:
    """Weir's default, each peer and the user's barriers have their own; Weir's other barriers share one."""
    own = theme.colours(f.name for f in figures if f.family == "peer" or f.is_default)
    own |= {f.name: colour("mine") for f in figures if f.family == "mine"}
    return {f.name: own.get(f.name, colour("weirs")) for f in figures}


def by_team_size(comparisons: list[Comparison]) -> alt.TopLevelMixin:
    """Overhead against team size: Weir's barriers with the default waiting policy, the peers, the floor."""
    beside = {f.id for c in comparisons for f in c.barriers if f.source == "simulated"}
    drawn = [
        f
        for c in comparisons
        for f in c.barriers
        if f.family in ("peer", "mine") or f.waiting == "auto" or f.source != "measured" or f.id in beside
    ]
    values = _values(drawn)
    values += [
        {"members": c.place.members, "ns": floor, "low": None, "high": None, "limit": None, "barrier": FLOOR,
         "says": nanoseconds(floor)}
        for c in comparisons for floor in [c.floor_ns()] if floor
    ]  # fmt: skip
    return few_of_many(
        values,
        x=counts("members", (c.place.members for c in comparisons), "threads of the team"),
        x_field="members",
        series="barrier",
        named=_spoken_of(comparisons, drawn),
        title=TITLE,
        tooltip=_tooltip(),
        dashed=[FLOOR],
        height=460,
    )


def _spoken_of(comparisons: list[Comparison], drawn: list[Figure]) -> dict[str, str]:
    """The default, the best peer, what compilers' runtimes and the standard library bring, the floor; the user's own
    barriers, and what is not measured."""
    best = [c.best_peer.name for c in comparisons[-1:] if c.best_peer]
    usual = [f.name for f in drawn if f.name.startswith(("libgomp", "libomp", "std::barrier"))]
    unmeasured = [f.name for f in drawn if f.source != "measured"]
    names = list(dict.fromkeys([DEFAULT, FLOOR, *best, *usual, *unmeasured]))
    return {f.name: colour("mine") for f in drawn if f.family == "mine"} | theme.colours(names)


def _measured(comparisons: list[Comparison]) -> list[Figure]:
    return [f for c in comparisons for f in c.barriers if f.family == "weir" and f.source == "measured"]


def with_several_policies(comparisons: list[Comparison]) -> list[Figure]:
    """Of the barriers that are measured under more than one waiting policy. In a rare state there may be none."""
    ours = [f for f in _measured(comparisons) if not f.is_default]
    return [f for f in ours if len({g.waiting for g in ours if g.algorithm == f.algorithm}) > 1]


def by_waiting(comparisons: list[Comparison]) -> alt.TopLevelMixin:
    """A panel for each way of waiting: all barriers, and the default beside them."""
    values = _values(with_several_policies(comparisons))
    waitings = sorted({v["waiting"] for v in values})  # "auto" first
    defaults = [f for f in _measured(comparisons) if f.is_default]
    default = [v | {"waiting": w, "algorithm": DEFAULT} for v in _values(defaults) for w in waitings]
    sizes = [c.place.members for c in comparisons]
    pointed = alt.selection_point(fields=["algorithm"], on="pointerover", clear="pointerout", nearest=True, empty=False)
    everything = values + default
    x = counts("members", sizes, "threads")
    held = Log.of(everything)
    y = alt.Y("ns:Q", scale=held.scale, axis=held.axis(TITLE))
    base = alt.Chart().encode(x=x, y=y, detail="algorithm:N", tooltip=_tooltip())
    is_default = f'datum.algorithm == "{DEFAULT}"'
    grey = base.transform_filter(f"!({is_default})").mark_line(strokeWidth=1.2, color=colour("rest"))
    blue = base.transform_filter(is_default).mark_line(strokeWidth=2.6, color=colour("weir"))
    dots = base.mark_point(filled=True, size=26, opacity=1).encode(
        color=alt.condition(is_default, alt.value(colour("weir")), alt.value(colour("rest")))
    )
    over = base.transform_filter(pointed)
    layers = [
        grey,
        blue,
        dots.add_params(pointed),
        over.mark_line(strokeWidth=2.4, color=colour("ink")),
        over.mark_point(filled=True, color=colour("ink"), opacity=1),
    ]
    return panels(alt.layer(*layers, data=alt.Data(values=everything)), "waiting", waitings, columns=5, least=170)


def ranking(c: Comparison, most: int = MOST_RANKED) -> alt.TopLevelMixin:
    """The barriers of one team size, best first, with intervals and the floor."""
    figures = c.barriers
    values = _values(figures)[:most]
    order = [v["barrier"] for v in values]
    colours = _colours(figures)
    sources = [s for s in SHAPES if any(v["source"] == s for v in values)]
    floor = c.floor_ns()
    held = Log.of(values, ENDS, *([floor] if floor else []))
    x = alt.X("ns:Q", scale=held.scale, axis=held.axis(TITLE))
    base = alt.Chart(alt.Data(values=values)).encode(
        y=alt.Y("barrier:N", sort=order, title=None),
        color=alt.Color("barrier:N", scale=mapped({n: colours[n] for n in order}), legend=None),
        tooltip=_tooltip(),
    )
    legend = alt.Legend(title=None, orient="top") if len(sources) > 1 else None
    shapes = mapped({s: SHAPES[s] for s in sources})
    dots = base.transform_filter("isValid(datum.ns)").mark_point(filled=True, size=70, opacity=1)
    layers = [*spread(base, "x", held, TITLE),
              dots.encode(x=x, shape=alt.Shape("source:N", scale=shapes, legend=legend))]  # fmt: skip
    if floor:
        ground = {"ns": floor, "barrier": FLOOR, "members": c.place.members, "says": nanoseconds(floor)}
        rule = alt.Chart(alt.Data(values=[ground])).mark_rule(strokeDash=[6, 4], color=colour("floor"))
        layers.insert(0, rule.encode(x=x, tooltip=_tooltip()))
    return alt.layer(*layers).properties(width=WIDE, height=alt.Step(18))


def waste(comparisons: list[Comparison]) -> alt.TopLevelMixin:
    """Beside busy processes: what share of its processor time a team wastes on waiting."""
    figures = [f for c in comparisons for f in c.barriers]
    values = [
        {"barrier": f.name, "team": f"{c.place.members} threads", "share": w.value, "low": w.drawn[0],
         "high": w.drawn[1], "says": percent(w), "members": c.place.members}
        for c in comparisons for f in c.barriers for w in [f.waste()]
    ]  # fmt: skip
    order = list(dict.fromkeys(v["barrier"] for v in sorted(values, key=lambda v: v["share"])))
    colours = _colours(figures)
    least = min(0.0, *(v["low"] for v in values))
    x = alt.X(
        "share:Q",
        title="processor time beyond computing",
        axis=alt.Axis(format=".0%"),
        scale=alt.Scale(domain=[least, 1], nice=False),
    )
    y = alt.Y("barrier:N", sort=order, title=None)
    color = alt.Color("barrier:N", scale=mapped({n: colours[n] for n in order}), legend=None)
    tooltip = [alt.Tooltip("barrier:N"), alt.Tooltip("team:N"), alt.Tooltip("says:N", title="wasted")]
    dots = alt.Chart().mark_point(filled=True, size=70, opacity=1).encode(x=x, y=y, color=color, tooltip=tooltip)
    bars = alt.Chart().mark_rule(strokeWidth=2).encode(x=alt.X("low:Q"), x2="high:Q", y=y, color=color)
    limit = alt.Chart().mark_rule(strokeDash=[6, 4], color=colour("floor")).encode(x=alt.datum(0.10))
    teams = [f"{c.place.members} threads" for c in comparisons]
    layered = alt.layer(limit, bars, dots, data=alt.Data(values=values))
    return panels(layered, "team", list(dict.fromkeys(teams)), columns=2, least=260, height=18 * len(order))
