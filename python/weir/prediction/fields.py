"""The fields of predicted rows (docs/records.md)."""

from typing import NotRequired

from weir.base import rows
from weir.base.records import Declared

FAMILY = "formula"


class How(rows.How):
    formula: NotRequired[str]
    quantum_ms: NotRequired[float]
    barriers: NotRequired[int]
    fan_in: NotRequired[int]
    switch_us: NotRequired[float]


class Row(rows.Figure):
    how: How


ROWS = (Declared(Row, family=FAMILY),)
