"""Runs a session: what switches and quanta cost, the experiments in turn, then the simulator and the formulas.

A run of an experiment has a fresh process, and takes all its programs in turn for each sample.
"""

import random
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from itertools import product
from math import inf
from statistics import median
from typing import Any

from weir.barriers.comparison import Figure
from weir.base import driver, native
from weir.base.complaints import Complaints
from weir.base.driver import Lost
from weir.base.places import on_fullest
from weir.base.records import LISTS, Row, Writer, whole
from weir.base.statistics import in_the_noise, unclean
from weir.base.transfers import Transfers
from weir.simulation import calibrate
from weir.simulation.scenario import BadScenario
from weir.threads import predicted, simulated
from weir.threads.experiments import KINDS, Costs, Experiment, Program
from weir.threads.rows import of_cost, of_program

PROGRAM = "weir-measure-threads"
PATIENCE_S = 60.0
LIMIT_MS = 250  # of a sample, where one episode is shorter than that
PROBES = {"switch": 9, "quantum": 3}


@dataclass(frozen=True)
class Plan:
    experiments: Sequence[Experiment]
    processors: list[int]
    rounds: int
    samples: int | None  # None: each experiment's own
    quick: bool
    seconds: float | None = None  # for measuring; all experiments get as much of what is left

    def samples_of(self, experiment: Experiment) -> int:
        return self.samples or experiment.samples

    def settings(self) -> Row:
        names = [one.name for one in self.experiments]
        return asdict(self) | {"experiments": names}


@dataclass
class _Seen:
    lists: dict[str, list[Any]] = field(default_factory=lambda: {name: [] for name in LISTS})
    inner: int = 0
    stopped: str | None = None

    def add(self, answer: Row) -> None:
        for name in LISTS:
            self.lists[name].append(round(float(answer[name]), 2))
        self.inner = int(answer["inner"])


Tell = Callable[[str, int], None]


class Session:
    """`begin(name, steps)` is called for each part of the work, and what it returns as its steps end."""

    def __init__(self, plan: Plan, writer: Writer, begin: Callable[[str, int], Tell]) -> None:
        self.plan, self.writer, self.begin = plan, writer, begin
        self.id = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ") + "-threads"
        self.complaints = Complaints()
        self.interrupted = False
        self._random = random.Random(1)
        self._cycles_per_ns = 0.0
        self._computed: dict[Program, list[float]] = {}  # what each program's members computed, in ns

    def run(self, host: dict[str, Any]) -> None:
        """Ctrl-C ends it early: what was measured until then is kept, and what was measured is not simulated. Raises
        native.NativeError."""
        self._cycles_per_ns = host.get("cycles_per_ns") or 0.0
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self.writer.write(
            {"kind": "machine", "id": self.id, "time": now, "host": host, "settings": self.plan.settings()}
        )
        try:
            floor, costs, stated = self._costs(host)
            todo = {
                e: list(e.programs(costs, len(self.plan.processors), self.plan.quick)) for e in self.plan.experiments
            }
            steps = self.plan.rounds * sum(self.plan.samples_of(e) * len(pairs) for e, pairs in todo.items())
            tell = self.begin("measuring", steps)
            parts = list(product(range(self.plan.rounds), todo))
            begun = time.monotonic()
            for number, (run, experiment) in enumerate(parts):
                left_s = inf if self.plan.seconds is None else self.plan.seconds - (time.monotonic() - begun)
                end = time.monotonic() + left_s / (len(parts) - number)
                self._experiment(experiment, todo[experiment], run, stated, tell, end)
            self._beside(host, floor, costs, stated)
        except KeyboardInterrupt:
            self.interrupted = True

    def _start(self, experiment: Experiment | None = None) -> driver.Program:
        words = ["--processors", ",".join(map(str, self.plan.processors))]
        if experiment is not None:
            limit_ms = max(LIMIT_MS, experiment.sample_ms)
            words += ["--sample-ms", f"{experiment.sample_ms:g}", "--limit-ms", f"{limit_ms:g}"]
        return driver.Program(PROGRAM, words)

    def _costs(self, host: dict[str, Any]) -> tuple[list[Figure], Costs, dict[str, Row]]:
        """The floor, the costs, and these as rows state them."""
        tell = self.begin("switches and quanta", len(KINDS) * sum(PROBES.values()))
        floor = simulated.floor(host, self.plan.processors)
        program = self._start()
        found: dict[tuple[str, str], _Seen] = {(name, kind): _Seen() for name in PROBES for kind in KINDS}
        try:
            for sample in range(max(PROBES.values())):
                for (name, kind), seen in found.items():
                    if sample < PROBES[name]:
                        seen.add(self._asked(program, f"{name}:{kind}"))
                        tell(f"{name}, {kind}", 1)
        except Lost as lost:
            raise native.NativeError(f"{PROGRAM}: {lost}") from None
        finally:
            program.quit()
        for (name, kind), seen in found.items():
            row = of_cost(name, kind, self.id, seen.lists, inner=seen.inner)
            self.writer.write(row | {"cycles_per_ns": self._cycles_per_ns})
        costs = {key: median(seen.lists["episode_ns"]) for key, seen in found.items()}
        transfer = median(calibrate.transfers(floor).values())
        known = Costs(
            {kind: costs["switch", kind] for kind in KINDS}, {kind: costs["quantum", kind] for kind in KINDS}, transfer
        )
        stated = {
            kind: {"switch_ns": known.switch_ns[kind], "quantum_ns": known.quantum_ns[kind], "transfer_ns": transfer}
            for kind in KINDS
        }
        return floor, known, stated

    def _asked(self, program: driver.Program, what: str) -> Row:
        answer = program.ask(f"sample {what}", PATIENCE_S)
        if "error" in answer:
            raise Lost(str(answer["error"]))
        return answer

    def _experiment(
        self,
        experiment: Experiment,
        programs: list[Program],
        run: int,
        stated: dict[str, Row],
        tell: Tell,
        end: float,
    ) -> None:
        """Takes no sample after `end`, a time of the monotonic clock."""
        seen = {one: _Seen() for one in programs}
        program = self._start(experiment)
        transfers = Transfers(self.plan.processors)
        try:
            for _ in range(self.plan.samples_of(experiment)):
                for one in self._random.sample(programs, len(programs)):
                    if time.monotonic() > end:
                        self.complaints.add("its share of the time given is spent", f"{experiment.name}, run {run + 1}")
                        return
                    self._sample(program, one, seen[one], transfers)
                    tell(f"{experiment.name}, run {run + 1}: {one.id}", 1)
        finally:
            program.quit()
            transfers.end()
            for one in programs:
                self._write(one, seen[one], run, stated[one.threads], self.plan.samples_of(experiment))

    def _sample(self, program: driver.Program, one: Program, seen: _Seen, transfers: Transfers) -> None:
        if seen.stopped is not None:
            return
        before = transfers.last
        try:
            seen.add(self._asked(program, one.id))
        except Lost as lost:
            seen.stopped = str(lost)
            self.complaints.add(str(lost), one.id)
            return
        transfers.probe()
        transfers.note(seen.lists, before)

    def _write(self, one: Program, seen: _Seen, run: int, costs: Row, planned: int) -> None:
        seen.lists = whole(seen.lists)
        samples = len(seen.lists["episode_ns"])
        if samples == 0 and seen.stopped is None:
            return  # interrupted before its first sample
        row = of_program(
            one,
            self.id,
            "measured",
            costs,
            run=run,
            samples=samples,
            inner=seen.inner,
            rejected=unclean(seen.lists["episode_ns"]) if samples else None,
            in_the_noise=in_the_noise(seen.lists["overhead_ns"]) if samples else None,
            complete=samples == planned,
            stopped=seen.stopped,
        )
        if samples:
            row |= {"samples": seen.lists, "cycles_per_ns": self._cycles_per_ns}
            there = on_fullest(one.all_members, one.processors)
            self._computed.setdefault(one, []).extend(ns / there for ns in seen.lists["reference_ns"])
        self.writer.write(row if samples else row | {"kind": "failure"})

    def _beside(self, host: dict[str, Any], floor: list[Figure], costs: Costs, stated: dict[str, Row]) -> None:
        # Programs that were asked for the same computing did the same: else the simulator's sweeps would multiply.
        alike: dict[tuple[str, float], list[float]] = defaultdict(list)
        for one, ns in self._computed.items():
            alike[one.threads, one.compute_ns] += ns
        computed = {key: float(f"{median(ns):.4g}") for key, ns in alike.items()}
        programs = {one: computed[one.threads, one.compute_ns] for one in self._computed}
        for row in predicted.rows(programs, costs, stated):
            self.writer.write(row)
        tell = self.begin("simulating", len(programs))
        simulator = simulated.Simulator(host, self.plan.processors, floor, costs)
        try:
            for row in simulator.rows(programs, stated, tell):
                self.writer.write(row)
        except BadScenario as error:
            self.complaints.add(f"not simulated: {error}")
