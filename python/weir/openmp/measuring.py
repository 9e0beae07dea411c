"""Runs a sitting of the suite: fresh processes for each run; all runtimes in turn for each sample.

A runtime's threads may spin for a fifth of a second after a region. So between its turns a program is stopped as a
whole (SIGSTOP): what it does while it waits disturbs no other, and its own next sample begins with a lead-in.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from weir import native
from weir.driver import Lost, Program
from weir.openmp.runtimes import Stage
from weir.openmp.suite import Series
from weir.records import LISTS, Writer
from weir.statistics import unclean

PATIENCE_S = 20.0


@dataclass(frozen=True)
class Conditions:
    """Under what the series are measured."""

    sizes: tuple[int, ...]
    processors: int
    rounds: int
    samples: int
    delay_ns: float = 100.0
    sample_ms: float = 1.0
    environment: dict[str, str] = field(default_factory=dict)  # OMP_*, KMP_*, GOMP_*

    def settings(self) -> dict[str, Any]:
        return {k: getattr(self, k) for k in ("sizes", "processors", "rounds", "samples", "delay_ns", "environment")}


@dataclass
class _Seen:
    lists: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in LISTS})
    inner: int = 0
    stopped: str | None = None


class Measuring:
    """`tell(doing, steps)` is called after each sample."""

    def __init__(
        self,
        series: Sequence[Series],
        how: Conditions,
        writer: Writer,
        tell: Callable[[str, int], None] = lambda *_: None,
    ) -> None:
        self.series, self.how, self.writer, self.tell = list(series), how, writer, tell
        self.id = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ") + "-openmp"
        self.complaints: list[str] = []
        self.interrupted = False
        self._random = random.Random(1)

    def steps(self) -> int:
        return self.how.rounds * len(self.how.sizes) * self.how.samples * len(self.series)

    def run(self, host: dict[str, Any]) -> None:
        """Ctrl-C ends it early: what was measured until then is kept."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self.writer.write(
            {"kind": "machine", "id": self.id, "time": now, "host": host, "settings": self.how.settings()}
        )
        stage = Stage()
        try:
            for run in range(self.how.rounds):
                for members in self.how.sizes:
                    self._team(stage, members, run, host.get("cycles_per_ns", 0.0))
        except KeyboardInterrupt:
            self.interrupted = True
        finally:
            stage.close()

    def _team(self, stage: Stage, members: int, run: int, cycles_per_ns: float) -> None:
        seen = {s: _Seen() for s in self.series}
        programs: dict[tuple[str, str], Program] = {}
        try:
            for s in self.series:
                key = (s.program, s.runtime.name)
                if key not in programs:
                    programs[key] = self._start(stage, s, members)
                    programs[key].pause()
            for _ in range(self.how.samples):
                turns = list(programs)
                self._random.shuffle(turns)
                for key in turns:
                    programs[key].go_on()
                    mine = [s for s in self.series if (s.program, s.runtime.name) == key]
                    self._random.shuffle(mine)
                    for s in mine:
                        self._sample(s, seen[s], programs[key])
                        self.tell(f"{members} threads, run {run + 1}: {s.runtime.name} {s.construct}", 1)
                    programs[key].pause()
        finally:
            for program in programs.values():
                program.quit()
            for s in self.series:
                self._write(s, seen[s], members, run, cycles_per_ns)

    def _start(self, stage: Stage, s: Series, members: int) -> Program:
        arguments = ["--delay-ns", f"{self.how.delay_ns:g}", "--sample-ms", f"{self.how.sample_ms:g}"]
        arguments += ["--limit-ms", "400", "--processors", str(self.how.processors)]
        extra = {"OMP_NUM_THREADS": str(members)} | self.how.environment | stage.environment(s.runtime)
        return Program(s.program, arguments, extra)

    def _sample(self, s: Series, seen: _Seen, program: Program) -> None:
        if seen.stopped is not None:
            return
        try:
            answer = program.ask(f"sample {s.construct}", PATIENCE_S)
            if "error" in answer:
                raise Lost(answer["error"])
        except (Lost, native.NativeError) as error:
            seen.stopped = str(error)
            self.complaints.append(f"{s.id}: {error}")
            return
        for name in LISTS:
            seen.lists[name].append(float(answer[name]))
        seen.inner = int(answer["inner"])

    def _write(self, s: Series, seen: _Seen, members: int, run: int, cycles_per_ns: float) -> None:
        samples = len(seen.lists["episode_ns"])
        row: dict[str, Any] = {
            "kind": "overhead" if samples else "failure",
            "sitting": self.id,
            "source": "measured",
            "what": {
                "family": "openmp",
                "id": s.id,
                "algorithm": s.construct,
                "waiting": "own",
                "version": s.runtime.version,
                "group": s.group,
                "language": s.language,
                "compiler": s.compiler,
                "runtime": s.runtime.name,
            },
            "where": {
                "members": members,
                "processors": self.how.processors,
                "pinned": False,
                "load": "none",
                "delay_ns": self.how.delay_ns,
                "environment": self.how.environment,
            },
            "how": {
                "method": "overhead",
                "run": run,
                "samples": samples,
                "inner": seen.inner,
                "rejected": unclean(seen.lists["episode_ns"]) if samples else None,
                "complete": samples == self.how.samples,
                "stopped": seen.stopped,
            },
        }
        if samples:
            row |= {"samples": seen.lists, "cycles_per_ns": cycles_per_ns}
        self.writer.write(row)
