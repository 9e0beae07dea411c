"""The output of `weir predict`: a table, JSON, records, a chart. Times are in milliseconds."""

import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.text import Text

from weir.base.console import err, fail, out
from weir.base.records import Row, Writer
from weir.base.screen import Table
from weir.prediction.records import Cell, plain, words


@contextmanager
def complaining() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise fail(f"cannot write {error.filename}: {error.strerror}") from None
    except ValueError as error:
        raise fail(str(error)) from None


@dataclass
class Prediction:
    """One answer. `columns`: titles of the fields of `rows` in the table; fields without one are in JSON only."""

    name: str
    title: str
    inputs: dict[str, Any]
    columns: dict[str, str]
    rows: list[dict[str, Cell]]
    notes: list[str] = field(default_factory=list)
    records: list[Row] = field(default_factory=list)
    draw: Callable[[], Any] | None = None  # None: nothing to draw
    undrawn: str = ""  # what to ask for instead
    table_only: tuple[str, ...] = ()  # fields of rows that JSON leaves out


@dataclass(frozen=True)
class Wanted:
    """Where an answer goes."""

    as_json: bool
    output: Path | None
    svg: Path | None
    page: Path | None


def chart(
    lines: dict[str, tuple[str, str]], rows: list[dict[str, Any]], y_title: str, percent: bool = False
) -> Callable[[], Any] | None:
    """A line for each field of `lines`, with its name and kind, over the compute times; None for a single time."""
    if len({row["compute_ms"] for row in rows}) < 2:
        return None

    def draw() -> Any:
        from weir.prediction import charts as predictions

        values = [
            {"x": float(row["compute_ms"]), "y": float(row[key]), "line": name}
            for key, (name, _) in lines.items()
            for row in rows
            if row.get(key) is not None and math.isfinite(row[key])
        ]
        names = {name: kind for name, kind in lines.values() if any(v["line"] == name for v in values)}
        return predictions.curves(values, names, "computing between barriers, ms", y_title, percent)

    return draw


def _cells(p: Prediction) -> list[list[str]]:
    return [[words(row.get(name)) for name in p.columns] for row in p.rows]


def _show(p: Prediction) -> None:
    table = Table(title=p.title, title_justify="left", title_style="bold")
    for name, title in p.columns.items():
        table.add_column(title, justify="left" if all(isinstance(row.get(name), str) for row in p.rows) else "right")
    for row in _cells(p):
        table.add_row(*map(Text, row))
    out.print(table)
    for note in p.notes:
        out.print(note, highlight=False, markup=False)


def deliver(p: Prediction, wanted: Wanted) -> None:
    """Writes files before it prints, so that an error comes first. Raises OSError, ValueError."""
    if (wanted.svg or wanted.page) and p.draw is None:
        raise ValueError(f"there is no chart of a single figure; {p.undrawn}")
    written = []
    if wanted.output:
        with Writer(wanted.output) as writer:
            for row in p.records:
                writer.write(row)
        written.append(wanted.output)
    if p.draw and (wanted.svg or wanted.page):
        from weir.prediction import charts as predictions  # the drawing libraries take a second to load

        if wanted.svg:
            predictions.write_svg(p.draw(), wanted.svg)
            written.append(wanted.svg)
        if wanted.page:
            header = list(p.columns.values())
            predictions.write_page(p.draw(), wanted.page, p.name, p.title, p.notes, header, _cells(p))
            written.append(wanted.page)
    if wanted.as_json:
        rows = [{k: v for k, v in row.items() if k not in p.table_only} for row in p.rows]
        whole = {"prediction": p.name, "inputs": p.inputs, "rows": rows, "notes": p.notes}
        print(json.dumps(plain(whole), indent=1, ensure_ascii=False))
    else:
        _show(p)
    for path in written:
        err.print(f"wrote {path}", highlight=False, markup=False)
