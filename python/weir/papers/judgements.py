"""What a judge has found of one statement of a paper."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Judged:
    """`of`: the scenario, or one of the measured tables. The rest is as `weir simulate SCENARIO` shows it."""

    of: str
    source: str
    says: str
    simulated: str
    holds: bool
    within: str
    why: str = ""

    @property
    def variant(self) -> str:
        """What the paper leaves open, in the last parentheses."""
        found = re.search(r"\(([^()]+)\)\.$", self.says)
        return found[1] if found else ""
