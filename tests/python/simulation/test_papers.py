"""The papers' findings: every named scenario is run, and each finding held to what we know of it."""

from pathlib import Path

import pytest

from weir.base import records
from weir.simulation import charts, scenario
from weir.simulation.findings import findings
from weir.simulation.results import Results, scenarios
from weir.simulation.running import Simulation

# What the simulation does not reproduce: the beginning of each finding's words, by scenario. Each has a `why`.
NOT_REPRODUCED = {
    "000-overhead": [
        "Blocking tree barriers: 10 % at 20 context switches between barriers (one that goes round",
        "Blocking tree barriers: 39 % at 4 (one that goes round",
        "Blocking tree barriers: as much as 158 % in extreme cases (one that goes round",
    ],
    "000-processors": [
        "Completion time changes only where ceil(16/P) does: going down from 16 processors to 15, 7, 5, 3, 2, 1 (tree "
        "barrier, a waiting thread yields)",
        "16 threads on 15 processors take about as long as on 8 (tree barrier, a waiting thread yields)",
    ],
    "001-altix-3700": [
        "Dissemination is best below 16 threads (all lines beside the first thread)",
        "Tournament is best from 16 threads on (each line beside its waiter)",
    ],
    "001-altix-4700": [
        "Dissemination is best below 16 threads (all lines beside the first thread)",
        "Dissemination is best below 16 threads (each line beside its waiter)",
        "Tournament is best from 16 threads on (each line beside its waiter)",
    ],
    "001-table-3": [
        "ASPCG with 32 threads is fastest with tournament (each line beside its waiter)",
        "ASPCG with 64 threads is fastest with tournament (each line beside its waiter)",
        "GenIDLEST with 2 threads is fastest with condvar (each line beside its waiter)",
        "GenIDLEST with 4 threads is fastest with condvar (each line beside its waiter)",
        "ASPCG with 128 threads is 12 times as fast with dissemination as with blocking (each line",
        "All busy-wait algorithms scale: ASPCG is faster with 128 threads than with 32 (each line",
        "ASPCG with 128 threads is fastest with dissemination (all lines beside the first thread)",
        "GenIDLEST with 2 threads is fastest with condvar (all lines beside the first thread)",
        "GenIDLEST with 4 threads is fastest with condvar (all lines beside the first thread)",
        "GenIDLEST with 16 threads is fastest with dissemination (all lines beside the first thread)",
        "ASPCG with 128 threads is 12 times as fast with dissemination as with blocking (all lines beside",
        "All busy-wait algorithms scale: ASPCG is faster with 128 threads than with 32 (all lines beside",
    ],
    "002-power4": [
        "distributed-sensor is the fastest of the five, counter the slowest (clean lines from the nearest cache)",
        "distributed-sensor takes 33% less than the next best, distributed-padded (clean lines from the nearest cache)",
    ],
    "005-arm": ["The new tournament is 4.7 times as fast as LLVM's barrier"],
}
LEAST = {
    "000-spinning": 6, "000-blocking": 2, "000-overhead": 10, "000-processors": 8, "000-policies": 3,
    "001-altix-3700": 6, "001-altix-4700": 6, "001-sunfire": 1, "001-table-3": 28, "002-power3": 2, "002-power4": 9,
    "005-arm": 4,
}  # fmt: skip


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


def test_every_scenario_that_names_a_paper_has_findings():
    assert set(LEAST) == {name for name in scenario.named() if name[:3].isdigit()}


@pytest.mark.parametrize("name", LEAST)
def test_the_findings_are_as_we_say(run, name: str):
    its = findings(run(name))
    assert len(its) >= LEAST[name]
    known = NOT_REPRODUCED.get(name, [])
    for words in known:
        assert sum(f.says.startswith(words) for f in its) == 1, words
    for f in its:
        expected = not any(f.says.startswith(words) for words in known)
        assert f.holds == expected, f"{f.says} Simulated: {f.simulated}"
        assert f.holds or f.why, f"no reason is given for: {f.says}"


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
        row["chosen"]["application.members"]: row["applications"]
        for row in whole.runs
        if row["chosen"]["application.barrier"] == "distributed-sensor"
    }
    changed = [
        row | {"applications": best[row["chosen"]["application.members"]]}
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
