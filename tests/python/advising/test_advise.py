"""weir advise: real programs, and what it says where it cannot advise."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weir.advising import measuring
from weir.advising.measuring import Done, Measuring
from weir.advising.plan import Try
from weir.advising.results import sessions
from weir.advising.sizes import Size
from weir.base import records
from weir.cli import app
from weir.openmp.situation import PROCESSORS
from weir.run.measuring import OWN, WEIR, Side

from .. import skips
from ..conftest import heeding_interrupts
from .made_up import planned

# Computes for 20 ms in all, in regions; `program WHAT`.
PROGRAM = """
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static void compute(double seconds) {
  struct timespec at;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
  double end = at.tv_sec + at.tv_nsec * 1e-9 + seconds;
  do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
  while (at.tv_sec + at.tv_nsec * 1e-9 < end);
}
int main(int count, char **words) {
  const char *what = count > 1 ? words[1] : "";
  if (strcmp(what, "fail") == 0) { fprintf(stderr, "out of luck\\n"); return 3; }
  if (strcmp(what, "long") == 0) compute(60);
  if (strcmp(what, "large") == 0 && getenv("OMP_NUM_THREADS") && atoi(getenv("OMP_NUM_THREADS")) > 4) abort();
  if (strcmp(what, "own") == 0) omp_set_num_threads(2);
  for (int i = 0; i < 4; i++) {
#pragma omp parallel
    compute(0.005 / omp_get_num_threads());
  }
  return 0;
}
"""


@pytest.fixture(autouse=True)
def no_more_than_asked(monkeypatch: pytest.MonkeyPatch, runtime: Path | None, tmp_path: Path) -> None:
    for name in ("OMP_NUM_THREADS", "LD_PRELOAD"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("advised")
    (folder / "program.c").write_text(PROGRAM)
    made = folder / "program"
    subprocess.run(["gcc", "-fopenmp", "-O1", folder / "program.c", "-o", made], check=True)
    return made


def advise(*words: object, seconds: float = 4) -> tuple[int, str]:
    asked = ["advise", "--seconds", str(seconds), "-o", "advice.jsonl", *map(str, words)]
    done = CliRunner().invoke(app, asked, env={"COLUMNS": "200"})
    return done.exit_code, " ".join(done.output.split())


def test_a_program_is_run_at_a_few_sizes_and_advised(program: Path):
    for seconds in (12, 60, 300):  # on a slow machine the trace does not end in its part of the time
        Path("advice.jsonl").unlink(missing_ok=True)
        status, said = advise("--", program, seconds=seconds)
        assert status == 0, said
        rows, complaints = records.read([Path("advice.jsonl")])
        assert complaints == []
        (session,) = sessions(rows)
        if session.trace is not None:
            break
    for word in ("program can use", "Give a container --cpus=", "On libgomp set OMP_NUM_THREADS="):
        assert word in said
    whole = len(PROCESSORS)
    assert session.obeys and session.setting("regions") == 4 and session.processors == whole
    for side in (OWN, WEIR):
        assert {Size(1, 1), Size(whole, whole)} <= set(session.times(side))
    assert session.trace is not None and session.trace.threads == max(16, whole) and session.trace.computing_s >= 0.0199
    done = CliRunner().invoke(app, ["report", "advice.jsonl", "-o", "advice.html"])
    assert done.exit_code == 0 and "time against processors" in Path("advice.html").read_text()


def test_a_program_that_sets_its_team_itself_is_run_on_other_processors(program: Path):
    status, said = advise("--", program, "own", seconds=8)
    assert status == 0 and "OMP_NUM_THREADS changes nothing" in said, said
    (session,) = sessions(records.read([Path("advice.jsonl")])[0])
    assert {size.threads for size in session.times(OWN)} == {2}


def test_a_program_without_openmp_is_run_on_other_processors():
    status, said = advise("--", "/bin/sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done", seconds=4)
    assert status == 0 and "calls nothing of OpenMP that could be counted" in said, said
    (session,) = sessions(records.read([Path("advice.jsonl")])[0])
    assert {size.processors for size in session.times(OWN)} == {1, len(PROCESSORS)} and not session.times(WEIR)


def test_a_statically_linked_program_is_run_all_the_same(program: Path, tmp_path: Path):
    static = tmp_path / "static"
    subprocess.run(["gcc", "-fopenmp", "-static", "-O1", program.parent / "program.c", "-o", static], check=True)
    status, said = advise("--", static)
    assert status == 0 and "statically linked" in said and "can use" in said, said


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "no program was named: weir advise -- PROGRAM"),
        (["/no/such"], "/no/such: no such program"),
        (["/"], "/ is a folder"),
        (["/bin/false"], "/bin/false failed: status 1"),
        (["/bin/sleep", "20"], "did not end within 1 s"),
    ],
)
def test_what_cannot_be_advised_is_refused_in_one_line(words: list[str], says: str):
    status, said = advise("--", *words, seconds=1)
    assert status == 2 and said.startswith("weir: advise: ") and says in said, said
    assert not Path("advice.jsonl").exists()


def test_what_ends_at_once_is_too_short(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(measuring, "SHORTEST_S", 5.0)  # on any machine
    status, said = advise("--", "/bin/true")
    assert status == 2 and "which is too short to measure: give it more to do" in said, said


def test_a_disturbed_run_does_not_make_a_short_program_long(monkeypatch: pytest.MonkeyPatch):
    work, _ = fake(monkeypatch, 0.004)
    work._shortest_s = 0.02  # as it was counted
    with pytest.raises(measuring.CannotAdvise, match="ends after 4.0 ms"):
        work._require_length(tries(OWN)[0].side)


def test_a_program_that_fails_is_told_of_with_its_last_words(program: Path):
    status, said = advise("--", program, "fail")
    assert status == 2 and "failed: status 3; it said last: out of luck" in said, said


@pytest.mark.parametrize(
    "wrong", [["--seconds", "0"], ["--seconds", "soon"], ["-o", "/no/such/x.jsonl"], ["-o", "x.pdf"]]
)
def test_wrong_options_are_refused(wrong: list[str]):
    done = CliRunner().invoke(app, ["advise", *wrong, "--", "/bin/true"])
    assert done.exit_code == 2 and wrong[0].lstrip("-") in done.output.replace("--output", "-o")


def test_a_size_at_which_it_fails_is_not_tried_again_and_the_others_are_used(program: Path):
    status, said = advise("--", program, "large", seconds=8)
    assert status == 0 and "can use" in said, said
    rows = records.read([Path("advice.jsonl")])[0]
    failed = [
        (row["what"]["side"], row["where"]["processors"], row["where"]["members"])
        for row in rows
        if row["kind"] == "failure"
    ]
    assert failed and len(failed) == len(set(failed)) and all(members > 4 for _, _, members in failed)


@pytest.mark.skipif(len(PROCESSORS) < 2, reason=skips.REASONS["processors"].says)
def test_ctrl_c_keeps_what_was_measured(program: Path):
    words = [sys.executable, "-m", "weir", "advise", "--seconds", "600", "-o", "kept.jsonl", "--", str(program)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, preexec_fn=heeding_interrupts)
    end = time.monotonic() + 300
    while not (Path("kept.jsonl").exists() and Path("kept.jsonl").read_text().count('"overhead"') > 12):
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=300)
    assert process.returncode == 130 and "can use" in said and "is kept" in said, said
    assert sessions(records.read([Path("kept.jsonl")])[0])


# ---- what is run when


def fake(monkeypatch: pytest.MonkeyPatch, takes: float, late: tuple[str, ...] = ()) -> tuple[Measuring, list[Done]]:
    """Nothing is started, and time goes on by what a run takes."""
    now = [0.0]
    monkeypatch.setattr(measuring.time, "monotonic", lambda: now[0])

    def once(self: Measuring, one: Try, number: int, limit_s: float) -> Done:
        needed = 1e9 if one.side.name in late else takes
        seconds = min(limit_s, needed)
        now[0] += seconds
        return Done(one, number, seconds, seconds, 0.0, 0, seconds < needed)

    monkeypatch.setattr(Measuring, "_once", once)
    return Measuring(60.0), []


def tries(*names: str) -> list[Try]:
    return [Try(Side(name, Path("/it"), ("it",), {}, name), Size(1, 1)) for name in names]


def test_each_is_run_once_in_a_round_until_the_time_is_up(monkeypatch: pytest.MonkeyPatch):
    work, done = fake(monkeypatch, 7.0)
    work.run(tries(OWN, WEIR, "x"), done.append)
    assert [one.round for one in done] == [0, 0, 0, 1, 1, 1, 2, 2]
    assert [one.trial.side.name for one in done[:3]] == [OWN, WEIR, "x"], "what matters most comes first"
    assert work.gone_s == 56, "a run that the time does not suffice for is not begun"


def test_the_whole_machine_is_tried_first_on_both_runtimes_and_one_processor_next():
    first = [one.key for one in planned(4)]
    assert first[:6] == [(side, Size(p, p)) for p in (4, 2, 1) for side in (OWN, WEIR)]
    assert len(set(first)) == len(first)


def test_what_takes_too_long_is_given_up_once(monkeypatch: pytest.MonkeyPatch):
    work, done = fake(monkeypatch, 0.1, late=("x",))
    work.run(tries(OWN, WEIR, "x"), done.append)
    (slow,) = (one for one in done if one.late)
    assert slow.wall_s == measuring.PATIENCE_S
    assert max(one.round for one in done) == measuring.MOST_ROUNDS - 1


def test_a_run_that_the_end_of_the_time_cuts_off_is_no_failure(monkeypatch: pytest.MonkeyPatch):
    work, done = fake(monkeypatch, 40.0)
    work.run(tries(OWN, WEIR), done.append)
    assert [(one.trial.side.name, one.failed) for one in done] == [(OWN, False)]


def test_a_variable_that_makes_it_much_slower_is_not_tried_again(monkeypatch: pytest.MonkeyPatch):
    work, done = fake(monkeypatch, 0.1)
    slow = {"slow": 0.3}

    def once(self: Measuring, one: Try, number: int, limit_s: float) -> Done:
        seconds = slow.get(one.side.name, 0.1)
        return Done(one, number, seconds, seconds, 0.0, 0, False)

    monkeypatch.setattr(Measuring, "_once", once)
    work.run(tries(OWN, WEIR, "slow", "not"), done.append)
    names = [one.trial.side.name for one in done]
    assert names.count("slow") == 1 and names.count("not") == names.count(OWN) == measuring.MOST_ROUNDS


def test_what_is_started_has_the_processors_of_its_size():
    with measuring.on(1):
        assert os.sched_getaffinity(0) == {PROCESSORS[0]}
    assert os.sched_getaffinity(0) == set(PROCESSORS)
