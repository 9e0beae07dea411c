"""Pages as a reader has them: on a telephone and on desktops, in light and in dark."""

import re
from pathlib import Path

import pytest

from .. import thorough
from .browser import Browser

PAGES = (
    *("barriers", "openmp", "mpi", "scale", "simulation", "paper", "threads", "prediction", "history", "workloads"),
    "advice",
    *("compared", "changed", "runs"),
)
WIDTHS = (390, 1300, *thorough.more(800, 2000))
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
        for axis in seen["ticks"]:
            assert axis["seen"] >= 3, f"a logarithmic axis with {axis['seen']} labels: {axis}"
        assert seen["covered"] == [], "dots below others"
        assert (seen["ground"] < 0.1) == dark and seen["grounds"] == [seen["ground"]], "charts are as dark as the page"


UNFOLD = "document.querySelectorAll('details').forEach(d => d.open = true)"
JUDGED = {"barriers": "verdict", "mpi": "verdict", "openmp": "best", "paper": "verdict", "threads": "verdict",
          "workloads": "verdict"}  # fmt: skip


@pytest.mark.parametrize("width", (390, 1300, *thorough.more(800)))
@pytest.mark.parametrize("name", JUDGED)
def test_a_table_with_verdicts_is_whole(pages: dict[str, Path], browser: Browser, name: str, width: int):
    browser.open(pages[name], width)
    browser.ask(UNFOLD)
    judged = [t for t in browser.ask(PROBE)["tables"] if t["judged"]]
    assert any(JUDGED[name] in t["heads"] for t in judged)
    if width == 800:
        return  # between the two a table of many runtimes may scroll, and says so
    for table in judged:
        assert not table["scrolls"] and table["most"] <= width, f"{table['heads']} does not fit {width} pixels"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_nothing_to_complain_of(pages: dict[str, Path], browser: Browser, name: str):
    for width in (390, 1300):
        browser.open(pages[name], width)
        browser.ask(UNFOLD)
        browser.resize(width + 200)
        browser.ask("new Promise(done => setTimeout(done, 300)).then(() => window.drawn)")
        assert browser.complaints == []


def test_complaints_are_heard(browser: Browser, tmp_path: Path):
    page = tmp_path / "page.html"
    page.write_text("<script>console.warn('one'); setTimeout(() => { throw new Error('two'); }); </script>")
    browser.open(page, 800)
    browser.ask("new Promise(done => setTimeout(done, 100))")
    assert browser.complaints[0] == "one" and "Uncaught" in browser.complaints[1]


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
