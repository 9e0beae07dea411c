"""What is said of the records of `weir bench workloads`: targets, tables, charts and the page, of made-up records."""

import json
import re
from pathlib import Path

import pytest

from weir.base import records
from weir.report import page
from weir.workloads import charts, tables
from weir.workloads.findings import FASTER, GAIN, NONE_SLOWER, finding, targets
from weir.workloads.results import Results
from weir.workloads.rows import AUTO, KERNEL, OWN
from weir.workloads.situations import BY_NAME, NAMES, TITLES

from .made_up_runs import MACHINE, cell, failed, pair, runs, share


def verdict(rows: list[dict], situation: str, what: str) -> str:
    return next(
        t.verdict for t in targets([MACHINE, *rows]) if (t.situation, t.what, t.runtime) == (situation, what, KERNEL)
    )


@pytest.mark.parametrize("situation", NAMES)
@pytest.mark.parametrize(
    ("weir", "spread", "rounds", "says"),
    [(1.0, 0.001, 8, "reached"), (1.08, 0.001, 8, "missed"), (1.015, 0.05, 8, "within the noise"),
     (0.5, 0.001, 5, "too few rounds")],
)  # fmt: skip
def test_no_program_may_be_slower(situation: str, weir: float, spread: float, rounds: int, says: str):
    team = 8 if BY_NAME[situation].usual != (1,) else 2
    rows = pair(cell("one", situation, team), 1.0, weir, spread=spread, rounds=rounds)
    rows += pair(cell("two", situation, team), 1.0, 0.2, rounds=rounds)
    assert verdict(rows, situation, NONE_SLOWER) == says


def test_beside_busy_processes_the_fastest_of_the_others_counts():
    where = cell("one", "beside-4", 8)
    rows = [*pair(where, 2.0, 1.04), *runs(where, "libomp", 1.0), *runs(where, AUTO, 1.06)]
    verdicts = {t.runtime: t.verdict for t in targets(rows) if (t.situation, t.what) == ("beside-4", NONE_SLOWER)}
    assert verdicts == {KERNEL: "reached", AUTO: "missed"}
    shown = tables.of_situation(Results(rows), "beside-4")
    marks = {head: mark.verdict for head, mark in zip(shown.heads[3:], shown.rows[0][3:], strict=True)}
    assert marks["own / kernel threads"] == "reached" and marks["own / auto"] == "missed"


@pytest.mark.parametrize("situation", FASTER)
def test_the_mean_gain_is_geometric_and_held_against_its_limit(situation: str):
    team, limit = (8 if situation == "crowded" else 2), FASTER[situation]
    for factor, says in ((1.02, "reached"), (0.98, "missed")):
        # One gains four times as much as the mean, one a quarter: an arithmetic mean would be far beyond the limit.
        rows = pair(cell("one", situation, team), 4 * limit * factor, 1.0) + pair(
            cell("two", situation, team), limit * factor, 4.0
        )
        assert verdict(rows, situation, GAIN) == says
    rows = pair(cell("one", situation, team), limit, 1.0, spread=0.05)
    assert verdict(rows, situation, GAIN) == "within the noise"


def test_the_gain_with_more_threads_is_of_teams_four_times_as_large():
    rows = pair(cell("one", "crowded", 4), 9.0, 1.0) + pair(cell("one", "crowded", 8), 1.2, 1.0)
    assert verdict(rows, "crowded", GAIN) == "missed"


def test_programs_with_too_few_rounds_are_not_in_the_mean():
    rows = pair(cell("one", "quota"), 2.0, 1.0) + pair(cell("two", "quota"), 1.0, 9.0, rounds=2)
    target = next(t for t in targets(rows) if (t.situation, t.what) == ("quota", GAIN))
    assert target.verdict == "reached" and target.detail == "1 of 2 programs: one"
    assert verdict(rows, "quota", NONE_SLOWER) == "too few rounds"


def test_targets_without_figures_are_named():
    rows = pair(cell(), 1.0, 1.0)
    assert {t.situation for t in targets(rows) if t.verdict == "not measured" and t.what == GAIN} == set(FASTER)
    assert {t.situation for t in targets(rows) if t.what == NONE_SLOWER} == set(NAMES)


def test_a_program_that_fails_on_weir_alone_misses_the_target():
    rows = [*pair(cell("one"), 1.0, 0.5), *pair(cell("two"), 1.0, 0.5), failed(cell("two"), KERNEL, "status 1")]
    target = next(t for t in targets(rows) if t.situation == "dedicated")
    assert target.verdict == "missed" and target.detail == "two (2)"
    assert target.measured == "of 2: 1 fails, 1 is not slower"
    # It also fails by itself: there is nothing to compare.
    rows.append(failed(cell("two"), OWN, "status 1"))
    assert verdict(rows, "dedicated", NONE_SLOWER) == "reached"


def by_barriers() -> list[dict]:
    made = []
    for team, best in ((2, "mcs"), (8, "sense")):
        where = cell("one", "dedicated" if team == 2 else "crowded", team)
        made += pair(where, 1.0, 0.5)
        made += runs(where, KERNEL, 0.4 if best == "mcs" else 0.6, "mcs")
        made += runs(where, KERNEL, 0.4 if best == "sense" else 0.9, "sense")
        made += runs(where, KERNEL, 0.4 * 1.002, "tree", spread=0.01)
    return made


def test_the_best_barrier_is_named_for_each_team_with_what_is_not_told_from_it():
    rows = tables.of_barriers(Results(by_barriers())).rows
    assert [(r[0], r[1], r[2], r[6]) for r in rows] == [("one", "2", "mcs", "tree"), ("one", "8", "sense", "tree")]
    assert all(r[5].startswith("0.80 (0.") and r[3].startswith("400 ms (39") for r in rows), rows


def test_tables_and_charts_hold_each_figure():
    rows = [*by_barriers(), share(cell("one"), OWN, 1.0, 0.25)]
    results = Results(rows)
    assert tables.of_situation(results, "dedicated").rows[0][:3] == ["one", "2", "1.00 s"]
    assert tables.of_situation(results, "dedicated").rows[0][3].startswith("2.0 (")
    assert tables.of_shares(results).rows == [["one", "2", "25.0%"]]
    drawn = {(v["members"], v["barrier"]): v["ns"] for v in charts.of_barriers(results)}
    assert drawn[8, "sense"] == pytest.approx(4e8) and len(drawn) == 8
    assert {(v["situation"], round(v["gain"], 2)) for v in charts.of_gains(results)} == {
        (TITLES[name], 2.0) for name in ("dedicated", "crowded")
    }
    lines = tables.as_csv(rows).splitlines()
    assert len(lines) == 11 and lines[0].startswith("program,group,situation,threads")


def test_the_page_shows_tables_charts_and_what_was_left_out(tmp_path: Path):
    rows = [MACHINE, *by_barriers(), share(cell("one"), OWN, 1.0, 0.25), *pair(cell("b", "quota"), 2.0, 1.0)]
    rows.append(failed(cell("bad"), KERNEL, "its result differs"))
    file = tmp_path / "w.jsonl"
    file.write_text("".join(json.dumps({"schema": records.SCHEMA, **row}) + "\n" for row in rows))
    read, complaints = records.read([file])
    assert complaints == [] and len(read) == len(rows)
    page.write(read, [], tmp_path / "w.html")
    text = (tmp_path / "w.html").read_text()
    shown = [
        "What Weir must reach",
        "The best barrier for each program",
        "Share of time spent synchronising",
        "What the papers concluded",
    ]
    shown += ['id="workloads-barriers"', 'id="workloads-gains"', "its result differs", "A quota of half"]
    assert not [words for words in shown if words not in text]
    assert re.match(r"On Weir's runtime these programs are 2\.0 .*times as fast with", finding(read))
    assert tables.for_terminal(read)


def test_nothing_is_judged_where_others_had_the_processors(tmp_path: Path):
    load = {"kind": "load", "session": "s", "processors": 2, "seconds": 9.0, "others_s": 9.0, "stolen_s": 0.0}
    rows = [MACHINE, *by_barriers(), *pair(cell("b", "quota"), 2.0, 1.0)]
    said = {table.title for table in tables.for_terminal(rows)}
    assert said - {table.title for table in tables.for_terminal([*rows, load])} == {
        "Targets",
        "Conclusions of the papers",
    }
    page.write([*rows, load], [], tmp_path / "w.html")
    text = (tmp_path / "w.html").read_text()
    assert "Other programs had 50% of the processors" in text and "The best barrier for each program" in text
    assert not [
        words for words in ("What Weir must reach", "What the papers concluded", "times as fast") if words in text
    ]
