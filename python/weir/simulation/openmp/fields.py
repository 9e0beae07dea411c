"""The fields of rows of `weir simulate openmp` (docs/records.md)."""

from typing import NotRequired, TypedDict

from weir.base.records import Declared
from weir.openmp import fields as openmp


class Where(openmp.Where):
    homes: NotRequired[str]


class Counts(TypedDict):
    moved: NotRequired[list[float]]
    critical_path: NotRequired[float]
    busiest_line: NotRequired[float]
    read_line: NotRequired[float]
    busiest_member: NotRequired[float]
    atomics: NotRequired[float]
    failed: NotRequired[float]
    calls: NotRequired[float]
    woken: NotRequired[float]


class Cost(TypedDict):
    accesses: NotRequired[int]
    host_s: NotRequired[float]


class Row(openmp.Row):
    where: Where
    counts: NotRequired[Counts]
    floor_ns: NotRequired[float | None]
    cost: NotRequired[Cost]


ROWS = (Declared(Row, family=openmp.FAMILY, source="simulated"),)
