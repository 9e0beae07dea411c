"""Decides by the figures of one team size whether another barrier is faster than the usual one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from weir.barriers.comparison import Comparison, Figure, figures, places
from weir.base.records import Row
from weir.base.statistics import Interval
from weir.tuning.plan import CLOSE, MOST_CLOSE, Team

LEAST_GAIN = 0.05
FEWEST_RUNS = 3  # in fewer one cannot see how much runs differ


@dataclass(frozen=True)
class Finding:
    """`barrier`: what is faster than the usual one; None: nothing is, or it is not known (`undecided` says why)."""

    team: Team
    usual: str
    usual_ns: float = 0.0
    barrier: str | None = None
    ns: float = 0.0
    undecided: str = ""

    @property
    def decided(self) -> bool:
        return not self.undecided


def is_faster(one: Interval, usual: Interval) -> bool:
    """By more than the noise: the intervals have nothing in common, and the gain is worth it."""
    known = one.known and usual.known
    return known and one.high < usual.low and one.value <= (1 - LEAST_GAIN) * usual.value


def close(rows: Sequence[Row], team: Team) -> list[str]:
    """After the screening: the ids of the barriers that may be faster, the fastest first."""
    seen: dict[str, list[float]] = {}
    usual: list[float] = []
    for c in _comparisons(rows, team):
        for f in c.barriers:
            if f.family == "weir":
                (usual if f.is_default else seen.setdefault(f.id, [])).append(f.distribution().median.value)
    if not usual:
        return []
    most = CLOSE * max(max(usual), 0.0)
    # Where the machine has several states, a barrier may be close in one of them.
    return [one for one in sorted(seen, key=lambda one: min(seen[one])) if min(seen[one]) <= most][:MOST_CLOSE]


def was_seen(screened: Sequence[Row], team: Team) -> bool:
    return any(c.default is not None for c in _comparisons(screened, team))


def not_close(screened: Sequence[Row], team: Team, taken: str) -> Finding:
    """After a screening in which no barrier came close to the usual one."""
    here = [c.default for c in _comparisons(screened, team) if c.default is not None]
    return Finding(team, taken, max(_mean(here), 0.0))


def judge(rows: Sequence[Row], team: Team, taken: str) -> Finding:
    """By all states of the machine that were seen often enough: what is taken must be faster in each."""
    compared = [c for c in _comparisons(rows, team) if c.default is not None and len(c.default.rows) >= FEWEST_RUNS]
    if not compared:
        return Finding(team, taken, undecided="too little time")
    usual_ns = _mean([c.default for c in compared])
    if any(c.default.in_the_noise for c in compared):
        return Finding(team, taken, max(usual_ns, 0.0))  # nothing can be told from no overhead
    by_name = {
        f.algorithm: _everywhere(compared, f.algorithm) for c in compared for f in c.barriers if not f.is_default
    }
    times = {name: _mean(found) for name, found in by_name.items() if found}
    faster = [name for name, found in by_name.items() if found and _wins(compared, found)]
    best = min(faster, key=lambda name: times[name], default=None)
    return Finding(team, taken, usual_ns, best, max(times[best], 0.0) if best else 0.0)


def of_intervals(team: Team, taken: str, found: Mapping[str, Interval]) -> Finding:
    """Of a simulation; `found` has the usual barrier, too."""
    usual = found.get(taken)
    others = {name: interval for name, interval in found.items() if name != taken}
    if usual is None or not others:
        return Finding(team, taken, undecided="the simulation failed")
    best = min((n for n in others if is_faster(others[n], usual)), key=lambda n: others[n].value, default=None)
    return Finding(team, taken, usual.value, best, others[best].value if best else 0.0)


def _comparisons(rows: Sequence[Row], team: Team) -> list[Comparison]:
    all_figures = figures(list(rows))
    here = [p for p in places(all_figures) if p.members == team.members and p.pinned == team.bound]
    return [Comparison(all_figures, place) for place in here]


def _everywhere(compared: Sequence[Comparison], algorithm: str) -> list[Figure]:
    """Its figure in each state; none where it lacks one."""
    found = [f for c in compared for f in c.barriers if f.algorithm == algorithm and f.family == "weir"]
    return found if len(found) == len(compared) else []


def _wins(compared: Sequence[Comparison], found: Sequence[Figure]) -> bool:
    enough = all(len(f.rows) >= FEWEST_RUNS for f in found)
    pairs = zip(found, compared, strict=True)
    return enough and all(is_faster(f.distribution().median, c.default.distribution().median) for f, c in pairs)


def _mean(found: Sequence[Figure]) -> float:
    return sum(f.distribution().median.value for f in found) / len(found)
