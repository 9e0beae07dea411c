"""What Markatos et al. 1991 found, and what becomes of it on this machine.

Each verdict is computed; `why` gives the known reasons for a difference.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median

from weir.base.places import on_fullest
from weir.base.records import Row
from weir.base.screen import ends, two_digits
from weir.simulation import calibrate
from weir.threads.experiments import KINDS, NAMES, POLICIES
from weir.threads.results import PREDICTED, SIMULATED, Point, Results, experiments

WITHIN = 0.25  # of a measured time: a simulated or predicted one agrees
MOST_APART = 0.25  # of the points may lie farther off, where a whole curve agrees
NONE, SMALL = 0.03, 0.10  # "practically zero", and what the paper calls rather small
MOST_NEAR = f"three of four points within {WITHIN:.0%}"
STEP = 0.10  # what its figure 6 shows as a change

LITTLE_TAKEN = 0.03  # of the processors' time, by other programs

FOUND_OUT = (
    "Weir's timer looks at a thread after 50 and 100 µs; one that spins loses the processor then, not at the end of a "
    "quantum."
)
TRANSFERS = (
    "A switch between user-level threads is cheaper than the way of a cache line between two processors, so a barrier "
    "costs lines, and not switches."
)
EEVDF = (
    "Linux ends a quantum at a timer tick after the slice is used up, and lets a thread that has run less go on for "
    "longer: quanta do not alternate strictly."
)
ESTIMATED = (
    f"The simulator's costs of a poll and of an atomic update ({calibrate.POLL_NS:g} and {calibrate.ATOMIC_NS:g} ns) "
    "are estimates, and of the size of a user-level switch."
)
IN_STEP = "The simulator's quanta begin in step on all processors, and nothing disturbs them."


def _why(r: Results, kind: str, *reasons: str) -> str:
    """The known reasons, and other programs, where they had much of the processors."""
    taken = r.taken(kind)
    others = f"Other programs had {taken:.0%} of the processors meanwhile." if taken > LITTLE_TAKEN else ""
    return " ".join(filter(None, [*reasons, others]))


def _why_spinning(r: Results, kind: str) -> str:
    return _why(r, kind, FOUND_OUT if kind == "user" else EEVDF)


@dataclass(frozen=True)
class Finding:
    source: str
    says: str
    threads: str  # in words
    found: str
    holds: bool
    within: str  # the tolerance by which it holds
    why: str = ""


@dataclass(frozen=True)
class Agreement:
    """Of one curve's points with those of another source."""

    experiment: str
    threads: str
    source: str
    points: int
    near: int  # of them, within WITHIN
    ratio: float  # measured over the other, in the median
    least: float
    most: float

    @property
    def agrees(self) -> bool:
        return self.points - self.near <= MOST_APART * self.points

    def words(self) -> str:
        return (
            f"{self.near} of {self.points} points within {WITHIN:.0%}; measured / {self.source} "
            f"{two_digits(self.ratio)} in the median, {ends((self.least, self.most))}"
        )


def agreement(results: Results, kind: str, source: str) -> Agreement | None:
    ratios = [m.episode.value / o.episode.value for m, o in results.pairs(source, threads=kind)]
    if not ratios:
        return None
    near = sum(1 / (1 + WITHIN) <= r <= 1 + WITHIN for r in ratios)
    return Agreement(
        results.experiment, kind, source, len(ratios), near, median(ratios), min(ratios), max(ratios)
    )  # fmt: skip


def agreements(results: Results) -> list[Agreement]:
    found = (agreement(results, kind, source) for kind in KINDS for source in (SIMULATED, PREDICTED))
    return [one for one in found if one is not None]


def why_apart(r: Results, one: Agreement) -> str:
    """The known reasons, where a curve lies apart from the measured one."""
    if one.agrees:
        return ""
    if one.experiment in ("spinning", "blocking"):
        return _why_spinning(r, one.threads)
    if one.experiment == "overhead":
        why = {SIMULATED: ESTIMATED, PREDICTED: TRANSFERS}[one.source]
        return _why(r, one.threads, why if one.threads == "user" else "")
    return _why(r, one.threads, IN_STEP if one.experiment == "policies" else "")


Judge = Callable[[Results, str], Iterable[Finding]]


def _spinning(r: Results, kind: str) -> Iterable[Finding]:
    central, levels = (r.of(threads=kind, barrier=name) for name in ("counter", "dissemination"))
    if central:
        first = central[0]
        quanta = first.episode.value / first.quantum_ns
        yield Finding(
            "section 4.1, figure 1",
            "A central barrier that spins with too few processors takes a whole quantum, however little is computed.",
            NAMES[kind],
            f"{two_digits(quanta)} quanta with {first.compute_ns / first.quantum_ns:.1%} of a quantum of computing",
            0.5 <= quanta <= 1.5,
            "between 0.5 and 1.5 quanta",
            _why_spinning(r, kind),
        )
    both = [(c, d) for c in central for d in levels if c.program.compute_ns == d.program.compute_ns]
    if both:
        ratios = [d.over(c).value for c, d in both]
        yield Finding(
            "section 4.1, figure 1",
            "Below a quantum of computing a spinning barrier of several levels waits for a quantum at each: two levels "
            "take twice as long.",
            NAMES[kind],
            f"{two_digits(ratios[0])} times as long as the central one with least computing",
            1.5 <= ratios[0] <= 2.5,
            "between 1.5 and 2.5 times",
            _why_spinning(r, kind),
        )
        better = sum(ratio >= 1 for ratio in ratios)
        yield Finding(
            "sections 4.1 and 5",
            "Spinning central barriers often outperform spinning barriers of several levels on too few processors.",
            NAMES[kind],
            f"at {better} of {len(ratios)} computing times",
            2 * better >= len(ratios),
            "at half of them or more",
        )
    formula = [m.episode.value / p.episode.value for m, p in r.pairs(PREDICTED, threads=kind, barrier="counter")]
    if formula:
        near = sum(1 / (1 + WITHIN) <= ratio <= 1 + WITHIN for ratio in formula)
        yield Finding(
            "appendix",
            "The time of a central barrier that spins follows the recurrence t_n = min(⌊t_(n−1)⌋ + 1, t_(n−2) + Q).",
            NAMES[kind],
            f"{near} of {len(formula)} points within {WITHIN:.0%}; measured / predicted {ends(formula)}",
            len(formula) - near <= MOST_APART * len(formula),
            MOST_NEAR,
            _why_spinning(r, kind),
        )


def _blocking(r: Results, kind: str) -> Iterable[Finding]:
    share, spin = (r.of(threads=kind, waiting=how) for how in ("share", "spin"))
    if len(share) > 1:
        own = [p.episode.value / (2 * p.compute_ns) for p in share]
        yield Finding(
            "section 4.1, figure 3",
            "Blocking barriers are a smooth function of the computing between them, unlike spinning ones.",
            NAMES[kind],
            f"{ends(own)} times the computing of two threads, over a range of "
            f"{two_digits(share[-1].compute_ns / share[0].compute_ns)}",
            max(own) <= 1 + WITHIN,
            f"within {WITHIN:.0%} at each",
            _why(r, kind),
        )
    both = [(b, s) for b in share for s in spin if b.program.compute_ns == s.program.compute_ns]
    if both:
        ratios = [b.over(s).value for b, s in both]
        yield Finding(
            "section 4.1, figure 3",
            "Blocking barriers perform much better than spinning ones on too few processors.",
            NAMES[kind],
            f"{ends(ratios)} of the spinning time",
            max(ratios) <= 1 + STEP,
            f"at most {1 + STEP:.1f} at each",
            _why(r, kind),
        )


def overhead(r: Results, point: Point) -> tuple[float, float, float] | None:
    """Of a program with two members on each processor: its time beyond twice that of the one with a processor each, as
    the paper's figures 4 and 5 have it. With an interval."""
    one = point.program
    if one.members != 2 * one.processors:
        return None
    like = {"threads": one.threads, "barrier": one.barrier, "members": one.processors, "compute_ns": one.compute_ns}
    alone = r.of(point.source, **like)
    if not alone:
        return None
    ratio = point.over(alone[0])
    low, high = ratio.drawn
    return ratio.value / 2 - 1, low / 2 - 1, high / 2 - 1


def _at_switches(r: Results, kind: str, barrier: str, switches: float) -> float | None:
    """The overhead nearest to so many switches of computing."""
    found = [(p, o) for p in r.of(threads=kind, barrier=barrier) if (o := overhead(r, p)) is not None]
    if not found:
        return None
    point, said = min(
        found, key=lambda f: abs(math.log(max(f[0].program.compute_ns, 1e-9) / f[0].switch_ns / switches))
    )
    return said[0] if 0.6 <= point.program.compute_ns / point.switch_ns / switches <= 1.7 else None


def _overhead(r: Results, kind: str) -> Iterable[Finding]:
    why = _why(r, kind, TRANSFERS if kind == "user" else "")
    for barrier, figure, name, switches, most, words in (
        ("mcs", 4, "tree", 20, SMALL, "below 10 %"),
        ("mcs", 4, "tree", 4, 0.39 + SMALL, "39 %"),
        ("combination", 5, "combination", 4, SMALL, "below 10 %"),
        ("combination", 5, "combination", 20, NONE, "practically none"),
    ):
        if (said := _at_switches(r, kind, barrier, switches)) is not None:
            yield Finding(
                f"section 4.1, figure {figure}",
                f"The overhead of a blocking {name} barrier is {words} with {switches} context switches of computing.",
                NAMES[kind],
                f"{said:.0%}",
                said <= most,
                f"at most {most:.0%}",
                why,
            )


def _processors(r: Results, kind: str) -> Iterable[Finding]:
    most = max((p.program.processors for p in r.of(threads=kind)), default=0)
    points = r.of(threads=kind)
    if not points:
        return
    off = [p.episode.value / (on_fullest(p.program.members, p.program.processors) * p.compute_ns) for p in points]
    yield Finding(
        "section 4.2, figure 6",
        "The completion time follows the largest number of threads on a processor, ⌈M/P⌉.",
        NAMES[kind],
        f"{ends(off)} times ⌈M/P⌉ times the computing, at {len(off)} points",
        sum(o > 1 + STEP for o in off) <= MOST_APART * len(off),
        f"three of four points within {STEP:.0%}",
        _why(r, kind),
    )
    fewer, full = (
        {p.program.barrier: p for p in r.of(threads=kind, processors=most, members=members)}
        for members in (most + 1, 2 * most)
    )
    both = [full[name].over(fewer[name]).value for name in fewer if name in full]
    if both and most > 1:
        yield Finding(
            "section 4.2",
            "A team with one processor too few takes as long as with half of the processors that it has threads for.",
            NAMES[kind],
            f"{2 * most} threads on {most} processors take {ends(both)} times as long as {most + 1}",
            all(abs(ratio - 1) <= STEP for ratio in both),
            f"within {STEP:.0%}",
            _why(r, kind),
        )


def _policies(r: Results, kind: str) -> Iterable[Finding]:
    def gain(how: str) -> list[tuple[float, float]]:
        """Computing in switches, and how much more efficient partitions are than coscheduling."""
        by = {p: {x.program.compute_ns: x for x in r.of(threads=kind, policy=p, distribution=how)} for p in POLICIES}
        return [
            (x.program.compute_ns / x.switch_ns, by["coscheduling"][at].over(x).value - 1)
            for at, x in by["partition"].items()
            if at in by["coscheduling"]
        ]

    even = [g for switches, g in gain("constant") if switches >= 4]
    if even:
        yield Finding(
            "sections 4.1 and 5",
            "Partitions with combination barriers pay no significant penalty against coscheduling from four context "
            "switches of computing on.",
            NAMES[kind],
            f"with even work, partitions do {min(even):+.0%} at worst",
            min(even) >= -SMALL,
            f"at most {SMALL:.0%} less",
            _why(r, kind),
        )
    uneven = [g for _, g in gain("exponential")]
    if uneven:
        yield Finding(
            "section 4.1",
            "Programs with uneven work overlap computing with waiting on partitions, and gain against coscheduling.",
            NAMES[kind],
            f"with exponential work, partitions do {min(uneven):+.0%} to {max(uneven):+.0%}",
            min(uneven) > 0,
            "the sign alone, at each",
            _why(r, kind),
        )
    loss = [
        s.episode.value / p.episode.value
        for p in r.of(threads=kind, policy="partition", distribution="constant")
        for s in r.of(threads=kind, policy="shared", distribution="constant", compute_ns=p.program.compute_ns)
    ]
    if loss:
        yield Finding(
            "section 1",
            "Partitions outperform processors that all threads share.",
            NAMES[kind],
            f"shared processors take {ends(loss)} times as long",
            median(loss) > 1,
            "in the median",
        )


JUDGES: dict[str, Judge] = {
    "spinning": _spinning,
    "blocking": _blocking,
    "overhead": _overhead,
    "processors": _processors,
    "policies": _policies,
}


def findings(results: Results) -> list[Finding]:
    return [one for kind in KINDS if results.of(threads=kind) for one in JUDGES[results.experiment](results, kind)]


def finding(rows: list[Row]) -> str:
    """One sentence: how much of 1991 holds here."""
    found = [one for results in experiments(rows) for one in findings(results)]
    if not found:
        return "The records do not show what the conclusions of Markatos et al. 1991 are worth here."
    words = []
    for kind in KINDS:
        held = [one.holds for one in found if one.threads == NAMES[kind]]
        if held:
            words.append(f"{sum(held)} of {len(held)} hold on {NAMES[kind]}")
    return f"Of what Markatos et al. found in 1991, {' and '.join(words)}."
