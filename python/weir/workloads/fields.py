"""The fields of rows of whole programs (docs/records.md)."""

from typing import NotRequired

from weir.base import rows
from weir.base.records import Declared

FAMILY = "workload"


class What(rows.What):
    group: str
    version: str
    runtime: str
    barrier: str
    command: str
    per_member: NotRequired[bool]


class Where(rows.Where):
    situation: str
    copies: int
    callers: int


class How(rows.How):
    method: str
    wall_s: NotRequired[float]
    directives: NotRequired[int]
    priced_s: NotRequired[float]


class Row(rows.Figure):
    what: What
    where: Where
    how: How


ROWS = (Declared(Row, family=FAMILY),)
