"""Looks at a process and its descendants, and what happened between the first look and the last."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from weir.base.others import Busy
from weir.doctor import groups, pools
from weir.doctor.groups import Group, Quota, Throttled
from weir.doctor.pools import Pool, Program
from weir.doctor.proc import Denied, Gone, Proc, Process, Thread

INTERVAL_S = 0.1
LOOKING, LONGEST_S = 0.05, 1.0  # the part of the time that looks may take, and the longest pause for that


@dataclass(frozen=True)
class Ran:
    """What one thread did."""

    name: str
    cpu_s: float
    ready_s: float | None
    voluntary: int
    involuntary: int

    @property
    def wanted_s(self) -> float:
        """How long it had a processor or waited for one."""
        return self.cpu_s + (self.ready_s or 0.0)


@dataclass(frozen=True)
class Seen:
    """One process. `threads`: also those that ended; `live`: at the last look."""

    number: int
    name: str
    exe: str
    words: tuple[str, ...]
    threads: tuple[Ran, ...]
    live: int
    pools: tuple[Pool, ...]
    program: Program
    environment: dict[str, str] | None


@dataclass(frozen=True)
class Sample:
    """The first process is the one that was asked about."""

    seconds: float
    processes: tuple[Seen, ...]
    most_threads: int  # at once
    processors: frozenset[int]  # that any thread may run on
    quota: Quota | None
    throttled: Throttled | None  # None: no group counts it
    foreign_s: float  # of these processors, by other programs
    stolen_s: float
    unread: int = 0  # descendants of other users
    ended: bool = False

    @property
    def threads(self) -> list[Ran]:
        return [thread for process in self.processes for thread in process.threads]

    @property
    def pools(self) -> list[Pool]:
        """Each library once."""
        return list({pool.path: pool for process in self.processes for pool in process.pools}.values())

    @property
    def capacity(self) -> float:
        """Processors' time that it may have."""
        return min(len(self.processors), self.quota.processors if self.quota else len(self.processors))


@dataclass
class _Watched:
    """`first`: counters to subtract; none of a thread that began under our eyes."""

    latest: Process
    first: dict[tuple[int, int], Thread]
    last: dict[tuple[int, int], Thread] = field(default_factory=dict)
    # What a program has mapped is looked through while it is there.
    files: dict[str, Pool | None] = field(default_factory=dict)
    programs: dict[str, Program] = field(default_factory=dict)


class Watch:
    """`born`: we started the process, so that its counters are of the sample from zero."""

    def __init__(self, proc: Proc, number: int, born: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self.proc, self.number, self.born, self.clock = proc, number, born, clock
        self.watched: dict[tuple[int, int], _Watched] = {}
        self.most_threads, self.unread, self.ended = 0, 0, False
        self.groups: list[Group] = []
        self._first_throttled: dict[Group, Throttled] = {}
        self._last_throttled: dict[Group, Throttled] = {}
        self.processors: frozenset[int] = frozenset()
        self.begun = self.latest = clock()
        self._cost_s = 0.0
        self._own_s = _own_s()
        self._first_busy: dict[int, Busy] = {}
        self._last_busy: dict[int, Busy] = {}
        self._own_last_s = self._own_s

    @property
    def pause_s(self) -> float:
        """So that looking disturbs little."""
        return max(INTERVAL_S, min(self._cost_s / LOOKING, LONGEST_S))

    @property
    def seconds(self) -> float:
        return self.latest - self.begun

    def look(self) -> None:
        """Raises Gone and Denied, of the process that was asked about."""
        begin = time.perf_counter()
        first = not self.watched
        try:
            root = self.proc.process(self.number)
        except Gone:
            self.ended = True
            raise
        live = self._note(root, self.born or not first)
        self.unread = 0
        for number in self.proc.below(self.number, except_for=os.getpid()):
            try:
                live += self._note(self.proc.process(number), self.born or not first)
            except Denied:
                self.unread += 1
            except Gone:
                pass
        self.most_threads = max(self.most_threads, live)
        self._note_machine(first)
        self.latest = self.clock()
        self._cost_s = time.perf_counter() - begin

    def _note(self, seen: Process, new: bool) -> int:
        """How many threads it has."""
        key = seen.number, seen.begun
        threads = {(number, t.begun): t for number, t in seen.threads.items()}
        watched = self.watched.get(key)
        if watched is None:
            watched = self.watched[key] = _Watched(seen, {} if new else threads)
        if watched.latest.exe != seen.exe:  # exec has replaced what was mapped
            watched.files.clear()
        watched.latest = seen
        watched.last |= threads
        if fresh := [file for file in seen.files if file not in watched.files]:
            found = pools.pools((file, self.proc.seen_by(seen.number, file)) for file in fresh)
            watched.files |= dict.fromkeys(fresh) | {pool.path: pool for pool in found}
        if seen.exe and seen.exe not in watched.programs:
            watched.programs[seen.exe] = pools.program(self.proc.seen_by(seen.number, seen.exe))
        self.processors |= frozenset().union(*(t.processors for t in seen.threads.values()))
        return len(threads)

    def _note_machine(self, first: bool) -> None:
        if first:
            self.groups = groups.groups(self.proc.root, self.number)
            self._first_throttled = groups.throttled(self.groups)
        self._last_throttled |= groups.throttled(self.groups)  # a group may be gone before we are
        self._last_busy = self.proc.busy()
        if first:
            self._first_busy = self._last_busy
        self._own_last_s = _own_s()

    def sample(self) -> Sample:
        processes = tuple(self._seen(watched) for watched in self.watched.values())
        used = sum(thread.cpu_s for process in processes for thread in process.threads)
        known = self.processors & self._first_busy.keys() & self._last_busy.keys()
        working = sum(self._last_busy[n].working_s - self._first_busy[n].working_s for n in known)
        stolen = sum(self._last_busy[n].stolen_s - self._first_busy[n].stolen_s for n in known)
        return Sample(
            seconds=self.seconds,
            processes=processes,
            most_threads=self.most_threads,
            processors=self.processors,
            quota=groups.quota(self.groups),
            throttled=self._throttled(),
            foreign_s=max(0.0, working - used - (self._own_last_s - self._own_s)),
            stolen_s=max(0.0, stolen),
            unread=self.unread,
            ended=self.ended,
        )

    def _throttled(self) -> Throttled | None:
        """Of the group that was held back most."""
        differences = [
            last - self._first_throttled[group]
            for group, last in self._last_throttled.items()
            if group in self._first_throttled
        ]
        return max(differences, key=lambda group: (group.seconds, group.periods), default=None)

    def _seen(self, watched: _Watched) -> Seen:
        latest = watched.latest
        return Seen(
            number=latest.number,
            name=latest.name,
            exe=latest.exe,
            words=latest.words,
            threads=tuple(_difference(thread, watched.first.get(key)) for key, thread in watched.last.items()),
            live=len(latest.threads),
            pools=tuple(pool for pool in watched.files.values() if pool),
            program=watched.programs.get(latest.exe, Program()),
            environment=latest.environment,
        )


def _difference(last: Thread, first: Thread | None) -> Ran:
    if first is None:
        return Ran(last.name, last.cpu_s, last.ready_s, last.voluntary, last.involuntary)
    ready = None if last.ready_s is None or first.ready_s is None else max(0.0, last.ready_s - first.ready_s)
    return Ran(
        last.name,
        max(0.0, last.cpu_s - first.cpu_s),
        ready,
        last.voluntary - first.voluntary,
        last.involuntary - first.involuntary,
    )


def _own_s() -> float:
    used = os.times()
    return used.user + used.system
