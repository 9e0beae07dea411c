"""The fields of rows that several subjects write: sessions, their load, and figures of every family."""

from typing import Annotated, Any, NotRequired, TypedDict

from weir.base.shapes import Open, Positive

NOBODY = "a team of no members, or on no processors"
Count = Annotated[int, Positive(NOBODY)]


class Quota(TypedDict):
    processors: float
    source: str


class Host(TypedDict):
    """What weir-info says."""

    affinity: list[int] | None
    cycles_per_ns: float | None
    quota: Quota | None


class Machine(TypedDict):
    schema: NotRequired[str]
    kind: NotRequired[str]
    id: str | None
    time: str | None
    host: Annotated[Host, Open]
    settings: NotRequired[dict[str, Any]]


class Load(TypedDict):
    schema: NotRequired[str]
    kind: NotRequired[str]
    session: str | None
    processors: Annotated[int, Positive("a session of no time")]
    seconds: Annotated[float, Positive("a session of no time")]
    others_s: float
    stolen_s: float


class What(TypedDict):
    family: str
    id: str | None
    algorithm: str
    waiting: str
    version: str | None


class Where(TypedDict):
    members: Count
    processors: Count
    pinned: bool
    load: str
    delay_ns: float


class How(TypedDict):
    method: NotRequired[str]
    run: int
    samples: NotRequired[int]
    inner: NotRequired[int]
    rejected: str | None
    in_the_noise: str | None
    complete: NotRequired[bool]
    stopped: str | None


class Samples(TypedDict):
    """Lists of equal length."""

    episode_ns: list[float]
    overhead_ns: list[float]
    reference_ns: list[float]
    cpu_ns: list[float]
    turn: NotRequired[list[int]]
    transfer_before_ns: NotRequired[list[float | None]]
    transfer_after_ns: NotRequired[list[float | None]]


class Figure(TypedDict):
    """A row of the kinds overhead and failure; the latter has no samples."""

    schema: NotRequired[str]
    kind: NotRequired[str]
    session: str | None
    source: str | None
    what: What
    where: Where
    how: How
    samples: NotRequired[Samples]
    cycles_per_ns: float | None
