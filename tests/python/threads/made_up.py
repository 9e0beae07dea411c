"""Rows of the experiments on a made-up machine."""

from collections.abc import Callable

from weir.threads import predicted
from weir.threads.experiments import EXPERIMENTS, KINDS, Costs, Program
from weir.threads.rows import of_cost, of_one_value, of_program

COSTS = Costs({"kernel": 1300.0, "user": 28.0}, {"kernel": 4e6, "user": 17e6}, 50.0)
STATED = {k: {"switch_ns": COSTS.switch_ns[k], "quantum_ns": COSTS.quantum_ns[k], "transfer_ns": 50.0} for k in KINDS}
MACHINE = {
    "kind": "machine",
    "id": "s",
    "time": "2026-01-01",
    "host": {"cpu_model": "A <made-up> processor", "online": 2, "affinity": [0, 1], "cycles_per_ns": 2.0},
}
Episode = Callable[[Program], float]


def programs(*names: str, quick: bool = False) -> list[Program]:
    return [p for e in EXPERIMENTS if e.name in (names or (e.name,)) for p in e.programs(COSTS, 2, quick)]


def as_predicted(one: Program) -> float:
    """The formula's time; where there is none, twice the computing."""
    found = predicted.rows({one: one.compute_ns}, COSTS, STATED)
    return found[0]["samples"]["episode_ns"][0] if found else 2 * one.all_members * one.compute_ns / one.processors


def measured(one: Program, episode_ns: float, had: float = 1.0, samples: int = 6) -> dict:
    """Of members that had so much of the processors' time."""
    episodes = [episode_ns * (1 + 0.001 * i) for i in range(samples)]
    reference = -(-one.all_members // one.processors) * one.compute_ns
    lists = {
        "episode_ns": episodes,
        "reference_ns": [reference] * samples,
        "overhead_ns": [e - reference for e in episodes],
        "cpu_ns": [had * one.processors * e for e in episodes],
    }
    return of_program(one, "s", "measured", STATED[one.threads], samples=samples, inner=1) | {"samples": lists}


def cost_rows() -> list[dict]:
    made = []
    for kind in KINDS:
        for name, ns in (("switch", COSTS.switch_ns[kind]), ("quantum", COSTS.quantum_ns[kind])):
            lists = {n: [ns] * 3 for n in ("episode_ns", "overhead_ns", "cpu_ns")} | {"reference_ns": [0.0] * 3}
            made.append(of_cost(name, kind, "s", lists))
    return made


def rows(chosen: list[Program], episode: Episode = as_predicted, had: float = 1.0) -> list[dict]:
    """Measured as `episode` says, simulated as 1.1 times of what is predicted, and predicted."""
    made = [MACHINE, *cost_rows(), *(measured(one, episode(one), had) for one in chosen)]
    computed = {one: one.compute_ns for one in chosen}
    for one in chosen:
        stated = STATED[one.threads]
        made.append(of_one_value(one, [1.1 * as_predicted(one)], one.compute_ns, "simulated", stated))
    return [*made, *predicted.rows(computed, COSTS, STATED)]
