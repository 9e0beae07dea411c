"""Time against threads and processors: a sum of a few terms, whose weights are found from what was measured.

A term says how a part of the program's time depends on M threads and P processors. Weights are times, and never
negative. Which terms a program has is found by cross validation: each size in turn is predicted from the others.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import ceil, log2

import numpy as np

from weir.advising.sizes import Size


@dataclass(frozen=True)
class Term:
    """`of`: the part's time where its weight is 1, from members and processors."""

    name: str
    about: str
    of: Callable[[int, int], float]


SERIAL = Term("serial", "what one thread does while the others wait", lambda m, p: 1.0)
# Equal pieces, one for each thread, which stay on their processors: the fullest has ceil(M/P) of them, each 1/M of the
# work [paper 000, section 4.2].
DEALT = Term("dealt", "work in equal pieces, one for each thread", lambda m, p: ceil(m / p) / m)
# Pieces that whoever is free takes: tasks, dynamic loops, threads that the kernel moves.
SHARED = Term("shared", "work in pieces that any thread takes", lambda m, p: 1 / min(m, p))
# Each thread has its own work, as the paper's synthetic program: more threads do more.
EACH = Term("each", "work that each thread has for itself", lambda m, p: float(ceil(m / p)))
# Overheads T_p - T_s/p [paper 003, section II], of all regions and barriers together.
TEAM = Term("team", "what a team costs that one thread does not", lambda m, p: float(m > 1))
TURNS = Term("turns", "threads that take turns on a processor", lambda m, p: float(ceil(m / p) - 1))
CROWDED = Term("crowded", "what a team costs whose threads share processors", lambda m, p: float(m > p > 1))
SIGNALS = Term("signals", "signals between processors", lambda m, p: log2(min(m, p)))


def _slowed(division: Term) -> Term:
    """Processors that compute at the same time have each other's core, caches or memory to share."""
    about = f"{division.about}: how much slower beside other processors"
    return Term(f"slowed-{division.name}", about, lambda m, p: division.of(m, p) * (1 - 1 / min(m, p)))


def saturated(most: float) -> Term:
    """A memory that keeps up with so many processors, and with no more."""
    return Term(f"saturated-{most:g}", f"work that {most:g} processors saturate", lambda m, p: 1 / min(m, p, most))


WORK = (DEALT, SHARED, EACH)
OVERHEADS = (TEAM, TURNS, CROWDED, SIGNALS)
MOST = 3  # terms beside the serial part and the work: a few sizes tell no more of them apart
NEAR = 1.25  # a form whose error is at most this many times the least is credible, too


@dataclass(frozen=True)
class Fit:
    """`weights`: of each term, in seconds. `crossed`: of each size but the anchors what the others predict."""

    terms: tuple[Term, ...]
    weights: tuple[float, ...]
    crossed: Mapping[Size, float]
    errors: tuple[float, ...]  # relative, of these

    @property
    def error(self) -> float:
        """The root of the mean square."""
        return float(np.sqrt(np.mean(np.square(self.errors))))

    @property
    def worst(self) -> float:
        return max(map(abs, self.errors))

    def time(self, size: Size) -> float:
        return float(_row(self.terms, size) @ np.array(self.weights))


@dataclass(frozen=True)
class Model:
    """`best`: the form that predicts best; `credible`: those that do so nearly as well, with it."""

    best: Fit
    credible: tuple[Fit, ...]

    def time(self, size: Size) -> float:
        return self.best.time(size)

    def range(self, size: Size) -> tuple[float, float]:
        """Of all credible forms, and by as much more as the best one missed what it did not know."""
        times = [fit.time(size) for fit in self.credible]
        return min(times) * (1 - min(self.best.worst, 0.9)), max(times) * (1 + self.best.worst)


def _row(terms: Sequence[Term], size: Size) -> np.ndarray:
    return np.array([term.of(size.members, size.processors) for term in terms])


def _weights(terms: Sequence[Term], times: Mapping[Size, float]) -> np.ndarray:
    """The least squares of relative errors, with no weight below zero: of few terms all subsets can be tried."""
    seconds = np.array(list(times.values()))
    table = np.array([_row(terms, size) for size in times]) / seconds[:, None]
    best, least = np.zeros(len(terms)), np.inf
    for count in range(1, len(terms) + 1):
        for chosen in map(list, combinations(range(len(terms)), count)):
            found = np.linalg.lstsq(table[:, chosen], np.ones(len(seconds)), rcond=None)[0]
            missed = float(((table[:, chosen] @ found - 1) ** 2).sum())
            if (found >= 0).all() and missed < least * (1 - 1e-9):
                best, least = np.zeros(len(terms)), missed
                best[chosen] = found
    return best


def forms(sizes: Collection[Size]) -> Iterator[tuple[Term, ...]]:
    """With fewer terms than there are sizes: else they would predict nothing. Where memory saturates shows in two
    numbers of processors above that."""
    used = sorted({min(size.members, size.processors) for size in sizes})
    limits = [b for below, above in pairwise(used) for b in (below, (below + above) / 2) if 1 < b < used[-2]]
    for division in (*WORK, *map(saturated, limits)):
        extras = (*([_slowed(division)] if division in WORK else []), *OVERHEADS)
        for count in range(min(MOST, len(sizes) - 3) + 1):
            for more in combinations(extras, count):
                yield SERIAL, division, *more


def anchors(sizes: Iterable[Size]) -> set[Size]:
    """One thread, and the largest team that has a processor for each: they are always measured, and nothing else tells
    what they tell. What is predicted without them is a question that nobody asks."""
    matched = [size for size in sizes if size.quota is None and size.members == size.processors]
    return {min(matched), max(matched)} if matched else set()


def fitted(terms: Sequence[Term], times: Mapping[Size, float]) -> Fit:
    """Needs a size that is no anchor."""
    ends = anchors(times)
    crossed = {}
    for size in times:
        if size not in ends:
            others = {s: t for s, t in times.items() if s != size}
            crossed[size] = float(_row(terms, size) @ _weights(terms, others))
    errors = tuple(crossed[size] / times[size] - 1 for size in crossed)
    return Fit(tuple(terms), tuple(_weights(terms, times)), crossed, errors)


def model(times: Mapping[Size, float]) -> Model | None:
    """None of fewer than three sizes."""
    if not set(times) - anchors(times):
        return None
    fits = sorted((fitted(terms, times) for terms in forms(times)), key=lambda it: (round(it.error, 3), len(it.terms)))
    if not fits:
        return None
    near = tuple(fit for fit in fits if fit.error <= NEAR * fits[0].error)
    return Model(fits[0], near)
