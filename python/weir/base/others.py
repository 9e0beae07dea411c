"""Other programs: how much of our processors they had while a session measured."""

import os
import re
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from weir.base.records import Row, Writer
from weir.base.rows import Load

TICKS = os.sysconf("SC_CLK_TCK")  # of a second, in /proc/stat
# /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal
WORKING, STOLEN = (0, 1, 2, 5, 6), 7
MUCH = 0.2  # of the processors: less is the system itself


@dataclass(frozen=True)
class Busy:
    """Seconds since the machine was started: of any program, and those that the hypervisor took."""

    working_s: float
    stolen_s: float


def busy(proc: Path) -> dict[int, Busy]:
    """By processor. `proc`: where /proc is. Raises OSError where it says nothing."""
    found = {}
    for line in (proc / "stat").read_text(encoding="utf-8", errors="replace").splitlines():
        if said := re.match(r"cpu(\d+) (.*)", line):
            ticks = [int(word) for word in said[2].split()] + [0] * 8
            found[int(said[1])] = Busy(sum(ticks[i] for i in WORKING) / TICKS, ticks[STOLEN] / TICKS)
    return found


def own_s() -> float:
    """Our processor time, and that of the descendants that have ended and were waited for."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


@contextmanager
def watched(writer: Writer, proc: Path = Path("/proc")) -> Iterator[None]:
    """Around a session, all of whose processes end within: its last row says what other programs had meanwhile. None is
    written without a result, or where the system does not count."""
    with measured(proc) as found:
        try:
            yield
        finally:
            found.end()
            sessions = [row.get("id") for row in writer.rows if row["kind"] == "machine"]
            if sessions and writer.begun:
                for row in found.rows(sessions[-1]):
                    writer.write(row)


@contextmanager
def measured(proc: Path = Path("/proc")) -> Iterator["Meanwhile"]:
    """The same without a file of records: what is yielded has the row afterwards."""
    found = Meanwhile(proc)
    try:
        yield found
    finally:
        found.end()


class Meanwhile:
    """Begins when it is made."""

    def __init__(self, proc: Path) -> None:
        self._proc, self._ours = proc, os.sched_getaffinity(0)
        self._had: Row | None = None
        try:
            self._begun, self._first, self._own = time.monotonic(), busy(proc), own_s()
        except OSError:
            self._first = {}

    def end(self) -> None:
        if not self._first or self._had is not None:
            return
        seconds, last, own = time.monotonic() - self._begun, busy(self._proc), own_s() - self._own
        known = [n for n in self._ours if n in self._first and n in last]
        working = sum(last[n].working_s - self._first[n].working_s for n in known)
        stolen = sum(last[n].stolen_s - self._first[n].stolen_s for n in known)
        if known:
            self._had = {
                "processors": len(known), "seconds": seconds,
                "others_s": max(0.0, working - own), "stolen_s": max(0.0, stolen),
            }  # fmt: skip

    def rows(self, session: str | None) -> list[Load]:
        """One, or none where the system does not count."""
        return [{"kind": "load", "session": session, **self._had}] if self._had is not None else []


def share(row: Row) -> float:
    """Of a row of load: what other programs and the hypervisor had of our processors."""
    return min(1.0, (row["others_s"] + row["stolen_s"]) / (row["processors"] * row["seconds"]))


def disturbed(rows: Iterable[Row]) -> float | None:
    """The most that others had in any session, where it was so much that nothing can be judged by the figures."""
    most = max((share(row) for row in rows if row["kind"] == "load"), default=0.0)
    return most if most >= MUCH else None


def in_words(rows: Iterable[Row]) -> str:
    """For the reader, before all else; empty where nothing disturbed."""
    most = disturbed(rows)
    return "" if most is None else (
        f"Other programs had {most:.0%} of the processors while this was measured: the figures are for this situation, "
        "and nothing is judged by them. Repeat it on an idle machine."
    )  # fmt: skip
