"""The fields of rows of `weir compare --export` (docs/records.md)."""

from typing import Any, NotRequired, TypedDict

from weir.base.records import Declared


class Side(TypedDict):
    median_ns: float
    low_ns: NotRequired[float | None]
    high_ns: NotRequired[float | None]
    values: int
    runs: NotRequired[int]


class Ratio(TypedDict):
    value: NotRequired[float]
    low: NotRequired[float]
    high: NotRequired[float]


class Row(TypedDict):
    schema: NotRequired[str]
    kind: NotRequired[str]
    series: NotRequired[str]
    source: NotRequired[str]
    what: dict[str, Any]
    where: dict[str, Any]
    a: Side
    b: Side
    ratio: Ratio | None
    verdict: str


ROWS = (Declared(Row, "ratio"),)
