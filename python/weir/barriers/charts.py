"""The charts, as Altair objects. Colours tell the families apart; a legend or a label names each line."""

import altair as alt

from weir.barriers.comparison import Comparison, Figure
from weir.base.screen import nanoseconds

DEFAULT, WEIR, PEER, FLOOR, SIMULATED, PREDICTED, MINE = (
    "#0b57d0", "#7aa7e8", "#d9730d", "#5f6368", "#7b3fb5", "#188038", "#c2185b"
)  # fmt: skip
MEASURED_NAMES = ["Weir's default", "Weir, other barriers", "what a user has otherwise", "the machine's floor"]
FAMILY_NAMES = [*MEASURED_NAMES, "simulated", "predicted", "yours"]
COLOURS = dict(zip(FAMILY_NAMES, [DEFAULT, WEIR, PEER, FLOOR, SIMULATED, PREDICTED, MINE], strict=True))
MOST_RANKED = 26


def families(values: list[dict]) -> alt.Scale:
    """A colour for each family; what is not there is not in the legend."""
    seen = {v["family"] for v in values}
    names = [n for n in FAMILY_NAMES if n in seen or n in MEASURED_NAMES]
    return alt.Scale(domain=names, range=[COLOURS[n] for n in names])


def family(figure: Figure) -> str:
    if figure.source != "measured":
        return figure.source
    if figure.is_default:
        return FAMILY_NAMES[0]
    if figure.family == "mine":
        return "yours"
    return FAMILY_NAMES[1] if figure.family == "weir" else FAMILY_NAMES[2]


def _value(figure: Figure) -> dict | None:
    """A point; None where the overhead lies within the noise, which a log axis cannot show."""
    d = figure.distribution()
    if d.median.value <= 0:
        return None
    return {
        "barrier": figure.name,
        "algorithm": figure.algorithm,
        "waiting": figure.waiting,
        "family": family(figure),
        "members": figure.place.members,
        "ns": d.median.value,
        "low": max(d.median.low, d.median.value / 10),  # at zero or below, a log axis has no place for it
        "high": d.median.high,
        "says": f"{nanoseconds(d.median.value)} ({nanoseconds(d.median.low)} … {nanoseconds(d.median.high)})",
    }


def _values(figures: list[Figure]) -> list[dict]:
    return [v for v in map(_value, figures) if v is not None]


def _data(values: list[dict]) -> alt.Data:
    return alt.Data(values=values)


def _size_axis(sizes: list[int]) -> alt.X:
    return alt.X(
        "members:Q",
        scale=alt.Scale(type="log", base=2, nice=False, padding=18),
        axis=alt.Axis(values=sizes, title="members of the team", format="d", grid=False),
    )


def _time_ticks(steps: tuple[int, ...] = (1,)) -> alt.Axis:
    """Powers of ten (times the steps) with the unit that suits: 100 ns, 1 µs, 10 µs ..."""
    label = (
        "datum.value >= 1e9 ? datum.value/1e9 + ' s' : datum.value >= 1e6 ? datum.value/1e6 + ' ms' "
        ": datum.value >= 1e3 ? datum.value/1e3 + ' µs' : datum.value + ' ns'"
    )
    return alt.Axis(
        values=[step * 10**k for k in range(11) for step in steps],
        labelExpr=label,
        labelOverlap=True,
        title="overhead of one barrier",
    )


def _time_axis() -> alt.Y:
    return alt.Y("ns:Q", scale=alt.Scale(type="log"), axis=_time_ticks())


def _tooltip() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("barrier:N", title="barrier"),
        alt.Tooltip("members:Q", title="members"),
        alt.Tooltip("says:N", title="overhead"),
    ]


def by_team_size(comparisons: list[Comparison]) -> alt.TopLevelMixin:
    """Overhead against team size: Weir's barriers with the default waiting policy, the peers, the floor."""
    beside = {f.id for c in comparisons for f in c.barriers if f.source == "simulated"}
    shown = [
        f
        for c in comparisons
        for f in c.barriers
        if f.family in ("peer", "mine") or f.waiting == "auto" or f.source != "measured" or f.id in beside
    ]
    values = _values(shown)
    sizes = [c.place.members for c in comparisons]
    floor = [
        {"members": c.place.members, "ns": c.floor_ns(), "barrier": "floor", "family": FAMILY_NAMES[3],
         "says": nanoseconds(c.floor_ns() or 0)}
        for c in comparisons if c.floor_ns()
    ]  # fmt: skip
    largest = max(sizes)
    names = [v["barrier"] for v in sorted((v for v in values if v["members"] == largest), key=lambda v: -v["ns"])]
    names += sorted({v["barrier"] for v in values} - set(names))

    family_of = {v["barrier"]: v["family"] for v in values}
    # One legend for shape and colour together; the families have a legend of their own above.
    by_name = alt.Scale(domain=names, range=[COLOURS[family_of[n]] for n in names])
    legend = alt.Legend(title="click to pick one", orient="right", symbolLimit=60, labelLimit=220, columns=1)
    top = alt.Legend(title=None, orient="top", labelLimit=240)

    picked = alt.selection_point(fields=["barrier"], bind="legend", on="click")
    base = alt.Chart(_data(values)).encode(
        x=_size_axis(sizes),
        color=alt.Color("barrier:N", scale=by_name, sort=names, legend=legend),
        opacity=alt.condition(picked, alt.value(1), alt.value(0.08)),
        tooltip=_tooltip(),
    )
    lines = base.mark_line(strokeWidth=1.6).encode(
        y=_time_axis(),
        detail="family:N",
        size=alt.condition(
            f"datum.family == '{FAMILY_NAMES[0].replace(chr(39), chr(92) + chr(39))}'", alt.value(4), alt.value(1.5)
        ),
    )
    points = base.mark_point(size=42).encode(
        y=_time_axis(),
        fill=alt.Fill("family:N", scale=families(values), legend=top),
        shape=alt.Shape("barrier:N", scale=alt.Scale(domain=names), sort=names, legend=legend),
    )
    bars = base.mark_rule().encode(y=alt.Y("low:Q", scale=alt.Scale(type="log")), y2="high:Q")
    ground = (
        alt.Chart(_data(floor))
        .mark_line(strokeDash=[6, 4], color=FLOOR, strokeWidth=2)
        .encode(x=_size_axis(sizes), y=_time_axis(), tooltip=_tooltip())
    )
    return (ground + bars + lines + points).add_params(picked).properties(width=620, height=460)


def by_waiting(comparisons: list[Comparison]) -> alt.TopLevelMixin:
    """Small multiples: what each way of waiting makes of each barrier."""
    shown = [
        f for c in comparisons for f in c.barriers if f.family == "weir" and f.source == "measured" and not f.is_default
    ]
    algorithms_everywhere = [f for f in shown if len({g.waiting for g in shown if g.algorithm == f.algorithm}) > 1]
    values = _values(algorithms_everywhere)
    sizes = [c.place.members for c in comparisons]
    waitings = sorted({v["waiting"] for v in values})  # "auto" first
    picked = alt.selection_point(fields=["algorithm"], bind="legend")
    return (
        alt.Chart(_data(values))
        .mark_line(point=True, strokeWidth=1.8)
        .encode(
            x=_size_axis(sizes),
            y=_time_axis(),
            color=alt.Color(
                "algorithm:N",
                scale=alt.Scale(scheme="tableau10" if len({v["algorithm"] for v in values}) <= 10 else "tableau20"),
                legend=alt.Legend(title="barrier", orient="bottom", columns=5),
            ),
            opacity=alt.condition(picked, alt.value(1), alt.value(0.08)),
            tooltip=_tooltip(),
        )
        .properties(width=150, height=240)
        .facet(
            column=alt.Column(
                "waiting:N", sort=waitings, title=None, header=alt.Header(labelFontWeight="bold", labelFontSize=13)
            )
        )
        .add_params(picked)
    )


def ranking(c: Comparison, most: int = MOST_RANKED) -> alt.TopLevelMixin:
    """The barriers of one team size, best first, with intervals and the floor."""
    values = _values(c.barriers)[:most]
    order = [v["barrier"] for v in values]
    y = alt.Y("barrier:N", sort=order, title=None, axis=alt.Axis(labelLimit=240))
    x = alt.X("ns:Q", scale=alt.Scale(type="log", nice=False, padding=12), axis=_time_ticks((1, 2, 5)))
    base = alt.Chart(_data(values)).encode(
        y=y,
        color=alt.Color(
            "family:N", scale=families(values), legend=alt.Legend(title=None, orient="top", labelLimit=240)
        ),
        tooltip=_tooltip(),
    )
    dots = base.mark_point(filled=True, size=70, opacity=1).encode(x=x)
    bars = base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", scale=alt.Scale(type="log")), x2="high:Q")
    layers = bars + dots
    floor = c.floor_ns()
    if floor:
        ground = [
            {
                "ns": floor,
                "family": FAMILY_NAMES[3],
                "barrier": "floor",
                "members": c.place.members,
                "says": nanoseconds(floor),
            }
        ]
        rule = alt.Chart(_data(ground)).mark_rule(strokeDash=[6, 4], color=FLOOR).encode(x=x, tooltip=_tooltip())
        layers = rule + layers
    return layers.properties(width=560, height=alt.Step(17))


def waste(comparisons: list[Comparison]) -> alt.TopLevelMixin:
    """Beside busy processes: what share of its processor time a team wastes on waiting."""
    values = [
        {"barrier": f.name, "family": family(f), "team": f"{c.place.members} members",
         "share": w.value, "low": w.low, "high": w.high,
         "says": f"{w.value:.1%} ({w.low:.1%} … {w.high:.1%})", "members": c.place.members}
        for c in comparisons for f in c.barriers for w in [f.waste()]
    ]  # fmt: skip
    order = [v["barrier"] for v in sorted(values, key=lambda v: v["share"])]
    y = alt.Y("barrier:N", sort=list(dict.fromkeys(order)), title=None, axis=alt.Axis(labelLimit=240))
    tooltip = [alt.Tooltip("barrier:N"), alt.Tooltip("team:N"), alt.Tooltip("says:N", title="wasted")]
    x = alt.X(
        "share:Q",
        title="processor time beyond computing",
        axis=alt.Axis(format=".0%"),
        scale=alt.Scale(domain=[0, 1], clamp=True),
    )
    legend = alt.Legend(title=None, orient="top", labelLimit=240, values=FAMILY_NAMES[:3])
    color = alt.Color("family:N", scale=families(values), legend=legend)
    dots = alt.Chart().mark_point(filled=True, size=70, opacity=1).encode(x=x, y=y, color=color, tooltip=tooltip)
    bars = alt.Chart().mark_rule(strokeWidth=2).encode(x=alt.X("low:Q"), x2="high:Q", y=y, color=color)
    limit = alt.Chart().mark_rule(strokeDash=[6, 4], color=FLOOR).encode(x=alt.datum(0.10))
    return (
        alt.layer(limit, bars, dots, data=_data(values))
        .properties(width=260, height=alt.Step(20))
        .facet(column=alt.Column("team:N", title=None, header=alt.Header(labelFontWeight="bold", labelFontSize=13)))
    )
