"""What prices are made of: overheads of the suite, measured now on the program's own runtime or taken from records."""

import os
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from weir.base import native, records
from weir.openmp import suite
from weir.openmp.comparison import constructs
from weir.openmp.measuring import Conditions, Measuring
from weir.openmp.runtimes import Runtime, at, runtimes
from weir.openmp.situation import Situation
from weir.profile import pricing
from weir.profile.counting import Directive

ROUNDS, SAMPLES = 3, 10


@dataclass(frozen=True)
class Session:
    """What is measured on one runtime with one team size. `path`: the library as the program had it."""

    path: str
    runtime: Runtime
    series: list[suite.Series]
    how: Conditions

    def steps(self) -> int:
        return len(self.series) * self.how.rounds * self.how.samples


def planned(directives: list[Directive]) -> tuple[list[Session], list[str]]:
    """On each program's own runtime and team size; and a word on each runtime that cannot be measured."""
    needs = pricing.needs(directives)
    known, lost = _runtimes({path for path, _ in needs})
    processors = tuple(sorted(os.sched_getaffinity(0)))
    sessions = []
    for (path, threads), wanted in needs.items():
        if path not in known:
            continue
        names = sorted({name.partition(":")[0] for name in wanted})
        plan = suite.plan([known[path]], names, None, cross=False)
        series = [s for s in plan.series if s.language == "C" and s.construct in wanted]
        how = Conditions((Situation(threads, processors),), ROUNDS, SAMPLES)
        sessions.append(Session(path, known[path], series, how))
    return sessions, lost


def _runtimes(paths: set[str]) -> tuple[dict[str, Runtime], list[str]]:
    """By the path that the program had it under: those known here, and any other by its file."""
    known = {runtime.library: runtime for runtime in runtimes()}
    found, lost = {}, []
    for path in paths:
        try:
            found[path] = known.get(Path(path).resolve()) or at(Path(path))
        except (OSError, ValueError) as error:
            lost.append(f"{path}: {error}; its directives are not priced")
    return found, lost


def measured(sessions: Sequence[Session], tell: Callable[[int], None]) -> tuple[pricing.Table, bool]:
    """The prices, and whether Ctrl-C ended it early; `tell` is called with the steps done."""
    host = native.ask("weir-info")
    table: dict[tuple[str, str], list[pricing.Measured]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for one in sessions:
            file = Path(folder) / "overheads.jsonl"
            with records.Writer(file) as writer:
                measuring = Measuring(one.series, one.how, writer, lambda _, n: tell(n))
                measuring.run(host)
            _add(table, one.path, records.read([file])[0], {one.runtime.name})
            if measuring.interrupted:
                return table, True
    return table, False


def from_records(rows: list[records.Row], file: Path) -> pricing.Table:
    """Raises OSError where the file's rows are no prices."""
    rows = [r for r in rows if r.get("what", {}).get("family") == "openmp" and r["what"].get("language") == "C"]
    if not rows:
        raise OSError(f"{file} holds no overheads of OpenMP constructs: make it by weir bench openmp -o {file}")
    table: dict[tuple[str, str], list[pricing.Measured]] = defaultdict(list)
    for runtime in runtimes():
        _add(table, str(runtime.library), rows, {runtime.name})
    return table


def _add(table: dict, path: str, rows: list[records.Row], names: set[str]) -> None:
    own = [
        r
        for r in rows
        if r["kind"] == "overhead" and r["what"]["runtime"] in names and not r["what"].get("environment")
    ]
    for c in constructs(own):
        if c.place.load == "none":
            measured = pricing.Measured(c.best.overhead.value, c.place.members, c.best.in_the_noise)
            table[path, c.name].append(measured)
