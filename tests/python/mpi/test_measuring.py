"""`weir bench mpi`: what it plans, how launchers are started and fail, and the programs under each MPI."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weir.base import records
from weir.base.driver import Lost
from weir.base.parts import charts, tables
from weir.cli import app
from weir.mpi import launchers, measuring, plan
from weir.mpi.comparison import comparisons, targets
from weir.mpi.comparison import words as words_of
from weir.mpi.launchers import Mpi
from weir.mpi.measuring import Conditions, Measuring, Start
from weir.mpi.plan import Size
from weir.mpi.section import sections
from weir.scale import measuring as scale

from .. import retries
from ..conftest import INFO, alive, eventually, heeding_interrupts
from .made_up import made_up


def test_sizes_and_barriers_of_a_session(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    usual = {(s.processes, s.threads) for s in plan.sizes(None, None, False)}
    assert {(2, 1), (16, 1), (1, 2), (1, 16), (8, 2), (4, 4)} <= usual and (8, 4) not in usual
    assert plan.sizes([3], [2], True) == [Size(3, 2)]
    assert plan.subjects(Size(2, 1), False)[0] == "weir" and "MPI_Ibarrier" in plan.subjects(Size(2, 1), True)
    assert "omp" in plan.subjects(Size(1, 4), True) and "omp+MPI_Barrier" in plan.subjects(Size(2, 4), True)
    only = ["weir:mcs/rma", "omp", "team", "omp+MPI_Barrier"]
    assert plan.subjects(Size(2, 1), False, only) == ("weir:mcs/rma",)
    assert plan.subjects(Size(1, 2), False, only) == ("team", "omp")
    assert plan.subjects(Size(2, 2), False, only) == ("team", "omp+MPI_Barrier")


def test_a_launcher_of_the_users_own():
    mpi = Mpi("mpich", Path("/p"), "srun -n {processes} -c {threads}")
    assert mpi.command(8, 4) == ["srun", "-n", "8", "-c", "4", "/p"]
    for wrong in (
        "srun -n 4",
        "srun -n {processes} {nodes}",
        "{processes",
        "{processes} {}",
        "{processes.x}",
        "{processes[0]}",
        "srun {processes} '",
    ):
        with pytest.raises(ValueError):
            launchers.check(wrong)
        done = CliRunner().invoke(app, ["bench", "mpi", "--launcher", wrong])
        assert done.exit_code == 2 and "--launcher takes a command with {processes} in it" in done.output
    done = CliRunner().invoke(app, ["bench", "mpi", "--mpi", "lam"])
    assert done.exit_code == 2 and "--mpi takes MPIs of openmpi, mpich, with commas between, not 'lam'" in done.output


FAKE = """
import json, os, sys, time
def say(**event): print(json.dumps(event), flush=True)
words = sys.argv[1:]
subjects = words[words.index("--subjects") + 1].split(",")
print("a launcher's own words")
if {mode!r} == "refuses":
    print("There are not enough slots available", file=sys.stderr)
    sys.exit(3)
say(event="site", processes=2, threads=1, nodes=1, processors=2, pinned=True, dedicated=True, level="funneled",
    library="MPICH Version:\\t4", version="0.1.0", cycles_per_ns=2.5)
for id in subjects:
    say(event="subject", id=id, **({{"failed": "no such"}} if id == "wrong" else {{"choice": None}}))
for turn in range(3):
    for id in subjects:
        if id == "wrong": continue
        if turn == 0: say(event="begins", id=id, method="consecutive")
        if id.startswith("crashes"): print("signal 11", file=sys.stderr); sys.exit(139)
        say(event="sample", id=id, method="consecutive", turn=turn, inner=5, episode_ns=100 + turn, cpu_ns=200, late=0,
            clock_ns=0)
        if {mode!r} == "hangs":
            with open(__file__ + ".asleep", "w") as file: print(os.getpid(), file=file)
            time.sleep(600)
say(event="end")
"""


FAKE_OF_TWO_STATES = """
import json
def say(**event): print(json.dumps(event), flush=True)
say(event="site", processes=2, threads=1, nodes=1, processors=2, pinned=True, dedicated=True, level="funneled",
    library="MPICH 4", version="0.1.0", cycles_per_ns=2.5)
costs = {"weir": (100, 800), "MPI_Barrier": (200, 400)}
probe, before = 0, 45.0
for turn in range(40):
    for id in ("weir", "MPI_Barrier"):
        if turn == 0: say(event="begins", id=id, method="round-time")
        probe += 1
        after = (240.0 if probe // 10 % 2 else 45.0) + probe % 3
        late = probe == 5  # a turn of the one is missed
        if not late: say(event="sample", id=id, method="round-time", turn=turn, inner=5, cpu_ns=0, late=0, clock_ns=0,
            episode_ns=costs[id][before > 100] * (1 + turn % 3 / 50), transfer_before_ns=before,
            transfer_after_ns=None if probe == 7 else after)
        before = after
say(event="end")
"""


def test_barriers_are_compared_within_the_state_of_the_machine(tmp_path: Path):
    script = tmp_path / "fake.py"
    script.write_text(FAKE_OF_TWO_STATES)
    mpi = Mpi("mpich", Path("program"), f"{sys.executable} {script} -n {{processes}}")
    rows, _ = measured(tmp_path, mpi, "weir", "MPI_Barrier")
    machine = {"kind": "machine", "id": rows[0]["session"], "host": INFO}
    near, far = comparisons([machine, *rows])
    for found, best, worth in ((near, "weir", 0.5), (far, "MPI_Barrier", 2.0)):
        assert found.barriers[0].id == best
        ratio = found.default.against(found.baseline)
        assert (ratio.low, ratio.high) == pytest.approx((worth, worth))
    assert words_of(near.place).endswith("(round-time; a cache line takes 46 ns)")
    assert [t.verdict for t in targets([near, far])] == ["reached", "missed"]
    made = sections([machine, *rows])
    assert [c.name for c in charts(made)] == ["mpi-figures-6-9", "mpi-figures-6-9-2"]
    assert [c.title.partition(":")[0] for c in charts(made)] == [
        "A cache line takes 46 ns",
        "A cache line takes 241 ns",
    ]
    assert len({t.title for t in tables(made)} - {""}) == 2


def fake(folder: Path, mode: str = "works") -> Mpi:
    script = folder / "fake.py"
    script.write_text(FAKE.format(mode=mode))
    return Mpi("mpich", Path("program"), f"{sys.executable} {script} -n {{processes}}")


def runs(rows: list[dict]) -> list[dict]:
    """Without the rows about the machine and its load."""
    return [row for row in rows if row["kind"] in ("overhead", "failure")]


def measured(tmp_path: Path, mpi: Mpi, *subjects: str) -> tuple[list[dict], Measuring]:
    path = tmp_path / "r.jsonl"
    with records.Writer(path) as writer:
        session = Measuring([Start(mpi, Size(2, 1), "funneled", subjects)], Conditions(1, 3), writer)
        session.run(INFO)
    rows, complaints = records.read([path])
    assert not complaints
    return runs(rows), session


def test_what_a_program_says_becomes_rows(tmp_path: Path):
    rows, session = measured(tmp_path, fake(tmp_path), "weir", "wrong", "MPI_Barrier")
    assert {r["what"]["algorithm"]: r["kind"] for r in rows} == {
        "MPI_Barrier": "overhead",
        "weir": "overhead",
        "wrong": "failure",
    }
    barrier = next(r for r in rows if r["what"]["algorithm"] == "MPI_Barrier")
    assert barrier["what"]["library"] == "MPICH 4" and barrier["samples"]["episode_ns"] == [100, 101, 102]
    assert barrier["how"]["complete"] and barrier["where"]["launcher"].endswith("fake.py -n 2")
    assert any("no such" in c for c in session.complaints)


def test_a_launcher_that_refuses_is_told_with_its_last_words(tmp_path: Path):
    rows, session = measured(tmp_path, fake(tmp_path, "refuses"), "weir", "MPI_Barrier")
    assert [r["kind"] for r in rows] == ["failure"] and rows[0]["what"]["algorithm"] == "every barrier"
    assert "status 3" in rows[0]["how"]["stopped"] and "not enough slots" in next(iter(session.complaints))
    rows, session = measured(tmp_path, Mpi("mpich", Path("p"), "/no/launcher {processes}"), "weir")
    assert "/no/launcher: No such file" in rows[0]["how"]["stopped"]
    words = ["bench", "mpi", "--mpi", "mpich", "--launcher", "/no/launcher {processes}", "-o", str(tmp_path / "none")]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 1 and "nothing was measured" in done.output


def test_old_results_are_kept_where_nothing_is_measured(tmp_path: Path):
    old = tmp_path / "mpi.jsonl"
    with records.Writer(old) as writer:
        writer.write(made_up()[0])
    before = old.read_text()
    words = ["bench", "mpi", "--mpi", "mpich", "--launcher", "/no/launcher {processes}", "-o", str(old)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 1 and "is left as it was" in done.output and "weir report" not in done.output
    assert old.read_text() == before
    done = CliRunner().invoke(app, [*words[:-1], "/dev/full"])
    assert done.exit_code == 2 and done.output.strip().endswith("cannot write /dev/full: No space left on device")


def test_a_barrier_that_ends_the_program_loses_its_own_row_alone(tmp_path: Path):
    rows, _ = measured(tmp_path, fake(tmp_path), "weir", "crashes", "MPI_Barrier")
    kinds = {r["what"]["algorithm"]: r["kind"] for r in rows}
    assert kinds == {"crashes": "failure", "weir": "overhead", "MPI_Barrier": "overhead"}
    assert "signal 11" in next(r["how"]["stopped"] for r in rows if r["kind"] == "failure")


def test_what_no_start_is_left_for_is_told_of(tmp_path: Path):
    subjects = ("crashes-1", "crashes-2", "weir", "crashes-3", "MPI_Barrier")
    rows, session = measured(tmp_path, fake(tmp_path), *subjects)
    assert {r["what"]["algorithm"] for r in rows} == set(subjects)
    kept = {r["what"]["algorithm"]: r for r in rows}
    assert kept["weir"]["kind"] == "overhead" and not kept["weir"]["how"]["complete"]
    for id in ("weir", "MPI_Barrier"):
        assert kept[id]["how"]["stopped"] == "the program was lost 3 times"
    assert any("MPI_Barrier: the program was lost 3 times" in c for c in session.complaints)


def test_ctrl_c_keeps_what_was_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    whole = measuring.events

    def interrupted(command: list[str]) -> Iterator[dict]:
        for event in whole(command):
            yield event
            if event["event"] == "sample":
                raise KeyboardInterrupt

    monkeypatch.setattr(measuring, "events", interrupted)
    rows, session = measured(tmp_path, fake(tmp_path), "weir", "MPI_Barrier")
    assert session.interrupted and [r["what"]["algorithm"] for r in rows] == ["weir"]
    assert rows[0]["how"] | {"complete": False} == rows[0]["how"] and rows[0]["how"]["samples"] == 1


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_who_is_asked_to_end_keeps_what_was_measured_and_leaves_nothing_running(tmp_path: Path, stop: signal.Signals):
    to, launcher = tmp_path / "mpi.jsonl", fake(tmp_path, "hangs").template
    words = [sys.executable, "-m", "weir", "bench", "mpi", "--mpi", "mpich", "--processes", "2", "--threads", "1"]

    process = subprocess.Popen(
        [*words, "--launcher", launcher, "-o", str(to)],
        preexec_fn=heeding_interrupts, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    asleep = tmp_path / "fake.py.asleep"
    try:
        eventually(lambda: process.poll() is not None or (asleep.exists() and asleep.read_text().endswith("\n")))
        process.send_signal(stop)
        said, _ = process.communicate(timeout=300)
    finally:
        process.kill()
    assert process.returncode == 130 and "what was measured until then is kept" in said, said
    assert [r["how"]["samples"] for r in runs(records.read([to])[0])] == [1]
    eventually(lambda: not alive(int(asleep.read_text())))


def test_what_was_printed_before_an_interruption_is_heard(tmp_path: Path):
    printed = tmp_path / "printed"
    program = tmp_path / "program.py"
    program.write_text(
        "import json, pathlib, time\n"
        "for turn in range(2): print(json.dumps({'event': 'sample', 'turn': turn}), flush=True)\n"
        f"pathlib.Path({str(printed)!r}).touch()\n"
        "time.sleep(600)\n"
    )
    events = measuring.events([sys.executable, str(program)])
    assert next(events)["turn"] == 0
    eventually(printed.exists)
    assert events.throw(KeyboardInterrupt)["turn"] == 1
    with pytest.raises(KeyboardInterrupt):
        next(events)


def test_names_that_fit_nothing_are_told_of_and_none_counts_twice(tmp_path: Path):
    to = tmp_path / "mpi.jsonl"
    words = ["bench", "mpi", "--mpi", "mpich", "--launcher", fake(tmp_path).template, "--rounds", "1", "-o", str(to)]
    sizes = ["--processes", "2,2", "--threads", "1"]
    done = CliRunner().invoke(app, [*words, *sizes, "--barriers", "weir,wier,weir,team", "--samples", "3"])
    assert "wier is none of these" in done.output and "team is none of these" in done.output
    assert [r["how"]["samples"] for r in runs(records.read([to])[0])] == [3]
    done = CliRunner().invoke(app, [*words, "--processes", "1", "--threads", "1"])
    assert done.exit_code == 2 and "no other to wait for" in done.output


def test_a_program_that_says_nothing_is_ended():
    with pytest.raises(Lost, match="it printed nothing for 0 s"):
        list(measuring.events([sys.executable, "-c", "import time; time.sleep(600)"], patience_s=0.2))


def test_plans_are_those_of_the_library(native_folder: Path):
    known = [{"name": name, "by_messages": name != "near"} for name in ("new", "near", "tree")]
    (native_folder / "weir-info").write_text(f"#!/bin/sh\necho '{json.dumps({'algorithms': known})}'\n")
    assert plan.subjects(Size(2, 1), False)[:3] == ("weir", "weir:new", "weir:tree")
    assert list(dict.fromkeys(b.algorithm for b in scale.plans())) == ["new", "tree"]


@pytest.fixture(params=list(launchers.NAMES))
def here(request: pytest.FixtureRequest) -> Mpi:
    return launchers.found([request.param], None)[0][0]


def test_a_session_under_each_mpi(here: Mpi, tmp_path: Path):
    output = tmp_path / "mpi.jsonl"
    words = ["bench", "mpi", "--mpi", here.name, "--processes", "2", "--threads", "1,2", "--quick", "--rounds", "1"]
    barriers = "weir,weir:mcs/rma,MPI_Barrier,team,team:sense+mcs"
    done = CliRunner().invoke(app, [*words, "--samples", "2", "--barriers", barriers, "-o", str(output)])
    assert done.exit_code == 0, done.output
    read, complaints = records.read([output])
    assert not complaints
    rows = runs(read)
    both = {(r["what"]["algorithm"], r["where"]["threads"]) for r in rows}
    assert both == {("weir", 1), ("weir:mcs/rma", 1), ("MPI_Barrier", 1), ("team", 2), ("team:sense+mcs", 2)}
    lost = [r["how"]["stopped"] for r in rows if r["kind"] == "failure"]
    assert all(re.search("too late|were spent", why) for why in lost), "a busy machine is the only excuse"
    assert len({r["what"]["library"] for r in rows}) == 1 and rows[0]["where"]["nodes"] == 1
    probed = {"transfer_after_ns" in r["samples"] for r in rows if r["kind"] == "overhead"}
    assert probed == {len(os.sched_getaffinity(0)) > 1}


def test_clocks_that_are_off_and_drift_are_found_out(here: Mpi):
    skew, drift = 5e8, 2e-4
    asked = ["--subjects", "weir,MPI_Barrier", "--samples", "3", "--method", "round-time"]
    pretended = ["--pretend-skew", f"{skew:.0f}", "--pretend-drift", str(drift)]
    said = list(measuring.events([*here.command(2, 1), *asked, *pretended]))
    clocks = [e for e in said if e["event"] == "clock"]
    assert len(clocks) == 2
    for c in clocks:
        # The processes really have one clock. A message cannot come before it was sent: so the error has a bound.
        assert abs(c["offset_ns"] - c["pretended_ns"]) <= c["uncertainty_ns"] + 2
        assert c["pretended_ns"] >= skew
    assert clocks[1]["pretended_ns"] > clocks[0]["pretended_ns"], "it drifts"
    for e in said:
        if e["event"] == "sample":
            # Who came in time by its own clock also did so in the common time: a millionth of the skew.
            assert e["apart_ns"] <= 1000 + 20 * e["clock_ns"], json.dumps(e)


def test_a_barrier_whose_starts_were_all_missed_says_so(here: Mpi):
    # Eight processes on few processors are hardly ever all at their start: of one sample there is often nothing.
    asked = ["--subjects", "weir,weir:mcs", "--samples", "1", "--method", "round-time", "--sample-ms", "0.1"]
    said = list(measuring.events([*here.command(8, 1), *asked]))
    told = {e["id"] for e in said if e["event"] in ("sample", "stopped")}
    assert told == {e["id"] for e in said if e["event"] == "begins"} == {"weir", "weir:mcs"}


def complaint(words: list[str]) -> str:
    """Of a program that ends at once."""
    for _ in retries.tries("broken pipe"):
        with pytest.raises(Lost) as lost:
            list(measuring.events(words))
        if "status -13" not in str(lost.value):
            break
    return str(lost.value)


def test_the_programs_say_what_was_wrong(here: Mpi, monkeypatch: pytest.MonkeyPatch):
    for words, says in (
        (["--subjects", ""], "--subjects takes names"),
        (["--subjects", "weir", "--samples", "none"], "--samples takes"),
        (["--subjects", "weir", "--level", "single"], "--level takes funneled, serialized or multiple"),
        (["--subjects", "weir", "--series-ms", "0"], "--series-ms takes"),
    ):
        assert re.search(says, complaint([*here.command(1, 1), *words]))
    monkeypatch.setenv("OMP_THREAD_LIMIT", "1")
    with pytest.raises(Lost, match="OpenMP gives 1 threads, not 2"):
        list(measuring.events([*here.command(1, 2), "--threads", "2", "--subjects", "team"]))
