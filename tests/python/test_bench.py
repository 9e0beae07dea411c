import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weir import driver, records, sitting
from weir.bench import Bench
from weir.cli import app


def subject(name: str) -> driver.Subject:
    return next(s for s in driver.subjects()[0] if s.id == name)


def measure(path: Path, names: list[str], samples: int = 6, budget: float = 1.0) -> tuple[list[dict], Bench]:
    part = sitting.Part(tuple(map(subject, names)), (2, 4), 2, samples, "none", True, 1.0, budget)
    with records.Writer(path) as writer:
        bench = Bench(sitting.Sitting([0, 1], [part]), writer)
        bench.run({})
    rows, complaints = records.read([path])
    assert complaints == []
    return [r for r in rows if r["kind"] == "overhead"], bench


def test_each_run_of_each_series_is_one_row(native_folder: Path, tmp_path: Path):
    rows, bench = measure(tmp_path / "r.jsonl", ["weir:auto/auto", "peer:std::barrier", "floor:switch:0"])
    assert len(rows) == 3 * 2 * 2
    assert {len(r["samples"]["overhead_ns"]) for r in rows} == {6}
    assert all(r["how"]["complete"] for r in rows)
    assert bench.complaints == []


@pytest.mark.parametrize("bad, why", [("weir:crash/auto", "out of luck"), ("weir:error/auto", "no such luck")])
def test_a_subject_that_fails_is_named(native_folder: Path, tmp_path: Path, bad: str, why: str):
    rows, bench = measure(tmp_path / "r.jsonl", ["weir:auto/auto", bad])
    assert bad not in {r["what"]["id"] for r in rows}
    assert any(bad in c and why in c for c in bench.complaints)


def test_an_error_costs_only_its_own_row(native_folder: Path, tmp_path: Path):
    rows, _ = measure(tmp_path / "r.jsonl", ["weir:auto/auto", "weir:error/auto"])
    assert len(rows) == 4
    assert all(r["how"]["complete"] for r in rows)


def test_a_subject_that_hangs_is_given_up(native_folder: Path):
    process = driver.Process("weir-measure", [])
    with pytest.raises(driver.Lost, match="no answer"):
        process.ask("sample weir:hang/auto", timeout_s=0.5)


def test_a_series_over_its_budget_stops_early_and_says_so(native_folder: Path, tmp_path: Path):
    rows, _ = measure(tmp_path / "r.jsonl", ["weir:auto/auto"], samples=50, budget=0.0)
    assert all(r["how"]["samples"] == 1 and "were spent" in r["how"]["stopped"] for r in rows)
    assert not any(r["how"]["complete"] for r in rows)


def test_control_c_keeps_what_was_measured(native_folder: Path, tmp_path: Path):
    path = tmp_path / "r.jsonl"
    command = [sys.executable, "-m", "weir", "bench", "--rounds", "100000", "--algorithms", "sense", "-o", str(path)]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=os.environ)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (path.exists() and path.read_text().count("\n") > 5):
        time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    said, _ = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "kept" in said
    rows, complaints = records.read([path])
    assert len(rows) > 5
    assert complaints == []


def test_unknown_names_list_the_known_ones(native_folder: Path, tmp_path: Path):
    out = CliRunner().invoke(app, ["bench", "--algorithms", "fuzzy", "-o", str(tmp_path / "r")])
    assert out.exit_code == 2
    assert "sense" in out.output and "'fuzzy'" in out.output
    assert not (tmp_path / "r").exists()
    out = CliRunner().invoke(app, ["bench", "--waiting", "pray", "-o", str(tmp_path / "r")])
    assert "spin" in out.output
    out = CliRunner().invoke(app, ["bench", "--members", "2,many"])
    assert out.exit_code == 2 and "2,many" in out.output


def test_missing_programs_say_how_to_get_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("WEIR_NATIVE", str(tmp_path))
    out = CliRunner().invoke(app, ["info"])
    assert out.exit_code == 2
    assert "make build" in out.output.replace("\n", " ")


def test_info_shows_machine_and_choices(native_folder: Path):
    out = CliRunner().invoke(app, ["info"])
    assert out.exit_code == 0
    for part in ("made-up", "1.5 processors", "distributed", "2.0 KiB"):
        assert part in out.output
    as_json = CliRunner().invoke(app, ["info", "--json"])
    assert json.loads(as_json.output)["usable"] == 1.5


def test_usual_sizes_are_fewer_as_many_and_many_more():
    assert sitting.usual_sizes(2) == (2, 4, 8, 16, 32)
    assert sitting.usual_sizes(6) == (2, 4, 6, 8, 16, 32, 64)
    assert sitting.usual_sizes(1) == (2, 4, 8, 16)
