"""One finding of a paper, and what became of it."""

from collections.abc import Callable
from dataclasses import dataclass

from weir.simulation.results import Results


@dataclass(frozen=True)
class Finding:
    """`source`: where in its paper. `within`: the tolerance by which it counts as reproduced."""

    source: str
    says: str
    simulated: str
    holds: bool
    within: str
    why: str = ""

    @property
    def verdict(self) -> str:
        return "reproduced" if self.holds else "not reproduced"


Judge = Callable[[Results], list[Finding]]
