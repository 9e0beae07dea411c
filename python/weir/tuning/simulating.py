"""Lets the simulator judge, for a machine that is not here."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from weir.base import native
from weir.base.complaints import Complaints
from weir.base.records import Writer
from weir.base.statistics import Interval
from weir.simulation import machine_plan, results, scenario
from weir.simulation.running import Simulation
from weir.tuning import judging
from weir.tuning.judging import Finding
from weir.tuning.plan import Team, sizes

SEEDS, EPISODES, WARMUP = 3, 48, 8
# As a profile's barriers wait: each signal is followed by a look for sleepers, and other plans are the fastest then.
WAITING = "auto"
# A barrier that takes so many times as long as the usual one is left out of larger teams: it only gets worse.
HOPELESS = 4.0


class Simulated:
    """Teams with a processor for each thread. With fewer the system decides, of which a file has estimates."""

    def __init__(self, machine: Path) -> None:
        self.machine = machine
        self.complaints = Complaints()
        self.interrupted = False
        processors = int(native.ask("weir-simulate", "machine", str(machine))["processors"])
        self.sizes = [n for n in sizes(processors) if n <= processors]
        self.about: dict[str, Any] = native.ask("weir-simulate", "machine", str(machine), *map(str, self.sizes))
        # With a processor for each, a barrier that goes by processors is the one that it has between them.
        known = native.ask("weir-info")["algorithms"]
        self.barriers = [a["name"] for a in known if not a.get("placed")]
        self.teams = [Team(members, bound) for members in self.sizes for bound in (False, True)]

    def run(self, seconds: float, writer: Writer, tell: Callable[[str, float], None]) -> list[Finding]:
        """Raises native.NativeError, scenario.BadScenario and OSError."""
        begun, last_s, last_n = time.monotonic(), 0.0, 0
        left, found = list(self.barriers), []
        taken = {c["members"]: c["algorithm"] for c in self.about["choices"]}
        for members in self.sizes:
            gone = time.monotonic() - begun
            if self.interrupted or (last_n and gone + last_s * (members / last_n) ** 2 > seconds):
                found += [Finding(team, taken[members], undecided="too little time") for team in self._both(members)]
                continue
            tried = list(dict.fromkeys([taken[members], *left]))
            tell(f"{members} threads, a plan for the machine", gone)
            made = machine_plan.found(str(self.machine), members, WAITING)["plan"]
            times = self._simulated(members, [*tried, made], writer, lambda what: tell(what, time.monotonic() - begun))
            # A plan by levels takes neighbours for near each other.
            named = {name: took for name, took in times.items() if name != made}
            for team in self._both(members):
                found.append(judging.of_intervals(team, taken[members], times if team.bound else named))
            if usual := times.get(taken[members]):
                left = [name for name in left if name in times and times[name].value <= HOPELESS * usual.value]
            last_s, last_n = time.monotonic() - begun - gone, members
        return found

    @staticmethod
    def _both(members: int) -> tuple[Team, Team]:
        return Team(members, False), Team(members, True)

    def _simulated(
        self, members: int, names: list[str], writer: Writer, tell: Callable[[str], None]
    ) -> dict[str, Interval]:
        with TemporaryDirectory(prefix="weir-tune-") as folder:
            path = Path(folder) / f"tune-{members}.toml"
            path.write_text(_scenario(str(self.machine.absolute()), members, names), encoding="utf-8")
            plan = scenario.plan(path, machines=self.machine.absolute().parent)
            already = len(writer.rows)
            running = Simulation(plan, writer, lambda doing, _: tell(f"{members} threads, {doing}"))
            running.run()
        self.interrupted = self.interrupted or running.interrupted
        for _, _, reason in running.failures:
            self.complaints.add(reason, f"{members} threads")
        found = results.scenarios(writer.rows[already:])
        if self.interrupted or not found:
            return {}
        complete = [point for point in found[0].points if len(point) == SEEDS]
        return {point[0]["chosen"]["application.barrier"]: results.interval(point, "overhead") for point in complete}


def _scenario(machine: str, members: int, names: list[str]) -> str:
    return f"""about = "weir tune: {members} threads, a processor for each"
machine = {json.dumps(machine)}
seeds = {SEEDS}

[system]
policy = "partition"

[[application]]
members = {members}
processors = {members}
barrier = "sense"
waiting = "{WAITING}"
barriers = {EPISODES}
warmup = {WARMUP}
compute_us = 1
distribution = "uniform"
spread = 0.02
own_lines = true

[sweep]
"application.barrier" = {json.dumps(names)}

[[chart]]
x = "application.barrier"
y = "overhead"
"""
