"""weir run --compare: real programs on their own runtime and on Weir's, and what is said of them."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weir.base import native
from weir.cli import app
from weir.run import launching, measuring
from weir.run.comparison import Comparison
from weir.run.measuring import OWN, WEIR, Comparing, Conditions, Kept, Side, Trial

from .. import skips
from ..conftest import alive, eventually, heeding_interrupts
from ..openmp_programs import CLANG


@pytest.fixture(autouse=True)
def no_more_than_asked(monkeypatch: pytest.MonkeyPatch, runtime: Path | None) -> None:
    """Waiting passively, own runtimes do not take the processors from each other."""
    monkeypatch.setenv("OMP_WAIT_POLICY", "passive")
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    monkeypatch.delenv("LD_PRELOAD", raising=False)


def compare(*words: object, times: int = 6) -> tuple[int, str]:
    done = CliRunner().invoke(
        app, ["run", "--compare", "--times", str(times), *map(str, words)], env={"COLUMNS": "200"}
    )
    return done.exit_code, " ".join(done.output.split())


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_a_program_is_compared_and_its_output_is_the_same(programs: dict[str, Path], compiler: str):
    status, said = compare("--", programs[compiler])
    assert status == 0, said
    assert f"on {'libgomp' if compiler == 'gcc' else 'libomp'}" in said and "6 pairs of runs in turn" in said
    assert "stdout: the same. stderr: empty." in said
    for row in ("wall time", "processor time", "voluntary switches", "involuntary switches",
                "page faults, minor", "page faults, major", "exit status"):  # fmt: skip
        assert row in said


def test_a_program_of_the_current_folder_is_compared(programs: dict[str, Path], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(programs["gcc"].parent)
    for options in ([], ["--copies", "2"]):
        status, said = compare(*options, "--", f"./{programs['gcc'].name}", times=1)
        assert status == 0 and "stdout: the same." in said, said


@pytest.mark.parametrize(
    ("before", "after"), [([], []), (["-W", "ignore"], ["word"]), (["-m", "script"], []), (["-c", "import script"], [])]
)
def test_an_interpreter_is_called_by_its_script(
    programs: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: list[str], after: list[str]
):
    (tmp_path / "script.py").write_text(f"import subprocess\nsubprocess.run(['{programs['gcc']}'])\n")
    monkeypatch.chdir(tmp_path)
    script = [] if before[:1] in (["-m"], ["-c"]) else ["script.py"]
    _, said = compare("--", sys.executable, *before, *script, *after, times=1)
    called = {"-m": "script", "-c": sys.executable}.get(next(iter(before), ""), "script.py")
    assert said.count(f"{called}: 1 pair of runs") == 1, said


def test_what_is_faster_is_said_to_be_with_an_interval(programs: dict[str, Path]):
    status, said = compare("--", programs["gcc"], "own", "sleep")
    assert status == 0 and "Yes: on Weir's runtime" in said and "over 6 pairs of runs" in said, said
    status, said = compare("--", programs["gcc"], "weir", "sleep")
    assert status == 0 and "No: on Weir's runtime" in said and "times as long as on libgomp" in said, said


def test_fewer_pairs_than_an_interval_takes_tell_nothing(programs: dict[str, Path]):
    status, said = compare("--", programs["gcc"], "own", "sleep", times=2)
    assert status == 0 and "This cannot be told from 2 pairs of runs" in said, said


def test_output_that_differs_is_told_of_with_the_place(programs: dict[str, Path]):
    status, said = compare("--", programs["gcc"], "weir", "print", times=1)
    assert status == 0
    assert "stdout: differs: line 2 is not there on libgomp, 'and this' on Weir's runtime." in said, said
    _, said = compare("--", programs["gcc"], "own", "complain", times=1)
    assert "stdout: the same. stderr: differs: line 1 is 'no' on libgomp, not there on Weir's runtime." in said, said


def test_output_that_differs_from_run_to_run_is_no_difference_of_runtimes(programs: dict[str, Path]):
    _, said = compare("--", programs["gcc"], "both", "number", times=1)
    assert "stdout: differs from run to run, on libgomp as well." in said, said
    _, said = compare("--", programs["gcc"], "weir", "number", times=1)
    assert "stdout: differs in some runs: line 2 is not there on libgomp" in said, said


@pytest.mark.parametrize(
    ("what", "status_said", "last"), [("fail", "status 3", "out of luck"), ("crash", "ended by SIGABRT", "")]
)
def test_a_program_that_fails_is_not_compared(programs: dict[str, Path], what: str, status_said: str, last: str):
    status, said = compare("--", programs["gcc"], "weir", what)
    assert status == 1 and last in said, said
    assert f"failed in 3 of 3 runs ({status_said}), and on libgomp in none." in said, said
    status, said = compare("--", programs["gcc"], "own", what)
    assert status == 1 and f"on libgomp {programs['gcc']} failed in" in said and "cannot be told" in said, said


def test_a_hang_on_our_runtime_is_given_up(programs: dict[str, Path], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(measuring, "PATIENCE_S", 0.3)
    monkeypatch.setattr(measuring, "PATIENCE_TIMES", 1)
    status, said = compare("--", programs["gcc"], "weir", "hang")
    assert status == 1 and "(no end within" in said, said


def test_what_uses_no_openmp_is_not_compared(programs: dict[str, Path], tmp_path: Path):
    status, said = compare("--", "/bin/true")
    assert status == 2 and "it called no function of OpenMP" in said
    # What a script starts does.
    (tmp_path / "script").write_text(f'#!/bin/sh\n"{programs["clang"]}" own print\n')
    (tmp_path / "script").chmod(0o755)
    status, said = compare("--", tmp_path / "script", times=1)
    assert status == 0 and "stdout: differs: line 2 is 'and this' on its own runtime" in said, said


def test_what_a_program_opens_while_it_runs_counts(programs: dict[str, Path], tmp_path: Path):
    source = tmp_path / "inner.c"
    source.write_text("int team(void) { int n = 0;\n#pragma omp parallel reduction(+ : n)\n  n++;\n  return n; }\n")
    subprocess.run(["gcc", "-fopenmp", "-shared", "-fPIC", source, "-o", tmp_path / "inner.so"], check=True)
    words = [sys.executable, "-c", f"import ctypes; print(ctypes.CDLL('{tmp_path}/inner.so').team())"]
    status, said = compare("--", *words, times=1)
    assert status == 0 and "stdout: the same." in said, said


def test_a_statically_linked_program_cannot_be_compared(tmp_path: Path, programs: dict[str, Path]):
    source = programs["gcc"].parent / "program.c"
    subprocess.run(["gcc", "-fopenmp", "-static", source, "-o", tmp_path / "static"], check=True)
    status, said = compare("--", tmp_path / "static")
    assert status == 2 and "statically linked" in said


def comparing(words: list[object], where: Conditions, times: int = 1) -> Comparing:
    program = Path(words[0])
    own = Side(OWN, program, tuple(map(str, words)), {})
    weir = Side(WEIR, program, own.words, {"MARK": "a b"})
    return Comparing((own, weir), where, times)


def printed(done: Comparing, side: str) -> list[str]:
    files = done.kept.files.items()
    return [file.read_text() for (name, stream, _), file in files if (name, stream) == (side, "stdout")]


@skips.mark("root")
@skips.mark("quota")
def test_both_run_under_the_quota():
    script = (
        "group=$(grep -o 'weir-[0-9-]*$' /proc/self/cgroup); echo ${group%%[0-9]*}; "
        "cat $(find /sys/fs/cgroup/cpu -name $group)/cpu.cfs_quota_us; echo $MARK $OMP_NUM_THREADS $0"
    )
    with comparing(["/bin/sh", "-c", script, "its=word"], Conditions(team=3, quota=0.5)) as done:
        done.run()
        own, weir = (printed(done, side)[0].splitlines() for side in (OWN, WEIR))
    assert own[:-1] == weir[:-1] == ["weir-", "50000"]
    assert (own[-1], weir[-1]) == ("3 its=word", "a b 3 its=word")


# Waits until three of its shell's children are there.
MEETING = """
read line; echo "$line $MARK"; echo here >>"$0/$PPID"; n=0
until [ $(wc -l <"$0/$PPID") -ge 3 ]; do sleep 0.05; n=$((n + 1)); [ $n -lt 400 ] || exit 7; done
"""


@pytest.mark.parametrize(
    "where",
    [
        Conditions(copies=3),
        pytest.param(Conditions(copies=3, quota=0.5), marks=[skips.mark("root"), skips.mark("quota")], id="quota"),
    ],
)
def test_copies_run_at_the_same_time_and_each_reads_the_input(tmp_path: Path, where: Conditions):
    (tmp_path / "input").write_text("first\nsecond\n")
    before = os.dup(0)
    try:
        with (tmp_path / "input").open() as file:
            os.dup2(file.fileno(), 0)
        with comparing(["/bin/sh", "-c", MEETING, tmp_path], where) as done:
            done.run()
            said = [printed(done, side) for side in (OWN, WEIR)]
    finally:
        os.dup2(before, 0)
        os.close(before)
    assert [t.status for t in done.trials] == [0] * 4
    assert said == [["first \n" * 3], ["first a b\n" * 3]]


def test_one_copy_that_fails_fails_the_run(tmp_path: Path):
    script = 'mkdir "$0/$PPID" 2>/dev/null || exit 5'  # the first that comes succeeds
    with comparing(["/bin/sh", "-c", script, tmp_path], Conditions(copies=3)) as done:
        done.run()
    assert {t.status for t in done.trials} == {5}
    with comparing(["/bin/sh", "-c", "kill -ABRT $$"], Conditions(copies=2)) as done:
        done.run()
    assert {t.status for t in done.trials} == {-signal.SIGABRT}


def test_kinds_of_threads_and_other_runtimes_are_compared_in_turn(programs: dict[str, Path]):
    status, said = compare("--threads", "user", "--against", "own,kernel,libomp", "--", programs["gcc"], "own", "print")
    assert status == 0, said
    for other in ("libgomp", "Weir's runtime (kernel)", f"libomp-{CLANG}"):
        assert f"of its time on {other}" in said or f"as long as on {other}" in said, said
    # Only runs on Weir's runtime print no more than they should.
    assert "line 2 is 'and this' on libgomp, not there on Weir's runtime (user)." in said
    assert f"line 2 is 'and this' on libomp-{CLANG}, not there on Weir's runtime (user)." in said
    assert said.count("stdout: the same.") == 1


# It says what WEIR_THREADS is, where a team is begun.
KIND = r"""
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  int members = 0;
#pragma omp parallel reduction(+ : members)
  members++;
  const char *kind = getenv("WEIR_THREADS");
  printf("%d %s\n", members, kind ? kind : "unset");
}
"""


def test_threads_sets_the_kind_for_weirs_runtime_alone(tmp_path: Path):
    (tmp_path / "kind.c").write_text(KIND)
    subprocess.run(["gcc", "-fopenmp", tmp_path / "kind.c", "-o", tmp_path / "kind"], check=True)
    run = [sys.executable, "-m", "weir", "run"]
    for words, own, kind in (
        (["--threads", "user"], {}, "user"),
        ([], {}, "auto"),
        ([], {"WEIR_THREADS": "kernel"}, "kernel"),
        (["--threads", "user"], {"WEIR_THREADS": "kernel"}, "user"),
    ):
        command = [*run, *words, "--", tmp_path / "kind"]
        assert subprocess.run(command, env=os.environ | own, capture_output=True, text=True).stdout == f"2 {kind}\n"
    _, said = compare("--threads", "user", "--team", "3", "--", tmp_path / "kind", times=1)
    assert "line 1 is '3 unset' on libgomp, '3 user' on Weir's runtime (user)." in said, said
    _, said = compare("--against", "kernel", "--copies", "2", "--", tmp_path / "kind", times=1)
    assert "line 1 is '2 kernel' on Weir's runtime (kernel), '2 auto' on Weir's runtime." in said, said
    assert "2 copies at once" in said


def test_a_runtime_that_cannot_run_the_program_is_refused(programs: dict[str, Path]):
    status, said = compare("--against", "libgomp", "--", programs["clang"])
    assert status == 2 and "was built for libomp, and libgomp cannot run it" in said, said
    status, said = compare("--against", "libfoo", "--", programs["clang"])
    assert status == 2, said
    assert "no runtime is called 'libfoo'; known are own, kernel, user, auto, all, libgomp" in said, said


COUNT = """
import os, pathlib
def parent(text): return int(text.rpartition(") ")[2].split()[1])
stats = [p.read_text() for p in pathlib.Path("/proc").glob("[0-9]*/stat") if p.exists()]
print(sum("(weir-measure)" in text and parent(text) == os.getppid() for text in stats))
"""


def test_busy_processes_are_beside_both_and_end_with_the_comparison():
    with comparing([sys.executable, "-c", COUNT], Conditions(beside=3)) as done:
        done.run()
        assert printed(done, OWN) == printed(done, WEIR) == ["3\n"]
    here = [p.read_text() for p in Path("/proc").glob("[0-9]*/stat") if p.exists()]
    assert not any("(weir-measure)" in s and int(s.rpartition(") ")[2].split()[1]) == os.getpid() for s in here)


def test_a_file_that_is_the_input_is_read_by_each_run(programs: dict[str, Path], tmp_path: Path):
    (tmp_path / "input").write_text("a line\nanother\n")
    script = f"cat; {programs['gcc']}"
    words = [sys.executable, "-m", "weir", "run", "--compare", "--times", "1", "--", "sh", "-c", script]
    with (tmp_path / "input").open() as file:
        done = subprocess.run(
            [
                *words,
            ],
            stdin=file,
            capture_output=True,
            text=True,
            timeout=300,
        )
    assert done.returncode == 0 and "stdout: the same." in done.stdout, done


def test_control_c_keeps_what_was_measured(programs: dict[str, Path], tmp_path: Path):
    counter = tmp_path / "begun"
    script = f'echo $$ >>"{counter}"; "{programs["gcc"]}"; [ $(wc -l <"{counter}") -lt 8 ] || exec sleep 1000'
    command = [sys.executable, "-m", "weir", "run", "--compare", "--times", "99", "--", "sh", "-c", script]
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, preexec_fn=heeding_interrupts,
        start_new_session=True, env=os.environ | {"COLUMNS": "200"},
    )  # fmt: skip
    eventually(lambda: counter.exists() and len(counter.read_text().splitlines()) >= 8)
    os.killpg(running.pid, signal.SIGINT)
    said, _ = running.communicate(timeout=300)
    assert running.returncode == 130 and "Interrupted" in said, said
    assert "2 pairs of runs in turn" in said and "cannot be told from 2 pairs" in said, said
    assert not any(alive(int(line)) for line in counter.read_text().splitlines())


def test_an_mpi_program_is_compared_by_its_launcher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(launching, "library", lambda: Path(native.library("libgomp-weir.so")))
    launcher = tmp_path / "launch"
    launcher.write_text('#!/bin/sh\necho "${LD_PRELOAD##*/}" "$@"\n')
    launcher.chmod(0o755)
    status, said = compare("--mpi", "--", launcher, "-n", "2", "program", times=1)
    assert status == 0, said
    assert "differs: line 1 is ' -n 2 program' on its MPI's own, 'libgomp-weir.so -n 2 program' on" in said, said


def test_the_order_of_a_pair_is_drawn_and_comes_out_even():
    with comparing(["/bin/true"], Conditions(), times=40) as done:
        done.run()
    first = [t.side for t in done.trials if t.counted][::2]
    assert first.count(OWN) == first.count(WEIR) == 20
    assert first[::2] != [first[0]] * 20, "not always the same one after the other"


def trial(side: str, pair: int, wall_s: float, **more) -> Trial:
    figures = {"voluntary": 1, "involuntary": 0, "minor_faults": 9, "major_faults": 0, "status": 0, "late": False}
    return Trial(side, pair, True, wall_s, **({"processor_s": wall_s} | figures | more))


def sentence(own: list[float], weir: list[float], tmp_path: Path) -> str:
    trials = [trial(s, i, v) for s, values in ((OWN, own), (WEIR, weir)) for i, v in enumerate(values)]
    return Comparison(trials, Kept(tmp_path), "it", "libgomp", "Weir's runtime").sentence()


def test_the_sentence_says_what_the_interval_allows(tmp_path: Path):
    own = [1.0, 1.1, 0.9, 1.0, 1.05, 0.95, 1.0]
    assert sentence(own, [x / 2 for x in own], tmp_path).startswith(
        "Yes: on Weir's runtime it takes 0.50 (0.50 … 0.50)"
    )
    assert sentence(own, [x * 2 for x in own], tmp_path).startswith("No: on Weir's runtime it takes 2.0 (2.0 … 2.0)")
    assert sentence(own, [x * 1.01 for x in own[:3]] + [x / 1.01 for x in own[3:]], tmp_path).startswith("It makes no")
    wide = [own[i] * (1.4 if i % 2 else 0.7) for i in range(len(own))]
    assert sentence(own, wide, tmp_path).startswith("No difference was found")
    assert sentence(own, wide, tmp_path).endswith("; no gain beyond 30 %, no loss beyond 40 %.")
    assert sentence(own[:5], own[:5], tmp_path).startswith("This cannot be told from 5 pairs")
    assert sentence([], [], tmp_path).startswith("This cannot be told: no pair")


def test_a_clock_that_says_nothing_does_no_harm(tmp_path: Path):
    trials = [trial(s, i, 0.001, processor_s=0.0) for i in range(8) for s in (OWN, WEIR)]
    assert Comparison(trials, Kept(tmp_path), "it", "own", "Weir's").sentence().startswith("It makes no difference")


def test_a_run_that_takes_long_counts_from_the_first(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(measuring, "LONG_S", 0.0)
    begun = time.monotonic()
    with comparing(["/bin/true"], Conditions(), times=3) as done:
        done.run()
    assert len(done.trials) == 6 and all(t.counted for t in done.trials) and time.monotonic() - begun < 30
    assert shutil.which("true")
