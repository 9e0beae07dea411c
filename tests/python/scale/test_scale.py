"""Barriers of simulated clusters: `weir scale`. Skipped where there is no SimGrid."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from weir.base import records
from weir.cli import app
from weir.scale import clusters
from weir.scale import measuring as scale
from weir.scale import tables as scale_rows
from weir.scale.measuring import AUTO, Barrier, Outcome, Run
from weir.scale.tables import ranked, row

from ..conftest import alive, eventually, heeding_interrupts


def simulated(*plan: Run) -> list[Outcome]:
    """In the order of the plan."""
    found: dict[Run, Outcome | str] = {}
    scale.Scale(plan, lambda run, outcome: found.update({run: outcome})).run()
    assert all(isinstance(o, Outcome) for o in found.values()), found
    return [found[run] for run in plan]


def test_all_plans_keep_the_contract_and_so_do_levels():
    cluster = clusters.find("slingshot-dragonfly")
    plan = [r for r in scale.runs([cluster], [32], [1, 16], None) if r.barrier.family == "Weir"]
    assert {r.barrier.within for r in plan} == {"none", "tournament"}
    assert all(o.kept for o in simulated(*plan))


def test_the_same_to_the_digit():
    runs = [Run(clusters.find("omni-path-fat-tree"), 32, 1, b) for b in (AUTO, Barrier("SMPI", "mvapich2"))]
    assert simulated(*runs) == simulated(*runs)


@pytest.mark.parametrize(
    ("barrier", "sends", "ways"),
    [
        (Barrier("Weir", "dissemination", radix=2), 4, 4),
        (Barrier("Weir", "dissemination", radix=4), 6, 2),
        (Barrier("Weir", "butterfly"), 4, 4),
        (Barrier("Weir", "tournament-tree"), 8, 8),
        (Barrier("SMPI", "ompi_bruck"), 4, 4),
    ],
)
def test_a_critical_path_is_what_the_plan_says(barrier, sends, ways):
    """16 ranks; on each path one rank receives what was sent last."""
    cluster = clusters.find("crossbar")
    (outcome,) = simulated(Run(cluster, 16, 1, barrier))
    expected = 1e3 * (sends * cluster.send + ways * (cluster.node + cluster.switch + cluster.receive))
    assert outcome.alone_ns == pytest.approx(expected, rel=0.01)


def test_within_a_node_is_what_the_library_takes():
    for processes in (2, 8, 9):
        two_nodes = scale.runs([clusters.find("crossbar")], [2 * processes], [processes], ["auto"])
        assert simulated(*two_nodes)[0].node_ns > 0
    other = Run(clusters.find("crossbar"), 16, 8, Barrier("Weir", "auto", within="mcs"))
    with pytest.raises(AssertionError, match="within a node of 8 the library takes linear"):
        simulated(other)


def test_levels_cost_what_their_parts_do():
    cluster = clusters.find("crossbar")
    levels = Run(cluster, 32, 16, Barrier("Weir", "auto", within=scale.within(16)))
    between = Run(cluster, 2, 1, AUTO)
    both, messages = simulated(levels, between)
    assert both.node_ns > 0
    assert both.time_ns == pytest.approx(both.node_ns + messages.time_ns, abs=1)
    assert "within a node tournament" in both.chosen


def test_the_default_is_near_the_best():
    cluster = clusters.find("omni-path-fat-tree")
    rows = [row(o.run, o) for o in simulated(*scale.runs([cluster], [16], [1], None))]
    (group,) = ranked(rows)
    assert next(r["ratio"] for r in group if r["algorithm"] == "auto") <= 1.1


def test_the_command_writes_records_and_a_table(tmp_path):
    to, table = tmp_path / "scale.jsonl", tmp_path / "scale.csv"
    words = ["scale", "--clusters", "crossbar", "--ranks", "4,8", "--per-node", "1", "--algorithms", "auto,ompi_tree"]
    done = CliRunner().invoke(app, [*words, "-o", str(to), "--table", str(table), "--png", str(table)])
    assert done.exit_code == 2 and ".png" in done.output
    done = CliRunner().invoke(app, [*words, "-o", str(to), "--table", str(table)])
    assert done.exit_code == 0, done.output
    rows, complaints = records.read([to])
    assert len(rows) == 4 and not complaints
    assert all(r["source"] == "simulated" for r in rows)
    assert len(table.read_text().splitlines()) == 5
    page = tmp_path / "scale.html"
    assert CliRunner().invoke(app, ["report", str(to), "-o", str(page)]).exit_code == 0
    html = page.read_text()
    assert 'id="scale"' in html and "Among 8 simulated ranks Weir&#39;s default is the best" in html
    assert html.count("1 on a node</summary>") == 2 and ">MPI_Barrier ompi_tree</td>" in html


def test_help_says_how_many_ranks_there_may_be():
    done = CliRunner().invoke(app, ["scale", "--help"], env={"COLUMNS": "200"})
    assert f"up to {scale.MOST_RANKS:,} processes" in done.output


def test_what_cannot_be_written_is_told_before_anything_is_simulated(tmp_path, monkeypatch):
    monkeypatch.setattr(scale.Scale, "run", lambda *_: pytest.fail("it simulates"))
    to, png = tmp_path / "scale.jsonl", tmp_path / "scale.png"
    words = ["scale", "--clusters", "crossbar", "--ranks", "4", "--per-node", "1", "-o", str(to), "--png", str(png)]
    done = CliRunner().invoke(app, [*words, "--table", str(tmp_path)])
    assert done.exit_code == 2
    assert done.output.strip() == f"weir: scale: --table: cannot write {tmp_path}: Is a directory"
    assert not png.exists() and not to.exists()


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_what_was_simulated_until_stopped_by_hand_is_kept(tmp_path, stop):
    to, asleep = tmp_path / "scale.jsonl", tmp_path / "asleep"
    fake = tmp_path / "smpirun"  # its first run is over at once, the second never
    answer = json.dumps({"time_ns": 1e3, "alone_ns": 1e3, "kept": True, "chosen": "it"})
    fake.write_text(
        f"#!/bin/sh\nmkdir {tmp_path}/once && echo '{answer}' && exit\necho $$ > {asleep}; exec sleep 1000\n"
    )
    fake.chmod(0o755)
    words = [sys.executable, "-m", "weir", "scale", "--clusters", "crossbar", "--ranks", "4,8", "--per-node", "1"]
    words += ["--algorithms", "auto", "--jobs", "1", "-o", str(to)]
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}

    process = subprocess.Popen(
        words,
        preexec_fn=heeding_interrupts,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | path,
    )
    try:
        eventually(lambda: to.exists() and to.read_text() and asleep.exists() and asleep.read_text())
        process.send_signal(stop)
        said, _ = process.communicate(timeout=300)
    finally:
        process.kill()
    assert process.returncode == 130, said
    assert "what was simulated until then is kept" in said
    rows, complaints = records.read([to])
    assert [r["ranks"] for r in rows] == [4] and not complaints
    eventually(lambda: not alive(int(asleep.read_text())))


def test_an_unknown_cluster_is_named_with_the_known():
    with pytest.raises(clusters.BadCluster, match="'moon'; known are crossbar, held-out-tcp, omni-path-fat-tree"):
        clusters.find("moon")


def test_a_bad_cluster_file_is_named_with_its_key(tmp_path):
    path = tmp_path / "mine.toml"
    text = clusters.named()["crossbar"].read_text()
    path.write_text(text.replace('topology = "crossbar"', 'topology = "ring"'))
    with pytest.raises(clusters.BadCluster, match="mine.toml: topology is 'ring'; known are crossbar, fat-tree"):
        clusters.find(str(path))
    path.write_text(text.replace("send = 0.1", ""))
    with pytest.raises(clusters.BadCluster, match="mine.toml: send is missing"):
        clusters.find(str(path))
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(clusters.BadCluster, match="mine.toml: .*decode"):
        clusters.find(str(path))


def test_a_simulator_that_says_nothing_is_told_of_and_not_waited_for(tmp_path, monkeypatch):
    silent = tmp_path / "smpirun"
    silent.write_text("#!/bin/sh\necho >&2\nexit 1\n")
    silent.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    found = []
    scale.Scale([Run(clusters.find("crossbar"), 4, 1, AUTO)], lambda run, outcome: found.append(outcome)).run()
    assert found == ["it said nothing"]


def test_ways_through_a_dragonfly_are_minimal():
    cluster = clusters.find("slingshot-dragonfly")
    assert cluster.hops(0, 1) == ["local-0-1"]
    # Group 0's cable to group 1 is at its switch 1, and ends at switch 16 of group 1.
    assert cluster.hops(1, 16) == ["far-0-1"]
    assert cluster.hops(0, 17) == ["local-0-1", "far-0-1", "local-16-17"]


def test_ranked_by_place():
    cluster = clusters.find("crossbar")
    outcomes = [
        Outcome(Run(cluster, 16, 1, b), t, t, 0, True, "") for b, t in zip(scale.plans(), (3.0, 2.0, 4.0), strict=False)
    ]
    (group,) = ranked([row(o.run, o) for o in outcomes])
    assert [r["ratio"] for r in group] == [1.0, 1.5, 2.0]
    assert json.dumps(group)


def rows_of(*outcomes: tuple[Barrier, float | str, bool]) -> list[dict]:
    run = Run(clusters.find("crossbar"), 16, 1, AUTO)
    runs = [(replace(run, barrier=b), t, kept) for b, t, kept in outcomes]
    return [row(r, t if isinstance(t, str) else Outcome(r, t, t, 0, kept, "")) for r, t, kept in runs]


def test_a_barrier_that_did_not_keep_the_contract_is_not_ranked_but_told(tmp_path):
    to, page = tmp_path / "scale.jsonl", tmp_path / "scale.html"
    first, second, *_ = scale.plans()
    with records.Writer(to) as writer:
        for one in rows_of((AUTO, 3e3, True), (first, 1e3, False), (second, "no end after 600 s", True)):
            writer.write(one)
    (group,) = ranked(writer.rows)
    assert [r["name"] for r in group] == ["auto"] and group[0]["ratio"] == 1.0
    done = CliRunner().invoke(app, ["report", str(to), "-o", str(page)])
    assert done.exit_code == 0, done.output
    told = page.read_text().partition("What was left out")[2]
    assert "<td>Weir dissemination 2</td><td>crossbar: 16 ranks, 1 on a node</td>" in told
    assert "a rank left before all had arrived" in told and "no end after 600 s" in told


def test_of_runs_that_are_the_same_the_last_counts():
    first, *_ = scale.plans()
    twice = rows_of((AUTO, 3e3, True), (first, 4e3, True)) + rows_of((AUTO, 2e3, True), (first, 4e3, True))
    (group,) = ranked(twice)
    assert [(r["name"], r["time_ns"]) for r in group] == [("auto", 2e3), ("dissemination 2", 4e3)]


def test_what_a_barrier_has_not_is_null(tmp_path):
    smpi = Barrier("SMPI", "ompi_tree")
    made = rows_of((AUTO, 1e3, True), (Barrier("Weir", "dissemination", radix=3), 1e3, True), (smpi, 1e3, True))
    made += rows_of((Barrier("Weir", "tree", fan_in=4, fan_out=8), 1e3, True))
    shapes = [(r["radix"], r["fan_in"], r["fan_out"]) for r in made]
    assert shapes == [(None, None, None), (3, None, None), (None, None, None), (None, 4, 8)]
    scale_rows.write_csv(made, tmp_path / "scale.csv")
    assert "crossbar,16,16,1,Weir,auto,,,,none,1.000" in (tmp_path / "scale.csv").read_text()


def test_a_process_that_is_starting_when_the_user_stops_is_ended(monkeypatch: pytest.MonkeyPatch):
    started: list[subprocess.Popen] = []
    begun, popen = threading.Event(), subprocess.Popen

    def slow(*_, **options) -> subprocess.Popen:
        started.append(popen(["sleep", "1000"], **options))
        begun.set()
        time.sleep(0.3)  # the thread that starts it loses the processor
        return started[0]

    def stopped() -> None:
        begun.wait()
        raise KeyboardInterrupt

    monkeypatch.setattr(scale.subprocess, "Popen", slow)
    monkeypatch.setattr(scale, "words", lambda *_: [])
    runs = scale.Scale([SimpleNamespace(levels=False)], lambda *_: None)
    monkeypatch.setattr(runs._answers, "get", stopped)
    runs.run(1)
    try:
        assert runs.interrupted and started[0].wait(timeout=300) == -signal.SIGKILL
    finally:
        started[0].kill()
