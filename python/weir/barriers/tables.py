"""Barriers of threads as tables: for the terminal and for the page."""

from rich.text import Text

from weir.barriers.comparison import Comparison, Figure, Place, ratio
from weir.base.findings import of_floor
from weir.base.parts import Cell, Table
from weir.base.screen import STYLES, between, nanoseconds, times, two_digits
from weir.base.screen import Table as OnScreen
from weir.base.states import State

HEADS = [
    "barrier", "median", "95 % interval", "mean", "σ", "least", "cycles", "× floor", "/ best other", "runs",
    "disturbed", "median with them",
]  # fmt: skip


def about(place: Place) -> str:
    return f"{place.members} threads on {place.processors} processors"


def title(place: Place, condition: str = "") -> str:
    words = about(place)
    if place.load == "busy":
        words += ", beside a busy process on each"
    return f"{words} ({condition})" if condition else words


def figures(c: Comparison, condition: str = "") -> Table:
    """For the page: all figures of one place."""
    kinds = tuple("default" if f.is_default else f.family for f in c.barriers)
    return Table(title(c.place, condition), HEADS, [_figure(c, f) for f in c.barriers], kinds)


def _figure(c: Comparison, f: Figure) -> list[str]:
    d = f.distribution()
    floor = c.floor_ns() if c.place.load == "none" else None
    against = ratio(f, c.best_peer) if c.best_peer and f is not c.best_peer and not f.in_the_noise else None
    notes = [f.version if f.family == "peer" else "", "each run disturbed" if f.all_rejected else ""]
    notes.append("over all cache-line times" if f.of_all_states else "")
    return [
        Cell(f.name, " ".join(filter(None, notes))),
        "in the noise" if f.in_the_noise else nanoseconds(d.median.value),
        _interval(f),
        nanoseconds(d.mean),
        nanoseconds(d.sigma),
        nanoseconds(d.minimum),
        "–" if f.in_the_noise else f"{d.median.value * f.cycles_per_ns:,.0f}",
        two_digits(d.median.value / floor) if floor and not f.in_the_noise else "–",
        times(against) if against else "–",
        f"{len(f.rows)} × {max(len(r['samples']['overhead_ns']) for r in f.rows)}",
        str(f.rejected or ""),
        nanoseconds(f.median_of_all_runs) if f.rejected and not f.all_rejected else "",
    ]


def _interval(f: Figure) -> str:
    median = f.distribution().median
    if f.in_the_noise:
        return f"at most {nanoseconds(max(median.high, 0))}"
    return between(median)


def floors(all_figures: list[Figure]) -> Table:
    """The floor's costs over all team sizes: they do not depend on it."""
    merged: dict[tuple[str, State], Figure] = {}
    for f in all_figures:
        if f.family == "floor" and f.place.load == "none":
            alone = Figure(f.family, f.id, f.algorithm, f.waiting, "", f.place)
            merged.setdefault((f.id, f.place.state), alone).rows.extend(f.rows)
    rows = []
    for _, f in sorted(merged.items(), key=lambda item: item[0]):
        what = of_floor(f.id) + (f" ({f.place.state.words()})" if f.place.state.name else "")
        median = f.distribution().median
        rows.append([what, nanoseconds(median.value), between(median), f"{median.value * f.cycles_per_ns:,.0f}"])
    return Table("", ["what", "median", "95 % interval", "cycles"], rows)


def floor_in_words(c: Comparison) -> str:
    """What it consists of."""
    return "one cache-line transfer" if c.floor_steps == 1 else f"{c.floor_steps} context switches"


def ranking(c: Comparison, most: int = 12) -> OnScreen:
    """For the terminal: the best of one place, and however far down: the default, the best peer, the user's own."""
    floor = c.floor_ns()
    beside = " beside busy processes" if c.place.load == "busy" else ""
    state = f" ({c.place.state.words()})" if c.place.state.name else ""
    heading = f"{about(c.place)}{beside}{state}"
    if floor and c.place.load == "none":
        heading += f" · floor, {floor_in_words(c)}: {nanoseconds(floor)}"
    table = OnScreen(title=heading, title_justify="left", title_style="bold")
    table.add_column("barrier")
    for column in ("overhead", "95 % interval", "least", "× floor"):
        table.add_column(column, justify="right")
    kept = {id(f) for f in (c.default, c.best_peer, *c.custom) if f}
    for rank, figure in enumerate(c.barriers):
        if rank < most or id(figure) in kept:
            style = STYLES.get("default" if figure.is_default else figure.family, "")
            table.add_row(*(Text(cell, style=style) for cell in ranked(figure, floor)))
    return table


def ranked(figure: Figure, floor: float | None) -> tuple[str, str, str, str, str]:
    d = figure.distribution()
    multiple = two_digits(d.median.value / floor) if floor and not figure.in_the_noise else "–"
    mark = (
        " (each run disturbed)"
        if figure.all_rejected
        else f" ({figure.rejected} of {len(figure.rows)} runs disturbed)"
        if figure.rejected
        else ""
    )
    mark += " (over all cache-line times)" if figure.of_all_states else ""
    if figure.in_the_noise:
        return figure.name + mark, "in the noise", _interval(figure), "–", multiple
    return figure.name + mark, nanoseconds(d.median.value), _interval(figure), nanoseconds(d.minimum), multiple
