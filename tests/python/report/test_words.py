"""What pages, help and messages call things: papers by their authors, threads threads, counts alike."""

import re
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weir.base import records
from weir.base.parts import REJECTED
from weir.cli import app
from weir.report import index
from weir.simulation import charts, scenario
from weir.simulation.findings import called, findings, published
from weir.simulation.results import scenarios
from weir.simulation.tables import findings as on_screen

from .test_looks import PAGES
from .test_report import rows

NUMBERED = re.compile(r"\bpapers? 00\d|\[00\d\]|\b00[0-5], (table|section|figure|\d)", re.IGNORECASE)
UNKNOWN = re.compile(r"\b(members?|peers?|not clean|rejected|in all states|(near|far) processors)\b")
COMMANDS = ("advise", "tune", "simulate", "simulate openmp", "info", "scale", "report", "papers", "bench openmp",
            "bench mpi", "bench threads", "bench workloads", "bench", "predict", "predict tree", "predict spinning",
            "predict blocking", "predict processors")  # fmt: skip


def text(page: Path) -> str:
    """What a reader sees, of charts their titles and series."""
    html = page.read_text()
    script = html.rpartition("const charts = ")[2]
    said = re.findall(r'"(?:title|domain|series|panel|column|barrier)":("[^"]*"|\[[^\]]*\])', script)
    html = re.sub(r"<(script|style)[^>]*>.*?</\1>", " ", html, flags=re.DOTALL)
    return re.sub(r"<[^>]+>", " ", html) + " ".join(said)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_no_words_that_nobody_knows(pages: dict[str, Path], name: str):
    said = text(pages[name])
    assert not NUMBERED.search(said), NUMBERED.search(said)
    assert not UNKNOWN.search(said), said[max(0, UNKNOWN.search(said).start() - 80) :][:160]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_names_authors(name: str):
    out = CliRunner().invoke(app, [*name.split(), "--help"])
    assert out.exit_code == 0 and not NUMBERED.search(out.output)


def test_scenarios_and_machines_name_authors():
    for path in [*scenario.named().values(), *scenario.machines_folder().glob("*.toml")]:
        assert not NUMBERED.search(tomllib.loads(path.read_text()).get("about", "")), path


def test_the_floor_is_explained_where_it_first_stands(pages: dict[str, Path]):
    said = text(pages["barriers"])
    first = said.index("floor")
    assert "cache-line transfer" in said[first : first + 200]


# ---- a scenario of a paper


@pytest.fixture(scope="module")
def power3(pages: dict[str, Path]):
    return scenarios(records.read([pages["paper"].with_suffix(".jsonl")])[0])[0]


def test_series_are_called_alike_in_chart_table_and_findings(power3):
    drawn = {v["color"] for v in charts.draw(power3, 0).to_dict()["data"]["values"]}
    assert drawn == set(power3.swept("barrier"))
    said = " ".join(f.says + f.simulated for f in findings(power3))
    assert {"counter", "distributed-sensor"} <= set(re.findall(r"[\w-]+", said))
    assert not set(published(power3).called.values()) & set(re.findall(r"[\w-]+", said)), "the paper's names"
    assert "counter is FetchAndAdd" in called(power3)


def test_the_papers_figures_are_beside_ours(power3):
    values = charts.draw(power3, 0).to_dict()["data"]["values"]
    (paper,) = (v for v in values if v["source"] == charts.PAPER)
    (counter,) = (v for v in values if v["color"] == "counter" and v["x"] == 16 and v["source"] == charts.SIMULATED)
    assert paper["color"] == "distributed-sensor" and paper["x"] == 16 and paper["printed"] == "Zhang et al. 2003"
    assert paper["y"] == pytest.approx(0.13 * counter["y"])


def test_reproduced_states_its_tolerance(pages: dict[str, Path], power3):
    assert all(f.within for f in findings(power3))
    cells = re.findall(r">(?:not )?reproduced(.{0,12})", pages["paper"].read_text().partition("<script>")[0])
    assert cells and all(after.startswith("<br><small>") for after in cells)
    (table,) = on_screen(power3.runs + [power3.head])
    assert all(", " in str(cell) for cell in table.columns[3].cells)


def test_agrees_and_holds_state_theirs(pages: dict[str, Path]):
    for name, verdicts in (("threads", "holds|does not hold|agrees|differs"), ("workloads", "agrees|differs")):
        cells = re.findall(rf"<td[^>]*>({verdicts})(.{{0,12}})", pages[name].read_text().partition("<script>")[0])
        assert cells and all(after.startswith("<br><small>") for _, after in cells), name


# ---- counts


def test_disturbed_runs_are_as_many_on_each_page(tmp_path: Path):
    made = rows()
    for number, row in enumerate(r for r in made if r["kind"] == "overhead"):
        row["how"]["rejected"] = "sigma is 2.0 times the mean" if number % 4 == 0 else None
    count = sum(bool(r["how"]["rejected"]) for r in made if r["kind"] == "overhead")
    with records.Writer(tmp_path / "records.jsonl") as writer:
        for row in made:
            writer.write(row)
    page = tmp_path / "report.html"
    done = CliRunner().invoke(app, ["report", str(tmp_path / "records.jsonl"), "-o", str(page)])
    assert done.exit_code == 0, done.output
    assert f"{count} {REJECTED}" in text(page)
    assert f"{count} {REJECTED}" in text(index.write(tmp_path))
