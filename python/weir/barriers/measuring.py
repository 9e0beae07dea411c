"""Runs a session: fresh processes for each run, all subjects in turn for each sample."""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from weir.barriers import fields
from weir.barriers.custom import LeftOut
from weir.barriers.plan import Part, Session
from weir.base.complaints import Complaints
from weir.base.driver import Lost, Program, Subject
from weir.base.load import busy
from weir.base.records import LISTS, Writer, whole
from weir.base.statistics import in_the_noise, unclean
from weir.base.transfers import Transfers


@dataclass
class Series:
    """What one run has seen of one subject so far."""

    subject: Subject
    lists: dict[str, list[Any]] = field(default_factory=lambda: {name: [] for name in LISTS})
    inner: int = 0
    cycles_per_ns: float = 0.0
    spent_s: float = 0.0
    stopped: str | None = None  # why no more samples are taken
    failed: bool = False  # stopped by a failure, not by its budget
    told: bool = False  # the failure is known to the user already

    def add(self, answer: dict[str, Any]) -> None:
        for name in LISTS:
            self.lists[name].append(round(float(answer[name]), 2))
        self.inner = int(answer["inner"])
        self.cycles_per_ns = float(answer["cycles_per_ns"])


@dataclass
class Progress:
    """What a progress bar shows after each sample."""

    doing: str
    steps: int


class Bench:
    """One session, written to `writer` as it goes. `tell` is called after each sample."""

    def __init__(
        self,
        session: Session,
        writer: Writer,
        tell: Callable[[Progress], None] = lambda _: None,
        left_out: Sequence[LeftOut] = (),
    ) -> None:
        self.session = session
        self.writer = writer
        self.tell = tell
        self.left_out = left_out
        self.id = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        self.complaints = Complaints()
        self.interrupted = False
        self.ended_before: int | None = None  # at the deadline: the number of the run that was not begun any more
        self._random = random.Random(session.seed)

    def run(self, host: dict[str, Any], deadline: float | None = None) -> None:
        """Ctrl-C, and the deadline (time.monotonic()), end it early: what was measured is kept."""
        self.writer.write(
            {
                "kind": "machine",
                "id": self.id,
                "time": datetime.now(UTC).isoformat(timespec="seconds"),
                "host": host,
                "settings": self.session.settings(),
            }
        )
        for out in self.left_out:
            one = Series(out.subject, stopped=out.why, failed=True, told=True)
            self._write(one, self.session.parts[0], out.members, 0.0, 0, False, 0)
        try:
            # Rounds outside, so that each size and load is measured early and late in the session.
            for run in range(max(part.rounds for part in self.session.parts)):
                for part in self.session.parts:
                    if run >= part.rounds:
                        continue
                    for members in part.sizes:
                        if deadline is not None and time.monotonic() > deadline:
                            self.ended_before = run + 1
                            return
                        self._run_team(part, members, run)
        except KeyboardInterrupt:
            self.interrupted = True

    def _run_team(self, part: Part, members: int, run: int) -> None:
        delay = part.delay_for(members, len(self.session.processors))
        series = [Series(subject) for subject in part.subjects]
        arguments = self._arguments(part, members, delay)
        loaded = part.load != "none"
        # Under load waste is what is measured, and a probe would find no idle processor.
        transfers = Transfers([] if loaded else self.session.processors)
        programs: dict[tuple[str, tuple[str, ...]], Program] = {}
        complete = False
        try:
            with busy(self.session.processors if loaded else []):
                try:
                    for name, options in dict.fromkeys((s.program, s.options) for s in part.subjects):
                        programs[name, options] = Program(name, [*options, *arguments])
                    for sample in range(part.samples):
                        self._random.shuffle(series)
                        for one in series:
                            program = programs[one.subject.program, one.subject.options]
                            self._sample(one, program, part, sample, transfers)
                            self.tell(Progress(f"{members} threads, run {run + 1}: {one.subject.id}", 1))
                    complete = True
                finally:
                    for program in programs.values():
                        program.quit()
                    transfers.end()
        finally:
            for one in sorted(series, key=lambda s: s.subject.id):
                begun = programs.get((one.subject.program, one.subject.options))
                self._write(one, part, members, delay, run, complete, begun.starts if begun else 0)

    def _sample(self, one: Series, program: Program, part: Part, sample: int, transfers: Transfers) -> None:
        if one.stopped is not None:
            return
        if one.spent_s > part.series_budget_s and sample > 0:
            one.stopped = f"its {part.series_budget_s:g} s were spent after {sample} samples"
            return
        start, before = time.monotonic(), transfers.last
        try:
            answer = program.ask(f"sample {one.subject.id}", self.patience_s(part))
            if "error" in answer:
                raise Lost(str(answer["error"]))
        except Lost as lost:
            one.stopped, one.failed = str(lost), True
        one.spent_s += time.monotonic() - start
        transfers.probe()
        if not one.failed:
            one.add(answer)
            transfers.note(one.lists, before)

    def patience_s(self, part: Part) -> float:
        """For one answer; the first one of a subject holds its pilot as well."""
        return max(20.0, 20 * part.series_budget_s)

    def _arguments(self, part: Part, members: int, delay: float) -> list[str]:
        processors = ",".join(map(str, self.session.processors))
        words = ["--members", str(members), "--processors", processors, "--delay-ns", f"{delay:g}"]
        # One episode longer than the series' budget cannot be helped; a sample of several can.
        words += [
            "--sample-ms",
            f"{part.sample_ms:g}",
            "--limit-ms",
            f"{max(part.sample_ms, 200 * part.series_budget_s):g}",
        ]
        return words if part.pinned else [*words, "--unpinned"]

    def _write(
        self, one: Series, part: Part, members: int, delay: float, run: int, complete: bool, starts: int
    ) -> None:
        s = one.subject
        one.lists = whole(one.lists)
        taken = len(one.lists["episode_ns"])
        if one.failed and not one.told:
            self.complaints.add(str(one.stopped), f"{s.id}, {members} threads, run {run + 1}")
        if taken == 0 and not one.failed:
            return  # interrupted before its first sample
        row: fields.Row = {
            "kind": "overhead" if taken else "failure",
            "session": self.id,
            "source": "measured",
            "what": {
                "family": s.family,
                "id": s.id,
                "algorithm": s.algorithm,
                "waiting": s.waiting,
                "version": s.version,
            },
            "where": {
                "members": members,
                "processors": len(self.session.processors),
                "pinned": part.pinned,
                "load": part.load,
                "delay_ns": delay,
            },
            "how": {
                "method": "overhead",
                "run": run,
                "samples": taken,
                "inner": one.inner,
                "rejected": unclean(one.lists["episode_ns"]),
                "in_the_noise": in_the_noise(one.lists["overhead_ns"]) if taken else None,
                "complete": complete and taken == part.samples,
                "stopped": one.stopped,
                "starts": starts,
            },
        }
        if taken:
            row["samples"] = one.lists
            row["cycles_per_ns"] = one.cycles_per_ns
        self.writer.write(row)
