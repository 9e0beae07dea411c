"""What is said and drawn where one program was run on several runtimes, as `make demo` does."""

from pathlib import Path

from weir.report import index
from weir.report.subjects import SUBJECTS
from weir.workloads import charts
from weir.workloads.findings import finding
from weir.workloads.results import Results
from weir.workloads.rows import AUTO, OWN

from .made_up_runs import MACHINE, cell, failed, runs

FEW, MANY = cell("hydro"), cell("hydro", "crowded", 16)


def session() -> list[dict]:
    made = [MACHINE]
    for where, own, libomp, weir in ((FEW, 0.20, 0.22, 0.21), (MANY, 6.0, 4.5, 0.22)):
        made += runs(where, OWN, own) + runs(where, "libomp", libomp) + runs(where, AUTO, weir)
    return made


def test_the_sentence_has_each_runtimes_time_where_most_and_fewest_threads_are():
    said = finding(session())
    assert said.startswith("With 16 threads on 2 processors hydro takes 220 ms under weir run, 6.00 s on own, 4.50 s")
    assert "on libomp; with 2 threads on 2 processors hydro takes 210 ms under weir run, 200 ms on own" in said


def test_a_runtime_on_which_it_does_not_end_is_named():
    rows = [r for r in session() if (r.get("what") or {}).get("runtime") != "libomp" or r["where"]["members"] == 2]
    assert "does not end on libomp" in finding([*rows, failed(MANY, "libomp", "no end within 30 s")])


def test_a_row_of_the_picture_is_a_team_in_a_situation():
    drawn = charts.of_runtimes(Results(session()))
    assert [(v["row"], v["name"]) for v in drawn][:3] == [
        ("2 threads", "own"),
        ("2 threads", "weir"),
        ("2 threads", "libomp"),
    ]
    assert len(drawn) == 6 and all(v["low"] <= v["ns"] <= v["high"] for v in drawn)


def test_few_rounds_have_no_interval():
    few = runs(FEW, OWN, 0.2, spread=0.1, rounds=3) + runs(FEW, AUTO, 0.2, spread=0.1, rounds=3)
    assert all(v["low"] == v["ns"] == v["high"] for v in charts.of_runtimes(Results(few)))


def test_several_programs_have_no_such_picture():
    several = [*session(), *runs(cell("sort"), OWN, 0.1), *runs(cell("sort"), AUTO, 0.1)]
    assert charts.by_runtime(Results(several)) is None
    assert "these programs" in finding(several) or "do not show" in finding(several)


def test_the_index_page_begins_with_it(tmp_path: Path):
    from weir.base import records

    (subject,) = (s for s in SUBJECTS if s.name == "Programs")
    with records.Writer(tmp_path / "workloads.jsonl") as out:
        for row in session():
            out.write(row)
    text = index.write(tmp_path).read_text()
    assert subject.finding is not None
    assert text.index("16 threads on 2 processors hydro takes") < text.index('id="workloads"')
