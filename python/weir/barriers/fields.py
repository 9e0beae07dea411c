"""The fields of rows of `weir bench` (docs/records.md)."""

from typing import NotRequired

from weir.base import rows
from weir.base.records import Declared

FAMILIES = ("weir", "peer", "mine", "floor")
DRAWN = (*FAMILIES, "formula")  # by charts of barriers: what formulas predict of them, too


class How(rows.How):
    starts: NotRequired[int]


class Row(rows.Figure):
    how: How


ROWS = tuple(Declared(Row, family=family) for family in FAMILIES)
