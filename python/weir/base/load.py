"""Load: processes that compute all the time, beside what is measured."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from weir.base import native


@contextmanager
def busy(processors: Sequence[int], nice: int | None = None) -> Iterator[list[subprocess.Popen]]:
    """A busy process on each of these processors, as often as one is named. `nice`: they count as threads of our
    session, with this nice value, which the kernel compares within a session alone. Raises NativeError, and
    PermissionError where the value is refused."""
    started: list[subprocess.Popen] = []
    # A process whose beginning a signal interrupts is not in the list: it ends with the pipe.
    read_end, write_end = os.pipe()
    try:
        for processor in processors:
            words = [native.require("weir-measure"), "busy", "--processor", str(processor)]
            words += [] if nice is None else ["--within-session"]
            # Ctrl-C in a terminal reaches us alone.
            started.append(subprocess.Popen(words, stdin=read_end, process_group=0))
            if nice is not None:
                os.setpriority(os.PRIO_PROCESS, started[-1].pid, nice)
        yield started
    finally:
        os.close(write_end)
        os.close(read_end)
        for process in started:
            process.kill()
            process.wait()
