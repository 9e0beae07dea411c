"""As figure 2 of Nanjegowda et al. 2009: programs' times by barrier and team size. And what is gained."""

import altair as alt

from weir.base import theme
from weir.base.axes import TIME, TIMES, Values, by_panel, counts, edges, log_axis, rings
from weir.base.drawing import DOTS, mapped, panels
from weir.base.pictures import BREAK, times, value
from weir.base.screen import with_interval
from weir.workloads.findings import in_words, named
from weir.workloads.results import Results
from weir.workloads.rows import DEFAULT, KERNEL, OWN, is_weirs
from weir.workloads.situations import TITLES
from weir.workloads.tables import title

WEIRS_DEFAULT = "Weir's default"
COLOURS = ("weir", "other4", "other3")  # of Weir's kinds of threads


def of_barriers(results: Results) -> Values:
    found = []
    for c in results.cells:
        for name in c.barriers if c.best else ():
            time = c.time(KERNEL, name)
            low, high = time.drawn
            found.append(
                {
                    "program": c.program,
                    "members": c.place.members,
                    "barrier": WEIRS_DEFAULT if name == DEFAULT else name,
                    "ns": time.value,
                    "low": low,
                    "high": high,
                    "says": with_interval(time),
                }
            )
    return found


def by_barrier(results: Results) -> alt.TopLevelMixin | None:
    """A panel for each program, a line for each barrier. None where nothing was measured by several."""
    values = of_barriers(results)
    if not values:
        return None
    names = list(dict.fromkeys(v["barrier"] for v in values))
    x = counts("members", (v["members"] for v in values), "threads")
    base = alt.Chart().encode(
        x=x,
        color=alt.Color(
            "barrier:N", scale=mapped(theme.colours(names)), legend=alt.Legend(title=None, orient="top", columns=4)
        ),
        tooltip=[
            alt.Tooltip("program:N"),
            alt.Tooltip("barrier:N"),
            alt.Tooltip("members:Q", title="threads"),
            alt.Tooltip("says:N", title="time"),
        ],
    )

    ends, at = by_panel(values, "program")
    axis = log_axis(at, "time of a run", TIME)

    def y(field: str) -> alt.Y:
        return alt.Y(f"{field}:Q", scale=alt.Scale(type="log", nice=False), axis=axis)

    base = base.transform_filter("isValid(datum.ns)")
    layers = [
        edges("y", axis),
        base.mark_rule(strokeWidth=1.6).encode(y=y("low"), y2="high:Q"),
        base.mark_line(strokeWidth=2).encode(y=y("ns")),
        base.mark_point(filled=True, opacity=1).encode(y=y("ns"), size=DOTS),
    ]
    order = list(dict.fromkeys(v["program"] for v in values))
    return panels(
        alt.layer(*layers, data=alt.Data(values=rings(values, "members", "ns", "program") + ends)),
        "program",
        order,
        columns=3,
        least=220,
    ).resolve_scale(y="independent")


def of_gains(results: Results) -> Values:
    found = []
    for c in results.cells:
        for name in filter(is_weirs, results.runtimes):
            if (ratio := c.ratio(OWN, name)) is not None:
                interval = ratio.interval
                found.append(
                    {
                        "program": f"{c.program} ({c.place.members})",
                        "situation": TITLES.get(c.place.situation, c.place.situation),
                        "threads": title(name),
                        "gain": ratio.value,
                        "low": interval.low if interval else ratio.value,
                        "high": interval.high if interval else ratio.value,
                        "says": in_words(ratio),
                    }
                )
    return found


def gains(results: Results) -> alt.TopLevelMixin | None:
    """A panel for each situation, a row for each program."""
    values = of_gains(results)
    if not values:
        return None
    names = list(dict.fromkeys(v["threads"] for v in values))
    colours = dict(zip(names, map(theme.colour, COLOURS), strict=False))
    base = alt.Chart().encode(
        y=alt.Y("program:N", title=None, axis=alt.Axis(grid=True, tickBand="extent")),
        yOffset=alt.YOffset("threads:N", sort=names),
        color=alt.Color("threads:N", scale=mapped(colours), legend=alt.Legend(title=None, orient="top")),
        tooltip=[
            alt.Tooltip("program:N"),
            alt.Tooltip("situation:N"),
            alt.Tooltip("threads:N"),
            alt.Tooltip("says:N", title="gain"),
        ],
    )
    ends, at = by_panel(values, "situation", ("gain", "low", "high"), 1.0)
    axis = log_axis(at, "time on its own runtime / time on Weir's", TIMES)
    base = base.transform_filter("isValid(datum.gain)")

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=alt.Scale(type="log", nice=False), axis=axis)

    one = alt.Chart().mark_rule(strokeDash=[4, 3], color=theme.colour("soft")).encode(x=alt.datum(1.0))
    layers = [
        edges("x", axis),
        one,
        base.mark_rule(strokeWidth=1.6).encode(x=x("low"), x2="high:Q"),
        base.mark_point(filled=True, size=44, opacity=1).encode(x=x("gain")),
    ]
    order = list(dict.fromkeys(v["situation"] for v in values))
    rows = max(len({v["program"] for v in values if v["situation"] == where}) for where in order)
    drawn = panels(
        alt.layer(*layers, data=alt.Data(values=values + ends)),
        "situation",
        order,
        columns=2,
        least=300,
        height=30 + max(20, 10 * len(names)) * rows,
    )
    return drawn.resolve_scale(x="independent", y="independent", yOffset="independent")


def of_runtimes(results: Results) -> Values:
    found = []
    for c in results.cells:
        # That there are more threads than processors, or not, the reader sees. The work follows in a line of its own.
        where = "" if c.place.situation in ("dedicated", "crowded") else f", {c.place.situation}"
        place = f"{c.place.members} threads{where}" + (f"{BREAK}{c.command}" if c.command else "")
        for name in (OWN, *results.runtimes):
            if (time := c.time(name)) is not None:
                found.append(value(place, named(results, name), time))
    return found


def by_runtime(results: Results) -> alt.TopLevelMixin | None:
    """A row for each team and situation, a colour for each runtime. None of several programs: gains() has them."""
    if len({c.program for c in results.cells}) != 1:
        return None
    return times(of_runtimes(results), f"time of {results.cells[0].program}")
