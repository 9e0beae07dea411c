"""Runs a session of the suite: fresh processes for each run; all runtimes in turn for each sample.

A runtime's threads may spin for a fifth of a second after a region. So between its turns a program is stopped as a
whole (SIGSTOP): what it does while it waits disturbs no other, and its own next sample begins with a lead-in. Within a
turn it is stopped for the probe after each sample.
"""

import math
import random
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

from weir.base import native
from weir.base.complaints import Complaints
from weir.base.driver import Lost, Process, Program
from weir.base.records import LISTS, Writer, whole
from weir.base.statistics import in_the_noise, unclean
from weir.base.transfers import Transfers, of_pairs
from weir.openmp import fields
from weir.openmp.runtimes import Stage
from weir.openmp.situation import Situation, Unavailable
from weir.openmp.suite import Series

PATIENCE_S = 20.0
# A sample takes longer than what it is to be the mean of: where processors are shared, several time slices or periods.
SAMPLE_MS = {"none": 1.0, "beside": 30.0, "quota": 300.0}
BESIDE_NS = 7000  # what another program computes between its barriers


@dataclass(frozen=True)
class Conditions:
    """Under what the series are measured."""

    situations: tuple[Situation, ...]
    rounds: int
    samples: int
    delay_ns: float = 100.0
    seconds: float | None = None  # after so many no further sample is taken; each series has one at least
    pairs: tuple[tuple[int, int], ...] = ()  # of processors, between which a transfer is measured first

    def settings(self) -> dict[str, Any]:
        situations = [asdict(s) | {"load": str(s.load)} for s in self.situations]
        return {"rounds": self.rounds, "samples": self.samples, "delay_ns": self.delay_ns, "situations": situations}


@dataclass
class _Seen:
    lists: dict[str, list[Any]] = field(default_factory=lambda: {name: [] for name in LISTS})
    inner: int = 0
    delay_ns: float = 0.0  # some constructs' is shorter than what was asked for
    stopped: str | None = None


class _Turn:
    """A program and the load beside it: both run while the program is measured, and are stopped afterwards."""

    def __init__(self, program: Program, beside: Process | None) -> None:
        self.program, self.beside = program, beside
        self.pause()

    def go_on(self) -> None:
        self.program.go_on()
        if self.beside is not None:
            self.beside.go_on()

    def pause(self) -> None:
        self.program.pause()
        if self.beside is not None:
            self.beside.pause()

    def end(self) -> None:
        self.program.quit()
        if self.beside is not None:
            self.beside.kill()


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
        self.complaints = Complaints()
        self.interrupted = False
        self._random = random.Random(1)
        self._end = math.inf  # of time.monotonic()

    def steps(self) -> int:
        return self.how.rounds * len(self.how.situations) * self.how.samples * len(self.series)

    def run(self, host: dict[str, Any]) -> None:
        """Ctrl-C ends it early: what was measured until then is kept."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        begun = time.monotonic()
        self._end = math.inf if self.how.seconds is None else begun + self.how.seconds
        stage = Stage()
        try:
            settings = self.how.settings()
            if self.how.pairs:
                self.tell("transfers between processors", 0)
                settings["transfers"] = of_pairs(self.how.pairs)
            self.writer.write({"kind": "machine", "id": self.id, "time": now, "host": host, "settings": settings})
            for run in range(self.how.rounds):
                if run > 0 and self._is_over():
                    break
                for situation in self.how.situations:
                    self._team(stage, situation, run, host.get("cycles_per_ns", 0.0))
        except KeyboardInterrupt:
            self.interrupted = True
        finally:
            stage.close()

    def _is_over(self) -> bool:
        return time.monotonic() >= self._end

    def _team(self, stage: Stage, where: Situation, run: int, cycles_per_ns: float) -> None:
        seen = {s: _Seen() for s in self.series}
        turns: dict[tuple, _Turn] = {}
        with ExitStack() as closing:
            closing.callback(lambda: [self._write(s, seen[s], where, run, cycles_per_ns) for s in self.series])
            try:
                for s in self.series:
                    if s.process not in turns:
                        # A group of its own for each: a quota is a program's, not the session's.
                        turn = self._start(stage, s, where, closing.enter_context(where.launcher()))
                        turns[s.process] = turn
                        closing.callback(turn.end)
            except Unavailable as no:
                self.complaints.add(f"left out: {no}", where.words())
                self.tell(where.words(), self.how.samples * len(self.series))
                return
            transfers = Transfers(where.processors)
            closing.callback(transfers.end)
            for number in range(self.how.samples):
                if number > 0 and self._is_over():
                    break
                order = list(turns)
                self._random.shuffle(order)
                for process in order:
                    own = [s for s in self.series if s.process == process]
                    self._random.shuffle(own)
                    for s in own:
                        self._sample(s, seen[s], turns[process], transfers)
                        self.tell(f"{where.words()}, run {run + 1}: {s.runtime.name} {s.construct}", 1)

    def _start(self, stage: Stage, s: Series, where: Situation, launcher: tuple[str, ...]) -> _Turn:
        sample_ms = SAMPLE_MS[where.load.kind]
        words = ["--delay-ns", f"{self.how.delay_ns:g}", "--sample-ms", f"{sample_ms:g}"]
        words += ["--limit-ms", f"{max(400, 4 * sample_ms):g}", "--processors", str(len(where.processors))]
        words += ["--capacity", f"{where.capacity:g}"]
        extra = {"OMP_NUM_THREADS": str(where.members)} | dict(s.environment) | stage.environment(s.runtime)
        program = Program(s.program, words, extra, launcher)
        if where.load.kind != "beside":
            return _Turn(program, None)
        return _Turn(program, Process(s.program, ["--delay-ns", str(BESIDE_NS)], extra, launcher, begin="work"))

    def _sample(self, s: Series, seen: _Seen, turn: _Turn, transfers: Transfers) -> None:
        if seen.stopped is not None:
            return
        before = transfers.last
        turn.go_on()
        try:
            answer = turn.program.ask(f"sample {s.construct}", PATIENCE_S)
            if "error" in answer:
                raise Lost(answer["error"])
        except (Lost, native.NativeError) as error:
            seen.stopped = str(error)
            self.complaints.add(str(error), s.id)
            return
        finally:
            turn.pause()
            transfers.probe()
        for name in LISTS:
            seen.lists[name].append(float(answer[name]))
        transfers.note(seen.lists, before)
        seen.inner = int(answer["inner"])
        seen.delay_ns = float(answer["delay_ns"])

    def _write(self, s: Series, seen: _Seen, where: Situation, run: int, cycles_per_ns: float) -> None:
        seen.lists = whole(seen.lists)
        samples = len(seen.lists["episode_ns"])
        if samples == 0 and seen.stopped is None:
            return  # interrupted before its first sample, or left out
        row: fields.Row = {
            "kind": "overhead" if samples else "failure",
            "session": self.id,
            "source": "measured",
            "what": {
                "family": fields.FAMILY,
                "id": s.id,
                "algorithm": s.construct,
                "waiting": "own",
                "version": s.runtime.version,
                "group": s.group,
                "language": s.language,
                "compiler": s.compiler,
                "runtime": s.runtime.name,
                "environment": dict(s.environment),
            },
            "where": {
                "members": where.members,
                "processors": len(where.processors),
                "capacity": where.capacity,
                "pinned": False,
                "load": str(where.load),
                "delay_ns": seen.delay_ns or self.how.delay_ns,
            },
            "how": {
                "method": "overhead",
                "run": run,
                "samples": samples,
                "inner": seen.inner,
                "rejected": unclean(seen.lists["episode_ns"]) if samples and not where.shared else None,
                "in_the_noise": in_the_noise(seen.lists["overhead_ns"]) if samples else None,
                "complete": samples == self.how.samples,
                "stopped": seen.stopped,
            },
        }
        if samples:
            row |= {"samples": seen.lists, "cycles_per_ns": cycles_per_ns}
        self.writer.write(row)
