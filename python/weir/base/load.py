"""Load: processes that compute all the time, beside what is measured."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from weir.base import native


@contextmanager
def busy(processors: Sequence[int]) -> Iterator[list[subprocess.Popen]]:
    """A busy process on each of these processors, as often as one is named. Raises NativeError."""
    started: list[subprocess.Popen] = []
    try:
        for processor in processors:
            words = [native.require("weir-measure"), "busy", "--processor", str(processor)]
            started.append(subprocess.Popen(words, process_group=0))  # Ctrl-C in a terminal reaches us alone
        yield started
    finally:
        for process in started:
            process.kill()
            process.wait()
