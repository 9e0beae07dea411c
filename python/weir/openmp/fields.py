"""The fields of rows of the OpenMP suite (docs/records.md)."""

from typing import NotRequired

from weir.base import rows
from weir.base.records import Declared

FAMILY = "openmp"


class What(rows.What):
    group: str
    language: str
    runtime: str
    version: str
    compiler: str | None
    environment: dict[str, str] | None


class Where(rows.Where):
    capacity: NotRequired[float]


class Row(rows.Figure):
    what: What
    where: Where


ROWS = (Declared(Row, family=FAMILY),)
