"""Statistics of measured times.

Times have a long upper tail (an interrupt, another program), so the median is the figure and the
mean stands beside it. Samples of one run are alike and runs differ (paper 003, section II, saw
much more variation between runs than within one), so an interval must resample runs first, and
samples within the chosen runs second: a hierarchical bootstrap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from statistics import correlation
from typing import TYPE_CHECKING, Any

from weir.base.late import late

if TYPE_CHECKING:
    import numpy as np
else:
    np = late("numpy")

Runs = Sequence[Sequence[float]]
Turns = Mapping[Any, Mapping[int, float]]  # by run of a session, and by turn over all its series
# The least number of values whose range holds the median with 95 %: five lie on one side of it once in 16 times.
FEWEST = 6

# The test for a clean run [paper 003, section II: "large values of sigma", "many outliers (values
# more than 3 sigma above the mean)"; the paper names no numbers]. Of 50 values that nothing
# disturbs, normal or mildly skewed, one beyond 3 sigma is usual and three are not. Sigma is large when
# it exceeds the mean itself: such a run says nothing about the figure but its order.
MOST_OUTLIERS_OF_50 = 2
LARGEST_RELATIVE_SIGMA = 1.0
# A run of a program lies far from the others [hyperfine, src/outlier_detection.rs: 10 standard deviations, which
# are estimated by 1.4826 times the median distance from the median, as Iglewicz and Hoaglin 1993 do]. What changes the
# time by less than a twentieth is not spoken of.
FAR, LEAST_FAR, FEWEST_FOR_FAR = 10 * 1.4826, 0.05, 4
MOST_VALUES = 10_000_000  # resampled at once: some hundred megabytes


@dataclass(frozen=True)
class Interval:
    """A figure with its 95 % confidence interval. Fewer than FEWEST values have none: then the ends are infinite,
    and no comparison with them decides anything."""

    value: float
    low: float = -inf
    high: float = inf

    @property
    def known(self) -> bool:
        return isfinite(self.low) and isfinite(self.high)

    @property
    def drawn(self) -> tuple[float, float]:
        """The ends of a bar in a chart, which has no length where the interval is not known."""
        return (self.low, self.high) if self.known else (self.value, self.value)


@dataclass(frozen=True)
class Distribution:
    median: Interval
    mean: float
    sigma: float
    minimum: float
    samples: int
    runs: int


def unclean(samples: Sequence[float]) -> str | None:
    """Why a run (its whole times for an episode, not overheads) is rejected, or None."""
    values = np.asarray(samples, dtype=float)
    if len(values) < 3:
        return None  # too few for sigma to mean anything
    mean, sigma = values.mean(), values.std(ddof=1)
    if sigma > LARGEST_RELATIVE_SIGMA * mean:
        return f"sigma is {sigma / mean:.1f} times the mean"
    outliers = int((values > mean + 3 * sigma).sum())
    allowed = max(1, round(MOST_OUTLIERS_OF_50 * len(values) / 50))
    if outliers > allowed:
        return f"{outliers} of {len(values)} values lie beyond 3 sigma"
    return None


def _resampled(runs: Runs, times: int, rng: np.random.Generator) -> np.ndarray:
    """For each of `times` resamplings, a row of values: runs with replacement, then samples."""
    table = _table(runs)
    count, width = table.shape
    chosen_runs = rng.integers(count, size=(times, count))
    chosen = rng.integers(width, size=(times, count, width))
    return table[chosen_runs[:, :, None], chosen].reshape(times, -1)


def _table(runs: Runs) -> np.ndarray:
    """Runs as rows of equal length; shorter runs are filled up by repeating their values."""
    width = max(len(run) for run in runs)
    return np.array([np.resize(np.asarray(run, dtype=float), width) for run in runs])


def median_interval(runs: Runs, times: int = 1000, seed: int = 1) -> Interval:
    value = float(np.median(np.concatenate([np.asarray(run, dtype=float) for run in runs])))
    if sum(map(len, runs)) < FEWEST:
        return Interval(value)
    return _around(value, _medians(runs, times, np.random.default_rng(seed)))


def _medians(runs: Runs, times: int, rng: np.random.Generator) -> np.ndarray:
    """Of each of so many resamplings."""
    at_once = max(1, MOST_VALUES // (len(runs) * max(map(len, runs))))
    parts = [min(at_once, times - begun) for begun in range(0, times, at_once)]
    return np.concatenate([np.median(_resampled(runs, part, rng), axis=1) for part in parts])


def _around(value: float, resampled: np.ndarray) -> Interval:
    low, high = np.quantile(resampled, [0.025, 0.975])
    return Interval(value, min(float(low), value), max(float(high), value))


def in_the_noise(overheads: Sequence[float]) -> str | None:
    """The bound of a run whose overhead may be zero, else None. An overhead is the difference of two
    times, and where it is smaller than their scatter the difference may be negative: that is no figure but a bound."""
    found = median_interval([overheads])
    return None if found.low > 0 or not found.known else f"not told from 0: at most {max(found.high, 0.0):.1f} ns"


def describe(runs: Runs) -> Distribution:
    values = np.concatenate([np.asarray(run, dtype=float) for run in runs])
    return Distribution(
        median=median_interval(runs),
        mean=float(values.mean()),
        sigma=float(values.std(ddof=1)) if len(values) > 1 else 0.0,
        minimum=float(values.min()),
        samples=len(values),
        runs=len(runs),
    )


def ratio_by_turn(numerator: Turns, denominator: Turns) -> Interval | None:
    """paired_ratio() over what both have of the same runs and turns; None where that is fewer than FEWEST pairs."""
    runs = [
        [(value, denominator[run][turn]) for turn, value in turns.items() if turn in denominator[run]]
        for run, turns in numerator.items()
        if run in denominator
    ]
    pairs = [run for run in runs if run]
    if sum(map(len, pairs)) < FEWEST:
        return None
    return paired_ratio([[a for a, _ in run] for run in pairs], [[b for _, b in run] for run in pairs])


def paired_ratio(numerator: Runs, denominator: Runs, times: int = 1000, seed: int = 1) -> Interval | None:
    """The median of a/b over pairs of samples taken next to each other (run r, sample i of both).

    Drift of the machine cancels in each pair. None where more than one denominator in 20 is not
    positive: leaving such pairs out would flatter the numerator, and there is no ratio to noise.
    """
    pairs = [list(zip(a, b, strict=False)) for a, b in zip(numerator, denominator, strict=False)]
    ratios = [[x / y for x, y in run if y > 0] for run in pairs]
    lost = sum(map(len, pairs)) - sum(map(len, ratios))
    ratios = [run for run in ratios if run]
    if not ratios or lost > sum(map(len, pairs)) / 20:
        return None
    return median_interval(ratios, times, seed)


@dataclass(frozen=True)
class Unpaired:
    """The ratio of two medians of values that are no pairs, as those of two sessions; `resampled`: ratios of the
    medians of resampled runs."""

    value: float
    resampled: np.ndarray

    @property
    def interval(self) -> Interval:
        return _around(self.value, self.resampled)


def unpaired_ratio(
    numerator: Runs, denominator: Runs, times: int = 1000, rng: np.random.Generator | None = None
) -> Unpaired | None:
    """None where either has fewer than FEWEST values, and where either may be zero: there is no ratio to noise."""
    if min(sum(map(len, numerator)), sum(map(len, denominator))) < FEWEST:
        return None
    rng = rng or np.random.default_rng(1)
    above, below = (_medians(runs, times, rng) for runs in (numerator, denominator))
    values = [float(np.median(np.concatenate([np.asarray(run) for run in one]))) for one in (numerator, denominator)]
    if min(values) <= 0 or any(np.quantile(one, 0.025) <= 0 for one in (above, below)):
        return None
    # Of the one in forty that may be zero the least that is not.
    above, below = (np.maximum(one, one[one > 0].min()) for one in (above, below))
    return Unpaired(values[0] / values[1], above / below)


def geometric_mean(ratios: Sequence[Unpaired]) -> Interval | None:
    """The interval resamples the values of each ratio, not the ratios: it says how well these were measured."""
    if not ratios:
        return None
    value = float(np.exp(np.mean([np.log(one.value) for one in ratios])))
    return _around(value, np.exp(np.mean([np.log(one.resampled) for one in ratios], axis=0)))


def far(values: Sequence[float], others: Sequence[float] | None = None) -> list[int]:
    """Which of the values lie far from the median of these, or of others."""
    known = np.asarray(values if others is None else others, dtype=float)
    if len(known) < FEWEST_FOR_FAR:
        return []
    middle = float(np.median(known))
    least = max(FAR * float(np.median(np.abs(known - middle))), LEAST_FAR * middle)
    return [i for i, value in enumerate(values) if abs(value - middle) > least]


STRAIGHT = 0.95  # of the variance is along a line


def along_a_line(values: Mapping[int, float]) -> float:
    """R² of a straight line through the values, by a number."""
    return correlation(list(values), list(values.values())) ** 2
