"""Markatos et al. 1991: barriers whose threads spin, with fewer processors than threads."""

from weir.base.screen import nanoseconds
from weir.prediction import formulas as predict
from weir.simulation.findings.finding import Finding, Judge
from weir.simulation.results import Results

QUANTUM_MS = 20


def _spinning(r: Results) -> list[Finding]:
    times = r.swept("compute_us")
    barriers = r.points[0][0]["applications"][0]["episodes"]

    def ms(barrier: str, us: float) -> float:
        return r.value("episode", barrier=barrier, compute_us=us) / 1e6

    below = [ms("counter", us) for us in times if us < 10_000]
    exact = [
        (
            us,
            r.value("completion", barrier="counter", compute_us=us) / 1e6,
            predict.recurrence(QUANTUM_MS, us / 1e3, barriers)[-1],
        )
        for us in times
    ]
    off = max(abs(ended - float(said)) for _, ended, said in exact)
    between = [us for us in times if 10_000 < us < 20_000]
    approximate = max(
        abs(
            r.value("completion", barrier="counter", compute_us=us)
            / 1e6
            / float(predict.approximation(QUANTUM_MS, us / 1e3, barriers))
            - 1
        )
        for us in between
    )
    tree_off = [
        us
        for us in times
        if abs(ms("mcs", us) - float(predict.tree_quanta(16, QUANTUM_MS, us / 1e3)) * QUANTUM_MS) > 0.5
    ]
    better = [us for us in times if ms("mcs", us) < ms("counter", us) - 1e-6]
    faster = [us for us in times if ms("counter", us) < ms("mcs", us) - 1e-6]
    multiples = [us for us in times if 0 < -us % (QUANTUM_MS * 1000) <= 100]
    apart = max(abs(ms("mcs", us) / ms("counter", us) - 1) for us in multiples)
    return [
        Finding(
            "section 4.1, figure 1",
            "A central barrier takes 20 ms, one quantum, where computing takes less than half the quantum.",
            f"{min(below):.2f} to {max(below):.2f} ms",
            all(abs(t - QUANTUM_MS) < 0.1 for t in below),
            "within 0.1 ms at each",
        ),
        Finding(
            "section 4.1",
            "Above half the quantum a program of N central barriers takes about N (2R - 1)/R quanta, R = "
            "ceil(1/(Q/T - 1)) "
            "(as the appendix derives it; section 4.1 prints T for the quantum).",
            f"within {approximate:.1%} of it between Q/2 and Q",
            approximate < 0.02,
            "within 2 % at each",
        ),
        Finding(
            "appendix",
            "The progress of the two groups of threads is t(n) = min(floor(t(n-1)) + 1, t(n-2) + Q).",
            f"{barriers} barriers end when the recurrence says, at all {len(times)} compute times; the largest "
            f"difference is {nanoseconds(off * 1e6)}",
            off < 1e-6,
            "to the nanosecond",
        ),
        Finding(
            "section 4.1, figure 1",
            "A tree barrier takes 40 ms, two quanta, even where there is almost nothing to compute.",
            f"{ms('mcs', times[0]):.2f} ms with {times[0] / 1e3:g} ms of computing",
            abs(ms("mcs", times[0]) - 2 * QUANTUM_MS) < 0.5,
            "within 0.5 ms",
        ),
        Finding(
            "section 4.1",
            "A tree barrier of P processes takes ceil(log4 P) ceil(T/Q) quanta.",
            f"so at {len(times) - len(tree_off)} of {len(times)} compute times",
            not tree_off,
            "within 0.5 ms at each",
        ),
        Finding(
            "section 4.1, figure 2",
            "In simulation tree barriers are never better than central ones.",
            f"better at {len(better)} of {len(times)} compute times",
            not better,
            "at each compute time",
        ),
        Finding(
            "section 4.1, figure 2",
            "In simulation the two are nearly the same where computing takes a multiple of the quantum.",
            f"{apart:.1%} apart where it takes 0.1 ms less",
            apart < 0.01,
            "within 1 %",
        ),
        Finding(
            "section 5",
            "Spinning centralized barriers often outperform spinning tree barriers on too few processors.",
            f"at {len(faster)} of {len(times)} compute times",
            2 * len(faster) > len(times),
            "at half of them or more",
        ),
    ]  # fmt: skip


def _butterfly(r: Results) -> list[Finding]:
    times = r.swept("compute_us")

    def ms(barrier: str, us: float) -> float:
        return r.value("episode", barrier=barrier, compute_us=us) / 1e6

    little_less = [us for us in times if 0 < -us % (QUANTUM_MS * 1000) <= 500]
    better = [us for us in little_less if ms("mcs", us) < ms("counter", us)]
    central = [us for us in times if ms("counter", us) < ms("mcs", us)]
    nearest = {us: f"{ms('counter', us):.2f} and {ms('mcs', us):.2f} ms at {us / 1e3:g}" for us in little_less}
    return [
        Finding(
            "section 4.1, figure 1",
            "On the Butterfly tree barriers are better where computing takes a little less than a multiple of the "
            "quantum.",
            f"at {len(better)} of {len(little_less)}; central and tree take {', '.join(nearest.values())}",
            len(better) == len(little_less),
            "at each such compute time",
            "A tenth of a millisecond below a multiple the two are within 0.05 ms of each other. How long a memory "
            "module serves a reference decides, and is estimated in the machine's file.",
        ),
        Finding(
            "section 4.1, figure 1",
            "On the Butterfly central barriers are better than trees in nearly all cases.",
            f"at {len(central)} of {len(times)} compute times",
            10 * len(central) >= 9 * len(times),
            "at nine of ten",
        ),
    ]


def _placement(r: Results) -> list[Finding]:
    def times(processors: int) -> list[float]:
        """How many times as long neighbours on one processor take, at each compute time."""
        return [
            r.value("episode", placement="by-blocks", processors=processors, compute_us=us)
            / r.value("episode", placement="by-turns", processors=processors, compute_us=us)
            for us in r.swept("compute_us")
        ]

    most = r.swept("processors")[-1]
    fewer = {p: times(p) for p in r.swept("processors")[:-1]}
    least, longest = min(map(min, fewer.values())), max(map(max, fewer.values()))
    return [
        Finding(
            "footnote 4",
            "Of 16 threads on 15 processors any placement is as good.",
            f"neighbours on one processor take {min(times(most)):.2f} to {max(times(most)):.2f} times as long",
            all(abs(t - 1) < 0.01 for t in times(most)),
            "within 1 % at each",
        ),
        Finding(
            "footnote 4",
            "With fewer processors inner nodes should not share one.",
            f"neighbours on one processor take {least:.1f} to {longest:.1f} times as long, on "
            f"{', '.join(map(str, fewer))} processors",
            least > 1.1,
            "10 % at each",
        ),
    ]


SPINNING: dict[str, Judge] = {
    "000-spinning": _spinning,
    "000-spinning-butterfly": _butterfly,
    "000-placement": _placement,
}
