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


def test_a_barrier_that_is_ahead_of_its_peers_is_recommended():
    said = barrier_finding(barrier_rows(100, 200, 2) + barrier_rows(1000, 5000, 8))
    assert (
        "With 2 threads on 2 processors use Weir's default, which takes 102 ns, 50% of the time of std::barrier" in said
    )
    assert "with 8 threads on 2 processors" in said and "20% of the time of std::barrier" in said


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
        "Of 3 OpenMP constructs, 1 cost less on Weir's runtime than on libgomp, a barrier for instance 101 ns"
    )
    assert "1 cost more, and 1 is undecided by these samples" in said


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
    assert "With 2 threads on 2 processors use Weir&#39;s default" in text
    assert "% of the time of std::barrier" in text and "% of the time of MPI_Barrier of Open MPI" in text
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
