"""weir run --compare --export: files for programs and for readers, also of what was interrupted."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weir.base import exports, records
from weir.cli import app
from weir.run import section, unlike
from weir.run.measuring import OWN, STREAMS, WEIR

from ..conftest import eventually, heeding_interrupts
from .made_up_session import HOST, OWN_S, session, sides, trial, trials
from .test_compare import compare, no_more_than_asked  # noqa: F401

ENDINGS = (".json", ".jsonl", ".csv", ".md", ".html")


def exported(folder: Path, made: object) -> dict[str, Path]:
    paths = {ending: folder / f"made{ending}" for ending in ENDINGS}
    assert exports.write(made, list(paths.values())) == (list(paths.values()), [])
    return paths


def test_every_run_is_in_the_records_and_in_the_lines(programs: dict[str, Path], tmp_path: Path):
    paths = [tmp_path / f"made{ending}" for ending in ENDINGS]
    status, said = compare(
        *(word for path in paths for word in ("--export", path)), "--", programs["gcc"], "own", "print"
    )
    assert status == 0 and all(f"wrote {path}" in said for path in paths), said
    document = json.loads(paths[0].read_text())
    assert not document["interrupted"] and document["answer"][0] in said
    for path in paths[:2]:
        rows, complaints = records.read([path])
        assert complaints == [] and [row["kind"] for row in rows][:1] == ["machine"]
        runs = [row for row in rows if row["kind"] == "overhead"]
        assert len(runs) == 14 and sum(row["how"]["counted"] for row in runs) == 12, "a round warms up"
        assert {row["what"]["runtime"] for row in runs} == {"libgomp", "Weir's runtime"}
        assert all(row["samples"]["episode_ns"] == [round(1e9 * row["how"]["wall_s"])] for row in runs)
    lines = list(csv.DictReader(paths[2].open()))
    assert len(lines) == 14 and [line["counted"] for line in lines].count("no") == 2
    assert {line["interrupted"] for line in lines} == {"no"}
    text = paths[3].read_text()
    assert document["answer"][0] in text and "| wall time |" in text and "line 2 is 'and this' on libgomp" in text
    assert str(programs["gcc"]) in paths[4].read_text()
    assert "The first run on each side warms up and is left out." in said


def test_a_wrong_ending_is_refused_before_anything_runs(programs: dict[str, Path], tmp_path: Path):
    mark = tmp_path / "ran"
    status, said = compare("--export", tmp_path / "x.pdf", "--", "sh", "-c", f"touch {mark}; {programs['gcc']}")
    assert status == 2 and "--export takes a name that ends in .json, .jsonl, .csv, .md or .html" in said, said
    status, said = compare("--export", "/no/such/folder/x.md", "--", "sh", "-c", f"touch {mark}; {programs['gcc']}")
    assert status == 2 and "there is no folder /no/such/folder" in said, said
    assert not mark.exists()


def test_a_file_that_cannot_be_written_does_not_take_the_others(programs: dict[str, Path], tmp_path: Path):
    good = tmp_path / "made.csv"
    status, said = compare("--export", "/dev/full", "--export", good, "--", programs["gcc"], times=1)
    assert status == 1 and "cannot write /dev/full" in said and "stdout: the same." in said, said
    assert len(good.read_text().splitlines()) == 5


@pytest.mark.parametrize(("after", "runs"), [(8, 6), (3, 1)])
def test_control_c_exports_what_was_measured(programs: dict[str, Path], tmp_path: Path, after: int, runs: int):
    """`after`: so many starts, of which two are before the comparison; the last of them is interrupted."""
    counter, paths = tmp_path / "begun", [tmp_path / f"made{ending}" for ending in ENDINGS]
    script = f'echo $$ >>"{counter}"; "{programs["gcc"]}"; [ $(wc -l <"{counter}") -lt {after} ] || exec sleep 1000'
    words = [word for path in paths for word in ("--export", str(path))]
    command = [sys.executable, "-m", "weir", "run", "--compare", "--times", "99", *words, "--", "sh", "-c", script]
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heeding_interrupts,
        start_new_session=True, env=os.environ | {"COLUMNS": "200"},
    )  # fmt: skip
    eventually(lambda: counter.exists() and len(counter.read_text().splitlines()) >= after)
    os.killpg(running.pid, signal.SIGINT)
    said, complaints = running.communicate(timeout=300)
    assert running.returncode == 130 and "Traceback" not in complaints, complaints
    document = json.loads(paths[0].read_text())
    assert document["interrupted"] and "cannot be told" in document["answer"][0]
    rows, _ = records.read([paths[1]])
    assert rows[0]["settings"]["interrupted"] and sum(row["kind"] == "overhead" for row in rows) == runs
    assert {line["interrupted"] for line in csv.DictReader(paths[2].open())} == {"yes"}
    for path in paths[3:]:
        assert exports.INTERRUPTED in path.read_text()


def test_the_page_begins_with_the_answer_and_needs_nothing_from_elsewhere(tmp_path: Path):
    paths = exported(tmp_path, session(trials()).export(HOST))
    html = paths[".html"].read_text()
    bare = re.sub(r"(<script[^>]*>).*?</script>", r"\1", html, flags=re.DOTALL)
    assert not re.search(r"<(script|link|img|iframe)[^>]+(src|href)=", bare)
    assert not re.search(r"@import|url\(", bare)
    order = ["<h1>it on libgomp and Weir&#39;s runtime", "Yes: on Weir", 'id="runs"', "Medians", "Output", "Conditions"]
    found = [bare.index(words) for words in order]
    assert found == sorted(found), "the sentence, the picture, the table, outputs, conditions"
    for told in ("./it --size 3", "2026-11-24 12:00:00 UTC", "2 processors", "0.5% of 2 processors",
                 "A &lt;made-up&gt; processor"):  # fmt: skip
        assert told in bare, told


def test_fewer_than_six_runs_give_no_interval_in_any_file(tmp_path: Path):
    paths = exported(tmp_path, session(trials(OWN_S[:5])).export(HOST))
    figures = json.loads(paths[".json"].read_text())["figures"]
    assert [f["low_s"] for f in figures if "side" in f] == [None, None] and figures[0]["runs"] == 5
    assert all(f["ratio"] is None for f in figures if "figure" in f)
    assert "| wall time | – |" in paths[".md"].read_text()
    figures = json.loads(exported(tmp_path, session(trials()).export(HOST))[".json"].read_text())["figures"]
    ratio = next(f for f in figures if f.get("figure") == "wall_s")
    assert ratio["ratio"] == pytest.approx(0.5) and ratio["low"] <= ratio["ratio"] <= ratio["high"]


def test_a_run_that_failed_is_exported_as_one(tmp_path: Path):
    made = [*trials(), trial(WEIR, 9, 0.2, status=3), trial(OWN, 9, 1.0)]
    paths = exported(tmp_path, session(made).export(HOST))
    rows, complaints = records.read([paths[".jsonl"]])
    failures = [row["how"]["stopped"] for row in rows if row["kind"] == "failure"]
    assert failures == ["status 3"] and complaints == []


def test_runs_that_lie_far_off_are_told_of():
    disturbed = [*OWN_S[:6], 1.9, 2.2]
    (outliers, warms) = unlike.notes(sides().all, trials(disturbed, OWN_S))
    assert outliers.startswith("libgomp: 2 of 8 runs lie far from the median, 1.02 s: 1.90 s, 2.20 s.")
    assert "--times 16" in outliers and "warms up" in warms
    assert unlike.notes(sides().all, trials(OWN_S, OWN_S)) == [warms], "a usual scatter is not spoken of"
    nearly = [1.0, 1.0, 1.0, 1.0, 1.0, 1.04]
    assert unlike.notes(sides().all, trials(nearly, nearly)) == [warms], "nor is what changes little"


def test_a_first_run_that_was_much_slower_is_told_of():
    said = unlike.notes(sides().all, trials(OWN_S, OWN_S, first_s=3.0))
    assert [s.partition(":")[0] for s in said[:2]] == ["libgomp", "Weir's runtime"]
    assert "the first run was much slower than the others: 3.00 s instead of 1.00 s" in said[0]
    assert "not among the figures" in said[0]
    counted = [trial(side, i, 9.0 if i == 0 else s) for side in (OWN, WEIR) for i, s in enumerate(OWN_S)]
    said = unlike.notes(sides().all, counted)
    assert len(said) == 2 and all("It counts" in one and "repeat" in one for one in said), said
    assert unlike.notes(sides().all, []) == []


def test_what_others_had_is_a_note_where_it_was_much():
    assert "Other programs had 60% of the processors" in session(trials(), others_s=12.0).notes()[0]
    assert not any("Other programs" in note for note in session(trials()).notes())


def test_the_records_are_drawn_by_the_report_too(tmp_path: Path):
    made = [*trials(), trial(WEIR, 9, 0.2, status=3), trial(OWN, 9, 1.0)]
    for runs, says in ((trials(), "Yes: on Weir"), (made, "failed in 1 of 10 runs (status 3)")):
        paths = exported(tmp_path, session(runs).export(HOST))
        done = CliRunner().invoke(app, ["report", str(paths[".json"]), "-o", str(tmp_path / "page.html")])
        assert done.exit_code == 0, done.output
        html = re.sub(r"(<script[^>]*>).*?</script>", r"\1", (tmp_path / "page.html").read_text(), flags=re.DOTALL)
        for told in (says, "wall time", 'id="runs-1"', "./it --size 3", "2 copies at once, 8 threads"):
            assert told in html, told
    rows, _ = records.read([paths[".jsonl"]])
    for settings in (None, {}, {"sides": "x"}, {"sides": [{"name": "weir"}]}, {"sides": [3, {"runtime": "x"}]}):
        assert section.finding([rows[0] | {"settings": settings}, *rows[1:]]) == ""
    settings = {"sides": [{"name": "weir", "variables": "x"}, {"name": "own", "variables": [1]}], "planned": "x"}
    assert section.finding([rows[0] | {"settings": settings}, *rows[1:]]), "what is broken does not hide the rest"


def test_what_printed_nothing_is_empty_in_the_report_too():
    nothing = sha256(b"").hexdigest()
    made = [replace(one, printed=("a", nothing)) for one in trials()]
    (read,) = section.sessions(session(made).export(HOST).records)
    assert [read.found[0].output(stream) for stream in STREAMS] == ["the same", "empty"]
