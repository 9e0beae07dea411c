"""The fields of rows of `weir simulate` (docs/records.md)."""

from typing import Any, NotRequired, TypedDict

from weir.barriers import fields as barriers
from weir.base.records import Declared


class Scenario(TypedDict):
    schema: NotRequired[str]
    kind: NotRequired[str]
    id: str
    name: str
    about: str
    charts: list[Any]
    swept: list[Any]
    points: int
    seeds: list[int]


class Cost(TypedDict):
    accesses: NotRequired[int]
    events: NotRequired[int]
    host_s: NotRequired[float]


class Simulation(TypedDict):
    schema: NotRequired[str]
    kind: NotRequired[str]
    scenario: str
    session: NotRequired[str]
    source: NotRequired[str]
    point: int
    seed: int
    chosen: dict[str, Any]
    machine: str
    processors: int
    quantum_ns: NotRequired[float]
    end_ns: float
    counted_from_ns: NotRequired[float]
    applications: list[Any]
    threads: dict[str, Any]
    on_processors: dict[str, Any]
    distances: NotRequired[list[str]]
    memory: dict[str, Any]
    lines: list[Any]
    cost: Cost


class Row(barriers.Row):
    """One application of one run; one that has failed names its point."""

    scenario: NotRequired[str]
    point: NotRequired[int]
    chosen: NotRequired[dict[str, Any]]


ROWS = (
    Declared(Scenario, "scenario"),
    Declared(Simulation, "simulation"),
    Declared(Row, family="weir", source="simulated"),
)
