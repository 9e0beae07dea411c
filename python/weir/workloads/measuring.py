"""Runs a session: rounds over all programs and situations, in each of which the runtimes take turns; then it counts
what programs synchronise."""

import os
import random
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from weir.base.complaints import Complaints
from weir.base.records import Row, Writer
from weir.openmp.runtimes import Stage
from weir.openmp.situation import PROCESSORS, Unavailable
from weir.run import sides
from weir.run.measuring import Side, attempt, tail
from weir.run.runner import Ended, Runner, Stopped
from weir.run.starting import THREADS, CannotRun
from weir.workloads import rows
from weir.workloads.programs import GCC, OF_PROCESSES, OVER, POOLS, Program
from weir.workloads.rows import AUTO, BEST, DEFAULT, HAND, KERNEL, OWN, PROFILE, RUN
from weir.workloads.sharing import Sharing
from weir.workloads.situations import BY_NAME, Cell, cells

LIMIT_S = 30.0  # of a run
FOR_ROUNDS = 0.85  # of the time; the rest is for counting and pricing directives
# `NAME: N threads, S s, ...`: the first time in seconds of such a line.
TIME = re.compile(r"^[\w.-]+: .*?(?<![\w.])(\d+(?:\.\d+)?(?:e[-+]?\d+)?) s(?![\w/])", re.MULTILINE)


@dataclass(frozen=True)
class Compared:
    """Where programs run, and on what: own, Weir's kinds of threads, others as weir run --against takes them, hand."""

    situations: Sequence[str]
    runtimes: Sequence[str]


@dataclass(frozen=True)
class Plan:
    programs: Sequence[Program]
    situations: Sequence[str]
    teams: Sequence[int] | None  # None: the usual ones of each situation
    processors: int
    runtimes: Sequence[str]
    barriers: Sequence[str]  # beside the default
    rounds: int
    seconds: float
    shares: bool = True
    peers: bool = False  # also the peers of situations that have some
    limit_s: float = LIMIT_S
    pools: Compared | None = None  # of programs whose threads are not OpenMP's; None: as of the others

    def of(self, program: Program) -> Compared:
        usual = Compared(self.situations, self.runtimes)
        return self.pools or usual if program.group == POOLS else usual

    def settings(self) -> Row:
        named = {name: list(getattr(self, name) or ()) for name in ("situations", "teams", "runtimes", "barriers")}
        programs = [one.name for one in self.programs]
        return {
            "programs": programs,
            "rounds": self.rounds,
            "seconds": self.seconds,
            "processors": self.processors,
            **named,
        }


@dataclass(frozen=True)
class One:
    """One way to run a cell. `runtime`: as in records."""

    side: Side
    runtime: str
    barrier: str
    team: int | None = None  # by hand: of this size, and not of the cell's
    launcher: tuple[str, ...] = ()  # words before the program's own

    @property
    def key(self) -> str:
        return f"{self.runtime}/{self.barrier}"


class Wrong(Exception):
    """A run that gave no time, or not the result; the message says why."""


Tell = Callable[[str, int, int], None]


class Session:
    """`tell(doing, done, of)` is called before each run."""

    def __init__(self, plan: Plan, writer: Writer, tell: Tell = lambda *_: None) -> None:
        self.plan, self.writer, self.tell = plan, writer, tell
        self.id = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ") + "-workloads"
        self.complaints = Complaints()
        self.interrupted = False
        self._random = random.Random(1)
        self._expected: dict[Cell, list[str]] = {}
        self._for_rounds = FOR_ROUNDS if plan.shares else 1.0

    def run(self, host: dict[str, Any]) -> None:
        """Ctrl-C ends it early: what was measured until then is kept. Raises native.NativeError and CannotRun."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self.writer.write(
            {"kind": "machine", "id": self.id, "time": now, "host": host, "settings": self.plan.settings()}
        )
        begun = time.monotonic()
        with closing(Stage()) as stage, tempfile.TemporaryDirectory(prefix="weir-workloads-") as folder:
            self._files = Path(folder) / "stdout", Path(folder) / "stderr"
            try:
                todo = self._prepared(stage)
                with Runner() as self._runner:
                    self._rounds(todo, begun + self._for_rounds * self.plan.seconds)
                    sharing = self._counted(todo) if self.plan.shares else None
                # Outside of the runner: pricing hears Ctrl-C itself.
                if sharing:
                    self.interrupted |= sharing.price(self.writer, self.complaints, self.tell)
            except (Stopped, KeyboardInterrupt):
                self.interrupted = True

    def _prepared(self, stage: Stage) -> dict[Cell, list[One]]:
        """What can be run, and a complaint on each program that cannot."""
        todo: dict[Cell, list[One]] = {}
        for number, program in enumerate(self.plan.programs):
            self.tell(f"preparing {program.name}", number, len(self.plan.programs))
            if not program.file.is_file():
                self.complaints.add(f"skipped: it is not built. {program.how_to_build()}", program.name)
                continue
            situations = self.plan.of(program).situations
            callers = any(BY_NAME[one].callers for one in situations) and program.takes_callers()
            try:
                self._tried(program)
                ways = self._ways(program, stage)
            except (CannotRun, Wrong) as no:
                self.complaints.add(f"skipped: {no}", program.name)
                continue
            for cell in cells(program, situations, self.plan.teams, self.plan.processors, callers):
                own = [way for way in ways if self._belongs(way, cell)]
                if own:
                    todo[cell] = own
        return todo

    def _belongs(self, way: One, cell: Cell) -> bool:
        where, runtimes = cell.situation, self.plan.of(cell.program).runtimes
        if way.team is not None:
            return way.team != cell.team or cell.situation.own_fits or not cell.asks
        return (way.runtime in (*runtimes, *rows.FIXED) or way.runtime in where.peers) and (
            way.barrier in ("", DEFAULT) or where.by_barrier
        )

    def _tried(self, program: Program) -> None:
        """One run that is not measured: it reads the files, and shows whether the program's modules are there. Raises
        Wrong."""
        team = min(self.plan.processors, *(self.plan.teams or ()), self.plan.processors)
        words = (str(program.file), *program.arguments("shared", team, 0))
        where = BY_NAME["dedicated"].conditions(team, self.plan.processors)
        with Runner() as runner:
            ended = attempt(runner, Side(OWN, program.file, words, {}), where, self.plan.limit_s, *self._files)
        self._check(ended)

    def _ways(self, program: Program, stage: Stage) -> list[One]:
        """On each runtime, by each barrier on Weir's kernel threads, and with other numbers of threads. Raises
        CannotRun."""
        if program.group == OF_PROCESSES:
            return [One(Side(OWN, program.file, (str(program.file),), {}, OVER), OWN, "")]
        asked = self.plan.of(program).runtimes
        others = tuple(sorted(set(asked) - {KERNEL, HAND, BEST}, key=lambda name: (name != OWN, asked.index(name))))
        against = (*(others or (OWN,)), *self._peers(program))
        found = sides.preloaded([str(program.file)], None, KERNEL, against, stage, calls=program.group != POOLS)
        for complaint in found.complaints:
            self.complaints.add(complaint, program.name)
        ways = [One(side, side.name, DEFAULT if rows.is_weirs(side.name) else "") for side in found.others if others]
        if HAND in asked and not program.per_member:
            ways += self._by_hand(program)
        if KERNEL in asked:
            ways.append(One(found.weir, KERNEL, DEFAULT))
            for name in self.plan.barriers if program.barriers else ():
                ways.append(One(replace(found.weir, changed=found.weir.changed | {"WEIR_BARRIER": name}), KERNEL, name))
        if BEST in asked and program.group != POOLS:
            ways += self._fixed(found.weir)
        return ways

    def _fixed(self, weir: Side) -> list[One]:
        """Beside kernel threads, which choose nothing either: members in user space, on all processors and on one."""
        one = ("taskset", "-c", str(PROCESSORS[0]))
        fixed = {rows.USER_FIXED: ("user", ()), rows.AUTO_FIXED: (AUTO, ()), rows.ONE_FIXED: (AUTO, one)}
        return [
            One(replace(weir, changed=weir.changed | {THREADS: kind, "WEIR_ADAPT": "false"}), name, "", None, launcher)
            for name, (kind, launcher) in fixed.items()
        ]

    def _by_hand(self, program: Program) -> list[One]:
        """As it is, with the numbers of threads that its user would try: one, two, as many as processors."""
        title = "1 thread", "{} threads"
        return [
            One(Side(OWN, program.file, (str(program.file),), {}, title[n > 1].format(n)), rows.by_hand(n), "", n)
            for n in sorted({1, 2, self.plan.processors})
        ]

    def _peers(self, program: Program) -> list[str]:
        """Other runtimes that the situations of this program ask for: those that this machine has."""
        asked = {
            name
            for one in self.plan.situations
            if self.plan.peers and program.group == GCC and program.takes(BY_NAME[one].work)
            for name in BY_NAME[one].peers
        }
        there = []
        for name in sorted(asked - set(self.plan.runtimes)):
            try:
                there += sides.of_machine([name], "bench workloads")
            except CannotRun:
                self.complaints.add(f"not compared: this machine has no {name}")
        return there

    def _rounds(self, todo: dict[Cell, list[One]], end: float) -> None:
        """Programs, teams and situations for whose rounds there is no time have the first one alone."""
        took: dict[Cell, float] = {}
        going = list(todo)
        for run in range(self.plan.rounds):
            if run == 1:
                going = self._affordable(took, end)
            for number, cell in enumerate(self._random.sample(going, len(going))):
                begun = time.monotonic()
                if begun > end:
                    self._spent(took, len(todo), f"in round {run + 1}")
                    return
                try:
                    with cell.situation.loaded():
                        self._turn(cell, run, todo, run * len(going) + number, self.plan.rounds * len(going))
                except Unavailable as no:
                    self.complaints.add(f"left out: {no}", cell.situation.title)
                    todo[cell] = []
                took[cell] = max(took.get(cell, 0.0), time.monotonic() - begun)

    def _turn(self, cell: Cell, run: int, todo: dict[Cell, list[One]], done: int, of: int) -> None:
        for way in self._order(todo[cell], run):
            doing = f"round {run + 1}: {cell.title()}, {way.side.title} {way.barrier}"
            self.tell(doing.rstrip(), done, of)
            if way in todo[cell]:
                self._once(cell, way, run, todo)

    def _affordable(self, took: dict[Cell, float], end: float) -> list[Cell]:
        """All, or as many as there is time for: drawn, so that neither the slow nor the fast are preferred."""
        left_s, more = end - time.monotonic(), self.plan.rounds - 1
        if more * sum(took.values()) <= left_s:
            return list(took)
        kept = []
        for cell in self._random.sample(list(took), len(took)):
            if more * took[cell] <= left_s:
                kept.append(cell)
                left_s -= more * took[cell]
        self._spent(
            took,
            len(took),
            f"by {len(kept)} of {len(took)} programs, teams and situations, and the others have one round",
        )
        return kept

    def _spent(self, took: dict[Cell, float], cells: int, where: str) -> None:
        all_s = self.plan.rounds * sum(took.values()) * cells / max(1, len(took)) / self._for_rounds
        needed = f"{self.plan.rounds} rounds of all need about --seconds {all_s:.0f}"
        self.complaints.add(f"the time given, {self.plan.seconds:g} s, is spent {where}; {needed}")

    def _order(self, ways: list[One], run: int) -> list[One]:
        """The first, the program's own runtime if that is compared, says in the first round what the result is. After
        that each way is at each place in turn: what ran before decides how a run finds the processors."""
        if run == 0:
            return list(ways)
        shuffled = random.Random(run // len(ways)).sample(ways, len(ways)) if ways else []
        first = run % len(ways) if ways else 0
        return shuffled[first:] + shuffled[:first]

    def _once(self, cell: Cell, way: One, run: int, todo: dict[Cell, list[One]]) -> None:
        made = rows.row(cell, way.runtime, way.side.title, way.barrier, self.id, run, RUN)
        try:
            time_s, ended = self._measured(self._as_run(cell, way), way.side, way.launcher)
        except (Wrong, CannotRun) as no:
            # No other run of it: it would fail again, and may take long for that.
            self.complaints.add(f"left out: {no}", f"{cell.title()}, {way.side.title}")
            todo[cell] = [] if way.runtime == OWN else [other for other in todo[cell] if other.key != way.key]
            self.writer.write(rows.row(cell, way.runtime, way.side.title, way.barrier, self.id, run, RUN, str(no)))
        else:
            used = ended.used.ru_utime + ended.used.ru_stime
            self.writer.write(rows.timed(made, time_s, used, wall_s=round(ended.wall_s, 6)))

    def _as_run(self, cell: Cell, way: One) -> Cell:
        if way.team is not None:
            return cell.by_hand(way.team)
        return cell.fitting() if cell.situation.own_fits and way.runtime == OWN else cell

    def _measured(self, cell: Cell, side: Side, launcher: tuple[str, ...] = ()) -> tuple[float, Ended]:
        """The time of the slowest copy. Raises Wrong, CannotRun, Unavailable, Stopped."""
        words = (*launcher, str(side.program), *cell.words)
        starts = Path(shutil.which(launcher[0]) or launcher[0]) if launcher else side.program
        side = replace(side, program=starts, words=words)
        ended = attempt(self._runner, side, cell.conditions, self.plan.limit_s, *self._files)
        said, times = self._check(ended)
        copies = cell.situation.copies
        if len(times) != copies:
            raise Wrong(f"it printed {len(times)} times and not {copies}")
        # Lines of copies come in any order.
        expected = self._expected.setdefault(cell, sorted(said))
        if sorted(said) != expected:
            lines = zip(expected, sorted(said), strict=False)
            was, now = next(((a, b) for a, b in lines if a != b), (f"{len(expected)} lines", f"{len(said)} lines"))
            raise Wrong(f"its result differs: {now[:60]!r} instead of {was[:60]!r}")
        return max(times), ended

    def _check(self, ended: Ended) -> tuple[list[str], list[float]]:
        """Lines of the result, and times. Raises Wrong."""
        out, err = self._files
        if ended.late:
            raise Wrong(f"no end within {ended.wall_s:.0f} s")
        if ended.status != 0:
            words = "; ".join(tail(err, 1)) or "; ".join(tail(out, 1))
            raise Wrong(f"it ended with status {ended.status}{words and ': ' + words}")
        times = [float(found) for found in TIME.findall(err.read_text(errors="replace"))]
        if not times:
            raise Wrong("it printed no time on stderr (`NAME: N threads, S s, ...`)")
        return out.read_text(errors="replace").splitlines(), times

    def _counted(self, todo: dict[Cell, list[One]]) -> Sharing:
        """A run more of each program and team, on its own runtime and on Weir's kernel threads."""
        sharing = Sharing()
        asked = [
            (cell, way)
            for cell, ways in todo.items()
            if cell.load == "none" and cell.program.group != POOLS
            for way in ways
            if way.runtime in (OWN, KERNEL) and way.barrier in ("", DEFAULT)
        ]
        for number, (cell, way) in enumerate(asked):
            self.tell(f"counting directives: {cell.title()}, {way.side.title}", number, len(asked))
            made = rows.row(cell, way.runtime, way.side.title, way.barrier, self.id, 0, PROFILE)
            before = way.side.changed.get("LD_PRELOAD", os.environ.get("LD_PRELOAD"))
            try:
                with sharing.counting(made, before) as (variables, note):
                    time_s, ended = self._measured(cell, replace(way.side, changed=way.side.changed | variables))
                    note(time_s, ended.used.ru_utime + ended.used.ru_stime)
            except (Wrong, CannotRun, Unavailable) as no:
                self.complaints.add(f"not counted: {no}", f"{cell.title()}, {way.side.title}")
        return sharing
