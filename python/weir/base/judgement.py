"""One statement of a paper, and what a judge has found of it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Judgement:
    """`source`: where in its paper. `within`: the tolerance by which it counts as reproduced."""

    source: str
    says: str
    simulated: str
    holds: bool
    within: str
    why: str = ""
