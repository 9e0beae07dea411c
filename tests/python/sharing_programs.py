"""Programs that share the node, and say on how many of two processors they are."""

import os
import select
import subprocess
import time
from pathlib import Path

from .openmp_programs import SOURCES, Program

SHARING = Program(SOURCES.parent / "sharing.c", "gcc")
PROCESSORS = sorted(os.sched_getaffinity(0))[:2]
PATIENCE = 300  # seconds, for what comes in 50 ms


class Running:
    """A program, and what it says of the kernel threads that drive its teams."""

    def __init__(self, program: Path, environment: dict[str, str], *words: str, launcher: tuple[str, ...] = ()) -> None:
        self.process = subprocess.Popen(
            [*launcher, program, *words],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: os.sched_setaffinity(0, PROCESSORS),
        )
        self.said = b""

    def until(self, wanted: int | str) -> str:
        """What it has said before."""
        line = f"{wanted}\n".encode()
        end = time.monotonic() + PATIENCE
        while line not in self.said:
            ready = select.select([self.process.stdout], [], [], end - time.monotonic())[0]
            more = os.read(self.process.stdout.fileno(), 4096) if ready else b""
            assert more, f"it has said {self.said!r}, not {wanted}; {self.process.poll()}"
            self.said += more
        before, _, self.said = self.said.rpartition(line)
        return before.decode()

    def line(self) -> None:
        """To wait, or to go on."""
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def end(self) -> str:
        """What it has complained of."""
        said = self.process.communicate(timeout=PATIENCE)[1].decode()
        assert self.process.returncode == 0, said
        return said


class Programs:
    def __init__(self, program: Path, environment: dict[str, str]) -> None:
        self.program, self.environment, self.all = program, environment, []

    def start(self, *words: str, launcher: tuple[str, ...] = (), **variables: str) -> Running:
        self.all.append(Running(self.program, self.environment | variables, *words, launcher=launcher))
        return self.all[-1]

    def kill(self) -> None:
        for running in self.all:
            if running.process.poll() is None:
                running.process.kill()
                running.process.communicate()
