"""What the formulas say of a program (weir predict), with this machine's costs."""

from collections.abc import Callable
from fractions import Fraction

from weir.base.places import on_fullest
from weir.base.records import Row
from weir.prediction import formulas
from weir.threads.experiments import Costs, Program
from weir.threads.rows import of_one_value

BARRIERS = 500  # of a run whose mean is predicted, as in the paper's figures 1 and 2
LEVELS = {"mcs": 4, "dissemination": 2}  # members that meet at a level
BLOCKING = {"counter": "central", "mcs": "tree", "combination": "combination"}
Formula = Callable[[Program, Costs, Fraction], tuple[Fraction, str] | None]


def _spinning(one: Program, costs: Costs, compute: Fraction) -> tuple[Fraction, str] | None:
    quantum = Fraction(costs.quantum_ns[one.threads])
    if one.barrier in LEVELS:
        try:
            quanta = formulas.tree_quanta(one.members, quantum, compute, LEVELS[one.barrier])
        except ValueError:  # of one level: it waits like a central barrier
            pass
        else:
            if formulas.tree_levels(one.members, LEVELS[one.barrier]) > 1:
                return quanta * quantum, "ceil(log P) ceil(T/Q) Q"
    done = formulas.recurrence(quantum, compute, BARRIERS)
    return done[-1] / BARRIERS, "t_n = min(floor(t_(n-1)) + 1, t_(n-2) + Q)"


def _blocking(one: Program, costs: Costs, compute: Fraction) -> tuple[Fraction, str] | None:
    if one.waiting == "spin":
        return _spinning(one, costs, compute)
    switch = Fraction(costs.switch_ns[one.threads])
    said = formulas.blocking(BLOCKING[one.barrier], one.members, one.processors, switch, compute)
    return said.episode, "ceil(M/P) T + s c"


def _staircase(one: Program, _: Costs, compute: Fraction) -> tuple[Fraction, str] | None:
    return on_fullest(one.members, one.processors) * compute, "ceil(M/P) T"


def _policies(one: Program, costs: Costs, compute: Fraction) -> tuple[Fraction, str] | None:
    """Of the shared processors nothing is said. Uneven times: the longest of M has the mean T (1 + 1/2 + ... + 1/M);
    members of one processor compute in turn, and the sum of their times has the mean M T."""
    if one.policy == "coscheduling" and one.members <= one.processors:
        longest = sum(Fraction(1, m) for m in range(1, one.members + 1)) if one.distribution == "exponential" else 1
        return one.applications * longest * compute, "A T H_M" if longest != 1 else "A T"
    own = one.processors // one.applications
    if one.policy == "partition" and (own == 1 or one.distribution == "constant"):
        switch = Fraction(costs.switch_ns[one.threads])
        said = formulas.blocking(BLOCKING[one.barrier], one.members, own, switch, compute)
        return said.episode, "ceil(M/P) T + s c"
    return None


FORMULAS: dict[str, Formula] = {
    "spinning": _spinning,
    "blocking": _blocking,
    "overhead": _blocking,
    "processors": _staircase,
    "policies": _policies,
}


def rows(programs: dict[Program, float], costs: Costs, stated: dict[str, Row]) -> list[Row]:
    """`programs`: with the time that each computes; `stated`: the costs as rows have them, by kind."""
    made = []
    for one, compute_ns in programs.items():
        if said := FORMULAS[one.experiment](one, costs, Fraction(compute_ns)):
            episode, formula = said
            row = of_one_value(one, [float(episode)], compute_ns, "predicted", stated[one.threads], formula=formula)
            made.append(row | {"how": row["how"] | {"method": "formula"}})
    return made
