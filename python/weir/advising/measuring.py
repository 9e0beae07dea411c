"""Runs the program at each size and in each way, in rounds, until the time is up."""

import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from weir.advising.plan import Try
from weir.advising.sizes import Size
from weir.advising.staircase import Staircase, staircase
from weir.base import others
from weir.base.others import Meanwhile
from weir.openmp.situation import PROCESSORS, Unavailable, limited
from weir.profile import counting
from weir.profile.counting import Directive
from weir.run.measuring import OWN, WEIR, Conditions, Side, attempt, status_in_words, tail
from weir.run.runner import Ended, Runner, Stopped
from weir.tracing import recording
from weir.tracing.recording import NotRecorded

SHORTEST_S = 0.005  # of a run: in less the start of a program is most of what is measured
CHECKS, SURELY_LONG = 4, 10  # so many times as long need not be checked
MOST_ROUNDS = 20
# Variables with which a program takes so many times as long as without are not worth another run.
HOPELESS = 2.5
TRACED, TRACE_SHARE = 16, 0.15  # threads, as many as in figure 6 of paper 000; of the time, for the trace
# A run is given up after this long, or so many times the shortest that ended, and more on fewer processors: a thread
# that waits may keep the processor from those for which it waits.
PATIENCE_S, PATIENCE_TIMES = 2.0, 10
# A run does not count beside programs that had more than this share of the processors in which it ran; the clock of the
# kernel's count ticks every 10 ms.
DISTURBED, TICK_S = 0.1, 0.015


class CannotAdvise(Exception):
    """The message says why not, and what to do."""


@dataclass(frozen=True)
class Done:
    """One run. `others_s`: processor time of other programs on the processors that it might use; `said`: of a run that
    failed, the end of what it wrote to stderr."""

    trial: Try
    round: int
    wall_s: float
    processor_s: float
    others_s: float
    status: int
    late: bool
    said: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        return self.late or self.status != 0

    @property
    def disturbed(self) -> bool:
        most = DISTURBED * self.wall_s * self.trial.size.processors
        return self.others_s > max(most, TICK_S)


@dataclass(frozen=True)
class Counted:
    """What a run with `asked` threads did with OpenMP."""

    counts: Counter[Directive]
    asked: int
    wall_s: float

    @property
    def team(self) -> int | None:
        """The threads of the largest team; None where nothing of OpenMP was counted."""
        return max((one.threads for one in self.counts), default=None)

    @property
    def obeys(self) -> bool:
        """Has it made a team of as many threads as it was asked for?"""
        return any(one.threads == self.asked for one in self.counts)

    @property
    def regions(self) -> int:
        return sum(count for one, count in self.counts.items() if one.name.startswith("parallel"))

    @property
    def runtime(self) -> str | None:
        """What the file is called that executed most of it."""
        files: Counter[str] = Counter()
        for one, count in self.counts.items():
            files[Path(one.runtime).name] += count
        most = files.most_common(1)
        return most[0][0].partition(".so")[0].partition("-")[0] if most else None


class Measuring:
    """While it is open Ctrl-C ends what runs, and no other begins. `tell(doing, seconds gone)` before each run."""

    def __init__(self, seconds: float, tell: Callable[[str, float], None] = lambda *_: None) -> None:
        self.tell, self.interrupted, self.rounds = tell, False, 0
        self.seconds = seconds
        self._begun = time.monotonic()
        self._shortest_s = float("inf")
        self._random = random.Random()
        self._runner = Runner()

    def __enter__(self) -> "Measuring":
        self._runner.__enter__()
        return self

    def __exit__(self, *why: object) -> None:
        self._runner.__exit__(*why)

    @property
    def gone_s(self) -> float:
        return time.monotonic() - self._begun

    @property
    def left_s(self) -> float:
        return self.seconds - self.gone_s

    def count(self, own: Side) -> Counted:
        """One run on its own runtime, with a thread more than there are processors. Raises CannotAdvise, NoProgram and
        Stopped."""
        asked = len(PROCESSORS) + 1
        self.tell("counting directives", self.gone_s)
        with counting.counters(os.environ.get("LD_PRELOAD")) as (variables, counted):
            passive = {"OMP_WAIT_POLICY": "passive", "OMP_DYNAMIC": "false"}
            side = Side("count", own.program, own.words, own.changed | passive | variables, own.title)
            done = self._once(Try(side, Size(len(PROCESSORS), asked)), 0, self.left_s)
            if done.late:
                raise CannotAdvise(
                    f"{own.words[0]} did not end within {self.seconds:g} s: give it less to do, or more time "
                    "(--seconds)"
                )
            if done.failed:
                last = f"; it said last: {done.said[-1]}" if done.said else ""
                raise CannotAdvise(f"{own.words[0]} failed: {status_in_words(done)}{last}")
            self._shortest_s = done.wall_s
            self._require_length(own)
            return Counted(counted()[0], asked, done.wall_s)

    def _require_length(self, own: Side) -> None:
        """Raises CannotAdvise. A program that ends at once takes longer where others disturb it: it gets more runs."""
        for _ in range(CHECKS):
            if self._shortest_s < SHORTEST_S:
                raise CannotAdvise(
                    f"{own.words[0]} ends after {1e3 * self._shortest_s:.1f} ms, which is too short to measure: give "
                    f"it more to do, {1e3 * SHORTEST_S:g} ms at least"
                )
            if self._shortest_s > SURELY_LONG * SHORTEST_S:
                return
            again = self._once(Try(own, Size(len(PROCESSORS), len(PROCESSORS))), 0, self.left_s)
            self._shortest_s = min(self._shortest_s, again.wall_s)

    def trace(self, own: Side) -> Staircase:
        """One run on its own runtime, of a part of the time. Raises NotRecorded, NoProgram and Stopped."""
        threads = max(TRACED, len(PROCESSORS))
        self.tell(f"recording {threads} threads", self.gone_s)
        with recording.recorder(threads, 0, recording.MOST_BARRIERS) as (variables, read):
            side = Side("trace", own.program, own.words, own.changed | variables, own.title)
            done = self._once(Try(side, Size(len(PROCESSORS), threads)), 0, TRACE_SHARE * self.seconds)
            if done.late:
                raise NotRecorded(f"with {threads} threads it did not end within {done.wall_s:.0f} s", done.status)
            return staircase(read(own.words[0], done.status, done.wall_s))

    def run(self, plan: Sequence[Try], took: Callable[[Done], None]) -> None:
        """Rounds of all tries, each in an order that is drawn, but for the first. What fails is not tried again. Raises
        CannotRun."""
        left, last = list(plan), {}
        try:
            while left and self.rounds < MOST_ROUNDS:
                order = left if self.rounds == 0 else self._random.sample(left, len(left))
                for one in list(order):
                    if self.left_s <= last.get(one.key, 0.0):
                        return
                    self.tell(f"{one.size.words()}, {one.side.title}", self.gone_s)
                    patience = self._patience_s(one.size)
                    done = self._once(one, self.rounds, min(patience, self.left_s))
                    if done.late and self.left_s <= 0 and done.wall_s < patience:
                        return  # the time is up, and the run tells nothing
                    took(done)
                    last[one.key] = done.wall_s
                    without = last.get((OWN, one.size)) if one.side.name not in (OWN, WEIR) else None
                    if done.failed or (without and done.wall_s > HOPELESS * without and not done.disturbed):
                        left.remove(one)
                    if not done.failed:
                        self._shortest_s = min(self._shortest_s, done.wall_s)
                self.rounds += 1
        except Stopped:
            self.interrupted = True

    def _patience_s(self, size: Size) -> float:
        return max(PATIENCE_S, PATIENCE_TIMES * self._shortest_s * len(PROCESSORS) / size.processors)

    def _once(self, one: Try, number: int, limit_s: float) -> Done:
        where = Conditions(one.size.threads, one.size.quota)
        with tempfile.TemporaryDirectory(prefix="weir-advise-") as folder, on(one.size.processors):
            files = [Path(folder) / stream for stream in ("stdout", "stderr")]
            with others.measured() as meanwhile:
                ended = attempt(self._runner, one.side, where, limit_s, *files)
            said = tuple(tail(files[1])) if ended.late or ended.status else ()
        return _done(one, number, ended, meanwhile, said)


def _done(one: Try, number: int, ended: Ended, meanwhile: Meanwhile, said: tuple[str, ...]) -> Done:
    used = ended.used
    had = sum(row["others_s"] + row["stolen_s"] for row in meanwhile.rows(None))
    return Done(one, number, ended.wall_s, used.ru_utime + used.ru_stime, had, ended.status, ended.late, said)


@contextmanager
def on(processors: int) -> Iterator[None]:
    """What is started meanwhile has the first so many of our processors."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, PROCESSORS[:processors])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def no_quota() -> str | None:
    """Why none can be set here, or None."""
    try:
        with limited(1.0):
            return None
    except Unavailable as error:
        return str(error)
