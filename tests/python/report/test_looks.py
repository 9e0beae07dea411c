"""Pages as a reader has them: on a telephone and on desktops, in light and in dark."""

import re
from pathlib import Path

import pytest

from .browser import Browser

PAGES = (
    "barriers", "openmp", "mpi", "scale", "simulation", "prediction", "history", "workloads", "compared", "changed",
    "runs",
)  # fmt: skip
WIDTHS = (390, 1300, 2000)
PROBE = (Path(__file__).parent / "probe.js").read_text()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_its_window(pages: dict[str, Path], browser: Browser, name: str, width: int):
    browser.open(pages[name], width)
    for dark in (False, True):
        browser.scheme(dark)
        seen = browser.ask(PROBE)
        assert seen["overflow"] <= 0, f"the page scrolls sideways, by {seen['overflow']} pixels: {seen['wide']}"
        assert seen["undrawn"] == []
        assert (len(seen["charts"]) > 0) == (name != "history")
        for chart in seen["charts"]:
            assert chart["over"] <= 1, f"{chart['name']} is wider than its column by {chart['over']}"
            assert chart["share"] > 0.9, f"{chart['name']} takes {chart['share']:.0%} of its column"
            assert chart["scaled"] > 0.97, f"{chart['name']} is shrunk to {chart['scaled']:.0%}"
        assert seen["small"] == [], "letters that are too small to be read"
        assert seen["faint"] == [], "letters that do not differ from their ground"
        assert seen["silent"] == [], "tables that scroll and do not say so"
        assert (seen["ground"] < 0.1) == dark and seen["grounds"] == [seen["ground"]], "charts are as dark as the page"


@pytest.mark.parametrize("width", WIDTHS)
def test_the_verdict_is_in_sight_and_a_row_is_one_line(pages: dict[str, Path], browser: Browser, width: int):
    browser.open(pages["openmp"], width)
    (table, *_) = (t for t in browser.ask(PROBE)["tables"] if "best" in t["heads"])
    assert table["heads"][:2] == ["construct", "best"]
    assert table["rights"][1] <= width, "the verdict is off the page"
    if width > 600:
        assert max(table["rows"]) < 36, "a row is one line"
    if width == 2000:
        assert table["rights"][-1] <= width and not table["scrolls"], "all runtimes are in sight"


@pytest.mark.parametrize("name", ("barriers", "mpi"))
def test_targets_have_their_verdict_second(pages: dict[str, Path], browser: Browser, name: str):
    for width in WIDTHS:
        browser.open(pages[name], width)
        (table, *_) = (t for t in browser.ask(PROBE)["tables"] if "verdict" in t["heads"])
        assert table["heads"][1] == "verdict" and table["rights"][1] <= width
        assert width < 600 or max(table["rows"]) < 36


def test_charts_follow_the_window(pages: dict[str, Path], browser: Browser):
    browser.open(pages["mpi"], 1300)
    browser.resize(390)
    seen = browser.ask("new Promise(done => setTimeout(done, 400)).then(() => window.drawn).then(() => " + PROBE + ")")
    assert seen["overflow"] <= 0
    assert all(c["over"] <= 1 and c["share"] > 0.9 for c in seen["charts"]), seen["charts"]


def test_a_grey_line_is_named_where_the_pointer_is(pages: dict[str, Path], browser: Browser):
    browser.open(pages["barriers"], 1300)
    browser.ask("document.getElementById('overhead').scrollIntoView()")
    words = "[...document.querySelectorAll('#overhead .mark-text.role-mark text')].map(t => t.textContent)"
    before = set(browser.ask(words))
    assert {"Weir's default", "libgomp", "libomp", "std::barrier", "floor"} <= before
    assert len(before) < 8, "a few are named"
    box = browser.ask(
        "(() => { const d = [...document.querySelectorAll('#overhead .mark-symbol path')]"
        ".filter(p => p.getAttribute('aria-label')?.includes('ck_barrier_mcs'));"
        " const r = d.at(-1).getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()"
    )
    browser("Input.dispatchMouseEvent", type="mouseMoved", x=box[0], y=box[1])
    browser.ask("new Promise(done => setTimeout(done, 300))")
    assert set(browser.ask(words)) - before == {"ck_barrier_mcs"}


def test_a_page_needs_nothing_from_elsewhere(pages: dict[str, Path]):
    for page in pages.values():
        html = re.sub(r"(<script[^>]*>).*?</script>", r"\1", page.read_text(), flags=re.DOTALL)
        assert not re.search(r"<(script|link|img|iframe)[^>]+(src|href)=", html)
