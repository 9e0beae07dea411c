"""Records: JSON lines, one row for each figure's run, written as it is made (docs/records.md)."""

import errno
import json
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import UnionType
from typing import Any

from weir.base.outputs import prepare, writing

SCHEMA = "weir/1"
TRACE = "weir-trace/1"
NO_RESULTS = ("machine", "load", "scenario", "failure")
Row = dict[str, Any]


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

    def write(self, row: Row) -> None:
        line = json.dumps({"schema": SCHEMA, **row})
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


Fields = dict[str, type | UnionType]
NUMBER = int | float
# What rows must say, and of what kind it is; what may be missing is also None.
MACHINE: Fields = {
    "id": str | None, "time": str | None, "host": dict, "host.affinity": list | None,
    "host.cycles_per_ns": NUMBER | None, "host.quota": dict | None,
}  # fmt: skip
LOAD: Fields = {
    "session": str | None, "processors": int, "seconds": NUMBER, "others_s": NUMBER, "stolen_s": NUMBER,
}  # fmt: skip
QUOTA: Fields = {"host.quota.processors": NUMBER, "host.quota.source": str}
FIGURE: Fields = {
    "session": str | None, "source": str | None, "cycles_per_ns": NUMBER | None,
    "what.family": str, "what.id": str | None, "what.algorithm": str, "what.waiting": str, "what.version": str | None,
    "where.members": int, "where.processors": int, "where.pinned": bool, "where.load": str, "where.delay_ns": NUMBER,
    "how.run": int, "how.rejected": str | None, "how.in_the_noise": str | None, "how.stopped": str | None,
}  # fmt: skip
FAMILIES: dict[str, Fields] = {
    "mpi": {
        "what.mpi": str, "what.choice": dict | None, "where.processes": int, "where.threads": int, "where.nodes": int,
        "where.level": str, "how.method": str, "how.clock_ns": NUMBER | None,
    },
    "openmp": {
        "what.group": str, "what.language": str, "what.runtime": str, "what.version": str,
        "what.compiler": str | None, "what.environment": dict | None,
    },
    "threads": {
        "what.experiment": str, "what.threads": str, "where.applications": int, "where.policy": str,
        "where.distribution": str, "where.slot_us": NUMBER | None, "how.switch_ns": NUMBER | None,
        "how.quantum_ns": NUMBER | None,
    },
    "advice": {
        "where.members": int | None, "what.runtime": str, "what.side": str, "what.command": str,
        "what.variables": dict, "where.quota": NUMBER | None, "how.method": str, "how.wall_s": NUMBER,
        "how.status": int,
    },
    "command": {
        "where.members": int | None, "what.runtime": str, "what.command": str, "what.arguments": str,
        "where.quota": NUMBER | None, "where.beside": int, "where.copies": int, "how.method": str,
        "how.counted": bool, "how.wall_s": NUMBER, "how.status": int,
    },
    "workload": {
        "what.group": str, "what.version": str, "what.runtime": str, "what.barrier": str, "what.command": str,
        "where.situation": str, "where.copies": int, "where.callers": int, "how.method": str,
    },
}  # fmt: skip
CHOICE: Fields = {
    "what.choice.algorithm": str, "what.choice.transport": str, "what.choice.within": str,
    "what.choice.threads": str | None,
}  # fmt: skip
COUNTS = ("where.members", "where.processors", "where.processes", "where.threads", "where.nodes", "where.applications")
SIMULATED: dict[str, Fields] = {
    "scenario": {"id": str, "name": str, "about": str, "charts": list, "swept": list, "points": int, "seeds": list},
    "simulation": {
        "scenario": str, "point": int, "seed": int, "chosen": dict, "machine": str, "processors": int,
        "end_ns": NUMBER, "applications": list, "threads": dict, "on_processors": dict, "memory": dict,
        "lines": list, "cost": dict,
    },
    "scale": {
        "cluster": str, "nodes": int, "ranks": int, "per_node": int, "family": str, "algorithm": str,
        "within": str, "name": str, "stopped": str | None,
    },
}  # fmt: skip
# What weir compare found of one series that is in two files.
RATIO: Fields = {
    "what": dict, "where": dict, "a": dict, "b": dict, "a.median_ns": NUMBER, "b.median_ns": NUMBER,
    "a.values": int, "b.values": int, "ratio": dict | None, "verdict": str,
}  # fmt: skip
SCALE_TIMES: Fields = {"time_ns": NUMBER, "alone_ns": NUMBER, "node_ns": NUMBER, "kept": bool}
LISTS = ("episode_ns", "overhead_ns", "reference_ns", "cpu_ns")
PROBES = ("transfer_before_ns", "transfer_after_ns")  # around each sample; a probe that found nothing is null


def at(row: object, name: str) -> Any:
    """What a row says under `where.members`, or None."""
    for part in name.split("."):
        row = row.get(part) if isinstance(row, dict) else None
    return row


def _lacking(row: Row, fields: Fields) -> str | None:
    def suits(value: object, wanted: type | UnionType) -> bool:
        return isinstance(value, wanted) and not (isinstance(value, float) and not math.isfinite(value))

    wrong = [name for name, wanted in fields.items() if not suits(at(row, name), wanted)]
    return f"missing or of the wrong type: {', '.join(wrong)}" if wrong else None


def _flaw(row: object) -> str | None:
    """What keeps a row from being used, or None."""
    if not isinstance(row, dict):
        return "not an object"
    if row.get("schema") != SCHEMA:
        return f"schema {row.get('schema')!r}, this reads {SCHEMA!r}"
    kind = row.get("kind")
    if kind == "machine":
        return _lacking(row, MACHINE | (QUOTA if at(row, "host.quota") else {}))
    if kind == "load":
        return _lacking(row, LOAD) or (None if row["processors"] > 0 and row["seconds"] > 0 else "a session of no time")
    if kind == "scale" and not row.get("stopped"):
        return _lacking(row, SIMULATED[kind] | SCALE_TIMES) or (None if row["time_ns"] > 0 else "a barrier of no time")
    if kind == "ratio":
        return _lacking(row, RATIO)
    if kind in ("scenario", "simulation", "scale"):
        return _lacking(row, SIMULATED[kind])
    if kind not in ("overhead", "failure"):
        return f"unknown kind {kind!r}"
    family = at(row, "what.family")
    fields = FIGURE | (FAMILIES.get(family, {}) if isinstance(family, str) else {})
    if flaw := _lacking(row, fields | (CHOICE if family == "mpi" and at(row, "what.choice") else {})):
        return flaw
    if any(at(row, name) < 1 for name in COUNTS if name in fields and at(row, name) is not None):
        return "a team of no members, or on no processors"
    return _flaw_of_samples(row.get("samples")) if kind == "overhead" else None


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
    lines = ",\n".join(json.dumps({"schema": SCHEMA, **row}) for row in rows)
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
