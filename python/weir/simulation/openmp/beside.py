"""Simulated constructs beside those that `weir bench openmp` has measured.

With two threads, for each state of the machine there is a machine file, fitted to the transfer of a cache line in that
state and to nothing else. With more there is one for the whole machine, if the records hold the transfers between its
processors (`weir bench openmp --report-to`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from statistics import median

from weir.base.parts import Table
from weir.base.records import PROBES, Row, at
from weir.base.screen import between, nanoseconds, two_digits
from weir.base.states import State
from weir.base.statistics import Interval
from weir.openmp.comparison import constructs
from weir.simulation.calibrate import fit_rings, groups, machine_text, simulated_transfer
from weir.simulation.openmp.plan import model_of
from weir.simulation.openmp.results import OURS, simulated
from weir.simulation.openmp.tables import INTERVAL
from weir.simulation.scenario import BadScenario

TEAM = 2  # the probes are of two processors
SWITCH_US = 1.2  # of a thread with a processor for itself, which seldom switches


@dataclass(frozen=True)
class Pair:
    construct: str
    runtime: str
    compiler: str
    members: int
    state: State
    measured: Interval
    simulated_ns: float

    @property
    def ratio(self) -> float:
        return self.simulated_ns / self.measured.value if self.measured.value > 0 else 0.0


class Beside:
    """`machines`: the files that are written beside `output`, one for each state. Raises BadScenario, NativeError."""

    def __init__(self, rows: Sequence[Row], output: Path) -> None:
        reported = next((row for row in rows if row["kind"] == "machine" and at(row, "settings.transfers")), None)
        fitting = [c for c in constructs(rows) if TEAM <= c.place.members <= c.place.processors]
        self.measured = [c for c in fitting if c.place.members == TEAM or reported]
        if not self.measured:
            raise BadScenario(f"the records hold no constructs with {TEAM} threads on as many processors")
        model = next(row["host"].get("cpu_model", "this machine") for row in rows if row["kind"] == "machine")
        self.machines: dict[State | None, tuple[Path, str]] = {}  # None: the whole machine
        if reported and any(c.place.members > TEAM for c in self.measured):
            path = output.with_name(f"{output.stem}-machine.toml")
            self.machines[None] = (path, model)
            _fit_whole(path, model, reported)
        for state in sorted({c.place.state for c in self.measured if c.place.members == TEAM}):
            transfer = state.transfer_ns or _median_probe(rows)
            path = output.with_name(f"{output.stem}-{state.name or 'here'}.toml".replace(" ", "-"))
            name = f"{model}, a line in {transfer:.0f} ns"
            _fit(path, name, transfer)
            self.machines[state] = (path, name)

    @property
    def names(self) -> list[str]:
        """Of the constructs."""
        return list(dict.fromkeys(c.name for c in self.measured))

    @property
    def sizes(self) -> list[int]:
        """Of teams."""
        return sorted({c.place.members for c in self.measured})

    def pairs(self, rows: Sequence[Row]) -> list[Pair]:
        """`rows`: what was simulated on the machines."""
        found: dict[tuple[str, str, int, str], float] = {}
        for of in simulated(rows):
            for c in of.constructs:
                for cost in c.costs:
                    found[of.machine, c.name, c.place.members, cost.runtime] = cost.overhead.value
        made = []
        for c in self.measured:
            for cost in c.costs:
                what = cost.rows[0]["what"]
                _, machine = self.machines[c.place.state if c.place.members == TEAM else None]
                key = (machine, c.name, c.place.members, _simulation_of(what["runtime"]))
                if key in found:
                    compiler = what.get("compiler") or ""
                    where = (c.place.members, c.place.state)
                    made.append(Pair(c.name, what["runtime"], compiler, *where, cost.overhead, found[key]))
        return made


def _simulation_of(runtime: str) -> str:
    """What stands for a measured runtime; LLVM's have a number."""
    model = "libomp" if runtime.startswith("libomp") else runtime
    return runtime if runtime == OURS else model_of(model)


def _median_probe(rows: Sequence[Row]) -> float:
    probes = [ns for row in rows for name in PROBES for ns in row.get("samples", {}).get(name, []) if ns is not None]
    if not probes:
        raise BadScenario("the records hold no transfer of a cache line: measure them with two processors")
    return median(probes)


def _fit(path: Path, name: str, transfer_ns: float) -> None:
    low, high = 0.0, transfer_ns
    for _ in range(24):  # a simulated transfer grows with the cost of a fetch
        middle = (low + high) / 2
        path.write_text(machine_text(name, [(TEAM, middle)], SWITCH_US, TEAM), encoding="utf-8")
        low, high = (middle, high) if simulated_transfer(path, 0, 1) < transfer_ns else (low, middle)


def _fit_whole(path: Path, name: str, reported: Row) -> None:
    by_pair = {(int(a), int(b)): float(ns) for a, b, ns in reported["settings"]["transfers"]}
    processors = reported["host"]["affinity"]
    fit_rings(path, name, groups(by_pair, processors), SWITCH_US, len(processors))


def tables(pairs: Sequence[Pair]) -> list[Table]:
    """One for each team size, state of the machine and runtime, Weir's first: a row for each construct."""

    def series(p: Pair) -> tuple[int, State, bool, str, str]:
        return p.members, p.state, p.runtime != OURS, p.runtime, p.compiler

    return [_table(list(group)) for _, group in groupby(sorted(pairs, key=series), series)]


def _table(pairs: Sequence[Pair]) -> Table:
    rows = []
    for p in pairs:
        ratio = two_digits(p.ratio) if p.measured.low > 0 else "in the noise"
        times = [nanoseconds(p.measured.value), between(p.measured), nanoseconds(p.simulated_ns)]
        rows.append([p.construct, *times, ratio])
    of = pairs[0]
    what = ", ".join(word for word in (of.runtime, of.compiler, of.state.words()) if word)
    title = f"Simulated beside measured, {of.members} threads: overhead of one directive on {what}"
    return Table(title, ["construct", "measured", INTERVAL, "simulated", "ratio"], rows)
