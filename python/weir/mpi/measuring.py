"""Runs a session over MPI: a fresh start of each MPI's launcher for each number of processes and threads, in each run.

Within one start all barriers take a sample in turn, so that drift of the machine hits all alike.
"""

import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

from weir.base.complaints import Complaints
from weir.base.driver import Lost
from weir.base.names import Unknown
from weir.base.records import PROBES, Writer
from weir.base.statistics import unclean
from weir.mpi import fields
from weir.mpi.launchers import Mpi
from weir.mpi.plan import Size, subjects

PATIENCE_S = 30.0
MOST_STARTS = 3  # of one size in one run, where barriers hang or end the program
Event = dict[str, Any]


@dataclass(frozen=True)
class Conditions:
    """How the barriers are measured."""

    rounds: int
    samples: int
    sample_ms: float = 1.0
    series_ms: float = 150.0
    method: str | None = None  # None: whichever suits
    levels: tuple[str, ...] = ("funneled",)


@dataclass(frozen=True)
class Start:
    """One start of a launcher."""

    mpi: Mpi
    size: Size
    level: str
    subjects: tuple[str, ...]

    def words(self) -> str:
        return f"{self.mpi.name}, {self.size.processes} × {self.size.threads}"


def planned(
    mpis: Sequence[Mpi], sizes: Sequence[Size], levels: Sequence[str], quick: bool, only: Sequence[str] | None
) -> tuple[list[Start], list[str]]:
    """What is to be started, and the names asked for that suit none of it. Raises Unknown."""
    made = []
    for size in sizes:
        chosen = subjects(size, quick, only)
        # With one thread the level is of no account.
        of_size = levels if size.threads > 1 else levels[:1]
        made += [Start(m, size, level, chosen) for m in mpis for level in of_size if chosen]
    if not sizes:
        raise Unknown("one process of one thread has no other to wait for: give --processes or --threads 2 or more")
    measured = {name for start in made for name in start.subjects}
    unfit = [name for name in only or [] if name not in measured]
    if not made:
        raise Unknown(f"--barriers {','.join(unfit)}: none of them is one of these processes and threads")
    return made, unfit


@dataclass
class _Seen:
    """What one start has seen of one barrier by one method."""

    episode_ns: list[float] = field(default_factory=list)
    cpu_ns: list[float] = field(default_factory=list)
    clock_ns: list[float] = field(default_factory=list)
    turn: list[int] = field(default_factory=list)
    probes: dict[str, list[float | None]] = field(default_factory=dict)
    inner: int = 0
    late: int = 0
    stopped: str | None = None
    failed: bool = False

    def add(self, event: Event) -> None:
        self.episode_ns.append(round(float(event["episode_ns"]), 2))
        self.cpu_ns.append(round(float(event["cpu_ns"]), 2))
        self.clock_ns.append(float(event["clock_ns"]))
        self.turn.append(int(event["turn"]))
        for name in PROBES:
            if name in event:
                ns = event[name]
                self.probes.setdefault(name, []).append(None if ns is None else round(float(ns), 1))
        self.inner, self.late = int(event["inner"]), int(event["late"])


@dataclass
class _Heard:
    site: Event = field(default_factory=dict)
    choices: dict[str, Any] = field(default_factory=dict)
    series: dict[tuple[str, str], _Seen] = field(default_factory=dict)
    at: tuple[str, str] | None = None  # whose first sample was begun last
    ended: bool = False


def events(command: Sequence[str], patience_s: float = PATIENCE_S) -> Iterator[Event]:
    """What a program under a launcher prints, line by line. Raises Lost if it fails or prints nothing for too long."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            process_group=0,  # Ctrl-C reaches us alone, and we then end the launcher
        )
    except OSError as error:
        raise Lost(f"{command[0]}: {error.strerror}") from None
    lines: queue.Queue[str | None] = queue.Queue()
    words: deque[str] = deque(maxlen=16)  # that are no events: a launcher's complaints

    def listen() -> None:
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    threads = [
        threading.Thread(target=listen, daemon=True),
        threading.Thread(target=lambda: words.extend(line.rstrip() for line in process.stderr), daemon=True),
    ]
    for thread in threads:
        thread.start()

    def heard(line: str) -> Event | None:
        try:
            event = json.loads(line)
        except json.JSONDecodeError:
            event = None
        if isinstance(event, dict) and "event" in event:
            return event
        if line.strip():
            words.append(line.rstrip())
        return None

    try:
        try:
            while (line := lines.get(timeout=patience_s)) is not None:
                if event := heard(line):
                    yield event
        except KeyboardInterrupt:
            # What the program has printed was measured: it is kept, too.
            _end(process)
            threads[0].join(timeout=2)
            while not lines.empty():
                if (line := lines.get()) is not None and (event := heard(line)):
                    yield event
            raise
        status = process.wait(timeout=patience_s)
        threads[1].join(timeout=2)
        if status != 0:
            raise Lost(f"{command[0]} ended with status {status}. " + "\n".join(w for w in words if w.strip("- ")))
    except (queue.Empty, subprocess.TimeoutExpired):
        raise Lost(f"it printed nothing for {patience_s:.0f} s") from None
    finally:
        _end(process)


def _end(process: subprocess.Popen) -> None:
    """The launcher takes its processes with it when it is asked to end, but not when it is killed."""
    for sign, patience_s in ((signal.SIGTERM, 5), (signal.SIGKILL, 5)):
        if process.poll() is not None:
            return
        os.killpg(process.pid, sign)
        try:
            process.wait(timeout=patience_s)
        except subprocess.TimeoutExpired:
            continue


class Measuring:
    """`tell(doing, steps)` is called after each sample."""

    def __init__(
        self,
        starts: Sequence[Start],
        how: Conditions,
        writer: Writer,
        tell: Callable[[str, int], None] = lambda *_: None,
    ) -> None:
        self.starts, self.how, self.writer, self.tell = list(starts), how, writer, tell
        self.id = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ") + "-mpi"
        self.complaints = Complaints()
        self.interrupted = False

    def steps(self) -> int:
        methods = 2 if self.how.method == "both" else 1
        return self.how.rounds * sum(len(s.subjects) for s in self.starts) * self.how.samples * methods

    def run(self, host: dict[str, Any], deadline: float | None = None) -> None:
        """Ctrl-C, and the deadline (time.monotonic()), end it early: what was measured until then is kept."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        settings = asdict(self.how) | {
            "launchers": {s.mpi.name: s.mpi.template or str(s.mpi.launcher) for s in self.starts},
            "sizes": list(dict.fromkeys((s.size.processes, s.size.threads) for s in self.starts)),
        }
        self.writer.write({"kind": "machine", "id": self.id, "time": now, "host": host, "settings": settings})
        try:
            # Runs outside, so that each size is measured early and late in the session.
            for run in range(self.how.rounds):
                for start in self.starts:
                    if deadline is not None and time.monotonic() > deadline:
                        self.complaints.add(
                            f"the time given is spent: run {run + 1} is not whole, later ones are left out"
                        )
                        return
                    self._start(start, run)
        except KeyboardInterrupt:
            self.interrupted = True

    def _start(self, start: Start, run: int) -> None:
        """Once more without a barrier that hangs, or that ends the program."""
        left, told = list(start.subjects), 0
        for starts in range(1, MOST_STARTS + 1):
            heard = _Heard()
            lost: Lost | None = None
            try:
                for event in events(self._command(start, left, run)):
                    self._hear(heard, event)
                    if event["event"] == "sample":
                        told += 1
                        self.tell(f"{start.words()}, run {run + 1}: {event['id']}", 1)
                if not heard.ended:
                    lost = Lost("the program ended before it was done")
            except Lost as error:
                lost = error
            except KeyboardInterrupt:
                self._write_all(start, run, heard)
                raise
            if lost is None:
                break
            self._lose(start, run, heard, lost)
            if heard.at is None or heard.at[0] not in left:
                break
            left.remove(heard.at[0])
            if not left:
                break
            if starts == MOST_STARTS:
                self._give_up(heard, left)
        self._write_all(start, run, heard)
        methods = 2 if self.how.method == "both" else 1
        self.tell(start.words(), len(start.subjects) * self.how.samples * methods - told)

    def _command(self, start: Start, subjects: Sequence[str], run: int) -> list[str]:
        words = start.mpi.command(start.size.processes, start.size.threads)
        words += ["--threads", str(start.size.threads), "--subjects", ",".join(subjects), "--level", start.level]
        words += ["--samples", str(self.how.samples), "--sample-ms", f"{self.how.sample_ms:g}"]
        words += ["--series-ms", f"{self.how.series_ms:g}", "--seed", str(run + 1)]
        return words + (["--method", self.how.method] if self.how.method else [])

    def _hear(self, heard: _Heard, event: Event) -> None:
        kind = event["event"]
        if kind == "site":
            heard.site = event
        elif kind == "end":
            heard.ended = True
        elif kind == "subject":
            heard.choices[event["id"]] = event.get("choice")
            if "failed" in event:
                heard.series[event["id"], ""] = _Seen(stopped=event["failed"], failed=True)
        elif kind in ("begins", "sample", "stopped"):
            key = (event["id"], event["method"])
            seen = heard.series.setdefault(key, _Seen())
            if kind == "begins":
                heard.at = key
            elif kind == "sample":
                seen.add(event)
            else:
                seen.stopped, seen.late = event["why"], int(event["late"])

    def _lose(self, start: Start, run: int, heard: _Heard, lost: Lost) -> None:
        """The barrier that was begun last gets a row that says so."""
        id, method = heard.at or ("every barrier", "")
        self.complaints.add(str(lost), f"{start.words()}, run {run + 1}: {id}")
        self._write(start, run, heard, id, method, _Seen(stopped=str(lost), failed=True))
        heard.series = {key: seen for key, seen in heard.series.items() if key[0] != id}

    def _give_up(self, heard: _Heard, left: Sequence[str]) -> None:
        """What was not measured of the others until the program was lost for the last time is not asked for again."""
        for id in left:
            if not any(key[0] == id for key in heard.series):
                heard.series[id, ""] = _Seen(failed=True)
        for seen in heard.series.values():
            if len(seen.episode_ns) < self.how.samples and seen.stopped is None:
                seen.stopped = f"the program was lost {MOST_STARTS} times"

    def _write_all(self, start: Start, run: int, heard: _Heard) -> None:
        for (id, method), seen in sorted(heard.series.items()):
            if seen.failed:
                self.complaints.add(str(seen.stopped), f"{start.words()}: {id}")
            self._write(start, run, heard, id, method, seen)

    def _write(self, start: Start, run: int, heard: _Heard, id: str, method: str, seen: _Seen) -> None:
        taken = len(seen.episode_ns)
        if taken == 0 and seen.stopped is None:
            return  # interrupted before its first sample
        ours = id.partition(":")[0] in ("weir", "team")
        site = heard.site
        row: fields.Row = {
            "kind": "overhead" if taken else "failure",
            "session": self.id,
            "source": "measured",
            "what": {
                "family": fields.FAMILY,
                "id": f"mpi:{start.mpi.name}:{id}",
                "algorithm": id,
                "waiting": "auto" if ours else "own",
                "version": site.get("version", "") if ours else " ".join(site.get("library", "").split()),
                "mpi": start.mpi.name,
                "library": " ".join(site.get("library", "").replace("Version:", "").split()),
                "choice": heard.choices.get(id),
            },
            "where": {
                "members": start.size.members,
                "processors": site.get("processors") or len(os.sched_getaffinity(0)),
                "pinned": site.get("pinned", False),
                "load": "none",
                "delay_ns": 0,
                "processes": start.size.processes,
                "threads": start.size.threads,
                "nodes": site.get("nodes", 1),
                "dedicated": site.get("dedicated", False),
                "level": start.level,
                "launcher": " ".join(start.mpi.command(start.size.processes, start.size.threads)[:-1]),
            },
            "how": {
                "method": method,
                "run": run,
                "samples": taken,
                "inner": seen.inner,
                "late": seen.late,
                "clock_ns": max(seen.clock_ns, default=0.0),
                "rejected": unclean(seen.episode_ns) if taken and site.get("dedicated") else None,
                "complete": taken == self.how.samples,
                "stopped": seen.stopped,
            },
        }
        if taken:
            row["samples"] = {
                "episode_ns": seen.episode_ns, "overhead_ns": seen.episode_ns, "reference_ns": [0.0] * taken,
                "cpu_ns": seen.cpu_ns, "turn": seen.turn, **seen.probes,
            }  # fmt: skip
            row["cycles_per_ns"] = site.get("cycles_per_ns", 0.0)
        self.writer.write(row)
