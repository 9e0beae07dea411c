"""What `weir profile` shows: a line for each directive."""

from collections.abc import Sequence
from pathlib import Path

from weir.base.screen import Table, nanoseconds
from weir.profile.pricing import Line


def bill(lines: Sequence[Line], wall_s: float) -> Table:
    """The runtimes have a column if there are several."""
    several = len({line.directive.runtime for line in lines}) > 1
    table = Table(title="Where its synchronisation time goes", title_justify="left", title_style="bold")
    runtime = ["runtime"] if several else []
    for head in ("directive", "threads", *runtime, "count", "overhead of one", "in all", "of its run"):
        table.add_column(head, justify="left" if head in ("directive", "runtime") else "right")
    for line in lines:
        d = line.directive
        where = [Path(d.runtime).name] if several else []
        part = _share(line.total_ns / 1e9 / wall_s) if line.each_ns is not None else ""
        total = nanoseconds(line.total_ns) if line.each_ns is not None else ""
        table.add_row(d.name, str(d.threads), *where, f"{line.count:,}", _each(line), total, part)
    return table


def _share(share: float) -> str:
    """No directive takes more than the run: such a price does not hold for this program."""
    return f"{share:.2%}".replace("%", " %") if share <= 1 else "less than that"


def _each(line: Line) -> str:
    if line.each_ns is None:
        return "not measured"
    return "in the noise" if line.noise else ("≈ " if line.nearest else "") + nanoseconds(line.each_ns)
