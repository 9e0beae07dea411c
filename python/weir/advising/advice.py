"""From times to advice: which size to take, what fewer processors cost, and which variables gain."""

from dataclasses import dataclass

from weir.advising.results import Point, Session
from weir.advising.sizes import Size, fewer, limited
from weir.advising.staircase import Staircase
from weir.base.statistics import FEWEST, Interval, paired_ratio
from weir.run.measuring import OWN, WEIR

AS_GOOD = 1.05  # times the least: a size within it does as well
GAINS = 0.97  # a variable is advised where it takes less than this of the time
FARTHER = (2, 4)  # times as many processors as are here: predicted


@dataclass(frozen=True)
class Best:
    """Of one runtime: the smallest size that does as well as the fastest. `measured`: else it is predicted."""

    side: str
    size: Size
    seconds: float
    measured: bool


@dataclass(frozen=True)
class Setting:
    """`ratio`: of its time to that without it, by pairs of a round, at the same size."""

    name: str
    ratio: Interval

    @property
    def gains(self) -> bool:
        return self.ratio.known and self.ratio.high < 1 and self.ratio.value < GAINS


def candidates(session: Session, side: str) -> dict[Size, tuple[float, bool]]:
    """A time for each size of this machine, and whether it was measured: of as many threads as processors where the
    program obeys, and of all that was measured."""
    found = {size: (seconds, True) for size, seconds in session.times(side).items()}
    if session.obeys and side in session.models:
        for p in range(1, session.processors + 1):
            found.setdefault(Size(p, p), (session.models[side].time(Size(p, p)), False))
    return found


def best(session: Session, side: str) -> Best | None:
    """None where nothing was measured."""
    there = candidates(session, side)
    if not there:
        return None
    least = min(seconds for seconds, _ in there.values())
    size = min(
        (size for size, (seconds, _) in there.items() if seconds <= AS_GOOD * least),
        key=lambda size: (size.processors, size.members),
    )
    return Best(side, size, *there[size])


def smallest(session: Session) -> tuple[Size, float] | None:
    """One processor, with as few threads as were measured there, on whichever runtime takes the least."""
    there = [one for side in (OWN, WEIR) for one in session.times(side).items() if one[0].processors == 1]
    return min(there, key=lambda one: (one[0].members, one[1]), default=None)


def bests(session: Session) -> list[Best]:
    """Of the program's own runtime, and of Weir's."""
    return [found for side in (OWN, WEIR) if (found := best(session, side))]


def ratio(one: Point | None, other: Point | None) -> Interval | None:
    """Over the rounds in which both ran; without an interval where these are few."""
    if one is None or other is None:
        return None
    rounds = sorted(set(one.times) & set(other.times))
    if not rounds:
        return None
    pairs = [[point.times[r] for r in rounds] for point in (one, other)]
    found = paired_ratio([pairs[0]], [pairs[1]])
    if found is None or len(rounds) >= FEWEST:
        return found
    return Interval(found.value)


def settings(session: Session, size: Size) -> list[Setting]:
    """The variables that were measured at this size on its own runtime, best first."""
    own = session.points.get((OWN, size))
    made = []
    for (side, where), point in session.points.items():
        if where == size and side not in (OWN, WEIR) and (found := ratio(point, own)):
            made.append(Setting(side, found))
    return sorted(made, key=lambda one: one.ratio.value)


def cost_of_fewer(session: Session, side: str) -> float | None:
    """The time of as many threads as the machine has processors, on half of these, to that of half as many threads
    there: what it costs that a program is not told of its smaller container."""
    crowd = fewer(session.processors)
    times = session.times(side)
    matched = times.get(Size(crowd.processors, crowd.processors))
    return times[crowd] / matched if matched and crowd in times else None


def cost_of_quota(session: Session, side: str) -> float | None:
    """The time under a quota of half of the processors, to that on half of them."""
    quota = session.points.get((side, limited(session.processors)))
    half = session.times(side).get(Size(max(1, session.processors // 2), max(1, session.processors // 2)))
    return quota.least / half if quota and quota.times and half else None


@dataclass(frozen=True)
class Predicted:
    """`seconds` of the model; `low` and `high` of all that it finds credible, and `low` at least what the trace has."""

    side: str
    size: Size
    seconds: float
    low: float
    high: float


def predicted(session: Session, side: str, size: Size) -> Predicted:
    """For a runtime that has a model."""
    model = session.models[side]
    low, high = model.range(size)
    least = by_trace(session, side, size) if size.processors > session.processors else 0.0
    return Predicted(side, size, max(model.time(size), least), max(low, least), max(high, least))


def farther(session: Session) -> list[Predicted]:
    """With more processors than are here."""
    sizes = [Size(session.processors * k, session.processors * k) for k in FARTHER]
    return [predicted(session, side, size) for side in session.models for size in sizes]


def by_trace(session: Session, side: str, size: Size) -> float:
    """The least that the program takes by its trace, of the time of one thread. Zero where nothing is known: the trace
    has fewer threads than these processors, or one thread was not measured."""
    one, trace = session.times(side).get(Size(1, 1)), session.trace
    if one is None or trace is None:
        return 0.0
    # The steps of the trace are those of its own threads. Another team has them elsewhere, and takes at least as long
    # as these do on the next larger number of processors to which they can be dealt evenly.
    even = [p for p in trace.seconds if p >= size.processors and trace.threads % p == 0]
    places = [size.processors] if size.threads == trace.threads and size.processors in trace.seconds else even[:1]
    return one * trace.share(places[0]) if places else 0.0


def useful(trace: Staircase) -> int:
    """The least number of processors on which the traced threads do as well as each on its own."""
    return min(p for p, s in trace.seconds.items() if s <= AS_GOOD * min(trace.seconds.values()))
