"""The states that a machine alternated between, distinguished by how long a cache line took between two processors.

The processors of a virtual machine are at times hyperthreads of one core, at times cores of one cache, or of two. A
transfer then takes 25, 50 or 200 ns, and barriers follow it: so samples are compared within a state only. Each
sample has a probe before it and one after it (docs/records.md); a sample whose probes are of different states belongs
to none.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import compress, pairwise
from typing import Any

import numpy as np

from weir.base.records import PROBES, Row, machine_names
from weir.base.statistics import FEWEST, unclean

Pair = tuple[float | None, float | None]  # what the probes before and after a sample found, in ns
# What varies within a state, in logarithms: neighbours, where in a line's life a probe begins.
BANDWIDTH = 0.08
STEP = BANDWIDTH / 8
# Between two states the density of probes falls to a quarter of the lesser peak, or lower.
SHALLOWEST_VALLEY = 0.25
# A processor's frequency lengthens a transfer by less than half, and is no state.
LEAST_RATIO = 1.5
# Nor is one what disturbs some probes, each by itself: a state lasts from the probe before a sample to that after it.
# 0 would be chance, 1 always.
LEAST_LASTING = 0.5
FEWEST_PROBES = 10
# From this share of the samples on a state is the usual one: the others are exceptions, and figures are without them.
USUAL = 0.95
NAMES = {2: ("near", "far"), 3: ("near", "middle", "far")}


def percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.01 or share == 0 else f"{share:.1%}"


@dataclass(frozen=True, order=True)
class State:
    """`transfer_ns`: the median of its probes. `share`: of all probes, and so of the time."""

    transfer_ns: float = 0.0
    name: str = ""
    share: float = 1.0

    def words(self) -> str:
        return f"a cache line takes {self.transfer_ns:.0f} ns" if self.name else ""


ANY = State()  # of samples that are not divided


@dataclass(frozen=True)
class States:
    """Of one machine, the nearest first: two at least, or none where nothing tells its samples apart."""

    states: tuple[State, ...] = ()
    borders: tuple[float, ...] = ()  # in ns, one between each two
    samples: int = 0
    between: int = 0  # samples that belong to no state: their probes are of different states, or one is missing

    def of(self, pair: Pair) -> State | None:
        found = {self._index(ns) for ns in pair}
        return self.states[found.pop()] if len(found) == 1 and None not in found else None

    def _index(self, ns: float | None) -> int | None:
        return None if ns is None else bisect_left(self.borders, ns)

    @property
    def usual(self) -> State | None:
        return next((s for s in self.states if s.share >= USUAL), None)

    def words(self) -> str:
        each = [f"{s.transfer_ns:.0f} ns ({percent(s.share)} of the time)" for s in self.states]
        if (usual := self.usual) is not None:
            others = " or ".join(f"{s.transfer_ns:.0f} ns" for s in self.states if s is not usual)
            return (
                f"During {percent(1 - usual.share)} of the time a cache line took {others} from one processor to "
                f"another instead of {usual.transfer_ns:.0f} ns. Those samples are not among the figures."
            )
        return (
            "The processors were at times near each other and at times far, as those of a virtual machine are: a cache "
            f"line took {' or '.join(each)} from one to another. Samples are compared within one of these times. "
            f"{percent(self.between / self.samples)} of the samples are left out: it changed meanwhile, or is "
            "not known."
        )


def tell_apart(pairs: Sequence[Pair]) -> States:
    """Peaks of the density of the probes' logarithms, with deep valleys between them, that are states as said above."""
    probes = np.sort([ns for pair in pairs for ns in pair if ns is not None])
    borders = np.exp(_valleys(np.log(probes))).tolist() if len(probes) >= FEWEST_PROBES else []
    while borders and (weak := _divides_nothing(borders, probes, pairs)) is not None:
        del borders[weak]
    if not borders:
        return States()
    parts = _divided(probes, borders)
    names = NAMES.get(len(parts)) or [f"state {i + 1}" for i in range(len(parts))]
    found = (State(float(np.median(p)), n, len(p) / len(probes)) for p, n in zip(parts, names, strict=True))
    told = States(tuple(found), tuple(borders), len(pairs))
    return replace(told, between=sum(told.of(pair) is None for pair in pairs))


def _divided(probes: np.ndarray, borders: Sequence[float]) -> list[np.ndarray]:
    return np.split(probes, np.searchsorted(probes, borders, "right"))


def _divides_nothing(borders: Sequence[float], probes: np.ndarray, pairs: Sequence[Pair]) -> int | None:
    """Which of the borders has no state on one of its sides, or the same on both; None where there is no such."""
    parts, edges = _divided(probes, borders), [0.0, *borders, np.inf]
    for i in sorted(range(len(parts)), key=lambda i: len(parts[i])):
        if len(parts[i]) < FEWEST_PROBES or _lasting(pairs, edges[i], edges[i + 1]) < LEAST_LASTING:
            beside = [j for j in (i - 1, i + 1) if 0 <= j < len(parts)]
            return min(i, max(beside, key=lambda j: len(parts[j])))
    apart = [np.median(b) / np.median(a) for a, b in pairwise(parts)]
    return int(np.argmin(apart)) if min(apart) < LEAST_RATIO else None


def _valleys(logs: np.ndarray) -> list[float]:
    """The deep minima of the density; `logs` ascend."""
    low, high = logs[0] - 4 * BANDWIDTH, logs[-1] + 4 * BANDWIDTH
    counts, edges = np.histogram(logs, bins=max(1, int(np.ceil((high - low) / STEP))), range=(low, high))
    kernel = np.exp(-0.5 * (np.arange(-32, 33) * STEP / BANDWIDTH) ** 2)
    density = np.convolve(counts, kernel, "same")
    peaks = [i for i in range(1, len(density) - 1) if density[i - 1] < density[i] >= density[i + 1]]
    while len(peaks) > 1:
        saddles = [a + int(np.argmin(density[a:b])) for a, b in pairwise(peaks)]
        depth = [density[s] / min(density[a], density[b]) for s, (a, b) in zip(saddles, pairwise(peaks), strict=True)]
        shallowest = int(np.argmax(depth))
        if depth[shallowest] <= SHALLOWEST_VALLEY:
            break
        a, b = peaks[shallowest : shallowest + 2]
        peaks.remove(a if density[a] < density[b] else b)
    # An empty valley's border lies in its middle.
    middles = []
    for a, b in pairwise(peaks):
        least = np.flatnonzero(density[a:b] == density[a:b].min())
        middles.append(float(edges[a + int(least.mean()) + 1]))
    return middles


def _lasting(pairs: Sequence[Pair], low: float, high: float) -> float:
    """Of the probes between the two: how much more often than by chance the sample's other probe is there as well."""
    inside = np.array([[low < a <= high, low < b <= high] for a, b in pairs if a is not None and b is not None])
    if not inside.any() or inside.all():
        return 0.0
    share = inside.mean()
    return float((inside.all(axis=1).mean() / share - share) / (1 - share))


def pairs_of(row: Row) -> list[Pair] | None:
    """What the probes found around each sample; None where there were none."""
    lists = [row["samples"].get(name) for name in PROBES] if row["kind"] == "overhead" else [None]
    return None if None in lists else list(zip(*lists, strict=True))


def states(rows: Iterable[Row]) -> dict[str, States]:
    """Of each machine that has been in several."""
    rows = list(rows)
    names = machine_names(rows)
    seen: dict[str, list[Pair]] = defaultdict(list)
    for row in rows:
        seen[names.get(row.get("session"), "")] += pairs_of(row) or []
    return {machine: found for machine, pairs in seen.items() if (found := tell_apart(pairs)).states}


def in_words(rows: Iterable[Row], usual: bool | None = None) -> list[str]:
    """For a reader: some sentences for each machine that has been in several. `usual`: only of those that had a usual
    state, or had none."""
    rows = list(rows)
    several = len({row["host"].get("cpu_model") for row in rows if row["kind"] == "machine"}) > 1
    return [
        f"{machine}: {s.words()}" if several else s.words()
        for machine, s in states(rows).items()
        if usual in (None, s.usual is not None)
    ]


def split(rows: Iterable[Row]) -> list[Row]:
    """A row with samples of several states becomes one for each: with the state in `where`, and in `turn` which samples
    they are. A series is kept in each state in which it has samples enough, or else in the one in which it has most.
    A series whose samples outlast a state, or belong to none, is kept whole in each, and `how` says so. Where no series
    of a place has samples enough in any state, or half of them outlast the states, all stay as they are. Of a machine
    with a usual state only the samples of that state are kept, without a word on it: `exceptions` has the others."""
    rows = list(rows)
    names, told = machine_names(rows), states(rows)
    made: list[Row] = []
    places: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        machine = names.get(row.get("session"), "")
        if pairs_of(row) is None or machine not in told or "state" in row["where"]:
            made.append(row)
            continue
        what = row["what"]
        place = (machine, row["where"], row["how"].get("method"), what.get("mpi"), what.get("language"))
        places[repr(place)][repr(what | {"choice": None})].append(row)
    for place in places.values():
        here = told[names.get(next(iter(place.values()))[0].get("session"), "")]
        if here.usual is not None:
            made += [kept for series in place.values() for kept in _usual(series, here)]
            continue
        counts = {name: _count(series, here) for name, series in place.items()}
        lasting = sum(_whole(series, counts[name], here) for name, series in place.items())
        enough = any(n >= FEWEST for count in counts.values() for n in count.values())
        divided = enough and 2 * lasting < len(place)
        for name, series in place.items():
            made += _parts(series, counts[name], here) if divided else series
    return made


def exceptions(rows: Iterable[Row]) -> list[Row]:
    """Of machines with a usual state: the series with samples enough in another one, with that state in `where`."""
    rows = list(rows)
    names, told = machine_names(rows), states(rows)
    made: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        here = told.get(names.get(row.get("session"), ""))
        if here is None or here.usual is None or pairs_of(row) is None:
            continue
        for state in here.states:
            if state is not here.usual and (part := _part(row, here, state)) is not None:
                made[repr((names.get(row.get("session")), row["what"], row["where"], state))].append(part)
    enough = [part for part in made.values() if sum(len(r["samples"]["episode_ns"]) for r in part) >= FEWEST]
    return [row for part in enough for row in part]


def _count(series: list[Row], told: States) -> Counter[State]:
    found = (told.of(pair) for row in series for pair in pairs_of(row))
    return Counter(state for state in found if state is not None)


def _usual(series: list[Row], told: States) -> list[Row]:
    """A series that is never in the usual state is kept as it is."""
    if _whole(series, _count(series, told), told):
        return series
    parts = [part for row in series if (part := _part(row, told, told.usual)) is not None]
    bare = [row | {"where": {k: v for k, v in row["where"].items() if k != "state"}} for row in parts]
    return bare or series


def _whole(series: list[Row], count: Counter[State], told: States) -> bool:
    """Has it samples of no state, or such that outlast one?"""
    return not count or _outlasts([pair for row in series for pair in pairs_of(row)], told)


def _parts(series: list[Row], count: Counter[State], told: States) -> list[Row]:
    if _whole(series, count, told):
        return [
            row | {"where": row["where"] | {"state": state}, "how": row["how"] | {"of_all_states": True}}
            for row in series
            for state in told.states
        ]
    kept = [s for s in told.states if count[s] >= FEWEST] or [s for s, _ in count.most_common(1)]
    return [part for row in series for s in kept if (part := _part(row, told, s)) is not None]


def _outlasts(pairs: Sequence[Pair], told: States) -> bool:
    """Is the state after a sample hardly more often than by chance the same as before it?"""
    both = [(told.of((a, a)), told.of((b, b))) for a, b in pairs if a is not None and b is not None]
    if len(both) < FEWEST:
        return False
    chance = sum(s.share**2 for s in told.states)
    return (sum(a == b for a, b in both) / len(both) - chance) / (1 - chance) < LEAST_LASTING


def _part(row: Row, told: States, state: State) -> Row | None:
    inside = [told.of(pair) == state for pair in pairs_of(row)]
    lists: dict[str, list[Any]] = {"turn": list(range(len(inside)))} | row["samples"]
    samples = {name: list(compress(values, inside)) for name, values in lists.items()}
    how = row["how"]
    if how.get("rejected") is not None:  # perhaps for the samples of another state
        how = how | {"rejected": unclean(samples["episode_ns"])}
    return row | {"where": row["where"] | {"state": state}, "how": how, "samples": samples} if any(inside) else None
