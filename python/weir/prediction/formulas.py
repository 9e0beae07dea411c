"""The formulas of paper 000 (Markatos et al., TR 380, 1991) for barriers of teams that share processors.

Each thread stays on its processor; a processor serves its threads round-robin, a quantum each (section 3.2).
All threads compute for the same time between two barriers (section 4.1). Barrier code itself takes no time.

Times may be in any one unit; a result is in the unit of what was given. Numbers are computed exactly, as
fractions (a float is taken for the decimal it prints as), since the formulas round down and up.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from weir.base.places import on_fullest

Number = int | float | Fraction

MOST_QUANTA = 2_000_000  # a few seconds


def exact(value: Number, what: str) -> Fraction:
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{what} must be a finite number, not {value}")
        return Fraction(repr(float(value)))
    return Fraction(value)


def _times(quantum: Number, compute: Number) -> tuple[Fraction, Fraction]:
    q, t = exact(quantum, "the quantum"), exact(compute, "the compute time")
    if q <= 0:
        raise ValueError(f"the quantum must be longer than 0, not {float(q):g}")
    if t < 0:
        raise ValueError(f"the compute time between barriers cannot be negative, as {float(t):g} is")
    return q, t


def _at_least(value: int, least: int, what: str) -> int:
    if value < least:
        raise ValueError(f"{what} must be at least {least}, not {value}")
    return value


# Spinning at a central barrier


def check_shared_by_two(threads: int, processors: int) -> None:
    """The appendix holds for T/2 <= P < T: at least one processor has two threads, and none has more."""
    _at_least(threads, 2, "the number of threads")
    _at_least(processors, 1, "the number of processors")
    if processors >= threads:
        raise ValueError(
            f"{threads} threads on {processors} processors share none, and no barrier waits for a quantum; "
            f"the formula is for at most {threads - 1} processors"
        )
    if 2 * processors < threads:
        raise ValueError(
            f"{threads} threads on {processors} processors put {on_fullest(threads, processors)} on one; the formula "
            f"is for at most two, that is for {math.ceil(threads / 2)} to {threads - 1} processors (simulate this case)"
        )


def progress(quantum: Number, compute: Number) -> Iterator[Fraction]:
    """t_0, t_1, ...: how many barriers' worth of computing the group that runs in quantum n has behind it at its end.

    Appendix: t_n = min(floor(t_{n-1}) + 1, t_{n-2} + Q), Q in units of the compute time. The appendix gives t_0 = 1
    and t_1 = Q, for 1 < Q < 2. Beginning with t_{-2} = t_{-1} = 0 gives the same there and holds for every Q:
    t_0 = min(1, Q), and t_1 = min(2, Q), without which footnote 9 (t_n = n + 1 for Q > 2) would not follow.
    """
    q, t = _times(quantum, compute)
    if t == 0:
        raise ValueError("progress is counted in compute times, so the compute time must be longer than 0")
    q /= t
    before, last = Fraction(0), Fraction(0)
    while True:
        before, last = last, min(Fraction(math.floor(last) + 1), before + q)
        yield last


def recurrence(quantum: Number, compute: Number, barriers: int) -> list[Fraction]:
    """When each of the first `barriers` barriers is complete: the appendix's recurrence, inverted exactly.

    Barrier N is complete when the second group reaches it: in quantum n, the one after the first with t >= N, at
    n Q + (N - t_{n-2}). Holds for any ratio of quantum and compute time. Without any computing the second group
    reaches each barrier at the beginning of its quantum.
    """
    q, t = _times(quantum, compute)
    _at_least(barriers, 1, "the number of barriers")
    if t == 0:
        return [n * q for n in range(1, barriers + 1)]
    if (quanta := barriers * max(2, math.ceil(2 * t / q))) > MOST_QUANTA:
        raise ValueError(
            f"{barriers} barriers take about {quanta:,} quanta, more than the {MOST_QUANTA:,} computed at most; "
            "take fewer barriers (the average is the same), a longer quantum or a shorter compute time"
        )
    # In whole numbers: t_n, times the compute time, in a unit that divides both times.
    unit = math.lcm(q.denominator, t.denominator)
    whole_q, whole_t = int(q * unit), int(t * unit)
    completed: list[Fraction] = []
    n, before, last = 0, 0, 0  # `last` is t_{n-1}
    while len(completed) < barriers:
        following = min((last // whole_t + 1) * whole_t, before + whole_q)
        # The group of quantum n passes at most one barrier that the other has reached but itself had not.
        target = (len(completed) + 1) * whole_t
        if last >= target:
            completed.append(Fraction(n * whole_q + target - before, unit))
        n, before, last = n + 1, last, following
    return completed


@dataclass(frozen=True)
class Pattern:
    """What repeats (appendix): `barriers` R are completed every `quanta` L."""

    barriers: int
    quanta: int


def pattern(quantum: Number, compute: Number) -> Pattern:
    """Appendix: R = ceil(1 / (Q/T - 1)) barriers every L = 2R - 1 quanta, for T < Q.

    From Q = 2T on R = 1: one barrier a quantum (section 4.1, footnote 9). At Q = T, where R grows beyond limit,
    every barrier takes two quanta. For T > Q, of which the appendix says nothing, each group first spends k whole
    quanta on every barrier and the rest, T - kQ, as above: L = 2R - 1 + 2kR (ours).
    """
    whole, t, q = _split(quantum, compute)
    if t == q:
        return Pattern(1, 2 + 2 * whole)
    r = math.ceil(1 / (q / t - 1)) if t else 1
    return Pattern(r, 2 * r - 1 + 2 * whole * r)


def _split(quantum: Number, compute: Number) -> tuple[int, Fraction, Fraction]:
    """Whole quanta k of computing, what is left of it (0 only without any computing), and the quantum."""
    q, t = _times(quantum, compute)
    whole = max(0, math.ceil(t / q) - 1)
    return whole, t - whole * q, q


def solution(quantum: Number, compute: Number, n: int) -> Fraction:
    """t_n by the appendix's complete solution, for 0 < T < Q.

    t_n = floor(n/L) R + ((n mod L)/2 + 1 if n mod L is even, else ((n mod L) + 1)/2 Q).
    """
    q, t = _times(quantum, compute)
    if not 0 < t < q:
        raise ValueError("the complete solution is for compute times between 0 and the quantum, both excluded")
    p = pattern(q, t)
    rounds, rest = divmod(n, p.quanta)
    return rounds * p.barriers + (Fraction(rest, 2) + 1 if rest % 2 == 0 else Fraction(rest + 1, 2) * q / t)


def closed_form(quantum: Number, compute: Number, barriers: int) -> Fraction:
    """When the last of `barriers` barriers is complete, without stepping: the complete solution, inverted.

    The appendix calls its solution "not directly invertible"; by its cases it is. With N = aR + b, 1 <= b <= R,
    the first group reaches barrier N in quantum aL + 2(b - 1) and the second in the next one, which it began at
    aR + (b - 1)Q (at N - 1 for b = 1). The inversion is ours. For T > Q see `pattern`.
    """
    whole, t, q = _split(quantum, compute)
    before = 2 * whole * _at_least(barriers, 1, "the number of barriers") * q
    if t == q:
        return before + 2 * barriers * q
    if t == 0:
        return barriers * q
    p = pattern(q, t)
    rounds, rest = divmod(barriers - 1, p.barriers)  # a, and b - 1
    return before + (rounds * p.quanta + 2 * rest + 1) * q + (rest + 1) * t - rest * q


def approximation(quantum: Number, compute: Number, barriers: int) -> Fraction:
    """The appendix's approximation, n = (L/R) t_n quanta: N Q (2R - 1)/R. Less than a quantum off.

    Section 4.1 prints N T (2R - 1)/R. The appendix derives quanta, so the factor is Q; with T the time would fall
    below 2NT, which two threads on one processor need for their computing alone. At T = Q they are the same.
    """
    q, _ = _times(quantum, compute)
    _at_least(barriers, 1, "the number of barriers")
    p = pattern(quantum, compute)
    return barriers * q * Fraction(p.quanta, p.barriers)


# Spinning at a tree barrier


def tree_levels(members: int, fan_in: int = 4) -> int:
    """ceil(log_f P), the levels that a context switch can lie between (section 4.1).

    A tree with a thread at each node, inner ones too, can be a level lower than that: 5 threads have one level
    below the root with fan-in 4, and the rule counts two.
    """
    _at_least(members, 1, "the number of threads")
    _at_least(fan_in, 2, "the fan-in")
    levels, reached = 0, 1
    while reached < members:
        levels, reached = levels + 1, reached * fan_in
    return levels


def tree_quanta(members: int, quantum: Number, compute: Number, fan_in: int = 4) -> int:
    """Section 4.1: ceil(log_4 P) x ceil(T/Q) quanta a barrier, here for any fan-in.

    Holds where at least one processor is shared by two. However short the computing is, a level takes a quantum
    ("even if the computation time between two successive barriers is very small"), so no computing counts as little.
    With one level the rule would give less than the 2T that two threads compute, for T > Q/2: ValueError.
    """
    q, t = _times(quantum, compute)
    levels = tree_levels(_at_least(members, 2, "the number of threads"), fan_in)
    quanta = levels * max(1, math.ceil(t / q))
    if quanta * q < 2 * t:
        raise ValueError(
            f"{members} threads at fan-in {fan_in} are a tree of one level, for which the rule holds up to half a "
            f"quantum of computing ({float(q / 2):g}), not {float(t):g}; it waits like a central barrier: predict that"
        )
    return quanta


# Blocking

BLOCKING = ("tree", "central", "combination")


def switches(barrier: str, members: int, processors: int, fan_in: int = 4) -> int:
    """Context switches on a barrier's path, at the most; the closed forms are ours.

    With k = ceil(M/P) > 1 threads on the fullest processor, k - 1 switches let all of them run. A combination barrier
    needs no more: the processor's last to arrive leaves first. At a central barrier the last on a processor may find
    others missing and yields as well: k. In a tree "a context switch may be required at each level" (section 4.1,
    Combination Barriers), on the way up and on the way down: 2 ceil(log_f M) (k - 1).
    """
    _at_least(processors, 1, "the number of processors")
    levels = tree_levels(members, fan_in)
    others = on_fullest(members, processors) - 1
    if barrier not in BLOCKING:
        raise ValueError(f"no formula for a {barrier!r} barrier; there is one for {', '.join(BLOCKING)}")
    return {"tree": 2 * levels * others, "central": others + min(others, 1), "combination": others}[barrier]


@dataclass(frozen=True)
class Blocking:
    """One barrier of a team that blocks: `episode` = `compute` (all that the fullest processor has) + switches."""

    switches: int
    compute: Fraction
    episode: Fraction

    @property
    def overhead(self) -> Fraction:
        return self.episode - self.compute

    @property
    def share(self) -> float:
        """The overhead against the computing, as figures 4 and 5 draw it."""
        return float(self.overhead / self.compute) if self.compute else math.inf if self.overhead else 0.0


def blocking(barrier: str, members: int, processors: int, switch: Number, compute: Number, fan_in: int = 4) -> Blocking:
    """k T + s c: the fullest processor's computing and its switches. Ours, an upper bound.

    Section 4.1 says only that the overhead is "proportional to the number of barriers, the number of levels in the
    barrier tree, and the context switch cost". For 16 threads on 8 processors this gives a tree 10 % at T = 20c and
    50 % at T = 4c (figure 4: 10 %, 39 %), a combination barrier 12.5 % at T = 4c (figure 5: less than 10 %).
    """
    c, t = exact(switch, "the time of a context switch"), exact(compute, "the compute time")
    if c < 0 or t < 0:
        raise ValueError("times cannot be negative")
    count = switches(barrier, members, processors, fan_in)
    own = on_fullest(members, processors) * t
    return Blocking(count, own, own + count * c)


# How many processors a team can use


def useful_processors(threads: int, available: int) -> int:
    """Section 4.2: the least P_M <= P with ceil(M/P_M) = ceil(M/P); a team runs as fast on so many."""
    _at_least(threads, 1, "the number of threads")
    _at_least(available, 1, "the number of available processors")
    return math.ceil(threads / on_fullest(threads, available))


@dataclass(frozen=True)
class Step:
    """From `least` to `most` processors the fullest one has `threads` threads."""

    least: int
    most: int
    threads: int


def staircase(threads: int) -> list[Step]:
    """Figure 6's shape: completion time follows the threads on the fullest of 1 to `threads` processors."""
    steps: list[Step] = []
    least = 1
    while least <= _at_least(threads, 1, "the number of threads"):
        fullest = on_fullest(threads, least)
        most = threads if fullest == 1 else (threads - 1) // (fullest - 1)
        steps.append(Step(least, most, fullest))
        least = most + 1
    return steps
