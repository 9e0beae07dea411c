"""From the rows of two files to the series that are in both. A series is what was measured, and where."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from weir.base.records import Row, clean, machine_names
from weir.base.states import split
from weir.base.statistics import Runs

A, B = "A", "B"
FLOOR = "floor"
# What may differ between two sessions whose series are compared: versions are what a comparison is often about.
ASIDE = {
    "what": ("version", "choice", "library", "per_member"),
    "where": ("state", "launcher", "capacity", "dedicated"),
}
OF_COMMANDS = ("command", "id")  # where the program lies
NOT_TIMES = ("profile",)  # methods of rows that hold no times to compare
EXACT = ("predicted",)  # sources whose values do not scatter


@dataclass
class Series:
    """`what` and `where`: by which it is the same in both files. `rows`: by file."""

    source: str
    family: str
    what: Row
    where: Row
    state: str = ""  # of the machine
    exact: bool = False
    rows: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))

    def runs(self, file: str) -> Runs:
        """Of the figure: the overhead, which is the time itself for whole programs and barriers over MPI."""
        if self.exact:
            return [[row["time_ns"]] if row["kind"] == "scale" else row["samples"]["overhead_ns"]
                    for row in self.rows[file]]  # fmt: skip
        return [row["samples"]["overhead_ns"] for row in clean(self.rows[file])]

    def versions(self, file: str) -> set[str]:
        return {v for row in self.rows[file] if (v := (row.get("what") or {}).get("version"))}

    @property
    def is_in_both(self) -> bool:
        return A in self.rows and B in self.rows

    @property
    def is_floor(self) -> bool:
        """What the machine itself takes."""
        return self.family == FLOOR


def series(a: Iterable[Row], b: Iterable[Row]) -> list[Series]:
    """Of both files, in the order in which they are met."""
    rows = [*_tagged(a, A), *_tagged(b, B)]
    machines, scenarios = machine_names(rows), {row["id"]: row["name"] for row in rows if row["kind"] == "scenario"}
    made: dict[str, Series] = {}
    met = set()
    for row in split(rows):  # of both at once: a machine's states are the same ones then
        one = _of_scale(row) if row["kind"] == "scale" else _of_figure(row, machines, scenarios)
        if one is None or (id(row.get("samples")), id(row.get("time_ns"))) in met:
            continue
        if row["kind"] == "overhead" and row["how"].get("of_all_states"):
            met.add((id(row["samples"]), id(None)))  # kept whole in each state: one of these will do
        key = json.dumps([one.source, one.family, one.what, one.where, one.state], sort_keys=True)
        made.setdefault(key, one).rows[_file(row)].append(row)
    return list(made.values())


def _tagged(rows: Iterable[Row], file: str) -> list[Row]:
    """Sessions of two files are not the same, whatever they are called."""
    return [
        row | {"id": f"{file} {row.get('id')}"} | ({"scenario_name": row["name"]} if row["kind"] == "scenario" else {})
        if row["kind"] in ("machine", "scenario")
        else row | {"session": f"{file} {row.get('session')}", "scenario": f"{file} {row.get('scenario')}"}
        for row in rows
    ]


def _file(row: Row) -> str:
    return row["session"].partition(" ")[0]


def _of_scale(row: Row) -> Series | None:
    if row.get("stopped") or not row["kept"]:
        return None
    what = {name: row.get(name) for name in ("algorithm", "radix", "fan_in", "fan_out", "within", "name")}
    where = {name: row[name] for name in ("cluster", "nodes", "ranks", "per_node")}
    return Series("simulated", row["family"], what, where, exact=True)


def _of_figure(row: Row, machines: dict[Any, str], scenarios: dict[str, str]) -> Series | None:
    if row["kind"] != "overhead" or row["how"].get("method") in NOT_TIMES:
        return None
    source, family = row.get("source") or "measured", row["what"]["family"]
    aside = (*ASIDE["what"], *(OF_COMMANDS if family == "command" else ()), "family")
    what = {name: value for name, value in row["what"].items() if name not in aside}
    where = {name: value for name, value in row["where"].items() if name not in ASIDE["where"]}
    if method := row["how"].get("method"):
        where["method"] = method
    if family == FLOOR:  # which does not depend on the team
        where = {name: value for name, value in where.items() if name not in ("members", "delay_ns")}
    if row["scenario"] in scenarios:
        where["scenario"] = scenarios[row["scenario"]]
        where["machine"] = machines.get(row["session"], "")
    state = row["where"].get("state")
    name = state.name if state is not None and not row["how"].get("of_all_states") else ""
    return Series(source, family, what, where, name, exact=source in EXACT)


UNBOUND = ("openmp", "workload", "command")  # families whose threads are bound only if a row says so
# Fields by which a reader tells series apart, in this order; others are named only where these do not suffice.
TELLING = (
    "language", "algorithm", "waiting", "runtime", "barrier", "compiler", "mpi", "name", "arguments", "experiment",
    "threads", "situation", "scenario", "machine", "cluster", "ranks", "per_node", "members", "processors", "processes",
    "applications", "nodes", "pinned", "load", "policy", "distribution", "level",
)  # fmt: skip
# What another field of the same series says already.
SAID_BY = {
    "copies": "load", "quota": "load", "beside": "load", "callers": "load", "load": "situation",
    "members": "processes", "pinned": "processes",
}  # fmt: skip
COUNTED = {
    "processors": "processor", "processes": "process", "nodes": "node", "ranks": "rank", "applications": "application",
    "callers": "caller", "copies": "copy",
}  # fmt: skip


def _plural(number: int, one: str) -> str:
    many = {"process": "processes", "copy": "copies"}.get(one, f"{one}s")
    return f"{number:g} {one if number == 1 else many}"


def word(one: Series, name: str) -> str:
    """What a series says of itself under this name; nothing where it is what is usual."""
    fields = one.where | one.what if name not in one.where else one.where
    value = fields.get(name)
    if value in (None, "", "none", {}) or _is_usual(one.family, name, value):
        return ""
    if name == "members":
        return _plural(value, "thread")
    if name == "threads" and isinstance(value, int):
        return f"{_plural(value, 'thread')} each"
    if name in COUNTED and isinstance(value, (int, float)):
        return _plural(value, COUNTED[name])
    if name == "per_node":
        return f"{value} on a node"
    if isinstance(value, bool):
        return name if value else f"not {name}"
    if name in ("load", "delay_ns", "slot_us", "radix", "fan_in", "fan_out", "policy", "distribution"):
        return (
            f"{name.replace('_', ' ')} {value:g}" if isinstance(value, float) else f"{name.replace('_', ' ')} {value}"
        )
    return str(value)


def _is_usual(family: str, name: str, value: object) -> bool:
    if name == "waiting":
        return value == "own" or family == "mpi"
    return (name, value) == ("threads", 1) or (name == "pinned" and not value and family in UNBOUND)


def labels(all_series: Sequence[Series]) -> tuple[list[str], str]:
    """What a reader calls each of them, and what all have in common."""
    names = list(dict.fromkeys([*TELLING, *(n for one in all_series for n in (*one.what, *one.where))]))
    differ = [name for name in names if len({_value(one, name) for one in all_series}) > 1]
    used = [n for n in differ if n in TELLING and not _said(n, differ)]
    while True:
        made = [_joined(one, used) for one in all_series]
        count = {label: made.count(label) for label in set(made)} if len(made) > 1 else {}
        again = [one for one, label in zip(all_series, made, strict=True) if count.get(label, 0) > 1]
        more = next((n for n in differ if n not in used and len({_value(one, n) for one in again}) > 1), None)
        if not again or more is None:
            break
        used.append(more)
    first = all_series[0]
    same = [n for n in TELLING if n not in differ and not _said(n, first.where)]
    common = ", ".join(filter(None, (word(first, n) for n in same)))
    sources = len({one.source for one in all_series}) > 1
    return [
        " ".join(filter(None, [label or _joined(one, TELLING), _aside(one, sources)]))
        for one, label in zip(all_series, made, strict=True)
    ], common


def _aside(one: Series, sources: bool) -> str:
    said = [one.source] if sources and one.source != "measured" else []
    said += [one.state] if one.state else []
    return f"({', '.join(said)})" if said else ""


def _said(name: str, others: Iterable[str]) -> bool:
    return SAID_BY.get(name) in others


def _value(one: Series, name: str) -> str:
    return json.dumps([one.what.get(name), one.where.get(name)], sort_keys=True)


def _joined(one: Series, names: Iterable[str]) -> str:
    said = list(dict.fromkeys(filter(None, (word(one, name) for name in names))))
    return ", ".join(said)
