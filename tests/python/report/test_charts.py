"""Colours and intervals: what a chart must not get wrong."""

import json
import math
import re
from pathlib import Path

import altair as alt
import pytest

from weir.base import drawing, parts, theme
from weir.base.drawing import interval
from weir.base.statistics import Interval
from weir.mpi import charts as mpi
from weir.openmp.section import sections as openmp

from .conftest import openmp_row, openmp_rows


def luminance(colour: str) -> float:
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    r, g, b = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(a: str, b: str) -> float:
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", (0, 1), ids=("light", "dark"))
def test_colours_differ_from_their_ground(scheme: int):
    paper = theme.COLOURS["paper"][scheme]
    for role in ("ink", "soft", "good", "bad", "weir"):
        assert contrast(theme.COLOURS[role][scheme], paper) >= 4.5, role
    for role in {*theme.NAMED.values(), *(r for r in theme.COLOURS if r.startswith("other"))}:
        assert contrast(theme.COLOURS[role][scheme], paper) >= 3, role


def test_a_runtime_has_one_colour_among_whatever_others():
    for others in ([], ["libgomp", "libomp-19"], ["a", "b", "c", "libiomp5", "std::barrier"]):
        found = theme.colours([*others, "libomp-16", "weir by gcc", "Weir's default"])
        assert found["libomp-16"] == "var(--libomp)"
        assert found["weir by gcc"] == found["Weir's default"] == "var(--weir)"
    strangers = theme.colours(["one", "two", "libgomp"])
    assert len(set(strangers.values())) == 3
    assert theme.dashes(["weir by gcc", "libgomp", "weir by clang"]) == {
        "weir by gcc": [1, 0], "libgomp": [1, 0], "weir by clang": [6, 3]
    }  # fmt: skip


def test_charts_name_colours_and_pictures_hold_them():
    names = re.compile(r"#[0-9a-fA-F]{3,8}\b")
    for chart in parts.charts(openmp(openmp_rows())):
        text = json.dumps(drawing.spec(chart.drawn))
        assert not names.search(text), f"{chart.name}: a colour that does not follow the reader's scheme"
    svg = drawing.picture(chart.drawn, "svg").decode()
    assert "var(--" not in svg and theme.COLOURS["libgomp"][0] in svg


def test_a_colour_on_one_page_is_that_on_all(pages: dict[str, Path]):
    seen: dict[str, set[str]] = {}
    for name in ("barriers", "openmp", "mpi"):
        text = pages[name].read_text().rpartition("const charts = ")[2].partition(";\n")[0]
        for scale in re.findall(r'"scale":\{"domain":(\[[^\]]*\]),"range":(\["var[^\]]*\])', text):
            for label, colour in zip(*map(json.loads, scale), strict=True):
                if label.startswith(("lib", "Weir's default", "weir by", "MPICH", "Open MPI")):
                    seen.setdefault(label, set()).add(colour)
    assert {"libgomp", "Weir's default", "weir by gcc", "MPICH's MPI_Barrier"} <= set(seen)
    assert all(len(colours) == 1 for colours in seen.values()), seen


@pytest.mark.parametrize(
    ("measured", "shown"),
    [
        ((100, 90, 120), {"ns": 100, "low": 90, "high": 120, "limit": None}),
        ((10, -3, 20), {"ns": None, "low": None, "high": None, "limit": 20}),
        ((-1, -3, 2), {"ns": None, "low": None, "high": None, "limit": 2}),
        ((-2, -3, -1), {"ns": None, "low": None, "high": None, "limit": None}),
        ((100,), {"ns": 100, "low": 100, "high": 100, "limit": None}),
        ((100, 0.01, 120), {"ns": None, "low": None, "high": None, "limit": 120}),
    ],
)
def test_an_interval_that_reaches_the_axis_is_not_drawn_as_measured(measured: tuple, shown: dict):
    assert interval(Interval(*measured)) == shown


def test_no_bar_of_any_chart_begins_at_a_made_up_end():
    """Each bar is between the ends that were measured."""
    (chart,) = (c for c in parts.charts(openmp(openmp_rows())) if c.name == "openmp-figures-1-3")
    drawn = chart.drawn.to_dict()["data"]["values"]
    noisy = [v for v in drawn if v["limit"] is not None]
    assert noisy and all(v["ns"] is None and "in the noise" in v["says"] for v in noisy)
    assert all(0 < v["low"] <= v["ns"] <= v["high"] for v in drawn if v["ns"] is not None)


def test_one_point_is_said_in_words():
    made = openmp([openmp_row("libgomp", "task", "taskwait", 2, [100.0, 101.0, 99.0])])
    (chart,) = parts.charts(made)
    assert chart.drawn is None and "taskwait on libgomp: 100 ns" in chart.text
    assert mpi.against("processes", []) is None


def test_names_at_lines_do_not_lie_on_each_other():
    values = [
        {"series": name, "x": x, "ns": 100.0 + number, "low": None, "high": None, "limit": None}
        for number, name in enumerate("abcde")
        for x in (1, 2)
    ]
    chart = drawing.few_of_many(
        values,
        x=alt.X("x:Q"),
        x_field="x",
        series="series",
        named=theme.colours("abcde"),
        title="",
        tooltip=[],
        height=300,
    )
    layers = chart.to_dict()["layer"]
    at = sorted({v["at"] for layer in layers for v in layer["data"]["values"] if "at" in v})
    assert len(at) == 5
    low, high = next(layer for layer in layers if "y" in layer["encoding"])["encoding"]["y"]["scale"]["domain"]
    pixels = [300 * math.log(b / a) / math.log(high / low) for a, b in zip(at, at[1:], strict=False)]
    assert min(pixels) > drawing.LABEL


def test_panels_of_nothing_are_a_chart():
    drawn = drawing.panels(alt.Chart(alt.Data(values=[])).mark_point(), "waiting", [])
    assert drawn.to_dict()["columns"] == 1
