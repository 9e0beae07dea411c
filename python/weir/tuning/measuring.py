"""Measures the barriers of each team size by turns with the usual one, with what `weir bench` measures with."""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from weir.barriers.measuring import Bench, Progress
from weir.barriers.plan import Session
from weir.base import driver, native
from weir.base.complaints import Complaints
from weir.base.driver import Subject
from weir.base.records import Row, Writer
from weir.tuning import judging, plan
from weir.tuning.judging import Finding
from weir.tuning.plan import Team

SCREENING = 0.45  # of the time, at most
VARIABLE = "WEIR_PROFILE"


class CannotTune(Exception):
    """The message says why not, and what to do."""


@contextmanager
def without_profile() -> Iterator[None]:
    """What is the usual choice must not come from an earlier profile."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = "none"
    try:
        yield
    finally:
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before


def _measurable(known: Mapping[Team, str]) -> dict[Team, Subject]:
    by_name = {s.algorithm: s for s in driver.by_levels(set(known.values())) if s.waiting == "auto"}
    return {team: by_name[name] for team, name in known.items()}


class Measured:
    """On this machine. `tell(doing, seconds gone)` is called before each sample. Raises native.NativeError and
    CannotTune."""

    def __init__(self) -> None:
        known = plan.plans_known(native.ask("weir-info").get("profile", {}))
        with without_profile():
            self.host = native.ask("weir-info")
            found, _ = driver.subjects()
        self.processors: list[int] = self.host["affinity"]
        barriers = plan.barriers(found, self.host, _measurable(known))
        if barriers is None:
            raise CannotTune("weir-measure knows no default barrier: install Weir again")
        self.barriers = barriers
        self.teams = plan.teams(len(self.processors))
        self.complaints = Complaints()
        self.interrupted = False

    def run(self, seconds: float, writer: Writer, tell: Callable[[str, float], None]) -> list[Finding]:
        """One for each team, in order. Raises native.NativeError and CannotTune."""
        if self.host["usable"] < len(self.processors):
            raise CannotTune(
                f"a CPU quota of {self.host['usable']:g} processors would be measured instead of the barriers, and no "
                "profile is used under a quota: tune outside of it"
            )
        with without_profile():
            return self._run(time.monotonic(), seconds, writer, tell)

    def _run(self, begun: float, seconds: float, writer: Writer, tell: Callable[[str, float], None]) -> list[Finding]:
        usual = self.barriers.usual
        taken = {team: self._taken(team) for team in self.teams}
        tried = {team: self.barriers.against(team, taken[team]) for team in self.teams}
        first = plan.session(self.processors, tried, usual, 1, plan.SCREENED, plan.SCREENING_S)
        screened = self._measure(first, begun, SCREENING * seconds, writer, tell)
        left = {team: self._close(screened, team) for team in self.teams}
        second = plan.session(self.processors, left, usual, plan.MOST_ROUNDS, plan.SAMPLES, plan.SERIES_S)
        # Not the rows of the screening: among many barriers the fastest of a few samples is so by chance, too.
        rows = [] if self.interrupted else self._measure(second, begun, seconds, writer, tell)
        return [self._judged(screened, rows, team, taken[team], left[team]) for team in self.teams]

    def _taken(self, team: Team) -> str:
        said = native.ask("weir-info", "--members", str(team.members))["choices"]
        own = next((c for c in said if c["members"] == team.members and c["placed"] == team.bound), None)
        return own["algorithm"] if own else "auto"

    def _measure(
        self, session: Session, begun: float, seconds: float, writer: Writer, tell: Callable[[str, float], None]
    ) -> list[Row]:
        already = len(writer.rows)

        def told(p: Progress) -> None:
            tell(p.doing, time.monotonic() - begun)

        if session.parts:
            bench = Bench(session, writer, told)
            bench.run(self.host, begun + seconds)
            self.interrupted = self.interrupted or bench.interrupted
            for complaint in bench.complaints:
                self.complaints.add(complaint)
        return writer.rows[already:]

    def _close(self, screened: Sequence[Row], team: Team) -> list[Any]:
        by_id = {s.id: s for s in self.barriers.against(team, None)}
        return [by_id[one] for one in judging.close(screened, team) if one in by_id]

    @staticmethod
    def _judged(screened: Sequence[Row], rows: Sequence[Row], team: Team, taken: str, left: Sequence[Any]) -> Finding:
        if left or not judging.was_seen(screened, team):
            return judging.judge(rows, team, taken)
        return judging.not_close(screened, team, taken)
