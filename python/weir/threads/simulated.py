"""The simulator's answer to the same programs, on a machine that is fitted to this one."""

import json
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from weir.barriers.comparison import Figure, figures
from weir.barriers.measuring import Bench
from weir.barriers.plan import Part, Session
from weir.base import driver
from weir.base.records import Row
from weir.simulation import calibrate, scenario
from weir.simulation.rows import metric
from weir.simulation.running import Simulation
from weir.threads.experiments import Costs, Program
from weir.threads.rows import of_one_value

POLICIES = {"partition": "partition", "coscheduling": "coscheduling", "shared": "round-robin-process"}
BARRIERS, SPINNING = 200, 300  # of a run; of one whose time has a long pattern
WARMUP = 20
# A yield with nobody to switch to, as a share of a switch by yielding: as for the kernel's (simulation/calibrate.py).
YIELD = 1 / 3
Tell = Callable[[str, int], None]


class Kept:
    """Rows that are wanted as they are, in no file."""

    def __init__(self) -> None:
        self.rows: list[Row] = []

    def write(self, row: Row) -> None:
        self.rows.append(row)


def floor(host: dict[str, Any], processors: list[int]) -> list[Figure]:
    """Transfers between the processors, and the kernel's switch: what a machine file is fitted to."""
    found, _ = driver.subjects()
    floors = tuple(s for s in found if s.family == "floor")
    kept = Kept()
    Bench(Session(processors, [Part(floors, (2,), 1, 10, "none", True, 1.0, 5.0)]), kept).run(host)
    return figures(kept.rows)


class Simulator:
    def __init__(self, host: dict[str, Any], processors: list[int], floor: list[Figure], costs: Costs) -> None:
        self.host, self.processors, self.costs = host | {"affinity": processors}, processors, costs
        self._floor = floor

    def rows(self, programs: dict[Program, float], stated: dict[str, Row], tell: Tell) -> list[Row]:
        """`programs`: with the time that each computes. One scenario for each experiment, kind of threads and way to
        wait: a sweep over all that varies in it. Raises native.NativeError, scenario.BadScenario."""
        groups: dict[tuple[str, ...], dict[Program, float]] = defaultdict(dict)
        for one, compute in programs.items():
            groups[one.experiment, one.threads, one.waiting][one] = compute
        made = []
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            calibrate.fit(folder / "here.toml", self.host, self._floor)
            for (experiment, kind, waiting), group in groups.items():
                path = folder / f"{experiment}-{kind}-{waiting}.toml"
                path.write_text(self._scenario(kind, group), encoding="utf-8")
                kept = Kept()
                running = Simulation(scenario.plan(path), kept, lambda _, n: None)
                running.run()
                if running.interrupted:
                    raise KeyboardInterrupt
                made += self._converted(kept.rows, group, stated[kind])
                tell(f"simulating {experiment}, {kind}", len(group))
        return made

    def _scenario(self, kind: str, programs: dict[Program, float]) -> str:
        one = next(iter(programs))
        switch_us = self.costs.switch_ns[kind] / 1e3
        shares = one.experiment == "policies"
        quantum_us = one.slot_us if shares else self.costs.quantum_ns[kind] / 1e3
        sleep_us = f"sleep_us = {switch_us:g}\nwake_us = {switch_us:g}\nawake_us = 0" if kind == "user" else ""
        sweep = _sweep(programs)
        return f"""machine = "here.toml"
processors = {one.processors}
[system]
policy = "partition"
quantum_us = {quantum_us:g}
switch_us = {switch_us * (1 - YIELD):g}
yield_us = {switch_us * YIELD:g}
{sleep_us}
[[application]]
members = {one.members}
copies = {one.applications}
{f"processors = {one.processors // one.applications}" if shares else ""}
barrier = "{one.barrier}"
waiting = "{one.waiting}"
barriers = {SPINNING if one.waiting == "spin" else BARRIERS}
warmup = {0 if shares else WARMUP}
compute_us = {next(iter(programs.values())) / 1e3}
[sweep]
{sweep}
"""

    def _converted(self, simulated: Iterable[Row], programs: dict[Program, float], costs: Row) -> list[Row]:
        wanted = {_point(one, compute): (one, compute) for one, compute in programs.items()}
        made = []
        for row in simulated:
            if row["kind"] != "simulation" or (key := tuple(row["chosen"].values())) not in wanted:
                continue
            one, compute = wanted[key]
            if one.experiment == "policies":
                computed = one.all_members * compute
                episode = computed / (one.processors * metric(row, "efficiency"))
            else:
                episode = metric(row, "episode")
            made_row = of_one_value(one, [episode], compute, "simulated", costs, run=row["seed"])
            made.append(made_row | {"how": made_row["how"] | {"method": "simulation"}})
        return made


# What a sweep may vary, and a program's value of it.
KEYS: dict[str, Callable[[Program, float], Any]] = {
    "application.barrier": lambda one, _: one.barrier,
    "application.members": lambda one, _: one.members,
    "application.compute_us": lambda _, compute: compute / 1e3,
    "application.distribution": lambda one, _: one.distribution,
    "system.policy": lambda one, _: POLICIES[one.policy] if one.experiment == "policies" else "partition",
    "processors": lambda one, _: one.processors,
}


def _point(one: Program, compute: float) -> tuple[Any, ...]:
    return tuple(value_of(one, compute) for value_of in KEYS.values())


def _sweep(programs: dict[Program, float]) -> str:
    points = [_point(one, compute) for one, compute in programs.items()]
    values = zip(KEYS, zip(*points, strict=True), strict=True)
    return "\n".join(f"{json.dumps(key)} = {json.dumps(list(dict.fromkeys(given)))}" for key, given in values)
