"""Rows of whole programs on a made-up machine, and made-up programs."""

from pathlib import Path

from weir.workloads import rows
from weir.workloads.programs import GCC, Program
from weir.workloads.rows import AUTO, DEFAULT, KERNEL, OWN, PROFILE, RUN
from weir.workloads.situations import SITUATIONS, Cell

MACHINE = {
    "kind": "machine",
    "id": "s",
    "time": "2026-01-01",
    "host": {"cpu_model": "A <made-up> processor", "online": 2, "affinity": [0, 1], "cycles_per_ns": 2.0},
}
ROUNDS = 8


def cell(program: str = "one", situation: str = "dedicated", team: int = 2, processors: int = 2) -> Cell:
    where = next(one for one in SITUATIONS if one.name == situation)
    return Cell(Program(program, Path(program), GCC, barriers=True), where, team, processors)


def runs(
    where: Cell, runtime: str, seconds: float, barrier: str = DEFAULT, spread: float = 0.001, rounds: int = ROUNDS
):
    """Times scatter by `spread`, and not in step with those on the program's own runtime."""
    by = "" if runtime == OWN else barrier
    made = []
    for run in range(rounds):
        place = run if runtime == OWN else run * 3 % rounds
        scattered = seconds * (1 + spread * (place - (rounds - 1) / 2))
        made.append(rows.timed(rows.row(where, runtime, runtime, by, "s", run, RUN), scattered, 2 * scattered))
    return made


def pair(where: Cell, own: float, weir: float, **how: float) -> list[dict]:
    return runs(where, OWN, own, **how) + runs(where, KERNEL, weir, **how)


def failed(where: Cell, runtime: str, why: str) -> dict:
    return rows.row(where, runtime, runtime, DEFAULT if runtime != OWN else "", "s", 3, RUN, why)


def share(where: Cell, runtime: str, time_s: float, waited_s: float) -> dict:
    return rows.timed(rows.row(where, runtime, runtime, "", "s", 0, PROFILE), time_s, time_s, waited_s)


def script(folder: Path, name: str, text: str) -> Path:
    """A program; $side is own, kernel or auto."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def session_rows() -> list[dict]:
    """As a whole session has them: gains from little to much, barriers, shares, a program that fails."""
    made = [MACHINE]
    for number, name in enumerate(
        ("hydro", "wavefront", "gauss", "paths", "sort", "cholesky", "aspcg", "flow", "blas")
    ):
        for where in SITUATIONS:
            here = cell(name, where.name, 8 if where.name == "crowded" else 2)
            gain = 1.0 if where.name == "dedicated" else 1.0 + number
            made += pair(here, 0.2 * gain, 0.2, spread=0.01) + runs(here, AUTO, 0.19, spread=0.01)
            if where.by_barrier:
                made += [share(here, runtime, 0.2, 0.02 * number) for runtime in (OWN, KERNEL)]
                for rank, barrier in enumerate(("condvar", "sense", "tree") if 1 < number < 6 else ()):
                    made += runs(here, KERNEL, 0.2 + 0.03 * ((rank + number) % 3), barrier, spread=0.01)
    return [*made, failed(cell("network"), KERNEL, "its result differs: 'a' instead of 'b'")]
