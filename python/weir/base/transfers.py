"""Asks how long a cache line takes between two processors just now, before and after each sample (weir.states)."""

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any

from weir.base import native
from weir.base.driver import Lost, Process
from weir.base.records import PROBES

PROGRAM = "weir-transfers"
PATIENCE_S = 5.0


class Transfers:
    """Between the first two of the processors. What is measured should rest meanwhile. Where there is only one, or no
    program to ask, nothing is found."""

    def __init__(self, processors: Sequence[int]) -> None:
        self._asks = len(processors) > 1 and native.find(PROGRAM) is not None
        self._process = Process(PROGRAM, [str(p) for p in processors[:2]]) if self._asks else None
        self.last: float | None = None
        self.probe()

    def probe(self) -> float | None:
        """In nanoseconds; also `last`, since the probe after a sample is the one before the next."""
        self.last = None
        if self._process is not None:
            try:
                found = self._process.ask("probe", PATIENCE_S)["transfer_ns"]
                self.last = None if found is None else round(float(found), 1)
            except Lost:
                self._process = None
        return self.last

    def note(self, lists: dict[str, list[Any]], before: float | None) -> None:
        """What the probe before a sample found, and the last one, which was after it: beside the sample's values."""
        for name, ns in zip(PROBES, (before, self.last), strict=True):
            if self._asks:
                lists.setdefault(name, []).append(ns)

    def end(self) -> None:
        if self._process is not None:
            self._process.quit()


def of_pairs(pairs: Iterable[tuple[int, int]], probes: int = 5) -> list[tuple[int, int, float]]:
    """What a transfer takes between the two processors of each pair, in ns: the median of the probes that found it."""
    found = []
    for a, b in pairs:
        transfers = Transfers((a, b))
        took = [ns for ns in (transfers.last, *(transfers.probe() for _ in range(probes - 1))) if ns is not None]
        transfers.end()
        if took:
            found.append((a, b, median(took)))
    return found
