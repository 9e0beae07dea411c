import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weir.barriers import plan as planning
from weir.barriers import tables
from weir.barriers.comparison import Comparison, figures, places, ratio
from weir.barriers.measuring import Bench
from weir.base import driver, load, records
from weir.base.transfers import Transfers
from weir.cli import app

from ..conftest import heeding_interrupts, no_patience_with


def subject(name: str) -> driver.Subject:
    return next(s for s in driver.subjects()[0] if s.id == name)


def measure(
    path: Path,
    names: list[str],
    samples: int = 6,
    budget: float = 3600.0,
    sizes: tuple[int, ...] = (2, 4),
    rounds: int = 2,
) -> tuple[list[dict], Bench]:
    part = planning.Part(tuple(map(subject, names)), sizes, rounds, samples, "none", True, 1.0, budget)
    with records.Writer(path) as writer:
        bench = Bench(planning.Session([0, 1], [part]), writer)
        bench.run({})
    rows, complaints = records.read([path])
    assert complaints == []
    return [r for r in rows if r["kind"] == "overhead"], bench


def test_each_run_of_each_series_is_one_row(native_folder: Path, tmp_path: Path):
    rows, bench = measure(tmp_path / "r.jsonl", ["weir:auto/auto", "peer:std::barrier", "floor:switch:0"])
    assert len(rows) == 3 * 2 * 2
    assert {len(r["samples"]["overhead_ns"]) for r in rows} == {6}
    assert all(r["how"]["complete"] for r in rows)
    assert list(bench.complaints) == []


@pytest.mark.parametrize(
    "bad, why",
    [("weir:crash/auto", "out of luck"), ("weir:error/auto", "no such luck"), ("weir:hang/auto", "no answer")],
)
def test_a_subject_that_fails_costs_only_its_own_rows(
    native_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bad: str, why: str
):
    no_patience_with(monkeypatch, "weir:hang/auto")
    path = tmp_path / "r.jsonl"
    rows, bench = measure(path, ["weir:auto/auto", "weir:sense/auto", bad], budget=3600.0, sizes=(2,), rounds=1)
    assert len(rows) == 2
    assert all(r["how"]["samples"] == 6 and r["how"]["complete"] for r in rows)
    failed = [r for r in records.read([path])[0] if r["kind"] == "failure"]
    assert [r["what"]["id"] for r in failed] == [bad]
    assert all(why in r["how"]["stopped"] for r in failed)
    assert any(bad in c and why in c for c in bench.complaints)


def test_a_program_that_never_answers_is_not_started_for_ever(native_folder: Path):
    program = driver.Program("weir-measure", [])
    for _ in range(10):
        with pytest.raises(driver.Lost):
            program.ask("sample weir:crash/auto", timeout_s=5)
    program.quit()
    assert program.starts == driver.Program.MOST_LOSSES


def test_a_process_of_its_own_group_ends_with_its_input(native_folder: Path):
    process = driver.Process("weir-measure", [])
    assert os.getpgid(process._process.pid) != os.getpgid(0), "Ctrl-C in a terminal must not reach it"
    process._process.stdin.close()
    assert process._process.wait(timeout=300) == 0


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
    # One run that takes long: the rows can only come from stopping in its midst.
    words = ["--members", "2", "--rounds", "1", "--samples", "10000", "--algorithms", "sense"]
    command = [sys.executable, "-m", "weir", "bench", *words, "-o", str(path)]
    log = (native_folder / "log").open("w")
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=log, text=True, env=os.environ, start_new_session=True,
        preexec_fn=heeding_interrupts,
    )  # fmt: skip
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and not (native_folder / "answered").exists():
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does: to the whole group
    said, _ = running.communicate(timeout=300)
    assert running.returncode == 130
    assert "kept" in said and "weir report" in said
    rows, complaints = records.read([path])
    made = [r for r in rows if r["kind"] == "overhead"]
    assert complaints == [] and "weir:auto/auto" in {r["what"]["id"] for r in made}
    assert not any(r["how"]["complete"] or r["how"]["stopped"] for r in made)
    assert not [r for r in rows if r["kind"] == "failure"], "the programs were not hit"


NAMES = ["weir:auto/auto", "weir:sense/auto", "peer:std::barrier"]


def test_samples_are_compared_within_the_state_of_the_machine(native_folder: Path, tmp_path: Path):
    (native_folder / "far").write_text("240")
    rows, _ = measure(tmp_path / "r.jsonl", NAMES, samples=40, sizes=(2,), rounds=2)
    made = [Comparison(figures(rows), place) for place in places(figures(rows))]
    assert [c.place.state.words() for c in made] == ["a cache line takes 46 ns", "a cache line takes 241 ns"]
    said = {c.place.state.name: c for c in made}
    for state, best, worth in (("near", "auto", 50 / 60), ("far", "sense", 400 / 60)):
        c = next(c for words, c in said.items() if words.startswith(state))
        assert c.best_weir.algorithm == best
        found = ratio(c.default, next(f for f in c.barriers if f.algorithm == "sense"))
        assert worth * 0.9 < found.low <= found.high < worth * 1.1
    assert sum(c.place.state.share for c in made) == pytest.approx(1)


def test_where_the_machine_has_one_state_nothing_is_told_of_it(native_folder: Path, tmp_path: Path):
    rows, _ = measure(tmp_path / "r.jsonl", NAMES, sizes=(2,))
    assert rows[0]["samples"]["transfer_after_ns"] == pytest.approx([45] * 6, abs=2)
    assert rows[0]["samples"]["transfer_after_ns"] != rows[0]["samples"]["transfer_before_ns"]
    (place,) = places(figures(rows))
    assert not place.state.words()


def test_without_two_processors_or_the_program_there_are_no_probes(native_folder: Path, tmp_path: Path):
    assert Transfers([0]).probe() is None
    (native_folder / "weir-transfers").write_text("#!/bin/sh\nexit 1\n")
    assert Transfers([0, 1]).probe() is None
    (native_folder / "weir-transfers").unlink()
    rows, _ = measure(tmp_path / "r.jsonl", NAMES, sizes=(2,))
    assert set(rows[0]["samples"]) == set(records.LISTS)


def test_unknown_names_list_the_known_ones(native_folder: Path, tmp_path: Path):
    out = CliRunner().invoke(app, ["bench", "--algorithms", "fuzzy", "-o", str(tmp_path / "r")])
    assert out.exit_code == 2
    assert "sense" in out.output and "'fuzzy'" in out.output
    assert not (tmp_path / "r").exists()
    out = CliRunner().invoke(app, ["bench", "--waiting", "pray", "-o", str(tmp_path / "r")])
    assert "spin" in out.output
    assert not list(tmp_path.glob("r*"))
    out = CliRunner().invoke(app, ["bench", "--members", "2,many"])
    assert out.exit_code == 2 and "2,many" in out.output


def test_a_run_in_which_every_barrier_failed_is_no_success_and_says_why_once(
    native_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    script = (native_folder / "weir-measure").read_text()
    refuses = 'if sys.argv[1] == "serve":\n        sys.exit("raise the limit on threads")\n    dice ='
    (native_folder / "weir-measure").write_text(script.replace("dice =", refuses, 1))
    words = ["bench", "--members", "2", "--rounds", "2", "--samples", "3", "-o", str(tmp_path / "r.jsonl")]
    out = CliRunner().invoke(app, words)
    assert out.exit_code == 1, out.output
    said = " ".join(out.output.split())
    assert said.count("raise the limit on threads") == 1 and "nothing was measured" in said
    assert "in a row" not in said


def test_an_overhead_that_is_not_told_from_zero_is_a_bound(native_folder: Path, tmp_path: Path):
    path = native_folder / "weir-measure"
    path.write_text(path.read_text().replace("overhead = COSTS[name][3] *", "overhead = dice.gauss(-5, 9) or"))
    rows, _ = measure(tmp_path / "r.jsonl", ["weir:auto/auto"], rounds=1, sizes=(2,))
    assert rows[0]["how"]["in_the_noise"].startswith("not told from 0: at most ")
    figure = figures(rows)[0]
    assert figure.in_the_noise and tables.ranked(figure, 40.0)[1] == "in the noise"
    assert tables.ranked(figure, 40.0)[2].startswith("at most ")


def test_missing_programs_say_how_to_get_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("WEIR_NATIVE", str(tmp_path))
    out = CliRunner().invoke(app, ["info"])
    assert out.exit_code == 2
    assert "make build" in out.output.replace("\n", " ")


def test_usual_sizes_are_fewer_as_many_and_many_more():
    assert planning.usual_sizes(2) == (2, 4, 8, 16, 32)
    assert planning.usual_sizes(6) == (2, 4, 6, 8, 16, 32, 64)
    assert planning.usual_sizes(1) == (2, 4, 8, 16)


def test_a_busy_session_loads_each_processor_and_leaves_nothing_running(
    native_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    part = planning.Part((subject("weir:auto/auto"),), (2,), 1, 3, "busy", False, 20.0, 1.0)
    with records.Writer(tmp_path / "r.jsonl") as writer:
        bench = Bench(planning.Session([0, 1], [part]), writer)
        started = []

        @contextmanager
        def watched(processors: Sequence[int]) -> Iterator[None]:
            with load.busy(processors) as processes:
                started.extend(processes)
                yield

        monkeypatch.setattr("weir.barriers.measuring.busy", watched)
        bench.run({})
    assert [p.args[1:] for p in started] == [["busy", "--processor", "0"], ["busy", "--processor", "1"]]
    assert all(p.returncode is not None for p in started)
    rows, _ = records.read([tmp_path / "r.jsonl"])
    where = rows[-1]["where"]
    assert (where["load"], where["pinned"], where["delay_ns"]) == ("busy", False, 1e6)
    assert rows[0]["settings"]["parts"][0]["load"] == "busy"


def test_quick_takes_every_barrier_once_and_a_few_with_each_policy(native_folder: Path):
    def made(name: str, algorithm: str, waiting: str, family: str = "weir") -> driver.Subject:
        return driver.Subject(name, family, algorithm, waiting, "", "weir-measure")

    found = [made(f"weir:{a}/{w}", a, w) for a in ("auto", "sense", "tree") for w in ("auto", "spin")]
    found.append(made("peer:x", "x", "own", "peer"))
    quick = {s.id for s in planning.choose(found, None, None, True, True)}
    assert quick == {"weir:auto/auto", "weir:sense/auto", "weir:sense/spin", "weir:tree/auto", "peer:x"}
    none = {s.id for s in planning.choose(found, ["tree"], ["spin"], False, False)}
    assert none == {"weir:auto/auto", "weir:tree/spin"}, "the default is always there"
