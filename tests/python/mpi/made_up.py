"""Records of `weir bench mpi` with made-up times: what barriers cost there is known."""

import random

from weir.mpi.plan import Size

COSTS = {"weir": 1.0, "weir:mcs": 3.0, "MPI_Barrier": 2.0}
TEAM_COSTS = {"team": 1.0, "team:sense+mcs": 1.5, "omp+MPI_Barrier": 4.0}


def row(id: str, size: Size, run: int, cost: float, method: str = "consecutive", mpi: str = "openmpi") -> dict:
    dice = random.Random(f"{id} {size} {run}")
    times = [1000 * cost * size.members * dice.uniform(0.95, 1.05) for _ in range(10)]
    none = [0.0] * 10
    return {
        "kind": "overhead",
        "session": "s",
        "source": "measured",
        "what": {"family": "mpi", "id": f"{mpi}:{id}", "algorithm": id, "waiting": "own", "version": "1", "mpi": mpi},
        "where": {
            "members": size.members, "processors": 2, "pinned": False, "load": "none", "delay_ns": 0,
            "processes": size.processes, "threads": size.threads, "nodes": 1, "level": "funneled",
        },
        "how": {"method": method, "run": run, "samples": 10, "inner": 9, "rejected": None, "stopped": None,
                "clock_ns": 300.0 if method == "round-time" else 0.0},
        "samples": {"episode_ns": times, "overhead_ns": times, "reference_ns": none, "cpu_ns": none},
        "cycles_per_ns": 2.5,
    }  # fmt: skip


def made_up(mpi: str = "openmpi") -> list[dict]:
    rows = []
    for run in range(3):
        for processes in (2, 4, 8):
            method = "round-time" if processes == 2 else "consecutive"
            rows += [row(id, Size(processes, 1), run, cost, method, mpi) for id, cost in COSTS.items()]
        for size in (Size(2, 2), Size(4, 2)):
            rows += [row(id, size, run, cost, mpi=mpi) for id, cost in TEAM_COSTS.items()]
        rows.append(row("omp", Size(1, 2), run, 0.5, "round-time", mpi))
    return rows
