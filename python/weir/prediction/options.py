"""Times as options take them: several at once, and exact."""

import math
from fractions import Fraction

from weir.base.options import NUMBER, WHOLE, Kind

MOST_POINTS = 2_000
MOST_MS = 1_000_000


class Times(tuple):
    """Compute times in milliseconds."""


class Several(Kind):
    """12, or 1,2,4, or 0:60:2 with both ends, or several of these with commas between."""

    metavar = "TIMES"
    takes = f"numbers from 0 to {MOST_MS:,.0f} such as 12, or 1,2,4, or 0:60:2 (from, to, step)"
    right = ("0", str(MOST_MS), "1,2,4", "0:60:2", "1/3")
    wrong = ("-1", "1e7", "nan", "1e999999", "1/0", "0:1", "9:1:1", "0:9:0", "0:9:1e-4", "2,,4", "1:2:3:4", "1/3/4")

    def read(self, text: str) -> Times:
        return Times(time for part in text.split(",") for time in self._of(part.strip()))

    def _of(self, part: str) -> list[Fraction]:
        ends = [_exact(word.strip()) for word in part.split(":")]
        if len(ends) == 1:
            return ends
        if len(ends) != 3:
            raise ValueError
        first, last, step = ends
        if step <= 0 or last < first:
            raise ValueError("a range goes up, from:to:step with a step above 0")
        count = math.floor((last - first) / step) + 1
        if count > MOST_POINTS:
            raise ValueError(f"{count:,} points are more than {MOST_POINTS:,}; take a longer step")
        return [first + i * step for i in range(count)]


def _exact(text: str) -> Fraction:
    """Raises ValueError."""
    above, line, below = text.partition("/")
    if not NUMBER.fullmatch(above) or (line and not WHOLE.fullmatch(below)) or (line and int(below) == 0):
        raise ValueError
    value = Fraction(above) / int(below or 1)
    if not 0 <= value <= MOST_MS:
        raise ValueError
    return value
