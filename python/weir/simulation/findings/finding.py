"""One finding of a paper, and what became of it."""

from collections.abc import Callable
from dataclasses import dataclass

from weir.simulation.results import Results


@dataclass(frozen=True)
class Finding:
    source: str
    says: str
    simulated: str
    holds: bool
    why: str = ""


Judge = Callable[[Results], list[Finding]]
