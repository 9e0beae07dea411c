"""Records: JSON lines, one row for each figure's run, written as it is made (docs/records.md)."""

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SCHEMA = "weir/1"
Row = dict[str, Any]


class Writer:
    """Writes rows to a new file; each is in the file when `write` returns."""

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


# What every row of a figure must say, and of what kind it is.
FIELDS: dict[str, dict[str, type | tuple[type, ...]]] = {
    "what": {"family": str, "algorithm": str, "waiting": str},
    "where": {"members": int, "processors": int, "pinned": bool, "load": str, "delay_ns": (int, float)},
    "how": {"run": int},
}
SIMULATED: dict[str, dict[str, type | tuple[type, ...]]] = {
    "scenario": {"id": str, "name": str, "about": str, "charts": list, "swept": list, "points": int, "seeds": list},
    "simulation": {
        "scenario": str, "point": int, "seed": int, "chosen": dict, "machine": str, "processors": int,
        "end_ns": (int, float), "applications": list, "threads": dict, "on_processors": dict, "memory": dict,
        "lines": list, "cost": dict,
    },
    "scale": {
        "cluster": str, "nodes": int, "ranks": int, "per_node": int, "family": str, "algorithm": str,
        "within": str, "name": str,
    },
}  # fmt: skip
LISTS = ("episode_ns", "overhead_ns", "reference_ns", "cpu_ns")


def _flaw(row: object) -> str | None:
    """What keeps a row from being used, or None."""
    if not isinstance(row, dict):
        return "not an object"
    if row.get("schema") != SCHEMA:
        return f"schema {row.get('schema')!r}, this reads {SCHEMA!r}"
    kind = row.get("kind")
    if kind == "machine":
        return None if isinstance(row.get("host"), dict) else "a machine without host"
    if kind in SIMULATED:
        missing = [name for name, wanted in SIMULATED[kind].items() if not isinstance(row.get(name), wanted)]
        return f"{kind} without {', '.join(missing)}" if missing else None
    if kind not in ("overhead", "failure"):
        return f"unknown kind {kind!r}"
    for part, fields in FIELDS.items():
        for name, wanted in fields.items():
            inside = row.get(part)
            if not isinstance(inside, dict) or not isinstance(inside.get(name), wanted):
                return f"{part}.{name} is missing, or not of its kind"
    if row["where"]["members"] < 1 or row["where"]["processors"] < 1:
        return "a team of no members, or on no processors"
    return _flaw_of_samples(row.get("samples")) if kind == "overhead" else None


def _flaw_of_samples(lists: object) -> str | None:
    if not isinstance(lists, dict) or not all(isinstance(lists.get(name), list) for name in LISTS):
        return f"samples needs the lists {', '.join(LISTS)}"
    if not all(isinstance(v, (int, float)) and math.isfinite(v) for name in LISTS for v in lists[name]):
        return "samples holds something that is no number"
    lengths = {len(lists[name]) for name in LISTS}
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
