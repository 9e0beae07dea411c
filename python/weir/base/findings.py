"""What a subject found, in one sentence: words that all subjects share."""

from collections.abc import Sequence

from weir.base.records import Row
from weir.base.screen import two_digits
from weir.base.statistics import Interval


def of_floor(identity: str) -> str:
    """What the machine itself takes, by the id of its rows: floor:transfer:0:1, floor:switch:0."""
    _, what, *where = identity.split(":")
    return f"cache-line transfer, {' to '.join(where)}" if what == "transfer" else f"context switch on {where[0]}"


def against(ratio: Interval | None, other: str) -> str:
    """Says of a thing whose time in that of another is this ratio how the other compares, or that it is not known."""
    if ratio is None:
        return f"how {other} compares these samples do not tell"
    if ratio.low <= 1 <= ratio.high:
        return f"{other} as long, within the noise of these samples"
    if ratio.value > 1:
        return f"{two_digits(ratio.value)} times as long as {other}"
    return f"{other} {two_digits(1 / ratio.value)} times as long"


def count_samples(rows: Sequence[Row]) -> int:
    """Of all rows together."""
    return sum(len(row["samples"]["episode_ns"]) for row in rows)


def sentence(words: str, about: str) -> str:
    return f"{words[0].upper()}{words[1:]}." if words else f"The records do not show what is best here for {about}."
