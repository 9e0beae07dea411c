"""What `weir compare` shows, on the terminal and in files."""

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from weir.base.exports import Export
from weir.base.parts import Cell, Chart, Section, Table
from weir.base.records import Row, at
from weir.base.screen import between, nanoseconds, times
from weir.base.statistics import Interval
from weir.comparing import fields, machines
from weir.comparing.comparison import FASTER, SLOWER, Change, Comparison
from weir.comparing.series import A, B, Series, labels

VERDICTS = {FASTER: "reached", SLOWER: "missed"}  # the classes that colour them
TEXT = (
    "The ratio of the medians, B in A, with its 95 % interval: runs and then values within runs are resampled for each "
    "file by itself, since sessions have no pairs. “Faster” and “slower”: the whole interval is on that side of 1. "
)
HEADS = (
    "series", "source", "family", "state", "a_ns", "a_low_ns", "a_high_ns", "a_values", "b_ns", "b_low_ns",
    "b_high_ns", "b_values", "ratio", "ratio_low", "ratio_high", "verdict",
)  # fmt: skip


def short(found: Comparison) -> Table:
    """For the terminal."""
    rows = [
        [
            c.label,
            nanoseconds(c.a.value),
            nanoseconds(c.b.value),
            times(c.ratio) if c.ratio else "–",
            Cell(c.verdict, verdict=VERDICTS.get(c.verdict, "")),
        ]
        for c in found.changes
    ]
    return Table(found.common, ["series", A, B, "B/A (95 %)", "B is"], rows, words=(0, 4))


def whole(found: Comparison) -> Table:
    rows = [
        [
            c.label,
            Cell(c.verdict, verdict=VERDICTS.get(c.verdict, "")),
            times(c.ratio) if c.ratio else "–",
            nanoseconds(c.a.value),
            between(c.a),
            nanoseconds(c.b.value),
            between(c.b),
            f"{c.values(A)}, {c.values(B)}",
        ]
        for c in found.changes
    ]
    heads = ["series", "B is", "B/A (95 %)", A, "95 % of A", B, "95 % of B", "values"]
    return Table("", heads, rows, words=(0, 1))


def only(found: Comparison, file: str) -> list[str]:
    """Names of the series that the other file lacks."""
    only = found.only[file]
    return labels(only)[0] if only else []


def _only(found: Comparison) -> list[Section]:
    tables = [
        Table(f"{len(names)} series {'is' if len(names) == 1 else 'are'} in {file} alone", ["series"],
              [[name] for name in names])
        for file in (A, B)
        if (names := only(found, file))
    ]  # fmt: skip
    return [Section("What is in one file alone", "", tables)] if tables else []


def _figures(name: str, interval: Interval) -> Row:
    return {
        f"{name}_ns": interval.value,
        "low_ns": interval.low if isfinite(interval.low) else None,
        "high_ns": interval.high if isfinite(interval.high) else None,
    }


def record(one: Change) -> fields.Row:
    """A row of its own kind (docs/records.md)."""
    sides = {
        side: _figures("median", interval) | {"values": one.values(file), "runs": len(one.series.rows[file])}
        for side, file, interval in (("a", A, one.a), ("b", B, one.b))
    }
    ratio = None if one.ratio is None else {"value": one.ratio.value, "low": one.ratio.low, "high": one.ratio.high}
    state = {"state": one.series.state} if one.series.state else {}
    return {
        "kind": "ratio", "source": one.series.source, "what": {"family": one.series.family} | one.series.what,
        "where": one.series.where | state, "series": one.label, **sides, "ratio": ratio, "verdict": one.verdict,
    }  # fmt: skip


def lines(found: Comparison) -> list[Sequence[Any]]:
    """A line for each series, those of one file alone at the end."""

    def three(interval: Interval | None) -> list[Any]:
        if interval is None:
            return ["", "", ""]
        return [f"{v:.6g}" if isfinite(v) else "" for v in (interval.value, interval.low, interval.high)]

    def begins(label: str, one: Series) -> list[str]:
        return [label, one.source, one.family, one.state]

    made = [
        [*begins(c.label, c.series), *three(c.a), c.values(A), *three(c.b), c.values(B), *three(c.ratio), c.verdict]
        for c in found.changes
    ]
    for file in (A, B):
        for label, one in zip(only(found, file), found.only[file], strict=True):
            made.append([*begins(label, one), *[""] * (len(HEADS) - 5), f"only in {file}"])
    return [HEADS, *made]


def export(a: Sequence[Row], b: Sequence[Row], files: Sequence[Path], found: Comparison) -> Export:
    def picture() -> Chart | None:
        from weir.comparing import charts  # the drawing library takes a second to load

        most = f" The {charts.MOST} that changed most." if len(found.changes) > charts.MOST else ""
        told = f"Green: faster in B; red: slower; grey: undecided. Bars: 95 % intervals.{most}"
        return Chart("ratios", "", charts.ratios(found.changes), told)

    told = [[name, str(file), machines.sessions(rows)] for name, file, rows in ((A, files[0], a), (B, files[1], b))]
    mean = found.mean
    summary = {
        "a": str(files[0]), "b": str(files[1]), "series": len(found.changes), "faster": found.count(FASTER),
        "slower": found.count(SLOWER), "undecided": dict(found.why_undecided()),
        "geometric_mean": mean and {"value": mean.value, "low": mean.low, "high": mean.high},
        "only_in_a": only(found, A), "only_in_b": only(found, B),
    }  # fmt: skip
    common = f"All series: {found.common}." if found.common else ""
    return Export(
        title=f"{files[0].name} and {files[1].name} compared",
        heading=f"{files[1].name} (B) against {files[0].name} (A)",
        answer=found.sentences(),
        notes=machines.notes(a, b, found),
        sections=[
            Section("Series", TEXT + common, [whole(found)]),
            *_only(found),
            Section("The files", "", [Table("", ["", "file", "measured"], told, words=(0, 1, 2))]),
        ],
        lines=lines(found),
        records=[record(c) for c in found.changes],
        figures=[summary],
        hosts=[*machines.hosts(a, A), *machines.hosts(b, B)],
        interrupted=any(at(row, "settings.interrupted") is True for row in (*a, *b) if row["kind"] == "machine"),
        picture=picture,
    )
