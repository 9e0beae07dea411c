"""What a subject found, in one sentence: words that all subjects share."""

from collections.abc import Sequence

from weir.base.records import Row
from weir.base.statistics import Interval


def against(ratio: Interval | None, other: str) -> str:
    """A ratio of times in words, or that the samples do not decide."""
    if ratio is None or ratio.low <= 1 <= ratio.high:
        return f"as long as {other}, within the noise of these samples"
    if ratio.value > 1:
        return f"{ratio.value:.1f} times as long as {other}"
    return f"{ratio.value:.0%} of the time of {other}"


def count_samples(rows: Sequence[Row]) -> int:
    """Of all rows together."""
    return sum(len(row["samples"]["episode_ns"]) for row in rows)


def sentence(words: str, about: str) -> str:
    return f"{words[0].upper()}{words[1:]}." if words else f"The records do not show what is best here for {about}."
