"""The index page says what the records show, or that they show nothing."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from weir.barriers.finding import finding as barrier_finding
from weir.base import records
from weir.mpi.finding import finding as mpi_finding
from weir.openmp.finding import finding as openmp_finding
from weir.openmp.finding import picture as openmp_picture
from weir.report import index

from ..mpi.made_up import made_up
from .test_report import rows


def row(family: str, where: dict, samples: list[float], run: int = 0, **what: str) -> dict:
    return {
        "kind": "overhead", "what": {"family": family, **what}, "where": {"processors": 2, **where},
        "how": {"run": run, "samples": len(samples), "inner": 9, "rejected": None, "complete": True, "method": "split"},
        "samples": {name: samples for name in records.LISTS}, "cycles_per_ns": 2.5, "schema": records.SCHEMA,
    }  # fmt: skip


def barrier_rows(ours: float, theirs: float, members: int) -> list[dict]:
    where = {"members": members, "pinned": True, "load": "none", "delay_ns": 100}
    ids = (("weir", "auto", "auto", ours), ("peer", "std::barrier", "own", theirs))
    return [
        row(
            family,
            where,
            [cost + i % 5 for i in range(20)],
            run,
            id=f"{family}:{name}/{waiting}",
            algorithm=name,
            waiting=waiting,
        )
        for family, name, waiting, cost in ids
        for run in range(2)
    ]


def test_the_default_is_compared_with_the_best_of_others():
    said = barrier_finding(barrier_rows(100, 200, 2) + barrier_rows(1000, 5000, 8))
    assert said == (
        "Weir's default barrier: with 2 threads on 2 processors it takes 102 ns, std::barrier 2.0 times as long; "
        "with 8 threads on 2 processors it takes 1.00 µs, std::barrier 5.0 times as long."
    )


def test_a_barrier_that_is_behind_is_said_to_be():
    assert "2.0 times as long as std::barrier" in barrier_finding(barrier_rows(200, 100, 2))


def test_equal_barriers_are_said_to_be_within_the_noise():
    assert "within the noise of these samples" in barrier_finding(barrier_rows(100, 100, 2))


def test_nothing_measured_is_said():
    for finding in (barrier_finding, openmp_finding, mpi_finding):
        assert "do not show what is best here" in finding([])


def openmp_rows(costs: dict[str, tuple[float, float]]) -> list[dict]:
    where = {"members": 2, "pinned": True, "load": "none", "delay_ns": 100}
    return [
        row("openmp", where, [cost + i % 3 for i in range(20)], language="C", group="synchronisation",
            algorithm=construct, runtime=runtime, version="1", waiting="own")
        for construct, both in costs.items()
        for runtime, cost in zip(("weir", "libgomp"), both, strict=True)
    ]  # fmt: skip


def test_openmp_constructs_are_counted_by_who_is_cheaper():
    said = openmp_finding(openmp_rows({"barrier": (100, 300), "for": (500, 200), "single": (100, 100)}))
    assert said.startswith(
        "Of 3 OpenMP constructs, 1 cost less on Weir's runtime than on libgomp, a barrier of 2 threads for "
        "instance 101 ns instead of 301 ns on libgomp"
    )
    assert "1 cost more, and 1 is undecided by these samples" in said


def test_each_other_runtime_is_named_once():
    rows = openmp_rows({"barrier": (100, 300)})
    theirs = [row for row in rows if row["what"]["runtime"] == "libgomp"]
    for runtime, compiler in (("libomp-19", "gcc"), ("libomp-19", "clang"), ("libiomp5", "gcc")):
        rows += [row | {"what": row["what"] | {"runtime": runtime, "compiler": compiler}} for row in theirs]
    assert "than on the cheapest of libgomp, libomp-19 and libiomp5, a barrier" in openmp_finding(rows)
    drawn = openmp_picture(rows).to_dict()["data"]["values"]
    assert [v["name"] for v in drawn] == ["weir", "libgomp", "libiomp5", "libomp-19"], (
        "one row each, by the cheaper compiler"
    )


@pytest.mark.parametrize("shown", [("report.html",), ("report.html", "openmp.html")])
def test_the_page_links_what_was_measured_and_says_from_how_much(tmp_path: Path, shown: tuple[str, ...]):
    measured = {"report.html": barrier_rows(100, 200, 2), "openmp.html": openmp_rows({"barrier": (100, 300)})}
    for name, source in index.PAGES:
        if name in shown:
            (tmp_path / source).write_text("".join(json.dumps(r) + "\n" for r in measured[name]))
    page = index.write(tmp_path).read_text()
    assert {p for p in ("report.html", "openmp.html", "mpi.html") if f'href="{p}"' in page} == set(shown)
    assert "80 samples of 2 series in 4 runs" in page


def test_each_subject_that_was_measured_has_a_sentence(tmp_path: Path):
    for name, made in (("records.jsonl", rows()), ("mpi.jsonl", made_up())):
        with records.Writer(tmp_path / name) as writer:
            for row in made:
                writer.write(row)
    text = index.write(tmp_path).read_text()
    assert "Weir&#39;s default barrier: with 2 threads on 2 processors it takes" in text
    assert "std::barrier 2.0 times as long" in text and "MPI_Barrier of Open MPI 2.0 times as long" in text
    assert 'href="report.html"' in text and 'href="mpi.html"' in text and "openmp.html" not in text
    assert "samples of 27 series in 81 runs" in text


def test_where_nothing_was_measured_the_page_says_so(tmp_path: Path):
    assert "Nothing was measured." in index.write(tmp_path).read_text()
    (tmp_path / "records.jsonl").write_text("no JSON\n")
    (tmp_path / "mpi.jsonl").write_text(json.dumps({"schema": records.SCHEMA, "kind": "overhead"}) + "\n")
    assert "Nothing was measured." in index.write(tmp_path).read_text()


@pytest.mark.parametrize("words, says", [([], "FOLDER"), (["no/folder"], "there is no folder no/folder")])
def test_a_wrong_folder_is_one_line(words: list[str], says: str):
    done = subprocess.run([sys.executable, "-m", "weir.report.index", *words], capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and says in done.stderr, done.stderr


def test_each_card_has_a_picture_a_date_and_the_machine(tmp_path: Path):
    host = {"cpu_model": "A <made-up> processor", "affinity": [0, 1], "quota": {"processors": 1.5, "source": "x"}}
    machine = {"kind": "machine", "id": "s", "time": "2026-11-24T12:00:00", "host": host, "schema": records.SCHEMA}
    made = {
        "records.jsonl": barrier_rows(100, 200, 2) + barrier_rows(1000, 5000, 8),
        "openmp.jsonl": openmp_rows({"barrier": (100, 300), "parallel": (500, 900)}),
        "mpi.jsonl": made_up(),
    }
    for name, measured in made.items():
        (tmp_path / name).write_text(
            "".join(json.dumps(r | {"schema": records.SCHEMA}) + "\n" for r in [machine, *measured])
        )
    text = index.write(tmp_path).read_text()
    assert text.count('<section class="card">') == text.count('<div class="chart"') == 3
    assert "A &lt;made-up&gt; processor, 2 processors to use, a quota of 1.5 processors." in text
    assert text.count("2026-11-24. From ") == 3


def test_the_picture_has_the_peers_that_the_sentence_names():
    from weir.barriers.finding import picture

    shared = [row for row in barrier_rows(1000, 5000, 8)]
    for number in range(6):
        shared += [r | {"what": r["what"] | {"id": f"peer:p{number}", "algorithm": f"p{number}"}}
                   for r in barrier_rows(0, 2000 + number, 8) if r["what"]["family"] == "peer"]  # fmt: skip
    drawn = json.dumps(picture(barrier_rows(100, 200, 2) + shared).to_dict())
    assert '"std::barrier"' in drawn and '"p0"' in drawn and '"p5"' not in drawn
    assert picture([]) is None


def test_no_verdict_of_a_machine_that_others_had(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    load = {"kind": "load", "session": "s", "processors": 2, "seconds": 10.0, "others_s": 19.4, "stolen_s": 0.0}
    rows = [r | {"schema": records.SCHEMA} for r in [*barrier_rows(100, 200, 2), load]]
    (tmp_path / "records.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    text = index.write(tmp_path).read_text()
    assert "Other programs had 97% of the processors" in text and "times as long" not in text
    assert "Barriers: Other programs had 97%" in capsys.readouterr().out
