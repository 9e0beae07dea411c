"""What a signal does, for a while."""

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


@contextmanager
def handled(signals: Sequence[int], handler: Any) -> Iterator[None]:
    before = {number: signal.signal(number, handler) for number in signals}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


@contextmanager
def heard_as_ctrl_c() -> Iterator[None]:
    """Who asks the program to end; not one that is ignored, as by nohup. Only the main thread can hear anything."""
    asked = [signal.SIGTERM, signal.SIGHUP] if threading.current_thread() is threading.main_thread() else []
    with handled([s for s in asked if signal.getsignal(s) is not signal.SIG_IGN], signal.default_int_handler):
        yield
