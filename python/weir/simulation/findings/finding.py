"""One finding of a paper, and what became of it."""

from collections.abc import Callable
from dataclasses import dataclass

from weir.base.judgement import Judgement
from weir.simulation.results import Results


@dataclass(frozen=True)
class Finding(Judgement):
    """As the simulation shows it."""

    @property
    def verdict(self) -> str:
        return "reproduced" if self.holds else "not reproduced"


Judge = Callable[[Results], list[Finding]]
