"""Logarithmic axes, dots at one place, and ratios: as a reader can take them in."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weir.base import axes
from weir.base.axes import Log, by_panel, counts, rings
from weir.base.screen import times, two_digits
from weir.base.statistics import Interval

from .browser import Browser
from .conftest import command, openmp_row, write
from .test_looks import PROBE

positive = st.floats(min_value=1e-3, max_value=1e12)


@given(positive, st.floats(min_value=1, max_value=1e9))
def test_an_axis_of_any_range_has_three_labels_and_not_many(low: float, ratio: float):
    held = Log.of([{"ns": low}, {"ns": low * ratio}])
    assert held.low < low and held.high > low * ratio
    found = held.ticks
    assert axes.FEWEST_TICKS <= len(found) <= 10 and found == sorted(set(found))
    assert all(held.low * 0.999 <= v <= held.high * 1.001 for v in found)
    assert all(v == float(f"{v:.3g}") for v in found), "round numbers"


def test_a_scale_of_two_sizes_is_none():
    assert counts("members", [2, 4, 4], "threads").to_dict()["type"] == "ordinal"
    assert counts("members", [2, 4, 8], "threads").to_dict()["scale"]["type"] == "log"


def test_panels_with_axes_of_their_own_have_ticks_each():
    values = [{"p": "a", "ns": 100.0}, {"p": "a", "ns": 110.0}, {"p": "b", "ns": 1e6}]
    ends, at = by_panel(values, "p")
    for name in "ab":
        low, high = (e["edge"] for e in ends if e["p"] == name)
        assert sum(low <= v <= high for v in at) >= 3


def test_dots_at_one_place_are_rings():
    values = [{"x": 1, "ns": 100.0}, {"x": 1, "ns": 100.0}, {"x": 1, "ns": 1000.0}, {"x": 2, "ns": 100.0}]
    sizes = [v["dot"] for v in rings(values, "x", "ns")]
    assert sizes[0] > sizes[1] == sizes[2] == sizes[3]
    assert math.sqrt(sizes[0] / math.pi) - math.sqrt(sizes[1] / math.pi) > 1, "a pixel of the lower one is seen"


@pytest.mark.parametrize(
    ("ratio", "said"),
    [(176524.67, "180,000"), (3009, "3,000"), (99.6, "100"), (16.4, "16"), (9.96, "10"), (1.64, "1.6"), (1.06, "1.06"),
     (0.953, "0.95"), (0.1, "0.10"), (0.00043, "1/2,300"), (0.0949, "1/11"), (-0.3, "-0.3")],
)  # fmt: skip
def test_a_ratio_has_two_digits(ratio: float, said: str):
    assert two_digits(ratio) == said


def test_a_ratio_has_its_interval():
    assert times(Interval(0.00043, 0.0003, 0.00048)) == "1/2,300 (1/3,300 … 1/2,100)"
    assert times(Interval(1.64)) == "1.6"


@pytest.mark.parametrize("factor", (1.02, 1.5, 40.0))
def test_charts_of_a_narrow_range_have_labels_too(browser: Browser, tmp_path: Path, factor: float):
    """All times within a factor of two, and some beyond."""
    rows = [
        openmp_row(runtime, "synchronisation", name, members, [100 * factor**place * (1 + 0.001 * i) for i in range(9)])
        for name in ("parallel", "barrier")
        for members in (1, 2)
        for place, runtime in enumerate(("weir", "libgomp"))
    ]
    page = tmp_path / "narrow.html"
    command("report", write(tmp_path / "narrow.jsonl", rows), "-o", page)
    for width in (390, 1300):
        browser.open(page, width)
        seen = browser.ask(PROBE)["ticks"]
        assert len(seen) >= 2 and all(axis["seen"] >= 3 for axis in seen), seen
