"""Programs that are run one after another, and end with us."""

import os
import resource
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from weir.base.signals import handled

KILL_AFTER_S = 2.0  # a launcher that is asked to end needs a moment to end its processes


class Stopped(Exception):
    """Ctrl-C: the program that ran was ended, and no other begins."""


@dataclass(frozen=True)
class Ended:
    """`used`: by the program and those that it waited for; `status`: negative by a signal; `late`: given up."""

    status: int
    used: resource.struct_rusage
    wall_s: float
    late: bool


class Runner:
    """While it is open Ctrl-C (and SIGTERM, SIGHUP) end the program that runs. The signals raise nothing by themselves:
    between the start of a program and the wait for it an exception would leave the program behind."""

    def __init__(self) -> None:
        self.interrupted = False
        self._running: _Group | None = None
        self._closing = ExitStack()

    def __enter__(self) -> "Runner":
        if threading.current_thread() is threading.main_thread():
            asked = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
            self._closing.enter_context(
                handled([s for s in asked if signal.getsignal(s) is not signal.SIG_IGN], self._stop)
            )
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()

    def _stop(self, *_: object) -> None:
        self.interrupted = True
        if self._running is not None:
            self._running.end_soon()

    def run(self, words: Sequence[str], limit_s: float | None = None, **how: Any) -> Ended:
        """`how` is Popen's. Raises OSError where the program cannot be started, and Stopped."""
        if self.interrupted:
            raise Stopped
        begun = time.monotonic()
        # In a group of its own: Ctrl-C in a terminal reaches us alone.
        process = subprocess.Popen(words, process_group=0, **how)
        self._running = group = _Group(process.pid)
        if self.interrupted:  # while it was started
            group.end_soon()
        timer = threading.Timer(limit_s, group.give_up) if limit_s is not None else None
        if timer:
            timer.daemon = True
            timer.start()
        _, status, used = os.wait4(process.pid, 0)
        took = time.monotonic() - begun
        self._running = None
        group.gone.set()
        if timer:
            timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)  # or subprocess would wait for it again
        if self.interrupted:
            raise Stopped
        return Ended(process.returncode, used, took, group.late)


class _Group:
    """The processes of one program."""

    def __init__(self, number: int) -> None:
        self.number, self.gone, self.late = number, threading.Event(), False

    def give_up(self) -> None:
        self.late = True
        self._end()

    def end_soon(self) -> None:
        threading.Thread(target=self._end, daemon=True).start()

    def _end(self) -> None:
        """Asks them to end, and ends them where they do not."""
        for asked in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.number, asked)
            except ProcessLookupError:
                return
            if self.gone.wait(KILL_AFTER_S):
                return
