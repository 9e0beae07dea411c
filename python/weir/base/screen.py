"""What the terminal shows: numbers for eyes, tables."""

from collections.abc import Sequence
from itertools import zip_longest

from rich.table import Table
from rich.text import Text

from weir.barriers.comparison import Comparison, Figure
from weir.base import parts
from weir.base.statistics import Interval


def nanoseconds(value: float) -> str:
    """Three significant digits, with the unit that suits."""
    for unit, size in (("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)):
        if abs(value) < 999.5 * size or unit == "s":
            scaled = value / size
            digits = 0 if abs(scaled) >= 100 or unit == "ns" else 1 if abs(scaled) >= 10 else 2
            return f"{scaled:.{digits}f} {unit}"
    raise AssertionError("unreachable")


def times(ratio: Interval) -> str:
    """A ratio with its interval; small ones too."""

    def digits(value: float) -> str:
        return f"{value:.2f}" if value >= 0.1 else f"{value:.2g}"

    return f"{digits(ratio.value)} ({digits(ratio.low)} … {digits(ratio.high)})"


def _row(figure: Figure, floor: float | None) -> tuple[str, str, str, str, str]:
    d = figure.distribution()
    multiple = f"{d.median.value / floor:.2f}" if floor and not figure.in_the_noise else "–"
    mark = (
        " (no clean run)"
        if figure.all_rejected
        else f" ({figure.rejected} of {len(figure.rows)} runs rejected)"
        if figure.rejected
        else ""
    )
    mark += " (in all states)" if figure.of_all_states else ""
    if figure.in_the_noise:
        return figure.name + mark, "in the noise", f"at most {nanoseconds(max(d.median.high, 0))}", "–", multiple
    interval = f"{nanoseconds(d.median.low)} … {nanoseconds(d.median.high)}"
    return figure.name + mark, nanoseconds(d.median.value), interval, nanoseconds(d.minimum), multiple


def ranking(c: Comparison, most: int = 12) -> Table:
    """The best of one place, and however far down: the default, and the best peer."""
    floor = c.floor_ns()
    beside = " beside busy processes" if c.place.load == "busy" else ""
    state = f" ({c.place.state.words()})" if c.place.state.name else ""
    title = f"{c.place.members} members on {c.place.processors} processors{beside}{state}"
    if floor and c.place.load == "none":
        title += f" · floor {nanoseconds(floor)}"
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("barrier")
    for column in ("overhead", "95 % interval", "least", "× floor"):
        table.add_column(column, justify="right")
    kept = {id(f) for f in (c.default, c.best_peer) if f}
    for rank, figure in enumerate(c.barriers):
        if rank < most or id(figure) in kept:
            style = "bold green" if figure.is_default else "cyan" if figure.family == "peer" else ""
            table.add_row(*(Text(cell, style=style) for cell in _row(figure, floor)))
    return table


STYLES = {"default": "bold green", "peer": "cyan"}


def shown(one: parts.Table, columns: Sequence[int], most: int | None = None) -> Table:
    """These columns of one of the page's tables; of its rows the first, and the default's. Only words are broken."""
    table = Table(title=one.title, title_justify="left", title_style="bold")
    for i in columns:
        if i in one.words:
            table.add_column(one.heads[i], overflow="fold")
        else:
            width = max(len(cell) for cell in (one.heads[i], *(row[i] for row in one.rows)))
            table.add_column(one.heads[i], justify="right", no_wrap=True, min_width=width)
    for place, (row, kind) in enumerate(zip_longest(one.rows, one.kinds, fillvalue="")):
        if most is None or place < most or kind == "default":
            table.add_row(*(Text(row[i]) for i in columns), style=STYLES.get(kind))
    return table
