import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from weir.base.screen import between, percent, times, with_interval
from weir.base.statistics import (
    FEWEST,
    describe,
    far,
    geometric_mean,
    in_the_noise,
    median_interval,
    paired_ratio,
    ratio_by_turn,
    unclean,
    unpaired_ratio,
)

values = st.floats(min_value=0.1, max_value=1e9, allow_nan=False)
runs = st.lists(st.lists(values, min_size=1, max_size=20), min_size=1, max_size=5)


@given(runs)
def test_an_interval_holds_the_median_and_lies_within_the_values(data):
    flat = [v for run in data for v in run]
    interval = median_interval(data, times=100)
    assert interval.value == pytest.approx(float(np.median(flat)))
    if len(flat) < FEWEST:
        assert not interval.known
    else:
        assert min(flat) <= interval.low <= interval.value <= interval.high <= max(flat)


def test_the_range_of_the_fewest_values_holds_their_median_with_95_percent_and_that_of_fewer_does_not():
    def missed(values: int) -> float:
        return 2 * 0.5**values  # all lie on one side of it

    assert missed(FEWEST) <= 0.05 < missed(FEWEST - 1)


@pytest.mark.parametrize("pairs", [1, FEWEST - 1, FEWEST])
def test_a_ratio_takes_as_many_pairs_as_an_interval(pairs: int):
    alike = {0: {turn: 7.35 for turn in range(pairs)}}
    found = ratio_by_turn(alike, alike)
    assert (found is not None) == (pairs >= FEWEST)
    assert found is None or (found.value, found.low, found.high) == (1, 1, 1)


def test_too_few_values_decide_no_comparison():
    interval = median_interval([[7.35] * (FEWEST - 1)])
    assert interval.value == 7.35
    assert not interval.low > 1 and not interval.high < 100 and interval.drawn == (7.35, 7.35)
    assert in_the_noise([7.35] * (FEWEST - 1)) is None
    assert times(interval) == "7.3" and with_interval(interval) == "7 ns"
    assert between(interval) == "–" and percent(interval) == "735.0%"


@given(runs, st.floats(min_value=0.01, max_value=100))
def test_figures_scale_with_the_unit(data, factor):
    one = describe(data)
    other = describe([[factor * v for v in run] for run in data])
    assert other.median.value == pytest.approx(factor * one.median.value)
    assert other.sigma == pytest.approx(factor * one.sigma, rel=1e-6, abs=1e-6 * factor * one.mean)


def test_the_interval_of_one_run_is_that_of_the_plain_bootstrap():
    sample = np.random.default_rng(5).lognormal(5, 0.3, 200)
    ours = median_interval([sample.tolist()], times=4000)
    plain = stats.bootstrap((sample,), np.median, n_resamples=4000, method="percentile", rng=3).confidence_interval
    assert ours.low == pytest.approx(plain.low, rel=0.01)
    assert ours.high == pytest.approx(plain.high, rel=0.01)


def test_runs_that_differ_widen_the_interval_more_than_samples_that_differ():
    dice = np.random.default_rng(1)
    spread = dice.normal(0, 1, (5, 50))
    same_runs = 100 + spread
    other_runs = same_runs + np.array([[-20.0], [-10], [0], [10], [20]])
    narrow, wide = median_interval(same_runs.tolist()), median_interval(other_runs.tolist())
    assert wide.high - wide.low > 5 * (narrow.high - narrow.low)


def test_drift_that_hits_both_cancels_in_a_paired_ratio():
    drift = np.linspace(1, 3, 50)
    a, b = (2 * drift).tolist(), drift.tolist()
    ratio = paired_ratio([a, a], [b, b])
    assert ratio is not None
    assert (ratio.low, ratio.value, ratio.high) == pytest.approx((2, 2, 2))


def test_no_ratio_without_a_positive_denominator():
    assert paired_ratio([[1.0, 2.0]], [[0.0, -1.0]]) is None
    assert paired_ratio([[1.0] * 10], [[-1.0] + [2.0] * 9]) is None, "leaving 1 in 10 out would flatter"
    mostly = paired_ratio([[1.0] * 40], [[-1.0] + [2.0] * 39])
    assert mostly is not None and mostly.value == 0.5


def test_a_quiet_run_is_clean():
    dice = np.random.default_rng(2)
    assert unclean(dice.normal(100, 3, 50).tolist()) is None
    assert unclean([100.0] * 49 + [150.0]) is None, "one outlier of 50 is usual"


def test_a_run_with_outliers_is_rejected():
    dice = np.random.default_rng(2)
    disturbed = dice.normal(100, 1, 50)
    disturbed[:3] = 130
    assert "3 of 50" in (unclean(disturbed.tolist()) or "")


def test_a_run_with_a_large_sigma_is_rejected():
    assert "sigma" in (unclean([1.0] * 25 + [1000.0] * 1 + [2.0] * 24) or "")


def test_a_ratio_of_two_sessions_has_the_interval_of_both():
    dice = np.random.default_rng(3)
    missed, wide = 0, []
    for _ in range(60):
        a, b = ([dice.normal(middle, middle / 10, 30)] for middle in (100.0, 150.0))
        found = unpaired_ratio(b, a, times=400).interval
        missed += not found.low <= 1.5 <= found.high
        wide.append(found.high / found.low)
    assert missed <= 9, "it holds the truth in 19 of 20 cases or nearly so"
    assert max(wide) < 1.3


def test_a_ratio_of_two_sessions_takes_values_enough_and_none_that_may_be_zero():
    enough = [[1.0] * FEWEST]
    assert unpaired_ratio(enough, [[2.0] * FEWEST]).interval.value == 0.5
    for numerator, denominator in (
        (enough, [[1.0] * (FEWEST - 1)]),
        ([[1.0] * 5], enough),
        (enough, [[-1.0, 1.0] * 9]),
    ):
        assert unpaired_ratio(numerator, denominator) is None


def test_the_geometric_mean_of_inverse_ratios_is_one():
    up, down = (unpaired_ratio([[a] * 6], [[b] * 6]) for a, b in ((4.0, 1.0), (1.0, 4.0)))
    assert geometric_mean([up, down]).value == pytest.approx(1.0) and geometric_mean([]) is None


def test_what_lies_far_from_the_others_is_found():
    usual = [1.0, 1.1, 0.9, 1.05, 0.95, 1.02]
    assert far(usual) == [] and far([*usual, 3.0]) == [6] and far([*usual, 0.01]) == [6]
    assert far([3.0, 1.0], usual) == [0], "of values that are compared with others"
    assert far([1.0, 1.0, 1.0, 1.0, 1.04]) == [], "what changes little is not spoken of"
    assert far([1.0, 1.0, 5.0]) == [], "three tell nothing"
