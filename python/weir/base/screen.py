"""Numbers and tables as the terminal shows them."""

from collections.abc import Sequence
from itertools import zip_longest
from math import floor, isfinite, log10
from statistics import median
from typing import Any

from rich import table as rich_table
from rich.columns import Columns
from rich.markup import escape
from rich.text import Text

from weir.base import parts
from weir.base.statistics import Interval

NEAR_ONE = 1.195  # below it a ratio is written in hundredths


def nanoseconds(value: float) -> str:
    """Three significant digits, with the unit that suits."""
    for unit, size in (("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)):
        if abs(value) < 999.5 * size or unit == "s":
            scaled = value / size
            digits = 0 if abs(scaled) >= 100 or unit == "ns" else 1 if abs(scaled) >= 10 else 2
            return f"{scaled:.{digits}f} {unit}"
    raise AssertionError("unreachable")


def between(time: Interval) -> str:
    """The ends of an interval of nanoseconds; a dash where it is not known."""
    if not time.known:
        return "–"
    return f"{nanoseconds(time.low)} … {nanoseconds(time.high)}"


def with_interval(time: Interval) -> str:
    """Nanoseconds, and the interval in parentheses, where it is known."""
    return nanoseconds(time.value) + (f" ({between(time)})" if time.known else "")


def with_ends(values: Sequence[float]) -> str:
    """The median, the least and the largest."""
    return f"{median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def two_digits(ratio: float) -> str:
    """A ratio as people say it: 3,200, 16, 1.6, 0.56, 1/23. Near 1 it has hundredths: the distance from 1 counts."""
    if not isfinite(ratio) or ratio <= 0:
        return f"{ratio:.2g}"
    if ratio < 0.095:
        return f"1/{two_digits(1 / ratio)}"
    if ratio < NEAR_ONE:
        return f"{ratio:.2f}"
    return f"{ratio:.1f}" if ratio < 9.95 else f"{round(ratio, 1 - floor(log10(ratio))):,.0f}"


def ends(ratios: Sequence[float]) -> str:
    """The least and the greatest of several."""
    return f"{two_digits(min(ratios))} to {two_digits(max(ratios))}"


def times(ratio: Interval) -> str:
    """A ratio with its interval, where it is known."""
    interval = f" ({two_digits(ratio.low)} … {two_digits(ratio.high)})" if ratio.known else ""
    return two_digits(ratio.value) + interval


def percent(share: Interval) -> str:
    """A share with its interval, where it is known."""
    return f"{share.value:.1%}" + (f" ({share.low:.1%} … {share.high:.1%})" if share.known else "")


class Table(rich_table.Table):
    """On a narrow screen cells are broken, and never cut."""

    def add_row(self, *cells: Any, **more: Any) -> None:
        super().add_row(*cells, **more)
        for cell in cells:
            for text in cell.renderables if isinstance(cell, Columns) else ():  # as in Typer's help
                if isinstance(text, Text):
                    text.overflow = "fold"
        for column in self.columns:
            if column.overflow == "ellipsis":
                column.overflow = "fold"


def width(one: parts.Table) -> int:
    """Characters of a row, if no cell is broken."""
    return 1 + sum(max(map(len, column)) + 3 for column in zip(one.heads, *one.rows, strict=True))


STYLES = {"default": "bold green", "peer": "cyan", "mine": "bold magenta"}
VERDICTS = {"reached": "green", "missed": "red"}


def shown(one: parts.Table, columns: Sequence[int], most: int | None = None) -> Table:
    """These columns of one of the page's tables; of its rows the first, and the default's. Only words are broken."""
    # No markup: names in records may look like it.
    table = Table(title=escape(one.title), title_justify="left", title_style="bold")
    for i in columns:
        if i in one.words:
            table.add_column(Text(one.heads[i]), overflow="fold")
        else:
            width = max(len(cell) for cell in (one.heads[i], *(row[i] for row in one.rows)))
            table.add_column(Text(one.heads[i]), justify="right", no_wrap=True, min_width=width)
    for place, (row, kind) in enumerate(zip_longest(one.rows, one.kinds, fillvalue="")):
        if most is None or place < most or kind == "default":
            cells = (Text(row[i], style=VERDICTS.get(getattr(row[i], "verdict", ""), "")) for i in columns)
            table.add_row(*cells, style=STYLES.get(kind))
    return table
