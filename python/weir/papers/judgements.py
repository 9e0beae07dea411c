"""What a judge has found of one statement of a paper."""

import re
from dataclasses import dataclass, field

from weir.base.judgement import Judgement


@dataclass(frozen=True)
class Judged(Judgement):
    """`of`: the scenario, or one of the measured tables. The rest is as `weir simulate SCENARIO` shows it."""

    of: str = field(kw_only=True)

    @property
    def variant(self) -> str:
        """What the paper leaves open, in the last parentheses."""
        found = re.search(r"\(([^()]+)\)\.$", self.says)
        return found[1] if found else ""
