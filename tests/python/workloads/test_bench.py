"""`weir bench workloads`: sessions of made-up programs and of a real one. What is said of records: test_findings.py."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weir.base import records
from weir.base.console import out
from weir.cli import app
from weir.openmp.situation import PROCESSORS
from weir.profile.counting import Directive
from weir.profile.pricing import Measured
from weir.run import sides
from weir.run.measuring import Side
from weir.run.starting import CannotRun
from weir.workloads import measuring, section, sharing, tables
from weir.workloads.findings import NONE_SLOWER, targets
from weir.workloads.measuring import TIME, Plan, Session
from weir.workloads.programs import GCC, OTHERS, Program
from weir.workloads.results import Results
from weir.workloads.rows import AUTO, BEST, KERNEL, OWN
from weir.workloads.situations import NAMES, named

from .. import skips
from ..conftest import alive, eventually, heeding_interrupts
from .made_up_runs import MACHINE, cell, script, share

RIGHT = 'echo "the result"; echo "one: 2 threads, 0.25 s, 0.5 s of processors" >&2'
FOUR = ("dedicated", "crowded", "copies-2", "copies-4")


# ---- sessions


@pytest.fixture
def on_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sides that tell a script who it is, instead of a runtime."""

    def fake(
        words: list[str], barrier: object, threads: str, against: tuple[str, ...], stage: object, calls: bool
    ) -> sides.Sides:
        if "refused" in words[0]:
            raise CannotRun("it calls nothing of OpenMP")
        path = Path(words[0])
        every = [Side(name, path, tuple(words), {"side": name}, name) for name in against]
        return sides.Sides(tuple(every), Side("weir", path, tuple(words), {"side": KERNEL}, "Weir's"), words[0])

    monkeypatch.setattr(measuring.sides, "preloaded", fake)
    monkeypatch.setenv("side", OWN)


def session(tmp_path: Path, *programs: Program, situations: tuple[str, ...] = FOUR, rounds: int = 2, **more) -> Session:
    on, barriers = more.pop("on", (OWN, KERNEL, AUTO)), more.pop("barriers", ())
    plan = Plan(programs, situations, (2, 8), 2, on, barriers, rounds, 60.0, False, **more)
    with records.Writer(tmp_path / "w.jsonl") as writer:
        made = Session(plan, writer)
        made.run(MACHINE["host"])
    return made


def measured(made: Session) -> list[dict]:
    """As they are read from the file."""
    rows, complaints = records.read([made.writer.path])
    assert complaints == []
    return [row for row in rows if row["kind"] != "machine"]


def test_each_way_runs_once_in_each_round(on_scripts: None, tmp_path: Path):
    one = Program("one", script(tmp_path, "one", RIGHT), GCC, barriers=True)
    made = session(tmp_path, one, barriers=("mcs",))
    seen = Counter(
        (r["where"]["situation"], r["where"]["members"], r["what"]["id"], r["how"]["run"]) for r in measured(made)
    )
    by_barrier = [f"one/{way}" for way in (OWN, KERNEL, AUTO, "kernel/mcs")]
    places = {"dedicated": 2, "crowded": 8, "copies-2": 2, "copies-4": 2}
    assert seen == {
        (name, team, way, run): 1
        for name, team in places.items()
        for way in (by_barrier if name in ("dedicated", "crowded") else by_barrier[:3])
        for run in range(2)
    }
    assert all(r["samples"]["episode_ns"] == [250_000_000] for r in measured(made)) and not list(made.complaints)


@skips.mark("processors")
def test_auto_is_held_against_the_best_fixed_choice(on_scripts: None, tmp_path: Path):
    text = """
time=0.25
[ "$WEIR_ADAPT" != false ] || time=0.2$([ "$WEIR_THREADS" = user ] && echo 1 || echo 2)
mask=$(taskset -cp $$)
case ${mask##*: } in *[,-]*) ;; *) time=0.1 ;; esac
echo the result
echo "one: 2 threads, $time s" >&2"""
    one = Program("one", script(tmp_path, "one", text), GCC, barriers=True)
    made = session(tmp_path, one, on=(AUTO, KERNEL, BEST), barriers=("mcs",), situations=("dedicated",), rounds=8)
    assert not list(made.complaints)
    (found,) = Results(measured(made)).cells
    times = {way: found.time(*way).value / 1e9 for way in found.rows}
    fixed = {("fixed-user", ""): 0.21, ("fixed-auto", ""): 0.22, ("fixed-one", ""): 0.1}
    assert times == {(AUTO, ""): 0.25, (KERNEL, "auto"): 0.25, (KERNEL, "mcs"): 0.25} | fixed
    assert found.best_fixed == ("fixed-one", "")
    row, mean = tables.of_best(Results(measured(made))).rows
    assert row[4] == "auto, one processor" and (row[6].verdict, row[6][:3], mean[6][:3]) == ("missed", "2.5", "2.5")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[ $side != kernel ] || exit 3', "status 3"),
        ('[ $side != kernel ] || kill -9 $$', "status -9"),
        ('[ $side != kernel ] || echo more', "its result differs: 'more' instead of 'the result'"),
        ('[ $side != kernel ] || exec echo the result', "it printed no time"),
        ('[ $side != kernel ] || exec sleep 60', "no end within"),
    ],
)  # fmt: skip
def test_what_fails_on_weir_is_said_and_left_out(on_scripts: None, tmp_path: Path, text: str, says: str):
    one = Program("one", script(tmp_path, "one", f"{text}\n{RIGHT}"), GCC)
    made = session(tmp_path, one, situations=("dedicated",), limit_s=5.0)
    assert says in "".join(made.complaints)
    rows = measured(made)
    wrong = [r for r in rows if r["kind"] == "failure"]
    assert len(wrong) == 1 and wrong[0]["what"]["runtime"] == KERNEL and says in wrong[0]["how"]["stopped"]
    # The others go on, and the page names what was left out.
    assert Counter(r["what"]["runtime"] for r in rows if r["kind"] == "overhead") == {OWN: 2, AUTO: 2}
    assert says in section.left_out(rows)[0].why and not Results(rows).cells[0].times(KERNEL)
    verdicts = {t.runtime: t.verdict for t in targets(rows) if (t.situation, t.what) == ("dedicated", NONE_SLOWER)}
    assert verdicts[KERNEL] == "missed" and verdicts[AUTO] == "too few rounds"


def test_a_program_that_cannot_be_compared_is_skipped_with_the_reason(on_scripts: None, tmp_path: Path):
    programs = [
        Program("right", script(tmp_path, "right", RIGHT), GCC),
        Program("gone", tmp_path / "gone", GCC),
        Program("bare", script(tmp_path, "bare", 'echo "bare: scikit-learn is missing" >&2; exit 2'), OTHERS),
        Program("refused", script(tmp_path, "refused", RIGHT), GCC),
    ]
    made = session(tmp_path, *programs, situations=("dedicated",))
    said = "\n".join(made.complaints)
    assert {r["what"]["algorithm"] for r in measured(made)} == {"right"}
    for words in (
        "gone: skipped: it is not built",
        "scikit-learn is missing",
        "refused: skipped: it calls nothing of OpenMP",
    ):
        assert words in said


def test_a_program_that_fails_on_its_own_runtime_is_not_measured_there(on_scripts: None, tmp_path: Path):
    text = f'[ $side != own ] || [ "$OMP_NUM_THREADS" = 2 ] || exit 1\n{RIGHT}'
    made = session(tmp_path, Program("one", script(tmp_path, "one", text), GCC), situations=("dedicated", "crowded"))
    assert Counter((r["kind"], r["where"]["members"]) for r in measured(made)) == {
        ("overhead", 2): 6,
        ("failure", 8): 1,
    }


def test_results_of_copies_are_compared_in_any_order_and_the_slowest_counts(on_scripts: None, tmp_path: Path):
    text = f"""mkdir "{tmp_path}/first" 2>/dev/null && first=1 || rmdir "{tmp_path}/first"
echo a; sleep 0.0$$; echo b; echo "one: 2 threads, 0.${{first:-5}} s" >&2"""
    made = session(tmp_path, Program("one", script(tmp_path, "one", text), GCC), situations=("copies-2",), rounds=3)
    assert not list(made.complaints) and {r["samples"]["episode_ns"][0] for r in measured(made)} <= {
        500_000_000,
        100_000_000,
    }
    assert 500_000_000 in {r["samples"]["episode_ns"][0] for r in measured(made)}


def test_drivers_are_called_from_several_threads_if_they_say_that_they_can(on_scripts: None, tmp_path: Path):
    can = script(tmp_path, "can", f'[ "$1" != --help ] || exec echo "--python-threads N"\n{RIGHT}')
    cannot = script(tmp_path, "cannot", RIGHT)
    made = session(tmp_path, Program("can", can, OTHERS), Program("cannot", cannot, OTHERS), situations=("callers",))
    seen = {(r["what"]["algorithm"], r["what"]["command"], r["where"]["callers"]) for r in measured(made)}
    assert seen == {("can", "--python-threads 2", 2)}


def test_busy_processes_run_beside_each_run_and_end_with_it(on_scripts: None, tmp_path: Path):
    seen = 'ps -o ni=,args= --ppid $(ps -o ppid= $$) | grep "[w]eir-measure busy" | sort >>"$0.beside"'
    one = Program("one", script(tmp_path, "one", f"{seen}\n{RIGHT}"), GCC, beside=())
    made = session(tmp_path, one, situations=("dedicated", "beside-4-lighter"), rounds=1)
    assert not list(made.complaints)
    assert Counter((r["where"]["situation"], r["where"]["load"], r["where"]["members"]) for r in measured(made)) == {
        ("dedicated", "none", 2): 3,
        ("beside-4-lighter", "busy:4:5", 8): 3,
    }
    lines = (tmp_path / "one.beside").read_text().split("\n")[:-1]
    assert len(lines) == 3 * 4 * len(PROCESSORS) and all(line.split()[0] == "5" for line in lines), lines
    left = subprocess.run(["ps", "-o", "args=", "--ppid", str(os.getpid())], capture_output=True, text=True).stdout
    assert "weir-measure busy" not in left


def test_a_weight_that_may_not_be_leaves_its_situation_out(
    on_scripts: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "setpriority", refuse)
    one = Program("one", script(tmp_path, "one", RIGHT), GCC, beside=())
    made = session(tmp_path, one, situations=("dedicated", "beside-1-heavier"), rounds=2)
    assert {r["where"]["situation"] for r in measured(made)} == {"dedicated"}
    assert list(made.complaints) == [
        "a busy process per processor, nice -5: left out: the nice value -5 was refused: it takes "
        "CAP_SYS_NICE, which root has"
    ]


def test_programs_without_work_for_a_situation_are_not_in_it(on_scripts: None, tmp_path: Path):
    programs = [
        Program("brief", script(tmp_path, "brief", RIGHT), GCC, None, beside=("--regions", "1")),
        Program("long", script(tmp_path, "long", RIGHT), GCC),
    ]
    made = session(tmp_path, *programs, situations=("dedicated", "beside-1"), rounds=1)
    assert {(r["what"]["algorithm"], r["where"]["situation"], r["what"]["command"]) for r in measured(made)} == {
        ("brief", "beside-1", "--regions 1"),
        ("long", "dedicated", ""),
    }


def test_a_group_of_situations_is_all_of_them():
    assert named(["quota", "beside"]) == ("quota", *(name for name in NAMES if name.startswith("beside")))


def test_where_time_is_short_some_have_all_rounds_and_the_rest_one(tmp_path: Path):
    cells = [cell(str(number)) for number in range(12)]
    with records.Writer(tmp_path / "w.jsonl") as writer:
        made = Session(Plan([], FOUR, (2, 8), 2, (OWN, KERNEL), (), 6, 600.0, False), writer)
        now = time.monotonic()
        assert made._affordable(dict.fromkeys(cells, 1.0), now + 600) == cells and not list(made.complaints)
        kept = made._affordable(dict.fromkeys(cells, 20.0), now + 540)  # five rounds more of five cells
    assert len(set(kept)) == 5 and set(kept) < set(cells)
    said = "the time given, 600 s, is spent by 5 of 12 programs, teams and situations, and the others have one round"
    assert list(made.complaints) == [f"{said}; 6 rounds of all need about --seconds 1440"]


def test_the_time_given_ends_the_first_round_too(on_scripts: None, tmp_path: Path):
    one = Program("one", script(tmp_path, "one", f"sleep 0.3\n{RIGHT}"), GCC)
    plan = Plan([one], FOUR, (2, 8), 2, (OWN, KERNEL), (), 6, 0.5, False)
    with records.Writer(tmp_path / "w.jsonl") as writer:
        made = Session(plan, writer)
        made.run(MACHINE["host"])
    assert "the time given, 0.5 s, is spent in round 1" in "".join(made.complaints) and len(measured(made)) < 8


def test_control_c_keeps_what_was_measured(tmp_path: Path):
    file = tmp_path / "w.jsonl"
    words = ["--programs=sort", "--situations=copies-2", "--barriers=none", "--runtimes=kernel,auto"]
    words += ["--no-shares", "--rounds=900", "-o"]
    running = subprocess.Popen(
        [sys.executable, "-m", "weir", "bench", "workloads", *words, str(file)], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True, preexec_fn=heeding_interrupts, start_new_session=True,
        env=os.environ | {"OMP_WAIT_POLICY": "passive"},
    )  # fmt: skip
    eventually(lambda: file.exists() and len(file.read_text().splitlines()) > 6)
    running.send_signal(signal.SIGINT)
    said, _ = running.communicate(timeout=300)
    rows, complaints = records.read([file])
    assert running.returncode == 130 and "Interrupted" in said and complaints == [], said
    assert [r["kind"] for r in rows if r["kind"] != "overhead"] == ["machine", "load"]
    assert len(rows) > 7 and {r["what"]["runtime"] for r in rows if r["kind"] == "overhead"} == {KERNEL, AUTO}
    assert not alive(running.pid)


@skips.mark("processors")
def test_a_real_program_is_measured_on_each_runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(out, "_width", 200)
    monkeypatch.setenv("OMP_WAIT_POLICY", "passive")  # threads that spin would take the processors of other tests
    file = tmp_path / "w.jsonl"
    words = ["--programs=aspcg,hosts-clang", "--situations=dedicated,copies-2", "--threads=2", "--barriers=sense"]
    done = CliRunner().invoke(app, ["bench", "workloads", *words, "--no-shares", "--rounds=1", "-o", str(file)])
    assert done.exit_code == 0, done.output
    rows = [r for r in records.read([file])[0] if r["kind"] not in ("machine", "load")]
    assert {r["what"]["version"] for r in rows if r["what"]["runtime"] == OWN} == {"libgomp", "libomp"}
    ways = {f"{name}/{way}": 2 for name in ("aspcg", "hosts-clang") for way in (OWN, KERNEL, AUTO)}
    assert Counter(r["what"]["id"] for r in rows) == ways | {"aspcg/kernel/sense": 1}
    assert all(r["kind"] == "overhead" for r in rows)


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("hydro: 2 threads, 0.1766 s, 0.3509 s of processors, 3.60 us a region", 0.1766),
        ("hosts: 2 x 2, 146 blocks of 1.36 us, 110.60 us a region, 0.2212 s, 0.4370 s of processors", 0.2212),
        ("flow: processes 1 of threads 2, 1.0172 s, 2.0178 s of processors", 1.0172),
        ("blas: 2 threads, 3e-05 s", 3e-5),
        ("a warning: it took 7 servers", None),
    ],
)
def test_the_time_is_read_from_its_line(line: str, seconds: float | None):
    found = TIME.findall(f"something else\n{line}\n")
    assert [float(number) for number in found] == ([] if seconds is None else [seconds])


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--programs", "hydra"], "no program or group is called hydra"),
        (["--runtimes", "libgimp"], "no runtime is called 'libgimp'"),
        (["--barriers", "mcz"], "no barrier is called 'mcz'"),
        (["--situations", "crowd"], "situations of dedicated, crowded"),
        (["--threads", "0"], "takes whole numbers from 1"),
    ],
)
def test_wrong_names_are_refused_before_anything_runs(words: list[str], says: str, tmp_path: Path):
    done = CliRunner().invoke(app, ["bench", "workloads", *words, "-o", str(tmp_path / "w.jsonl")])
    assert done.exit_code == 2 and says in " ".join(done.output.split()), done.output


# ---- the share of synchronising


def test_counted_directives_are_priced_and_shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    barrier, task = Directive("barrier", 2, "/lib/r"), Directive("task", 2, "/lib/r")
    prices = {("/lib/r", "barrier"): [Measured(2000.0, 2, False)]}
    monkeypatch.setattr(sharing.measuring, "planned", lambda directives: ([], []))
    monkeypatch.setattr(sharing.measuring, "measured", lambda sessions, tell: (prices, False))
    made = sharing.Sharing()
    for name, counts in (
        ("one", Counter({barrier: 1000})),
        ("full", Counter({barrier: 10**9})),
        ("odd", Counter({task: 1})),
    ):
        row = share(cell(name), KERNEL, 1, 1) | {"kind": "failure"}
        made._counted.append((row, 0.5, 1.0, counts))
    complaints = measuring.Complaints()
    with records.Writer(tmp_path / "w.jsonl") as writer:
        assert made.price(writer, complaints, lambda *_: None) is False
    found = {s.program: s.of_time for s in Results(records.read([tmp_path / "w.jsonl"])[0]).shares}
    assert found == {"one": pytest.approx(0.004), "full": 1.0}
    assert "odd/kernel: its share of synchronising is not known: nothing prices task" in list(complaints)
