"""Busy processes end with what they are beside, whatever ends that."""

import os
import subprocess

import pytest

from weir.base import load


def test_a_process_that_a_signal_keeps_us_from_noting_ends(monkeypatch: pytest.MonkeyPatch):
    begun: list[subprocess.Popen] = []
    start = subprocess.Popen

    def interrupted(*words: object, **options: object) -> None:
        begun.append(start(*words, **options))
        raise KeyboardInterrupt

    monkeypatch.setattr(load.subprocess, "Popen", interrupted)
    with pytest.raises(KeyboardInterrupt), load.busy([min(os.sched_getaffinity(0))]):
        pytest.fail("it has begun")
    try:
        assert begun[0].wait(timeout=300) == 0
    finally:
        begun[0].kill()
        begun[0].wait()
