import json
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weir.barriers.comparison import Figure, figures
from weir.base import records
from weir.base.places import Place
from weir.cli import app
from weir.simulation import calibrate, rows, scenario
from weir.simulation.results import scenarios

from ..conftest import heeding_interrupts
from .made_up import SMALL


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


def simulate(*words: object, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["simulate", *map(str, words)])
    assert done.exit_code == code, done.output
    return re.sub(r"\s+", " ", done.output)


def stable(path: Path) -> list[dict]:
    """What must be the same each time: all but when it ran and how long it took."""
    kept = []
    for line in path.read_text().splitlines():
        row = json.loads(line)
        for key in ("id", "time", "session", "scenario", "settings"):
            row.pop(key, None)
        if "cost" in row:
            row["cost"].pop("host_s")
        kept.append(row)
    return kept


def test_same_seed_same_digits_however_many_simulators(small: Path, tmp_path: Path):
    one, two, other = (tmp_path / f"{n}.jsonl" for n in ("one", "two", "other"))
    simulate(small, "-o", one, "--seeds", 3, "--jobs", 1)
    simulate(small, "-o", two, "--seeds", 3, "--jobs", 4)
    simulate(small, "-o", other, "--seeds", 3, "--seed", 77)
    assert stable(one) == stable(two)
    assert stable(one) != stable(other)


def test_records_are_like_measured_ones(small: Path, tmp_path: Path):
    path = tmp_path / "r.jsonl"
    simulate(small, "-o", path, "--seeds", 2)
    kept, complaints = records.read([path])
    assert complaints == []
    overhead = [r for r in kept if r["kind"] == "overhead"]
    runs = [r for r in kept if r["kind"] == "simulation"]
    assert len(overhead) == len(runs) == 2 * 2 * 2
    for row, run in zip(overhead, runs, strict=True):
        assert row["source"] == "simulated"
        assert row["where"]["members"] == 3 and row["where"]["processors"] == 2
        assert len(row["samples"]["episode_ns"]) == 10  # 12 less 2 of warm-up
        # The fullest processor has two of the three members.
        assert row["samples"]["reference_ns"][0] == 2 * row["where"]["delay_ns"]
        assert run["applications"][0]["episode_ns"] == pytest.approx(sum(row["samples"]["episode_ns"]) / 10)
        assert sum(run["threads"]["computing_ns"]) > 0


def test_times_of_threads_add_up(small: Path, tmp_path: Path):
    path = tmp_path / "r.jsonl"
    simulate(small, "-o", path)
    for run in (r for r in records.read([path])[0] if r["kind"] == "simulation"):
        spent = [k for k in run["threads"] if k.endswith("_ns")]
        from_warm_up = {sum(run["threads"][k][i] for k in spent) for i in range(3)}
        assert max(from_warm_up) <= run["end_ns"] + 1e-3
        for k in spent:
            assert min(run["threads"][k]) >= 0


def test_dry_run_runs_nothing(small: Path, tmp_path: Path):
    path = tmp_path / "r.jsonl"
    said = simulate(small, "--dry-run", "-o", path)
    assert "4 points" in said and "Everything can be run" in said
    assert not path.exists()


def test_without_a_scenario_the_known_ones_are_listed():
    said = simulate()
    assert "000-spinning" in said and "002-power4" in said


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("members = 3", "members = 0"), r"small.toml:8: application.members: expected a whole number from 1"),
        (('barrier = "sense"\n', 'barrier = "sens"\n'), r"application.barrier"),
        (("[sweep]", "[sweep]\nfoo = []"), r"small.toml:\d+: foo: expected a list of values"),
        (('x = "application.compute_us"', 'x = "application.waiting"'), r":19: chart.x: expected a key of \[sweep\]"),
        (('y = "overhead"', 'y = "speed"'), r"small.toml:20: chart.y: expected one of episode, overhead"),
        (('color = "application.barrier"', 'colour = "x"'), r"small.toml:21: chart.colour: expected no such key"),
        (('machine = "ideal"', 'machine = "cray"'), r"small.toml:3: machine: expected a file, or one of .*power4-32"),
    ],
)  # fmt: skip
def test_bad_scenarios_name_file_line_key_and_what_was_expected(
    small: Path, tmp_path: Path, change: tuple[str, str], complaint: str
):
    # In the sweep the barrier is chosen over again: a wrong one outside it must not matter, and does not.
    text = SMALL.replace(*change, 1)
    if change[0].startswith("barrier"):
        text = text.replace('"application.barrier" = ["sense", "mcs"]\n', "").replace("color =", "#")
    small.write_text(text)
    said = simulate(small, "-o", tmp_path / "r.jsonl", code=2)
    assert re.search(complaint.replace(" ", r"\s+"), said), said
    assert not (tmp_path / "r.jsonl").exists()


def test_an_unknown_name_lists_the_known():
    assert "known are 000-blocking" in simulate("000-spining", code=2)


def test_a_program_that_cannot_finish_says_who_waits(tmp_path: Path):
    events = [{"schema": "weir-trace/1", "members": 2}]
    events += [{"member": m, "do": "barrier"} for m in (0, 0, 1)]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, events)))
    path = tmp_path / "s.toml"
    path.write_text('machine = "ideal"\n[[application]]\ntrace = "t.jsonl"\nbarrier = "sense"\n')
    said = simulate(path, "-o", tmp_path / "r.jsonl", code=1)
    assert "cannot finish" in said and "member 0: polls at its barrier, episode 1" in said
    assert "have ended: application member 1" in said
    kept, _ = records.read([tmp_path / "r.jsonl"])
    assert [r["kind"] for r in kept] == ["scenario", "machine", "failure"]


def test_what_does_not_fit_into_memory_is_refused_before_it_starts(tmp_path: Path):
    path = tmp_path / "s.toml"
    path.write_text(SMALL.replace("barriers = 12", "barriers = 100000000\ncopies = 200"))
    said = simulate(path, "-o", tmp_path / "r.jsonl", code=2)
    assert re.search(r"needs about \d+ GB of memory, and [\d.]+ GB are free", said)
    assert not (tmp_path / "r.jsonl").exists()


def test_ctrl_c_keeps_what_was_simulated(tmp_path: Path):
    text = SMALL.replace("barriers = 12", "barriers = 60000").replace("[30, 60]", str(list(range(30, 130))))
    (tmp_path / "long.toml").write_text(text)
    path = tmp_path / "r.jsonl"
    words = [sys.executable, "-m", "weir", "simulate", tmp_path / "long.toml", "-o", path]
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heeding_interrupts
    )
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and (not path.exists() or path.read_text().count('"kind": "simulation"') < 3):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said, complaints = process.communicate(timeout=300)
    assert process.returncode == 130, complaints
    assert "Interrupted" in said
    kept, flaws = records.read([path])
    assert flaws == []
    points = [r["point"] for r in kept if r["kind"] == "simulation"]
    assert 3 <= len(points) < 200 and points == sorted(points)


def test_history_as_page_picture_and_trace(small: Path, tmp_path: Path, chromium: str):
    simulate(small, "--history", tmp_path / "h", "--point", 1)
    trace = json.loads((tmp_path / "h.json").read_text())["traceEvents"]
    slices = [e for e in trace if e["ph"] == "X" and e["pid"] == 1]
    assert {e["tid"] for e in slices} == {0, 1, 2}
    for member in range(3):  # stretches of one thread follow one another
        spans = sorted((e["ts"], e["ts"] + e["dur"]) for e in slices if e["tid"] == member)
        assert all(a[1] <= b[0] + 1e-6 for a, b in zip(spans, spans[1:], strict=False))
    running = [e for e in trace if e["ph"] == "X" and e["pid"] == 2]
    for processor in (0, 1):  # never two at once
        spans = sorted((e["ts"], e["ts"] + e["dur"]) for e in running if e["tid"] == processor)
        assert all(a[1] <= b[0] + 1e-6 for a, b in zip(spans, spans[1:], strict=False))
    assert any(e["name"] == "barrier 11: last leaving" for e in trace)
    drawn = xml.parse(tmp_path / "h.svg").getroot()
    rectangles = [e for e in drawn.iter("{http://www.w3.org/2000/svg}rect") if len(e)]
    assert len(rectangles) == len(slices)
    page = (tmp_path / "h.html").read_text()
    assert "http" not in page.replace("http-equiv", "")
    quiet = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run")
    dom = subprocess.run(
        [chromium, *quiet, "--virtual-time-budget=3000", f"--user-data-dir={tmp_path}/c", "--dump-dom", f"file://{tmp_path}/h.html"],
        capture_output=True, text=True, timeout=300,
    ).stdout  # fmt: skip
    assert re.search(r'<canvas id="view"[^>]*height="\d{2,}"', dom), "the timeline was not drawn"


def test_history_of_a_point_that_is_not_there(small: Path, tmp_path: Path):
    assert "points 0 to 3" in simulate(small, "--history", tmp_path / "h", "--point", 4, code=2)


def test_the_page_draws_a_scenario(small: Path, tmp_path: Path, chromium: str):
    path = tmp_path / "r.jsonl"
    simulate(small, "-o", path, "--seeds", 2)
    done = CliRunner().invoke(app, ["report", str(path), "-o", str(tmp_path / "p.html"), "--svg", str(tmp_path)])
    assert done.exit_code == 0, done.output
    text = (tmp_path / "p.html").read_text()
    assert "A small one" in text and "4 points" in text
    drawn = list(tmp_path.glob("*.svg"))
    assert len(drawn) == 1 and "mcs" in drawn[0].read_text()
    quiet = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run")
    dom = subprocess.run(
        [chromium, *quiet, "--virtual-time-budget=5000", f"--user-data-dir={tmp_path}/c", "--dump-dom", f"file://{tmp_path}/p.html"],
        capture_output=True, text=True, timeout=300,
    ).stdout  # fmt: skip
    assert "<svg" in dom


def test_a_plan_is_made_for_a_machine():
    said = simulate("--plan", "kunpeng-920", "--members", 16)
    assert "Huawei Kunpeng 920, 64 cores, 16 threads" in said and "the plan is proven" in said
    assert re.search(r"│ (?!1 )0\.\d\d │", said), said
    assert "from 2 to 64 members, not 65" in simulate("--plan", "kunpeng-920", "--members", 65, code=2)
    assert "one of altix-3700-512, " in simulate("--plan", "kunpeng", code=2)
    assert "--members does not go with" in simulate("000-blocking", "--members", 4, code=2)


def test_samples_are_means_of_as_many_episodes():
    samples, inner = rows.in_samples(list(map(float, range(103))), most=50)
    assert inner == 2 and len(samples) == 51 and samples[0] == 0.5 and samples[-1] == 100.5
    assert rows.in_samples([1.0, 2.0]) == ([1.0, 2.0], 1)


def test_simulated_stands_beside_measured_of_the_same_place():
    def row(source: str, ns: float, members: int = 2) -> dict:
        where = {"members": members, "processors": 2, "pinned": True, "load": "none", "delay_ns": 100}
        what = {"family": "weir", "id": "weir:sense/spin", "algorithm": "sense", "waiting": "spin"}
        lists = {n: [ns] * 3 for n in records.LISTS}
        return {"kind": "overhead", "source": source, "what": what, "where": where, "how": {"run": 0}, "samples": lists}

    found = figures([row("measured", 5), row("simulated", 6), row("simulated", 7, members=4), row("predicted", 8)])
    assert [(f.source, f.place.members) for f in found] == [("measured", 2), ("simulated", 2), ("predicted", 2)]
    ((measured, simulated),) = calibrate.against(found)
    assert (measured.source, simulated.source) == ("measured", "simulated")
    assert calibrate.summary([(measured, simulated)])["median"] == pytest.approx(6 / 5)


def floor(algorithm: str, where: str, ns: float) -> Figure:
    samples = {n: [ns * 0.99, ns, ns * 1.01] for n in records.LISTS}
    made = Figure("floor", f"floor:{algorithm}:{where}", algorithm, "none", "", Place.of(members=2, load="none"))
    made.rows.append({"how": {"run": 0}, "samples": samples})
    return made


def test_groups_are_found_in_the_transfers():
    pairs = {(a, b): (50.0 if a // 2 == b // 2 else 200.0) for a in range(8) for b in range(8) if a != b}
    assert [(g, ns) for g, ns, _ in calibrate.groups(pairs, list(range(8)))] == [(2, 50.0), (8, 200.0)]
    alike = dict.fromkeys(pairs, 80.0)
    assert [(g, n) for g, _, n in calibrate.groups(alike, list(range(8)))] == [(8, 56)]


def test_the_fit_simulates_what_was_measured(tmp_path: Path):
    measured = [
        floor("transfer", f"{a}:{b}", 60.0 if a // 2 == b // 2 else 240.0) for a in range(4) for b in range(4) if a != b
    ]
    path = tmp_path / "here.toml"
    fits = calibrate.fit(
        path, {"affinity": [0, 1, 2, 3], "cpu_model": "some"}, [*measured, floor("switch", "0", 1500.0)]
    )
    assert [f.group for f in fits] == [2, 4]
    for f in fits:
        assert f.simulated_ns == pytest.approx(f.measured_ns, rel=0.01)
    assert "switch_us = 1.1 " in path.read_text()


def test_scenarios_of_the_files_are_all_good():
    for name, path in scenario.named().items():
        plan = scenario.plan(path)
        assert plan.about and plan.charts, name
        assert scenarios([]) == []
