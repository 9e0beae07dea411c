"""What is simulated: constructs on runtimes, on machines, with teams of several sizes."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weir.base import native
from weir.base.names import chosen
from weir.simulation.machine_plan import machine_file
from weir.simulation.scenario import BadScenario

PROGRAM = "weir-simulate-openmp"
MACHINES = ("epyc-9654-2s", "grace-2s", "kunpeng-920", "altix-4700-512")
THREADS = (2, 8, 32, 128, 512)
HOMES = ("first-touch", "waiter", "interleaved")


@dataclass(frozen=True)
class Machine:
    path: Path
    name: str
    processors: int
    distances: tuple[str, ...]

    @classmethod
    def called(cls, text: str) -> "Machine":
        """A machine's file, or one of Weir's own by its name. Raises BadScenario."""
        try:
            path = machine_file(text)
        except (BadScenario, OSError) as error:
            raise BadScenario(f"--machines: {error}") from None
        try:
            says = tomllib.loads(path.read_text(encoding="utf-8"))
            distances = tuple(str(d["name"]) for d in says["distance"])
            return cls(path, str(says["name"]), int(says["processors"]), distances)
        except (tomllib.TOMLDecodeError, KeyError, ValueError, TypeError) as error:
            raise BadScenario(f"--machines: {path} is no machine's file: {error}") from None


def model_of(runtime: str) -> str:
    return f"{runtime}, model"


@dataclass(frozen=True)
class Point:
    """One run of the simulator."""

    machine: Machine
    construct: str
    group: str
    runtime: str
    is_model: bool
    members: int
    seed: int

    @property
    def label(self) -> str:
        """The runtime, as records and pages call it: never a model by the runtime's name alone."""
        return model_of(self.runtime) if self.is_model else self.runtime

    @property
    def words(self) -> str:
        return f"{self.machine.path.stem}, {self.members} threads: {self.construct} on {self.runtime}"


@dataclass(frozen=True)
class Plan:
    points: list[Point]
    homes: str
    delay_ns: float

    @property
    def machines(self) -> list[Machine]:
        return list(dict.fromkeys(p.machine for p in self.points))


def constructs() -> list[str]:
    """All that can be simulated. Raises NativeError."""
    return [c["name"] for c in native.ask(PROGRAM, "list")["constructs"]]


def plan(
    machines: Sequence[str],
    threads: Sequence[int] | None,
    constructs: Sequence[str] | None,
    runtimes: Sequence[str] | None,
    homes: str,
    delay_ns: float,
    seeds: int,
) -> Plan:
    """Teams as asked for, as far as each machine has processors for them; else THREADS, and all processors. Raises
    Unknown, BadScenario, NativeError."""
    known: dict[str, list[dict[str, Any]]] = native.ask(PROGRAM, "list")
    groups = {c["name"]: c["group"] for c in known["constructs"]}
    wanted = chosen(constructs, [*groups, *dict.fromkeys(groups.values())], "--constructs", "construct")
    on = chosen(runtimes, [r["name"] for r in known["runtimes"]], "--runtimes", "runtime")
    made = []
    for machine in [Machine.called(name) for name in machines]:
        processors = machine.processors
        fitting = [n for n in threads or (*THREADS, processors) if n <= processors]
        if not fitting:
            raise BadScenario(f"--threads: {machine.path} has {processors} processors, fewer than any team asked for")
        made += [
            Point(machine, name, group, r["name"], r["model"], members, seed)
            for members in sorted(set(fitting))
            for name, group in groups.items()
            if name in wanted or group in wanted
            for r in known["runtimes"]
            if r["name"] in on and (not r["model"] or name in known["modelled"])
            for seed in range(1, seeds + 1)
        ]
    return Plan(made, homes, delay_ns)
