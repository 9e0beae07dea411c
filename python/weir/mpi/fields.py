"""The fields of rows over MPI (docs/records.md)."""

from typing import NotRequired, TypedDict

from weir.base import rows
from weir.base.records import Declared

FAMILY = "mpi"


class Choice(TypedDict):
    algorithm: str
    transport: str
    within: str
    threads: str | None
    reason: NotRequired[str]


class What(rows.What):
    mpi: str
    library: NotRequired[str]
    choice: Choice | None


class Where(rows.Where):
    processes: rows.Count
    threads: rows.Count
    nodes: rows.Count
    level: str
    dedicated: NotRequired[bool]
    launcher: NotRequired[str]


class How(rows.How):
    method: str
    clock_ns: float | None
    late: NotRequired[int]


class Row(rows.Figure):
    what: What
    where: Where
    how: How


ROWS = (Declared(Row, family=FAMILY),)
