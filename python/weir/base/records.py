"""Records: JSON lines, one row for each figure's run, written as it is made (docs/records.md)."""

import errno
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weir.base import shapes
from weir.base.outputs import prepare, writing
from weir.base.rows import Figure, Load, Machine

SCHEMA = "weir/1"
TRACE = "weir-trace/1"
NO_RESULTS = ("machine", "load", "scenario", "failure")
Row = dict[str, Any]


def as_line(row: Mapping[str, Any]) -> str:
    return json.dumps({"schema": SCHEMA, **row})


def _is_result(line: str) -> bool:
    """So is whatever is no record: it is not ours to take away."""
    try:
        row = json.loads(line)
    except json.JSONDecodeError:
        return bool(line.strip())
    return not isinstance(row, dict) or (row.get("kind") not in NO_RESULTS and "stopped" not in row)


def _holds_results(path: Path) -> bool:
    with path.open(encoding="utf-8", errors="replace") as file:
        return any(map(_is_result, file))


class Writer:
    """Writes rows to a file; each is in the file when `write` returns. What the file held before gives way to the first
    result: until then rows are held back, and where none comes the old results are still there. Raises Unwritable."""

    def __init__(self, path: Path) -> None:
        prepare(path)
        self.path = path
        self.rows: list[Row] = []  # as they are read
        self._held: list[str] = []
        self.begun = False
        with writing(path):
            self._file = path.open("a", encoding="utf-8")
            if not (path.is_file() and _holds_results(path)):
                self._begin()

    def write(self, row: Mapping[str, Any]) -> None:
        line = as_line(row)
        made = parsed(line)
        if _flaw(made) is None:
            self.rows.append(made)
        self._held.append(line + "\n")
        with writing(self.path):
            if not self.begun and _is_result(line):
                self._begin()
            if self.begun:
                self._file.writelines(self._held)
                self._file.flush()
                self._held.clear()

    def _begin(self) -> None:
        if self.path.is_file():
            self._file.truncate(0)
        self.begun = True

    def close(self) -> None:
        with writing(self.path):
            self._file.close()

    def __enter__(self) -> "Writer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def parsed(line: str) -> Any:
    """Whatever the line holds. A session was called a sitting once, and such records are read as if written today."""
    row = json.loads(line)
    if isinstance(row, dict) and "sitting" in row:
        row = {"session" if name == "sitting" else name: value for name, value in row.items()}
    return row


@dataclass(frozen=True)
class Declared:
    """Rows of one kind and their fields. `family`: of figures with more fields than all have, from this source or any.
    `stopped`: the fields of a row that says why there is no result."""

    shape: type
    kind: str = "overhead"
    family: str | None = None
    source: str | None = None
    stopped: type | None = None


FIGURES = ("overhead", "failure")
# By kind, family and source. weir/__init__.py declares what subjects have.
_declared: dict[tuple[str, str | None, str | None], Declared] = {}
LISTS = ("episode_ns", "overhead_ns", "reference_ns", "cpu_ns")
PROBES = ("transfer_before_ns", "transfer_after_ns")  # around each sample; a probe that found nothing is null


def declare(rows: Iterable[Declared]) -> None:
    for one in rows:
        for kind in FIGURES if one.kind in FIGURES else (one.kind,):
            _declared[kind, one.family, one.source] = one


declare((Declared(Machine, "machine"), Declared(Load, "load"), Declared(Figure)))


def declared() -> list[Declared]:
    return list(dict.fromkeys(_declared.values()))


def families() -> set[str]:
    """Those with fields of their own."""
    return {one.family for one in _declared.values() if one.family is not None}


def shape_of(row: Row) -> type | None:
    """The fields that such a row has, or None."""
    names = (row.get("kind"), at(row, "what.family"), row.get("source"))
    kind, family, source = (name if isinstance(name, str) else None for name in names)
    keys = [(kind, family, source), (kind, family, None)] if kind in FIGURES else []
    found = next((_declared[key] for key in (*keys, (kind, None, None)) if key in _declared), None)
    if found is None:
        return None
    return found.stopped if found.stopped and row.get("stopped") else found.shape


def at(row: object, name: str) -> Any:
    """What a row says under `where.members`, or None."""
    for part in name.split("."):
        row = row.get(part) if isinstance(row, dict) else None
    return row


def _flaw(row: object) -> str | None:
    """What keeps a row from being used, or None."""
    if not isinstance(row, dict):
        return "not an object"
    if row.get("schema") != SCHEMA:
        return f"schema {row.get('schema')!r}, this reads {SCHEMA!r}"
    shape = shape_of(row)
    if shape is None:
        return f"unknown kind {row.get('kind')!r}"
    if found := shapes.flaw(row, shape):
        return found
    return _flaw_of_samples(row.get("samples")) if row["kind"] == "overhead" else None


def whole(lists: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """The samples that all lists have: Ctrl-C may come while one is added to them."""
    there = {name: lists[name] for name in lists if name not in PROBES or all(probe in lists for probe in PROBES)}
    least = min(map(len, there.values()), default=0)
    return {name: values[:least] for name, values in there.items()}


def _flaw_of_samples(lists: object) -> str | None:
    if not isinstance(lists, dict) or not all(isinstance(lists.get(name), list) for name in LISTS):
        return f"samples needs the lists {', '.join(LISTS)}"
    names = [*LISTS, *(name for name in ("turn", *PROBES) if isinstance(lists.get(name), list))]
    if len(set(names) & set(PROBES)) == 1:
        return f"samples has one of the lists {', '.join(PROBES)} alone"
    if not all(_is_value(name, v) for name in names for v in lists[name]):
        return "samples holds something that is no number"
    lengths = {len(lists[name]) for name in names}
    return None if len(lengths) == 1 and lengths != {0} else "lists of samples differ in length, or are empty"


def _is_value(name: str, value: object) -> bool:
    if name in PROBES and value is None:
        return True
    return isinstance(value, (int, float)) and math.isfinite(value) and (name not in PROBES or value > 0)


def machine_names(rows: Iterable[Row]) -> dict[Any, str]:
    """By session. Two machines with one processor model and as many of them count as the same."""
    hosts = {row.get("id"): row["host"] for row in rows if row["kind"] == "machine"}
    return {i: f"{h.get('cpu_model', '')}, {h.get('online', '?')} processors" for i, h in hosts.items()}


def clean(rows: list[Row]) -> list[Row]:
    """Those of clean runs; all of them where no run is clean."""
    return [row for row in rows if row["how"].get("rejected") is None] or rows


def rejected(rows: Iterable[Row]) -> int:
    return sum(row["how"].get("rejected") is not None for row in rows)


def by_turn(rows: Iterable[Row], name: str) -> dict[Any, dict[int, float]]:
    """The values of one series: for each run of a session what each of its turns gave."""
    made = {}
    for row in rows:
        values = row["samples"][name]
        turns = row["samples"].get("turn", range(len(values)))
        made[row.get("session"), row["how"]["run"]] = dict(zip(turns, values, strict=True))
    return made


NO_TRACES = (
    "that is a program which weir trace has recorded, and holds no results; a scenario takes it as the `trace` of an "
    "application, and weir simulate SCENARIO runs it"
)


def document(about: Row, rows: Iterable[Row]) -> str:
    """One JSON text for programs that read no JSON lines: what it is about, and last its `records`, each on a line."""
    head = json.dumps({"schema": SCHEMA, **about}, indent=1)
    lines = ",\n".join(map(as_line, rows))
    return f'{head.removesuffix("}").rstrip()},\n "records": [\n{lines}\n]}}\n'


def _lines(path: Path, file: Iterable[str]) -> Iterator[tuple[int, str]]:
    """With their numbers; of a document those of its records."""
    held = enumerate(file, start=1)
    if path.suffix != ".json":
        yield from held
        return
    lines = list(held)
    begun = next((i for i, (_, line) in enumerate(lines) if line.strip() == '"records": ['), None)
    if begun is None or not lines[0][1].startswith("{"):
        yield from lines
        return
    for number, line in lines[begun + 1 :]:
        if line.rstrip() == "]}":
            return
        yield number, line.rstrip().removesuffix(",")


def read(paths: Iterable[Path]) -> tuple[list[Row], list[str]]:
    """All rows that can be used; and for each flaw of a file the first line that has it, and how many others have.

    Raises OSError for a file that cannot be read at all, and for a trace.
    """
    rows: list[Row] = []
    complaints: list[str] = []
    for path in paths:
        flawed: dict[str, list[int]] = {}
        with path.open(encoding="utf-8", errors="replace") as file:
            for number, line in _lines(path, file):
                if not line.strip():
                    continue
                try:
                    row = parsed(line)
                    if isinstance(row, dict) and row.get("schema") == TRACE:
                        raise OSError(errno.EINVAL, NO_TRACES, str(path))
                    flaw = _flaw(row)
                except (ValueError, RecursionError):
                    flaw = "no JSON"
                if flaw is None:
                    rows.append(row)
                else:
                    flawed.setdefault(flaw, []).append(number)
        for flaw, numbers in flawed.items():
            more = f", and so are {len(numbers) - 1} more like it" if len(numbers) > 1 else ""
            complaints.append(f"{path}:{numbers[0]}: {flaw}; the line is left out{more}")
    return rows, complaints
