"""Fits a machine file to the machine it runs on, and compares its simulation with the measurement.

What is fitted: the cost of a line from each distance, so that a simulated transfer takes as long as the measured one
(`floor:transfer` of weir-measure, every pair of processors), and the cost of a context switch. What a load that hits
costs, and other parts of a nanosecond or of a microsecond that no measurement here shows, are taken as they are on a
like machine. No barrier's time is used.
"""

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from statistics import median
from typing import Any

from weir.barriers.comparison import Figure
from weir.barriers.plan import Part, Session
from weir.base import native
from weir.base.driver import Subject
from weir.base.records import Row
from weir.prediction import formulas as predict
from weir.prediction.records import record

ALGORITHMS = ("counter", "sense", "sensor", "distributed-padded", "dissemination", "mcs", "tournament")
APART = 1.25  # groups whose transfers differ by less are one
YIELD_US, HIT_NS, STORE_NS, ATOMIC_NS, POLL_NS = 0.4, 1.1, 0.3, 5.0, 18.0


@dataclass(frozen=True)
class Fit:
    """One distance: the processors within it, what was measured and what the fit makes of it."""

    group: int
    measured_ns: float
    pairs: int
    fetch_ns: float
    simulated_ns: float


def session(found: Sequence[Subject], processors: list[int], quick: bool) -> Session:
    """The floor, and a few barriers with as many members as processors and with more."""
    floor = tuple(s for s in found if s.family == "floor")
    here = len(processors)
    rounds, samples = (3, 15) if quick else (6, 30)

    def part(waitings: tuple[str, ...], sizes: tuple[int, ...]) -> Part:
        chosen = tuple(s for s in found if s.family == "weir" and s.algorithm in ALGORITHMS and s.waiting in waitings)
        return Part(floor + chosen, sizes, rounds, samples, "none", True, 1.0, 1.0)

    dedicated = tuple(sorted({2, max(2, here // 2), here}))
    return Session(processors, [part(("spin",), dedicated), part(("yield", "share"), (2 * here, 4 * here))])


def transfers(figures: Sequence[Figure]) -> dict[tuple[int, int], float]:
    """One way, by pair of processors: the medians of all the session's samples."""
    samples: dict[tuple[int, int], list[float]] = {}
    for f in figures:
        if f.family == "floor" and f.algorithm == "transfer":
            a, b = (int(word) for word in f.id.split(":")[2:4])
            samples.setdefault((a, b), []).extend(x for run in f.runs() for x in run)
    return {pair: median(values) for pair, values in samples.items()}


def switch_ns(figures: Sequence[Figure]) -> float:
    return median(
        x for f in figures if f.family == "floor" and f.algorithm == "switch" for run in f.runs() for x in run
    )


def groups(by_pair: dict[tuple[int, int], float], processors: list[int]) -> list[tuple[int, float, int]]:
    """Rings around a processor, nearest first: group, median transfer, pairs. A group divides the next one."""
    place = {p: i for i, p in enumerate(processors)}
    count = len(processors)
    sizes = [g for g in range(2, count + 1) if count % g == 0]
    rings: list[tuple[int, list[float]]] = []
    inner = 1
    for size in sizes:
        if rings and size % rings[-1][0] != 0:
            continue
        new = [
            ns
            for (a, b), ns in by_pair.items()
            if place[a] // size == place[b] // size and (inner == 1 or place[a] // inner != place[b] // inner)
        ]
        if not new:
            continue
        if rings and max(median(new), median(rings[-1][1])) < APART * min(median(new), median(rings[-1][1])):
            rings[-1] = (size, rings[-1][1] + new)
        else:
            rings.append((size, new))
        inner = size
    return [(size, median(values), len(values)) for size, values in rings]


def machine_text(name: str, rings: Sequence[tuple[int, float]], switch_us: float, processors: int) -> str:
    """A machine file. `rings`: group and fetch."""
    distances = "".join(
        f"""
[[distance]]
name = "group of {group}"
group = {group}
fetch_ns = {fetch:.4g}   # fitted to [measured]
memory_ns = {max(fetch, 100):.4g}  # estimated: no nearer than another cache
busy_ns = {fetch / 2:.4g}    # estimated: half of a fetch
bus_ns = 0        # estimated: more than one path
"""
        for group, fetch in rings
    )
    return f"""name = {json.dumps(name)}
about = "This machine, fitted by weir simulate --calibrate"
processors = {processors}
line_bytes = 64
caching = "coherent"
atomics = "owned"
clean_copy = "home"

[processor]
hit_ns = {HIT_NS}      # estimated: as on a like machine (epyc-9554-2s)
poll_ns = {POLL_NS}    # estimated: likewise
store_ns = {STORE_NS}    # estimated: likewise
atomic_ns = {ATOMIC_NS}   # estimated: likewise
store_buffer = 64
outstanding_misses = 24
invalidate_ns = 0
{distances}
[system]
quantum_us = 3000          # estimated: the base slice of Linux's EEVDF scheduler
switch_us = {switch_us:.4g}     # fitted to [measured]: a switch by yielding, less the yield
yield_us = {YIELD_US}             # estimated: a yield with no other thread to run
sleep_us = 1.0             # estimated: as on a like machine
wake_us = 1.0              # estimated: likewise
awake_us = 20.0            # estimated: likewise
migrate_us = 10.0          # estimated: likewise

[sources]
measured = "floor:transfer and floor:switch of the records beside this file"
"""


def simulated_transfer(machine: Path, a: int, b: int) -> float:
    program = native.require("weir-simulate")
    done = subprocess.run([program, "transfer", machine, str(a), str(b)], capture_output=True, text=True)
    if done.returncode != 0:
        raise native.NativeError(f"{program} transfer failed: {done.stderr.strip()}")
    return float(json.loads(done.stdout)["transfer_ns"])


def fit(path: Path, host: dict[str, Any], figures: Sequence[Figure]) -> list[Fit]:
    """Writes the machine file, and returns how well it fits. Nearest first: farther distances contain it."""
    processors = host["affinity"]
    found = groups(transfers(figures), processors)
    if not found:
        raise native.NativeError("no transfer between processors could be measured: there is only one processor")
    switching = max(switch_ns(figures) / 1e3 - YIELD_US, 0.0)
    return fit_rings(path, host["cpu_model"], found, switching, len(processors))


def fit_rings(
    path: Path, name: str, found: Sequence[tuple[int, float, int]], switch_us: float, processors: int
) -> list[Fit]:
    """The same for rings as groups() finds them."""
    fitted = [(group, ns / 2) for group, ns, _ in found]
    path.parent.mkdir(parents=True, exist_ok=True)

    def write() -> None:
        path.write_text(machine_text(name, fitted, switch_us, processors), encoding="utf-8")

    def simulated(ring: int) -> float:
        inner = fitted[ring - 1][0] if ring else 1
        return simulated_transfer(path, 0, inner if inner < processors else 1)

    for ring, (group, ns, _) in enumerate(found):
        low, high = 0.0, ns
        for _ in range(24):  # a simulated transfer grows with the cost of a fetch
            fitted[ring] = (group, (low + high) / 2)
            write()
            low, high = (fitted[ring][1], high) if simulated(ring) < ns else (low, fitted[ring][1])
    write()
    return [Fit(group, ns, pairs, fitted[ring][1], simulated(ring)) for ring, (group, ns, pairs) in enumerate(found)]


def scenarios(folder: Path, machine: str, plan: Session) -> list[Path]:
    """The session's barriers as scenarios, one for each size and way of waiting."""
    made = []
    for part in plan.parts:
        algorithms = list(dict.fromkeys(s.algorithm for s in part.subjects if s.family == "weir"))
        waitings = list(dict.fromkeys(s.waiting for s in part.subjects if s.family == "weir"))
        for members in part.sizes:
            path = folder / f"here-{members}.toml"
            path.write_text(
                f"""about = "What weir-measure measures here with {members} members, simulated"
machine = "{machine}"

[system]
policy = "partition"

[[application]]
members = {members}
processors = {min(members, len(plan.processors))}
barrier = "sense"
barriers = 220
warmup = 20
compute_us = {part.delay_for(members, len(plan.processors)) / 1e3}

[sweep]
"application.barrier" = {json.dumps(algorithms)}
"application.waiting" = {json.dumps(waitings)}

[[chart]]
x = "application.barrier"
y = "overhead"
color = "application.waiting"
""",
                encoding="utf-8",
            )
            made.append(path)
    return made


def predicted(plan: Session, switch: float) -> list[Row]:
    """What the formulas predict for teams that share processors. `switch`: nanoseconds."""
    made = []
    for part in plan.parts:
        for members in (n for n in part.sizes if n > len(plan.processors)):
            compute = Fraction(part.delay_for(members, len(plan.processors))) / 10**6
            cost = Fraction(switch).limit_denominator(1000) / 10**6
            for barrier in predict.BLOCKING:
                said = predict.blocking(barrier, members, len(plan.processors), cost, compute)
                team = (members, len(plan.processors))
                made.append(
                    record((barrier, "share", "blocking"), team, compute, said.episode, "ceil(M/P) T + s c", "Weir")
                )
    return made


def against(figures: Sequence[Figure]) -> list[tuple[Figure, Figure]]:
    """Each measured figure with the simulated one of the same barrier and place."""
    simulated = {(f.id, f.place): f for f in figures if f.source == "simulated"}
    measured = [f for f in figures if f.source == "measured" and f.family == "weir"]
    return [(f, simulated[f.id, f.place]) for f in measured if (f.id, f.place) in simulated]


def summary(pairs: Sequence[tuple[Figure, Figure]]) -> Row:
    """Simulated over measured, over all pairs."""
    ratios = sorted(
        s.distribution().median.value / m.distribution().median.value
        for m, s in pairs
        if m.distribution().median.value > 0
    )
    return {"pairs": len(ratios), "median": median(ratios), "least": ratios[0], "most": ratios[-1]}
