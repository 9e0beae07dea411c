"""What the page shows of barriers of threads: targets, the charts, the floor and all figures."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from weir.barriers import charts, tables
from weir.barriers.comparison import (
    Comparison,
    Place,
    failures,
    figures,
    groups,
    is_barrier,
    of_row,
    place_of,
    places,
    ratio,
)
from weir.barriers.finding import finding, picture
from weir.barriers.tables import about
from weir.barriers.targets import targets
from weir.base.parts import FAILED, STOPPED, Chart, LeftOut, Section, Subject, distinct, disturbed_runs
from weir.base.records import Row, machine_names
from weir.base.screen import nanoseconds, two_digits, with_interval
from weir.base.targets import section as targets_section

FLOOR = (
    "The floor is what the machine itself takes for a step: one cache-line transfer if each thread has a processor, "
    "else k context switches for the k threads of the fullest processor. A barrier can lie below the latter: the "
    "thread that arrives last on a processor may go on at once, so that a team in step needs k − 1 switches in an "
    "episode; and a switch by yielding is not the cheapest one."
)
FIGURES = (
    "Overhead per episode. “× floor” is the median as a multiple of the floor, “/ best other” the ratio, by pairs "
    "of samples, to the best barrier of other libraries. Runs whose σ exceeds their mean, or with too many values "
    "beyond 3 σ, are disturbed: they are counted and left out. If every run is disturbed, the figure is shown and "
    "marked; if some are, the last column is the median with them. “In the noise”: the interval of the overhead "
    "contains zero, so that only its upper end is known. Cycles are those of the time-stamp counter."
)


def sections(rows: Sequence[Row]) -> list[Section]:
    all_figures = figures(list(rows))
    compared = {load: [Comparison(all_figures, p) for p in places(all_figures, load)] for load in ("none", "busy")}
    both = compared["none"] + compared["busy"]
    conditions = _conditions(both)
    made = targets_section("What Weir sets out to reach", targets(both))
    made += [Section(parts=_charts(compared[load], load, conditions)) for load in compared if compared[load]]
    floors = tables.floors(all_figures)
    if floors.rows:
        made.append(Section("The floor: what a step costs on this machine", FLOOR, [floors]))
    if both:
        shown = [tables.figures(c, conditions[c.place]) for c in both]
        made.append(Section("All figures", FIGURES, [replace(t, is_open=t is shown[0]) for t in shown]))
    return made


def wants(rows: Sequence[Row]) -> bool:
    asked = (r for r in rows if is_barrier(r) and r.get("source", "measured") == "measured")
    return any(asked) or bool(figures(list(rows)))


def left_out(rows: Sequence[Row]) -> list[LeftOut]:
    rows = list(rows)
    made = [
        LeftOut(FAILED, name, tables.title(place), row["how"]["run"] + 1, row["how"].get("stopped"))
        for name, place, row in failures(rows)
    ]
    names = machine_names(rows)
    own = [row for row in rows if row["kind"] == "overhead" and is_barrier(row)]
    made += disturbed_runs(own, lambda row: of_row(row, names).name, lambda row: tables.title(place_of(row, names)))
    return made + [
        LeftOut(STOPPED, of_row(row, names).name, tables.title(place_of(row, names)), row["how"]["run"] + 1, why)
        for row in own
        if (why := row["how"].get("stopped"))
    ]


def _charts(comparisons: list[Comparison], load: str, conditions: dict[Place, str]) -> list[Chart]:
    return [
        distinct(chart, number, conditions[group[-1].place])
        for number, group in enumerate(groups(comparisons))
        for of_load, draw in CHARTS
        if of_load == load
        for chart in draw(group)
    ]


def _conditions(comparisons: list[Comparison]) -> dict[Place, str]:
    """What distinguishes a place from others on the page with its team size; often nothing."""
    kinds = {
        "machine": lambda p: p.machine,
        "pinned": lambda p: "bound to processors" if p.pinned else "not bound",
        "processors": lambda p: f"{p.processors} processors",
        "state": lambda p: p.state.words(),
    }
    places = [c.place for c in comparisons]
    varied = [n for n in kinds if len({getattr(p, n) for p in places}) > 1]
    words = {p: [kinds[n](p) for n in varied] for p in places}
    for p in places:
        if any(q.members == p.members and q.load == p.load and q.delay_ns != p.delay_ns for q in places):
            words[p].append(f"{nanoseconds(p.delay_ns)} of work between barriers")
    return {p: ", ".join(filter(None, w)) for p, w in words.items()}


def _overview(plain: list[Comparison]) -> list[Chart]:
    if len(plain) < 2:
        return []  # for one team size the ranking shows more
    c = plain[-1]
    heading = "Overhead against team size"
    if c.default and c.best_peer:
        factor = ratio(c.best_peer, c.default)
        if factor:
            better = factor.value >= 1
            heading = (
                f"With {c.place.members} threads on {c.place.processors} processors, Weir's default takes "
                f"{nanoseconds(c.default.distribution().median.value)}; {c.best_peer.name}, the best of the others, "
                + (
                    f"{two_digits(factor.value)} times as long"
                    if better
                    else f"only {two_digits(factor.value)} of that"
                )
            )
    text = (
        "What one barrier adds to the time of the work between barriers: the time of threads that each compute and "
        "pass the barrier, less the time of the computing alone. Medians with 95 % intervals; both axes are "
        "logarithmic. Weir's barriers wait by the policy auto here. The dashed line is the floor, what this machine "
        "itself takes for a step: one cache-line transfer where each thread has a processor, else a context switch "
        "for each thread of the fullest one. Point at a grey line to see its name. " + charts.AT_MOST
    )
    return [Chart("overhead", heading, charts.by_team_size(plain), text)]


def _waiting(plain: list[Comparison]) -> list[Chart]:
    if len(plain) < 2 or not any(f.waiting == "block" for f in charts.with_several_policies(plain)):
        return []
    text = (
        "The same barriers under each waiting policy. spin never gives up the processor; yield yields it at each poll; "
        "block sleeps; share yields only if another thread shares the processor; auto decides while it waits. The blue "
        "line is the default, the same in each panel. Point at a grey line to see which barrier it is."
    )
    c = plain[-1]
    spins = [f for f in c.barriers if f.family == "weir" and f.waiting == "spin" and f.distribution().median.value > 0]
    heading = "Each waiting policy, with each barrier"
    if spins and c.default:
        least = min(f.distribution().median.value for f in spins) / c.default.distribution().median.value
        if least > 1.5:
            heading = (
                f"How to wait matters more than which barrier: with {c.place.members} threads the best that only "
                f"spins takes {two_digits(least)} times as long as the default"
            )
    return [Chart("waiting", heading, charts.by_waiting(plain), text)]


def _rankings(plain: list[Comparison]) -> list[Chart]:
    return [_ranking(c) for c in plain]


def _ranking(c: Comparison) -> Chart:
    measured = [f for f in c.barriers if f.source == "measured"] or c.barriers
    best = measured[0]
    heading = f"{about(c.place)}: {best.name} is first"
    if c.default and not best.is_default:
        heading += f"; the default is number {measured.index(c.default) + 1}"
        against = ratio(c.default, best)
        if against:
            heading += f", {two_digits(against.value)} times as long" if against.low > 1 else ", within the noise"
    floor = c.floor_ns()
    text = f"The dashed line is the floor, {tables.floor_in_words(c)}: {nanoseconds(floor)}. " if floor else ""
    shown = len(c.barriers)
    others = f", and {shown - len(measured)} simulated or predicted" if len(measured) < shown else ""
    rest = f"the best {charts.MOST_RANKED}, and all in the table below" if shown > charts.MOST_RANKED else "all of them"
    text += f"{len(measured)} barriers were measured{others}; here are {rest}."
    if len(c.barriers) == 1:
        text = f"{best.name} takes {with_interval(best.distribution().median)}."
        return Chart(f"ranking-{c.place.members}", about(c.place), None, text)
    text += " Weir's default is dark blue, its other barriers are light blue; those of others have their own colours."
    return Chart(f"ranking-{c.place.members}", heading, charts.ranking(c), text)


def _waste(loaded: list[Comparison]) -> list[Chart]:
    worst = max((f for c in loaded for f in c.barriers), key=lambda f: f.waste().value)
    default = [c.default.waste().value for c in loaded if c.default]
    heading = "Beside other programs"
    if default:
        heading += f", the default wastes {max(default):.0%} of its processor time at most"
        heading += f", {worst.name} {worst.waste().value:.0%}"
    text = (
        "Another process computes on each processor all the time; threads compute 1 ms between barriers. The chart "
        "shows the team's processor time beyond that computing, as a share of its total: time that the other program "
        "could have had. The dashed line is Weir's target, 10 %."
    )
    return [Chart("beside-others", heading, charts.waste(loaded), text)]


# Under which load, and what draws the charts of one group of team sizes.
CHARTS: tuple[tuple[str, Callable[[list[Comparison]], list[Chart]]], ...] = (
    ("none", _overview),
    ("none", _waiting),
    ("none", _rankings),
    ("busy", _waste),
)

SUBJECT = Subject(
    name="Barriers",
    title="barriers on this machine",
    heading="Barriers on this machine",
    about="A barrier is the point that every thread of a team must reach before any goes on. This page shows what each "
    "barrier costs here{on}, with fewer threads than processors, as many, and many times more.",
    wants=wants,
    sections=sections,
    left_out=left_out,
    finding=finding,
    picture=picture,
)
