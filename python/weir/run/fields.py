"""The fields of rows of `weir run --compare --export` (docs/records.md)."""

from typing import Annotated, NotRequired

from weir.base import rows
from weir.base.records import Declared
from weir.base.shapes import Positive

FAMILY = "command"


class What(rows.What):
    runtime: str
    side: NotRequired[str]
    command: str
    arguments: str


class Where(rows.Where):
    members: Annotated[int | None, Positive(rows.NOBODY)]
    quota: float | None
    beside: int
    copies: int


class How(rows.How):
    method: str
    counted: bool
    wall_s: float
    processor_s: NotRequired[float]
    voluntary: NotRequired[int]
    involuntary: NotRequired[int]
    minor_faults: NotRequired[int]
    major_faults: NotRequired[int]
    status: int
    late: NotRequired[bool]
    printed: NotRequired[dict[str, str]]


class Row(rows.Figure):
    what: What
    where: Where
    how: How


ROWS = (Declared(Row, family=FAMILY),)
