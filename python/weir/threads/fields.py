"""The fields of rows of the experiments of 1991 (docs/records.md), measured, simulated and predicted."""

from typing import NotRequired

from weir.base import rows
from weir.base.records import Declared

FAMILY = "threads"


class What(rows.What):
    experiment: str
    threads: str


class Where(rows.Where):
    applications: rows.Count
    policy: str
    distribution: str
    slot_us: float | None


class How(rows.How):
    switch_ns: float | None
    quantum_ns: float | None
    transfer_ns: NotRequired[float]
    formula: NotRequired[str]


class Row(rows.Figure):
    what: What
    where: Where
    how: How


ROWS = (Declared(Row, family=FAMILY),)
