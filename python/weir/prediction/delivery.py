"""What `weir predict` gives out: a table, JSON, records, a chart. Times come in milliseconds."""

import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from weir.barriers.plan import share
from weir.base.console import err, fail, out
from weir.base.options import NUMBER, WHOLE, Kind
from weir.base.records import Row, Writer

MOST_POINTS = 2_000
MOST_MS = 1_000_000

Cell = Fraction | float | int | str | None


@contextmanager
def complaining() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise fail(f"cannot write {error.filename}: {error.strerror}") from None
    except ValueError as error:
        raise fail(str(error)) from None


class Times(tuple):
    """Compute times in milliseconds."""


class Several(Kind):
    """12, or 1,2,4, or 0:60:2 with both ends, or several of these with commas between."""

    metavar = "TIMES"
    takes = f"numbers from 0 to {MOST_MS:,.0f} such as 12, or 1,2,4, or 0:60:2 (from, to, step)"
    right = ("0", str(MOST_MS), "1,2,4", "0:60:2", "1/3")
    wrong = ("-1", "1e7", "nan", "1e999999", "1/0", "0:1", "9:1:1", "0:9:0", "0:9:1e-4", "2,,4", "1:2:3:4", "1/3/4")

    def read(self, text: str) -> Times:
        return Times(time for part in text.split(",") for time in self._of(part.strip()))

    def _of(self, part: str) -> list[Fraction]:
        ends = [_exact(word.strip()) for word in part.split(":")]
        if len(ends) == 1:
            return ends
        if len(ends) != 3:
            raise ValueError
        first, last, step = ends
        if step <= 0 or last < first:
            raise ValueError("a range goes up, from:to:step with a step above 0")
        count = math.floor((last - first) / step) + 1
        if count > MOST_POINTS:
            raise ValueError(f"{count:,} points are more than {MOST_POINTS:,}; take a longer step")
        return [first + i * step for i in range(count)]


def _exact(text: str) -> Fraction:
    """Raises ValueError."""
    above, line, below = text.partition("/")
    if not NUMBER.fullmatch(above) or (line and not WHOLE.fullmatch(below)) or (line and int(below) == 0):
        raise ValueError
    value = Fraction(above) / int(below or 1)
    if not 0 <= value <= MOST_MS:
        raise ValueError
    return value


@dataclass
class Prediction:
    """One answer. `columns` names the fields of `rows` for eyes; a field without a name is for machines only."""

    name: str
    title: str
    inputs: dict[str, Any]
    columns: dict[str, str]
    rows: list[dict[str, Cell]]
    notes: list[str] = field(default_factory=list)
    records: list[Row] = field(default_factory=list)
    draw: Callable[[], Any] | None = None  # None: nothing to draw
    undrawn: str = ""  # what to give so that there is
    for_eyes: tuple[str, ...] = ()  # fields of rows that JSON does without


@dataclass(frozen=True)
class Wanted:
    """Where an answer goes."""

    as_json: bool
    output: Path | None
    svg: Path | None
    page: Path | None


def words(value: Cell) -> str:
    if value is None:
        return "–"
    if isinstance(value, (Fraction, float)):
        return f"{float(value):,.6g}"
    return str(value)


def _plain(value: Any) -> Any:
    """A fraction as the nearest number that JSON has."""
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    return [_plain(v) for v in value] if isinstance(value, list) else value


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
    """Files first: what cannot be written is said before anything is shown. Raises OSError, ValueError."""
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
            predictions.write_page(p.draw(), wanted.page, p.title, p.notes, header, _cells(p))
            written.append(wanted.page)
    if wanted.as_json:
        rows = [{k: v for k, v in row.items() if k not in p.for_eyes} for row in p.rows]
        whole = {"prediction": p.name, "inputs": p.inputs, "rows": rows, "notes": p.notes}
        print(json.dumps(_plain(whole), indent=1, ensure_ascii=False))
    else:
        _show(p)
    for path in written:
        err.print(f"wrote {path}", highlight=False, markup=False)


def record(
    barrier: tuple[str, str, str],
    team: tuple[int, int],
    compute: Fraction,
    episode: Fraction,
    formula: str,
    by: str = "TR 380",
    **how: Any,
) -> Row:
    """A row like a measured one (docs/records.md): a sample is what one barrier takes on the average.

    `barrier`: algorithm, waiting and the formula's name; `team`: members and processors; `by`: whose formula
    it is; `how`: what else it was given. A processor that has only waiting members spins (section 3.4), so all
    are busy all the time.
    """
    algorithm, waiting, name = barrier
    members, processors = team
    given = ",".join(f"{k}={words(v)}" for k, v in how.items())
    reference = share(members, processors) * compute
    times = {
        "episode_ns": episode,
        "reference_ns": reference,
        "overhead_ns": episode - reference,
        "cpu_ns": min(members, processors) * episode,
    }
    return {
        "kind": "overhead",
        "session": "predicted",
        "source": "predicted",
        "what": {
            "family": "formula",
            # What was given is part of it: figures of two quanta are never merged.
            "id": f"formula:{algorithm}/{waiting}:{name}" + (f":{given}" if given else ""),
            "algorithm": algorithm,
            "waiting": waiting,
            "version": by,
        },
        "where": {
            "members": members,
            "processors": processors,
            "pinned": True,
            "load": "none",
            "delay_ns": float(compute * 10**6),
        },
        "how": {
            "method": "formula",
            "run": 0,
            "samples": 1,
            "rejected": None,
            "complete": True,
            "stopped": None,
            "formula": formula,
            **{k: _plain(v) for k, v in how.items()},
        },
        "samples": {k: [float(v * 10**6)] for k, v in times.items()},
    }
