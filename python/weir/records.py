"""Records: JSON lines, one row for each figure's run, written as it is made (docs/records.md)."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SCHEMA = "weir/1"
Row = dict[str, Any]


class Writer:
    """Appends rows to a file; each is on disk when `write` returns."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._file = path.open("w", encoding="utf-8")

    def write(self, row: Row) -> None:
        self._file.write(json.dumps({"schema": SCHEMA, **row}) + "\n")
        self._file.flush()

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> "Writer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _flaw(row: object) -> str | None:
    """What keeps a row from being used, or None."""
    if not isinstance(row, dict):
        return "not an object"
    if row.get("schema") != SCHEMA:
        return f"schema {row.get('schema')!r}, this reads {SCHEMA!r}"
    if row.get("kind") == "machine":
        return None if isinstance(row.get("host"), dict) else "a machine without host"
    if row.get("kind") != "overhead":
        return f"unknown kind {row.get('kind')!r}"
    for part in ("what", "where", "how", "samples"):
        if not isinstance(row.get(part), dict):
            return f"no {part}"
    lists = row["samples"]
    names = ("episode_ns", "overhead_ns", "reference_ns", "cpu_ns")
    if not all(isinstance(lists.get(name), list) for name in names):
        return f"samples needs the lists {', '.join(names)}"
    if not all(isinstance(v, (int, float)) for name in names for v in lists[name]):
        return "samples holds something that is no number"
    lengths = {len(lists[name]) for name in names}
    return None if len(lengths) == 1 and lengths != {0} else "lists of samples differ in length, or are empty"


def read(paths: Iterable[Path]) -> tuple[list[Row], list[str]]:
    """All rows that can be used, and for each other line its file, number and flaw.

    Raises OSError for a file that cannot be read at all.
    """
    rows: list[Row] = []
    complaints: list[str] = []
    for path in paths:
        with path.open(encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, start=1):
                if not line.strip():
                    continue
                try:
                    row = json.loads(line)
                    flaw = _flaw(row)
                except json.JSONDecodeError as error:
                    flaw = f"no JSON: {error}"
                if flaw is None:
                    rows.append(row)
                else:
                    complaints.append(f"{path}:{number}: {flaw}; the line is left out")
    return rows, complaints
