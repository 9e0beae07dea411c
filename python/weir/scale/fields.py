"""The fields of rows of `weir scale` (docs/records.md)."""

from typing import Annotated, NotRequired, TypedDict

from weir.base.records import Declared
from weir.base.shapes import Positive


class Stopped(TypedDict):
    """A barrier without figures."""

    schema: NotRequired[str]
    kind: NotRequired[str]
    source: NotRequired[str]
    cluster: str
    nodes: int
    ranks: int
    per_node: int
    family: str
    algorithm: str
    radix: NotRequired[int | None]
    fan_in: NotRequired[int | None]
    fan_out: NotRequired[int | None]
    within: str
    name: str
    stopped: str | None


class Row(Stopped):
    time_ns: Annotated[float, Positive("a barrier of no time")]
    alone_ns: float
    node_ns: float
    kept: bool
    chosen: NotRequired[str]


ROWS = (Declared(Row, "scale", stopped=Stopped),)
