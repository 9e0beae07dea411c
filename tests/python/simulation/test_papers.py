"""The papers' findings: every named scenario is run, and each finding held to what we know of it."""

import re
from pathlib import Path

import pytest

from weir.base import records
from weir.papers.catalogue import judged
from weir.papers.measured import TABLES
from weir.simulation import charts, scenario
from weir.simulation.findings import findings
from weir.simulation.results import Results, scenarios
from weir.simulation.running import Simulation

# What judges find, as the catalogue of the papers keeps it: scripts/document-papers --simulate writes it.
KNOWN = {name: known for name, known in judged().items() if name not in TABLES}
NUMBER = re.compile(r"(\d+(?:[.,]\d+)*)")
DRIFT = 0.05  # figures that the page prints may be so far from today's


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory):
    kept: dict[str, Results] = {}

    def results(name: str) -> Results:
        if name not in kept:
            path: Path = tmp_path_factory.mktemp("papers") / f"{name}.jsonl"
            with records.Writer(path) as writer:
                running = Simulation(scenario.plan(scenario.find(name)), writer)
                running.run()
            assert running.failures == []
            rows, complaints = records.read([path])
            assert complaints == []
            kept[name] = scenarios(rows)[0]
        return kept[name]

    return results


def alike(one: str, other: str) -> bool:
    """The same words, with figures that are near each other."""
    ours, theirs = (NUMBER.split(text) for text in (one, other))
    figures = zip(ours[1::2], theirs[1::2], strict=False)
    near = all(abs(a - b) <= DRIFT * max(a, b) for a, b in ((_value(x), _value(y)) for x, y in figures))
    return ours[::2] == theirs[::2] and near


def _value(digits: str) -> float:
    return float(digits.replace(",", ""))


def test_every_scenario_that_names_a_paper_has_findings():
    assert KNOWN.keys() == {name for name in scenario.named() if name[:3].isdigit()}
    assert all(KNOWN.values())


@pytest.mark.parametrize("name", KNOWN)
def test_the_findings_are_as_the_catalogue_says(run, name: str):
    found = findings(run(name))
    assert [f.says for f in found] == [known.says for known in KNOWN[name]]
    for f, known in zip(found, KNOWN[name], strict=True):
        assert f.holds == known.holds, f"{f.says} Simulated: {f.simulated}"
        assert (f.source, f.within, f.why) == (known.source, known.within, known.why)
        assert alike(f.simulated, known.simulated), f"{f.simulated}: scripts/document-papers --simulate"
        assert f.holds or f.why, f"no reason is given for: {f.says}"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("16.1 ms and 16.2 ms", "16.3 ms and 16.2 ms", True),
        ("16.1 ms", "17.1 ms", False),
        ("-4.7% at worst", "-4.7% at best", False),
        ("1,143 µs", "1150 µs", True),
        ("steps to 15, 7, 5", "steps to 15, 8, 7, 5", False),
        ("0 of 40", "1 of 40", False),
    ],
)
def test_figures_are_compared_by_their_size(one: str, other: str, same: bool):
    assert alike(one, other) == same


def test_the_recurrence_is_met_to_the_nanosecond(run):
    exact = next(f for f in findings(run("000-spinning")) if f.source == "appendix")
    assert "difference is 0 ns" in exact.simulated


def test_findings_are_not_drawn_from_half_a_scenario(run):
    whole = run("002-power3")
    assert findings(Results(whole.head, whole.runs[:-1])) == []


def test_a_finding_can_fail(run):
    """The same judge, given a fetch-and-add barrier that is as fast as the best."""
    whole = run("002-power3")
    best = {
        row["chosen"]["application.members"]: row
        for row in whole.runs
        if row["chosen"]["application.barrier"] == "distributed-sensor"
    }
    changed = [
        best[row["chosen"]["application.members"]] | {"chosen": row["chosen"], "point": row["point"]}
        if row["chosen"]["application.barrier"] == "counter"
        else row
        for row in whole.runs
    ]
    assert not any(f.holds for f in findings(Results(whole.head, changed)))


def test_a_chart_over_traces_has_their_members_on_its_axis(run):
    whole = run("001-table-3")
    of_one = whole.charts[0]
    assert [p["x"] for p in charts.points(whole, of_one)][::5] == [2, 4, 8, 16, 32, 64, 128] * 2  # for each waiting
    of_both = of_one | {"only": {"homes": ["first"]}}  # teams of the same sizes, which their names tell apart
    assert {"aspcg-2", "flow-2"} < {p["x"] for p in charts.points(whole, of_both)}
