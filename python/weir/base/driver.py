"""Talks to the measuring programs: one process each, commands in, one line of JSON out."""

import json
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weir.base import native
from weir.base.names import BY_LEVELS

PROGRAMS = ("weir-measure", "weir-measure-libgomp", "weir-measure-libomp")
Answer = dict[str, Any]


class Lost(Exception):
    """A program hangs or has ended; its subjects are lost for this run, and the message says why."""


@dataclass(frozen=True)
class Subject:
    """Something that one of the programs can measure."""

    id: str
    family: str
    algorithm: str
    waiting: str
    version: str
    program: str
    options: tuple[str, ...] = ()  # of the program: subjects with the same share a process


def subjects() -> tuple[list[Subject], list[str]]:
    """All that can be measured here, and a word on each program that is missing."""
    found: list[Subject] = []
    missing: list[str] = []
    for program in PROGRAMS:
        if native.find(program) is None and program != PROGRAMS[0]:
            missing.append(f"{program} is not built: its runtime is left out")
            continue
        try:
            listed = native.ask(program, "list")
        except native.NotLoaded as error:
            missing.append(f"{error}: its runtime is left out")
            continue
        found += [_subject(entry, program) for entry in listed]
    return found, missing


def by_levels(names: Iterable[str]) -> list[Subject]:
    """The plans by levels among these names, with each waiting policy; the others are passed over. Raises
    native.NativeError, also for a name that is wrong."""
    found: list[Subject] = []
    for name in names:
        if name.startswith(BY_LEVELS):
            option = ("--levels", name)
            listed = native.ask(PROGRAMS[0], "list", *option)
            found += [_subject(entry, PROGRAMS[0], option) for entry in listed if entry["algorithm"] == name]
    return found


def _subject(entry: Mapping[str, Any], program: str, options: tuple[str, ...] = ()) -> Subject:
    fields = {name: str(entry.get(name, "")) for name in ("id", "family", "algorithm", "waiting", "version")}
    return Subject(program=program, options=options, **fields)


class Process:
    """One fresh process of a measuring program, with its team parked inside."""

    def __init__(
        self,
        program: str | Path,
        arguments: list[str],
        extra: dict[str, str] | None = None,
        launcher: tuple[str, ...] = (),
        begin: str = "serve",
        before: Mapping[str, str] | None = None,
    ) -> None:
        """`extra`: what its environment has beside or instead of `before`, which is ours if nobody says otherwise.
        `launcher`: words before the program's own."""
        self.name = str(program)
        path = program if isinstance(program, Path) else native.require(program)
        self._process = subprocess.Popen(
            [*launcher, path, begin, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**(os.environ if before is None else before), **(extra or {})},
            process_group=0,  # Ctrl-C in a terminal reaches the driver alone, which then ends the programs
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def ask(self, command: str, timeout_s: float) -> Answer:
        """Raises Lost if no readable answer arrives in time."""
        try:
            self._process.stdin.write(command + "\n")
            self._process.stdin.flush()
            line = self._lines.get(timeout=timeout_s)
        except queue.Empty:
            self.kill()
            raise Lost(f"no answer within {timeout_s:.0f} s") from None
        except OSError:
            line = None
        if line is None:
            self.kill()
            words = self._process.stderr.read().strip() if self._process.stderr else ""
            raise Lost(f"{self.name} ended with status {self._process.returncode}. {words}".strip())
        try:
            return json.loads(line)
        except json.JSONDecodeError:
            self.kill()
            raise Lost(f"{self.name} answered with no JSON: {line[:80]!r}") from None

    def quit(self) -> None:
        try:
            self._process.stdin.write("quit\n")
            self._process.stdin.flush()
            self._process.wait(timeout=2)
        except (OSError, subprocess.TimeoutExpired):
            self.kill()

    def pause(self) -> None:
        """Stops all its threads, so that those which spin do not disturb other programs."""
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


class Program:
    """A measuring program that outlives its subjects: one that hangs or ends it is Lost, and the next
    finds a fresh process. Lost `MOST_LOSSES` times with no answer between, it is not started again, and the reason is
    the last one's."""

    MOST_LOSSES = 3

    def __init__(
        self,
        program: str | Path,
        arguments: list[str],
        extra: dict[str, str] | None = None,
        launcher: tuple[str, ...] = (),
    ) -> None:
        self.starts = 0
        self._program = program
        self._arguments = arguments
        self._extra = extra
        self._launcher = launcher
        self._losses = 0
        self._last_words = ""
        self._process: Process | None = None
        self.start()

    def start(self) -> None:
        if self._process is None:
            self._process = Process(self._program, self._arguments, self._extra, self._launcher)
            self.starts += 1

    def ask(self, command: str, timeout_s: float) -> Answer:
        if self._losses >= self.MOST_LOSSES:
            raise Lost(self._last_words)
        self.start()
        try:
            answer = self._process.ask(command, timeout_s)
        except Lost as lost:
            self._process = None
            self._losses += 1
            self._last_words = str(lost)
            raise
        self._losses = 0
        return answer

    def pause(self) -> None:
        if self._process is not None:
            self._process.pause()

    def go_on(self) -> None:
        if self._process is not None:
            self._process.go_on()

    def quit(self) -> None:
        if self._process is not None:
            self._process.go_on()
            self._process.quit()
            self._process = None
