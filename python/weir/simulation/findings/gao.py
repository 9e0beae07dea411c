"""Gao et al. 2021: a tournament of four with padded flags and a wake-up tree by nodes, on three ARMv8 machines."""

from math import prod

from weir.base.screen import nanoseconds
from weir.simulation.findings.finding import Finding, Judge
from weir.simulation.findings.published import GAINS, OURS_OF_GAO
from weir.simulation.results import Results

KNOWN = ("sense", "dissemination", "mcs", "tournament")  # before the paper
WITHIN = 1.35  # of a ratio

WHY_LLVM = (
    "The simulated barrier is the tree of LLVM's runtime alone, with a plain store for each signal. The runtime also "
    "updates its flags atomically, and looks at tasks, settings and sleepers at each barrier; the simulation has none "
    "of it."
)
WHY_GCC = "The simulated barrier is GCC's counter and the word that all read; who sleeps and wakes is left out."


def _arm(r: Results) -> list[Finding]:
    most = r.swept("members")[-1]
    machines = r.swept("machine")

    def time(machine: str, barrier: str) -> float:
        return r.value("overhead", machine=machine, barrier=barrier, members=most)

    def mean_gain(*barriers: str) -> tuple[float, list[float]]:
        """How many times longer the best of these takes than the new one: the geometric mean, and each machine's.

        The abstract does not say which mean it takes.
        """
        each = [min(time(m, b) for b in barriers) / time(m, OURS_OF_GAO) for m in machines]
        return prod(each) ** (1 / len(each)), each

    fastest = {m: min(r.swept("barrier"), key=lambda b, m=m: time(m, b)) for m in machines}
    found = [
        Finding(
            "abstract",
            "The new tournament is the fastest on all three machines.",
            f"at {most}: " + ", ".join(f"{m} {b} ({nanoseconds(time(m, b))})" for m, b in fastest.items()),
            set(fastest.values()) == {OURS_OF_GAO},
            "the order alone",
        )
    ]
    compared = (
        ("GCC", "GCC's barrier (sense)", ("sense",), WHY_GCC),
        ("LLVM", "LLVM's barrier (tree)", ("tree",), WHY_LLVM),
        ("known", "the best known before", KNOWN, ""),
    )
    for key, words, barriers, why in compared:
        mean, each = mean_gain(*barriers)
        found.append(
            Finding(
                "abstract",
                f"The new tournament is {GAINS[key]} times as fast as {words}.",
                f"{mean:.2g} times in the geometric mean: "
                + ", ".join(f"{m} {g:.2g}" for m, g in zip(machines, each, strict=True)),
                1 / WITHIN <= mean / GAINS[key] <= WITHIN,
                f"within a factor of {WITHIN}",
                why,
            )
        )
    return found


JUDGES: dict[str, Judge] = {"005-arm": _arm}
