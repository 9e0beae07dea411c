"""What became of each series, and of all together."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from weir.base.findings import of_floor, two_digits
from weir.base.screen import times
from weir.base.statistics import FEWEST, Interval, Unpaired, geometric_mean, median_interval, unpaired_ratio
from weir.comparing.series import A, B, Series, labels

FASTER, SLOWER, NOISE, FEW, SAME = "faster", "slower", "in the noise", "too few values", "the same"
LITTLE = 1.1  # from this factor on a change is told as a factor, below in per cent


@dataclass(frozen=True)
class Change:
    """`ratio`: B's median in A's; None where there are too few values for an interval, or the noise allows none."""

    label: str
    series: Series
    a: Interval
    b: Interval
    ratio: Interval | None
    verdict: str
    resampled: Unpaired | None

    @property
    def is_decided(self) -> bool:
        return self.verdict in (FASTER, SLOWER)

    @property
    def size(self) -> float:
        return abs(log(self.ratio.value)) if self.ratio else -1.0

    def values(self, file: str) -> int:
        return sum(map(len, self.series.runs(file)))


class Comparison:
    """Of the series that are in both files: those that changed come first, the most changed before others."""

    def __init__(self, all_series: Sequence[Series]) -> None:
        self.only = {
            file: [s for s in all_series if file in s.rows and not s.is_in_both and not s.is_floor] for file in (A, B)
        }
        both = [s for s in all_series if s.is_in_both and not s.is_floor]
        names, self.common = labels(both) if both else ([], "")
        rng = np.random.default_rng(1)
        made = [_change(name, one, rng) for name, one in zip(names, both, strict=True)]
        self.changes = sorted(made, key=lambda c: (not c.is_decided, -c.size))
        # The machine itself is compared, too, and does not count.
        self.floors = [_change(_floor(s), s, rng) for s in all_series if s.is_in_both and s.is_floor]

    def count(self, *verdicts: str) -> int:
        return sum(c.verdict in verdicts for c in self.changes)

    @property
    def mean(self) -> Interval | None:
        """The geometric mean of all ratios that have an interval."""
        return geometric_mean([c.resampled for c in self.changes if c.resampled is not None])

    def sentences(self) -> list[str]:
        total = len(self.changes)
        if total == 1:
            return [_of_one(self.changes[0])]
        undecided, few = total - self.count(FASTER, SLOWER), self.count(FEW)
        because = f" ({few} of them with fewer than {FEWEST} values)" if few else ""
        said = [
            f"Of {total} series {_are(self.count(FASTER))} faster in B, {_are(self.count(SLOWER))} slower, and "
            f"{_are(undecided)} undecided{because}."
        ]
        if self.mean is not None:
            over = sum(c.resampled is not None for c in self.changes)
            of = "" if over == total else f" of the {over} that have a ratio"
            said.append(f"On the geometric mean{of}, {in_words(self.mean)}.")
        return said

    def why_undecided(self) -> Counter[str]:
        return Counter(c.verdict for c in self.changes if not c.is_decided)


def _are(count: int) -> str:
    return "none is" if count == 0 else f"{count} is" if count == 1 else f"{count} are"


def _floor(one: Series) -> str:
    return of_floor(one.what["id"]) + (f" ({one.state})" if one.state else "")


def _of_one(change: Change) -> str:
    where = f"The one series that is in both, {change.label}"
    if change.ratio is None:
        why = f"fewer than {FEWEST} values" if change.verdict == FEW else "times that are not told from 0"
        return f"{where}, cannot be compared: there are {why} in A or in B."
    return f"{where}: {in_words(change.ratio)}."


def in_words(ratio: Interval) -> str:
    """What B's time in that of A says."""
    value, told = ratio.value, f"B/A = {times(ratio)}"
    if value == ratio.low == ratio.high == 1:
        return "B takes as long as A"
    if ratio.low <= 1 <= ratio.high:
        return f"no difference was found between A and B ({told})"
    factor = max(value, 1 / value)
    if factor < LITTLE:
        return f"B is {max(0.1, 100 * abs(1 - value)):.2g} % {'faster' if value < 1 else 'slower'} than A ({told})"
    if value < 1:
        return f"B is {two_digits(factor)} times as fast as A ({told})"
    return f"B takes {two_digits(factor)} times as long as A ({told})"


def _change(label: str, one: Series, rng: np.random.Generator) -> Change:
    a, b = one.runs(A), one.runs(B)
    if one.exact:
        before, after = (float(np.median(np.concatenate(runs))) for runs in (a, b))
        middles = [Interval(ns, ns, ns) for ns in (before, after)]
        resampled = Unpaired(after / before, np.full(1000, after / before)) if before > 0 and after > 0 else None
    else:
        middles = [median_interval(a), median_interval(b)]
        resampled = unpaired_ratio(b, a, rng=rng)
    ratio = resampled.interval if resampled else None
    return Change(label, one, *middles, ratio, _verdict(ratio, middles), resampled)


def _verdict(ratio: Interval | None, middles: Sequence[Interval]) -> str:
    if ratio is None:
        return NOISE if all(one.known for one in middles) else FEW
    if ratio.high < 1:
        return FASTER
    if ratio.low > 1:
        return SLOWER
    return SAME if ratio.low == ratio.high else NOISE
