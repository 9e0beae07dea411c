"""Barriers over MPI, as tables: for the terminal and the page."""

from collections.abc import Sequence
from dataclasses import replace

from weir.base.parts import Table
from weir.base.screen import between, nanoseconds, times
from weir.mpi.comparison import Barrier, Comparison, words


def tables(found: Sequence[Comparison]) -> list[Table]:
    """One for each place: a row for each barrier."""
    named = machines(found)
    return [_table(c, f"{c.place.machine}: " if c.place.machine in named else "") for c in found]


def for_page(found: Sequence[Comparison]) -> list[Table]:
    made = tables(found)
    return [replace(t, is_open=t is made[0]) for t in made]


def machines(found: Sequence[Comparison]) -> set[str]:
    """Those that are to be named: none, where all was measured on one."""
    names = {c.place.machine for c in found}
    return names - {""} if len(names) > 1 else set()


def _table(c: Comparison, machine: str) -> Table:
    against = f"/ {c.baseline.name}" if c.baseline else ""
    heads = [
        "barrier",
        "median",
        "95 % interval",
        "mean",
        "σ",
        "least",
        "samples, runs",
        *([against] if against else []),
    ]
    rows = [_cells(b) + ([_ratio(b, c.baseline)] if c.baseline else []) for b in c.barriers]
    kinds = ("default" if b.is_default else "peer" if b.is_peer else "weir" for b in c.barriers)
    took = f"; the default took {c.default.choice}" if c.default and c.default.choice else ""
    return Table(machine + words(c.place) + took, heads, rows, tuple(kinds))


def _cells(b: Barrier) -> list[str]:
    t = b.time
    times = [nanoseconds(v) for v in (t.mean, t.sigma, t.minimum)]
    rejected = f", {b.rejected} disturbed" if b.rejected else ""
    states = ", over all cache-line times" if any(row["how"].get("of_all_states") for row in b.rows) else ""
    counted = f"{t.samples} in {t.runs}{rejected}{states}"
    return [b.name, nanoseconds(t.median.value), between(t.median), *times, counted]


def _ratio(b: Barrier, baseline: Barrier) -> str:
    if b is baseline:
        return "1"
    ratio = b.against(baseline)
    return "–" if ratio is None else times(ratio)
