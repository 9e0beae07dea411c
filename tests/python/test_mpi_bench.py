"""weir bench mpi: what is made of records, how launchers are started and fail, and the programs under each MPI."""

import io
import json
import os
import random
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from weir.barriers.comparison import figures
from weir.base import native, records
from weir.base.driver import Lost
from weir.base.screen import shown
from weir.cli import app
from weir.mpi import launchers, measuring, plan
from weir.mpi.comparison import comparisons, targets
from weir.mpi.launchers import Mpi
from weir.mpi.measuring import Conditions, Measuring, Start
from weir.mpi.plan import Size
from weir.mpi.section import section
from weir.mpi.tables import tables
from weir.report import page
from weir.scale import measuring as scale

from .conftest import INFO, alive, eventually, heeding_interrupts

COSTS = {"weir": 1.0, "weir:mcs": 3.0, "MPI_Barrier": 2.0}
TEAM_COSTS = {"team": 1.0, "team:sense+mcs": 1.5, "omp+MPI_Barrier": 4.0}


def row(id: str, size: Size, run: int, cost: float, method: str = "consecutive", mpi: str = "openmpi") -> dict:
    dice = random.Random(f"{id} {size} {run}")
    times = [1000 * cost * size.members * dice.uniform(0.95, 1.05) for _ in range(10)]
    none = [0.0] * 10
    return {
        "kind": "overhead",
        "sitting": "s",
        "source": "measured",
        "what": {"family": "mpi", "id": f"{mpi}:{id}", "algorithm": id, "waiting": "own", "version": "1", "mpi": mpi},
        "where": {
            "members": size.members, "processors": 2, "pinned": False, "load": "none", "delay_ns": 0,
            "processes": size.processes, "threads": size.threads, "nodes": 1, "level": "funneled",
        },
        "how": {"method": method, "run": run, "samples": 10, "inner": 9, "rejected": None, "stopped": None,
                "clock_ns": 300.0 if method == "round-time" else 0.0},
        "samples": {"episode_ns": times, "overhead_ns": times, "reference_ns": none, "cpu_ns": none},
        "cycles_per_ns": 2.5,
    }  # fmt: skip


def made_up(mpi: str = "openmpi") -> list[dict]:
    rows = []
    for run in range(3):
        for processes in (2, 4, 8):
            method = "round-time" if processes == 2 else "consecutive"
            rows += [row(id, Size(processes, 1), run, cost, method, mpi) for id, cost in COSTS.items()]
        for size in (Size(2, 2), Size(4, 2)):
            rows += [row(id, size, run, cost, mpi=mpi) for id, cost in TEAM_COSTS.items()]
        rows.append(row("omp", Size(1, 2), run, 0.5, "round-time", mpi))
    return rows


def test_barriers_are_compared_where_they_ran_together():
    found = comparisons(made_up())
    assert [(c.place.processes, c.place.threads) for c in found] == [(2, 1), (4, 1), (8, 1), (1, 2), (2, 2), (4, 2)]
    assert [b.id for b in found[0].barriers] == ["weir", "MPI_Barrier", "weir:mcs"]
    ratio = found[1].find("weir:mcs").against(found[1].baseline)
    assert ratio is not None and ratio.low < 1.5 < ratio.high
    assert found[4].baseline.id == "omp+MPI_Barrier" and found[3].baseline.id == "omp"
    assert found[0].place.words() == "Open MPI: 2 processes on 2 processors (round-time)"
    assert not figures(made_up()), "threads' page is of threads"


def test_targets_follow_who_shares_processors():
    said = {(t.members, t.limit): t for t in targets(comparisons(made_up()))}
    assert set(said) == {(2, 1.0), (4, 0.7), (8, 0.7)}
    assert said[2, 1.0].verdict == "reached" and said[2, 1.0].measured.value == pytest.approx(0.5, rel=0.05)
    slow = [r for r in made_up() if r["what"]["algorithm"] != "MPI_Barrier"]
    slow += [row("MPI_Barrier", Size(n, 1), run, 1.1) for n in (4, 8) for run in range(3)]
    verdicts = {t.verdict for t in targets(comparisons(slow)) if "MPI_Barrier" in t.what and "omp" not in t.what}
    assert verdicts == {"missed"}


def test_a_missed_turn_moves_no_pair():
    rows = []
    for id, turns in (("weir", range(5)), ("MPI_Barrier", range(1, 5))):
        one = row(id, Size(2, 1), 0, 1.0)
        one["samples"] = {name: [100.0 * 2**t for t in turns] for name in one["samples"]} | {"turn": list(turns)}
        rows.append(one)
    (found,) = comparisons(rows)
    ratio = found.find("weir").against(found.find("MPI_Barrier"))
    assert (ratio.low, ratio.value, ratio.high) == (1, 1, 1)


def test_one_process_sends_no_messages():
    one = row("team", Size(1, 2), 0, 1.0)
    choice = {"algorithm": "dissemination", "within": "none", "transport": "messages", "threads": "distributed"}
    one["what"]["choice"] = choice
    assert comparisons([one])[0].default.choice == "distributed"


def test_two_samples_make_no_ratio():
    few = made_up()
    for r in few:
        if r["what"]["algorithm"] == "MPI_Barrier":
            r["samples"] = {name: values[:1] for name, values in r["samples"].items()}
    few = [r for r in few if r["how"]["run"] < 2]
    assert not [t for t in targets(comparisons(few)) if "omp" not in t.what]
    assert tables(comparisons(few))[0].rows[0][-1] == "–"


def test_the_page_has_the_papers_figures(tmp_path: Path):
    rows = [{"kind": "machine", "id": "s", "host": INFO}, *made_up(), *made_up("mpich")]
    rows[5]["how"]["stopped"] = "its 80 ms were spent"
    made = section(rows)
    assert made is not None and made.clock == "300 ns" and len(made.stopped) == 1
    assert [c.name for c in made.charts] == [
        "mpi-figures-2-5",
        "mpi-figures-6-9",
        "mpi-figures-10-13-mpich",
        "mpi-figures-10-13-openmpi",
        "mpi-figure-14",
    ]
    drawn = made.charts[2].drawn.to_dict()["data"]["values"]
    cells = {(v["barrier"], v["processes"], v["threads"]) for v in drawn if v["what"] == "least time"}
    assert ("Weir's default", 2, 1) in cells and ("Weir's default", 4, 2) in cells
    assert ("omp barrier + MPI_Barrier", 1, 2) in cells, "threads alone are the lowest row"
    together = made.charts[4].drawn.to_dict()["data"]["values"]
    assert {(v["barrier"], v["members"]) for v in together if v["processes"] == 1} == {("OpenMP: one process", 2)}
    page.write(rows, [], tmp_path / "mpi.html")
    text = (tmp_path / "mpi.html").read_text()
    assert "Barriers across processes" in text and "within 300 ns" in text and "its 80 ms were spent" in text


def names_of_charts(rows: list[dict]) -> list[str]:
    return [c.name for c in section(rows).charts]


def test_a_chart_without_values_is_left_out():
    shared = [row("team:mcs+mcs/shared", Size(2, 2), run, 1.0) for run in range(2)]
    assert names_of_charts(shared) == []
    threads = [row("team", Size(1, 2), run, 1.0, mpi="mpich") for run in range(2)]
    teams = [row("team", Size(2, 2), run, 1.0) for run in range(2)]
    assert names_of_charts(threads + teams) == ["mpi-figures-2-5", "mpi-figures-10-13-openmpi", "mpi-figure-14"]


def elsewhere(rows: list[dict], **where: int) -> list[dict]:
    return [r | {"where": r["where"] | where} for r in rows]


def test_two_machines_are_told_apart():
    far = [r | {"sitting": "far"} for r in made_up()]
    hosts = [{"kind": "machine", "id": i, "host": {"cpu_model": m, "online": 2}} for i, m in (("s", "A"), ("far", "B"))]
    made = section([*hosts, *made_up(), *far])
    assert len({c.name for c in made.charts}) == len(made.charts) == 8
    for chart in made.charts:
        machines = {v["machine"] for v in chart.drawn.to_dict()["data"]["values"]}
        assert len(machines) == 1 and chart.title.startswith(f"{machines.pop()}: ")
    assert len({t.title for t in made.tables}) == len(made.tables)
    assert {t.detail.partition(", 2 processors: ")[0] for t in made.targets} == {"A", "B"}
    assert not any("A, 2" in t.title for t in section([*hosts, *made_up()]).tables), "one needs no name"


def test_a_size_on_one_node_and_on_four_is_drawn_twice():
    rows = [row("weir", Size(n, 1), run, 1.0) for run in range(2) for n in (2, 4)]
    spread = elsewhere([row("weir", Size(4, 1), run, 9.0) for run in range(2)], nodes=4, processors=8)
    made = section(rows + spread)
    assert [c.title.partition(": ")[0] for c in made.charts] == ["2 processors", "8 processors of 4 nodes"]
    drawn = [[(v["processes"], v["nodes"]) for v in c.drawn.to_dict()["data"]["values"]] for c in made.charts]
    assert drawn == [[(2, 1), (4, 1)], [(4, 4)]]
    assert len(section(rows + elsewhere(spread, processes=8, members=8)).charts) == 1, "a line may join these"


def test_failures_alone_are_told_in_the_words_of_their_kind(tmp_path: Path):
    def failed(size: Size) -> dict:
        made = row("every barrier", size, 0, 1.0) | {"kind": "failure"}
        return {k: v for k, v in made.items() if k != "samples"} | {"how": made["how"] | {"stopped": "no slots"}}

    records_file, made_page = tmp_path / "mpi.jsonl", tmp_path / "mpi.html"
    with records.Writer(records_file) as writer:
        writer.write(failed(Size(4, 1)))
        writer.write(failed(Size(2, 2)))
    done = CliRunner().invoke(app, ["report", str(records_file), "-o", str(made_page)])
    assert done.exit_code == 0, done.output
    text = made_page.read_text().partition("<script>")[0]
    assert "<h1>Barriers across processes</h1>" in text and "barriers over MPI</title>" in text
    assert "<td>every barrier</td><td>Open MPI, 4 × 1</td>" in text and "<td>Open MPI, 2 × 2</td>" in text


def test_sizes_and_barriers_of_a_sitting(monkeypatch: pytest.MonkeyPatch):
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
    mine = Mpi("mpich", Path("/p"), "srun -n {processes} -c {threads}")
    assert mine.command(8, 4) == ["srun", "-n", "8", "-c", "4", "/p"]
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
    machine = {"kind": "machine", "id": rows[0]["sitting"], "host": INFO}
    near, far = comparisons([machine, *rows])
    for found, best, worth in ((near, "weir", 0.5), (far, "MPI_Barrier", 2.0)):
        assert found.barriers[0].id == best
        ratio = found.default.against(found.baseline)
        assert (ratio.low, ratio.high) == pytest.approx((worth, worth))
    assert near.place.words().endswith("(round-time; near: 46 ns for a transfer, 49% of the time)")
    assert [t.verdict for t in targets([near, far])] == ["reached", "missed"]
    made = section([machine, *rows])
    assert [c.name for c in made.charts] == ["mpi-figures-6-9", "mpi-figures-6-9-2"]
    assert [c.title.partition(":")[0] for c in made.charts] == ["Near", "Far"]
    assert len({t.title for t in made.tables}) == 2


def fake(folder: Path, mode: str = "works") -> Mpi:
    script = folder / "fake.py"
    script.write_text(FAKE.format(mode=mode))
    return Mpi("mpich", Path("program"), f"{sys.executable} {script} -n {{processes}}")


def measured(tmp_path: Path, mpi: Mpi, *subjects: str) -> tuple[list[dict], Measuring]:
    path = tmp_path / "r.jsonl"
    with records.Writer(path) as writer:
        sitting = Measuring([Start(mpi, Size(2, 1), "funneled", subjects)], Conditions(1, 3), writer)
        sitting.run(INFO)
    rows, complaints = records.read([path])
    assert not complaints
    return rows[1:], sitting


def test_what_a_program_says_becomes_rows(tmp_path: Path):
    rows, sitting = measured(tmp_path, fake(tmp_path), "weir", "wrong", "MPI_Barrier")
    assert {r["what"]["algorithm"]: r["kind"] for r in rows} == {
        "MPI_Barrier": "overhead",
        "weir": "overhead",
        "wrong": "failure",
    }
    barrier = next(r for r in rows if r["what"]["algorithm"] == "MPI_Barrier")
    assert barrier["what"]["library"] == "MPICH 4" and barrier["samples"]["episode_ns"] == [100, 101, 102]
    assert barrier["how"]["complete"] and barrier["where"]["launcher"].endswith("fake.py -n 2")
    assert any("no such" in c for c in sitting.complaints)


def test_a_launcher_that_refuses_is_told_with_its_last_words(tmp_path: Path):
    rows, sitting = measured(tmp_path, fake(tmp_path, "refuses"), "weir", "MPI_Barrier")
    assert [r["kind"] for r in rows] == ["failure"] and rows[0]["what"]["algorithm"] == "every barrier"
    assert "status 3" in rows[0]["how"]["stopped"] and "not enough slots" in next(iter(sitting.complaints))
    rows, sitting = measured(tmp_path, Mpi("mpich", Path("p"), "/no/launcher {processes}"), "weir")
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
    rows, sitting = measured(tmp_path, fake(tmp_path), *subjects)
    assert {r["what"]["algorithm"] for r in rows} == set(subjects)
    kept = {r["what"]["algorithm"]: r for r in rows}
    assert kept["weir"]["kind"] == "overhead" and not kept["weir"]["how"]["complete"]
    for id in ("weir", "MPI_Barrier"):
        assert kept[id]["how"]["stopped"] == "the program was lost 3 times"
    assert any("MPI_Barrier: the program was lost 3 times" in c for c in sitting.complaints)


def test_ctrl_c_keeps_what_was_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    whole = measuring.events

    def interrupted(command: list[str]) -> Iterator[dict]:
        for event in whole(command):
            yield event
            if event["event"] == "sample":
                raise KeyboardInterrupt

    monkeypatch.setattr(measuring, "events", interrupted)
    rows, sitting = measured(tmp_path, fake(tmp_path), "weir", "MPI_Barrier")
    assert sitting.interrupted and [r["what"]["algorithm"] for r in rows] == ["weir"]
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
        said, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130 and "what was measured until then is kept" in said, said
    assert [r["how"]["samples"] for r in records.read([to])[0][1:]] == [1]
    eventually(lambda: not alive(int(asleep.read_text())))


def test_names_that_fit_nothing_are_told_of_and_none_counts_twice(tmp_path: Path):
    to = tmp_path / "mpi.jsonl"
    words = ["bench", "mpi", "--mpi", "mpich", "--launcher", fake(tmp_path).template, "--rounds", "1", "-o", str(to)]
    sizes = ["--processes", "2,2", "--threads", "1"]
    done = CliRunner().invoke(app, [*words, *sizes, "--barriers", "weir,wier,weir,team", "--samples", "3"])
    assert "wier is none of these" in done.output and "team is none of these" in done.output
    assert [r["how"]["samples"] for r in records.read([to])[0][1:]] == [3]
    done = CliRunner().invoke(app, [*words, "--processes", "1", "--threads", "1"])
    assert done.exit_code == 2 and "nobody to wait for" in done.output


def test_on_a_narrow_screen_names_are_broken_and_numbers_are_whole():
    (one,) = [t for t in tables(comparisons(made_up())) if "8 processes" in t.title]
    width = 60
    screen = Console(width=width, file=io.StringIO())
    screen.print(shown(one, [0, 1, 2, 7]))
    said = screen.file.getvalue()
    assert all(row[i] in said for row in one.rows for i in (1, 2, 7)) and max(map(len, said.splitlines())) <= width


def test_a_program_that_says_nothing_is_ended():
    with pytest.raises(Lost, match="nothing was heard for 0 s"):
        list(measuring.events([sys.executable, "-c", "import time; time.sleep(600)"], patience_s=0.2))


def test_plans_are_those_of_the_library():
    info = native.ask("weir-info")
    assert [a["name"] for a in info["algorithms"] if a["by_messages"]] == list(plan.BY_MESSAGES)
    assert list(dict.fromkeys(b.algorithm for b in scale.PLANS)) == list(plan.BY_MESSAGES)


@pytest.fixture(params=list(launchers.NAMES))
def here(request: pytest.FixtureRequest) -> Mpi:
    return launchers.found([request.param], None)[0][0]


def test_a_sitting_under_each_mpi(here: Mpi, tmp_path: Path):
    output = tmp_path / "mpi.jsonl"
    words = ["bench", "mpi", "--mpi", here.name, "--processes", "2", "--threads", "1,2", "--quick", "--rounds", "1"]
    barriers = "weir,weir:mcs/rma,MPI_Barrier,team,team:sense+mcs"
    done = CliRunner().invoke(app, [*words, "--samples", "2", "--barriers", barriers, "-o", str(output)])
    assert done.exit_code == 0, done.output
    rows, complaints = records.read([output])
    assert not complaints
    both = {(r["what"]["algorithm"], r["where"]["threads"]) for r in rows[1:]}
    assert both == {("weir", 1), ("weir:mcs/rma", 1), ("MPI_Barrier", 1), ("team", 2), ("team:sense+mcs", 2)}
    lost = [r["how"]["stopped"] for r in rows[1:] if r["kind"] == "failure"]
    assert all(re.search("too late|were spent", why) for why in lost), "a busy machine is the only excuse"
    assert len({r["what"]["library"] for r in rows[1:]}) == 1 and rows[1]["where"]["nodes"] == 1
    probed = {"transfer_after_ns" in r["samples"] for r in rows[1:] if r["kind"] == "overhead"}
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


def test_the_programs_say_what_was_wrong(here: Mpi, monkeypatch: pytest.MonkeyPatch):
    for words, says in (
        (["--subjects", ""], "--subjects takes names"),
        (["--subjects", "weir", "--samples", "none"], "--samples takes"),
        (["--subjects", "weir", "--level", "single"], "--level takes funneled, serialized or multiple"),
        (["--subjects", "weir", "--series-ms", "0"], "--series-ms takes"),
    ):
        with pytest.raises(Lost, match=says):
            list(measuring.events([*here.command(1, 1), *words]))
    monkeypatch.setenv("OMP_THREAD_LIMIT", "1")
    with pytest.raises(Lost, match="OpenMP gives 1 threads, not 2"):
        list(measuring.events([*here.command(1, 2), "--threads", "2", "--subjects", "team"]))
