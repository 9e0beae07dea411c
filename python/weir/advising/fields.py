"""The fields of rows of `weir advise` (docs/records.md)."""

from typing import Annotated, NotRequired

from weir.base import rows
from weir.base.records import Declared
from weir.base.shapes import Positive

FAMILY = "advice"


class What(rows.What):
    runtime: str
    side: str
    command: str
    variables: dict[str, str]


class Where(rows.Where):
    members: Annotated[int | None, Positive(rows.NOBODY)]
    quota: float | None


class How(rows.How):
    method: str
    wall_s: float
    processor_s: NotRequired[float]
    others_s: NotRequired[float]
    status: int
    late: NotRequired[bool]
    said: NotRequired[list[str]]


class Row(rows.Figure):
    what: What
    where: Where
    how: How


ROWS = (Declared(Row, family=FAMILY),)
