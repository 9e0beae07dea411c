"""Watches a process that runs already, or a program that it starts, for a while."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from weir.base.signals import handled
from weir.doctor.proc import Denied, Gone, Proc
from weir.doctor.sampling import Sample, Watch
from weir.run.runner import KILL_AFTER_S

STEP_S = 0.02  # how soon a signal or an end is noticed

Tell = Callable[[float], None]  # how many seconds have been watched


class CannotWatch(Exception):
    """The message says why not."""


@dataclass(frozen=True)
class Watched:
    """`status`: of a program that was started, negative by a signal; `late`: it was ended since its time was over."""

    sample: Sample
    interrupted: bool
    status: int | None = None
    late: bool = False


class _Asked:
    """Whether a signal asked to end."""

    def __init__(self) -> None:
        self.to_end = False

    def note(self, *_: object) -> None:
        self.to_end = True


@contextmanager
def _listening() -> Iterator[_Asked]:
    """Signals raise nothing: what was found until then is kept."""
    asked = _Asked()
    known = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    heard = [s for s in known if signal.getsignal(s) is not signal.SIG_IGN]
    with handled(heard if threading.current_thread() is threading.main_thread() else [], asked.note):
        yield asked


def process(number: int, seconds: float, tell: Tell = lambda _: None, proc: Proc | None = None) -> Watched:
    """Raises CannotWatch."""
    proc = proc or Proc()
    try:
        watch = Watch(proc, proc.leader(number), born=False)
        watch.look()
    except Gone:
        raise CannotWatch(f"there is no process {number}, or it has ended") from None
    except Denied as error:
        raise CannotWatch(f"process {number} may not be read: {error}") from None
    if not next(iter(watch.watched.values())).latest.files:
        raise CannotWatch(f"process {number} is a thread of the kernel")
    with _listening() as asked:
        _follow(watch, watch.begun + seconds, tell, lambda: asked.to_end)
    return Watched(watch.sample(), asked.to_end)


def program(words: Sequence[str], executable: str, seconds: float, out: int | None = None) -> Watched:
    """Starts a program as it is; `out`: a descriptor in place of its standard output. The program is in our process
    group, so that it reads from the terminal and hears Ctrl-C. Raises CannotWatch."""
    with _listening() as asked:
        try:
            started = subprocess.Popen(words, executable=executable, stdout=out)
        except OSError as error:
            raise CannotWatch(f"{words[0]}: {error.strerror}") from None
        watch = Watch(Proc(), started.pid, born=True)
        late = False
        try:
            if _looks(watch):
                _follow(watch, watch.begun + seconds, lambda _: None, lambda: asked.to_end or _ended(started))
        finally:
            late = not asked.to_end and not _ended(started)
            _end(started, watch, heard=asked.to_end)
        watch.ended = not late and not asked.to_end
        return Watched(watch.sample(), asked.to_end, started.returncode, late)


def _looks(watch: Watch) -> bool:
    """Whether there was something to look at."""
    try:
        watch.look()
    except (Gone, Denied):
        return False
    return True


def _follow(watch: Watch, until: float, tell: Tell, over: Callable[[], bool]) -> None:
    """Looks again and again, the last time at the end."""
    while not over():
        now = time.monotonic()
        pause = min(watch.pause_s, until - now)
        if pause > 0:
            ahead = now + pause
            while time.monotonic() < ahead and not over():
                time.sleep(min(STEP_S, max(0.0, ahead - time.monotonic())))
        if not _looks(watch):
            return
        tell(watch.seconds)
        if time.monotonic() >= until:
            return


def _ended(started: subprocess.Popen) -> bool:
    return started.poll() is not None


def _end(started: subprocess.Popen, watch: Watch, heard: bool) -> None:
    """Ends the program and its descendants. `heard`: a program that had Ctrl-C as well gets time to end by itself."""
    left = {*watch.proc.below(started.pid)} if not _ended(started) else set()
    if heard and _waited(started, KILL_AFTER_S):
        return
    for asked in (signal.SIGTERM, signal.SIGKILL):
        if _ended(started):
            break
        started.send_signal(asked)
        _waited(started, KILL_AFTER_S)
    for number in left & _still(watch):
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGTERM)


def _still(watch: Watch) -> set[int]:
    """Those of the watched processes that run still: numbers are used again."""
    found = set()
    for number, begun in watch.watched:
        with suppress(Gone, Denied):
            if watch.proc.process(number).begun == begun:
                found.add(number)
    return found


def _waited(started: subprocess.Popen, seconds: float) -> bool:
    try:
        started.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True
