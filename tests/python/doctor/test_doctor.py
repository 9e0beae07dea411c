"""The command on real programs. What it answers depends on how busy the machine is, so tests look at what it found."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from weir.cli import app
from weir.doctor import proc
from weir.doctor.sampling import Watch

from ..conftest import eventually, heeding_interrupts

TEAM = 4 * len(os.sched_getaffinity(0))
# Computes until it is ended, or for as many seconds as it is told.
PROGRAM = """
#include <omp.h>
#include <stdlib.h>
int main(int count, char **words) {
  double until = omp_get_wtime() + (count > 1 ? atof(words[1]) : 600);
  long sum = 0;
#pragma omp parallel reduction(+ : sum)
  while (omp_get_wtime() < until) sum++;
  return sum == 0 ? 1 : 3;
}
"""


@pytest.fixture(scope="session")
def team(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("doctor")
    (folder / "team.c").write_text(PROGRAM)
    subprocess.run(["gcc", "-O1", "-fopenmp", folder / "team.c", "-o", folder / "team"], check=True)
    return folder / "team"


@pytest.fixture
def running(team: Path) -> Iterator[subprocess.Popen]:
    process = subprocess.Popen([team], env=os.environ | {"OMP_NUM_THREADS": str(TEAM)})
    eventually(lambda: len(os.listdir(f"/proc/{process.pid}/task")) >= TEAM)
    yield process
    process.kill()
    process.wait()


def doctor(*words: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["doctor", *map(str, words)], env={"COLUMNS": "400"})
    return done.exit_code, done.output, done.stderr


def command(*words: object, **how: Any) -> subprocess.CompletedProcess:
    run = [sys.executable, "-m", "weir", "doctor", *map(str, words)]
    return subprocess.run(run, capture_output=True, text=True, timeout=300, **how)


def names(found: dict[str, Any]) -> set[str]:
    return {one["library"] for one in found["loaded"]}


def test_a_running_team_is_seen_and_goes_on(running: subprocess.Popen, team: Path):
    status, said, _ = doctor("--json", running.pid)
    found = json.loads(said)
    assert names(found) == {"libgomp (GCC)"} and found["threads"]["most"] == TEAM
    assert found["processors"] == sorted(os.sched_getaffinity(0))
    (process,) = found["processes"]
    assert process["environment"]["OMP_NUM_THREADS"] == str(TEAM) and process["command"] == [str(team)]
    assert status == (1 if found["answer"] == "unclear" else 0)
    assert found["answer"] not in ("cannot help", "already")
    assert running.poll() is None


def test_three_sentences_come_first(running: subprocess.Popen):
    _, said, _ = doctor(running.pid)
    first = said.splitlines()[:3]
    assert all(line.endswith(".") for line in first) and "libgomp" in first[0], said
    assert f"process {running.pid}" in first[0] and "\nthreads " in said


def test_a_program_is_run_as_it_is_with_its_children(team: Path):
    three = os.environ | {"OMP_NUM_THREADS": "3"}
    done = command("--json", "--", "sh", "-c", f"echo said; {team} 4; exit 5", env=three)
    found = json.loads(done.stdout)
    assert "said" in done.stderr and found["status"] == 5 and not found["ended_by_us"]
    assert names(found) == {"libgomp (GCC)"} and found["threads"]["most"] == 4
    assert {process["name"] for process in found["processes"]} == {"sh", "team"}


def test_a_program_that_takes_too_long_is_ended_with_its_children(team: Path):
    done = command("--seconds", 1, "--", "sh", "-c", f"{team} 600; true")
    assert "weir doctor ended the program after" in done.stderr and "Traceback" not in done.stderr
    eventually(lambda: running_from(team) == [])


def test_ctrl_c_keeps_what_was_found(team: Path):
    words = [sys.executable, "-m", "weir", "doctor", "--json", "--seconds", "600", "--", team]
    watching = subprocess.Popen(words, stdout=subprocess.PIPE, preexec_fn=heeding_interrupts)
    eventually(lambda: running_from(team))  # it listens before it starts the program
    time.sleep(0.5)
    watching.send_signal(signal.SIGINT)
    said, _ = watching.communicate(timeout=300)
    assert watching.returncode == 130 and json.loads(said)["interrupted"] and running_from(team) == []


def running_from(program: Path) -> list[str]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(folder / "exe") == str(program):
                found.append(folder.name)
        except OSError:
            continue
    return found


def test_a_program_without_threads_gets_no_advice_to_run_it_on_weir():
    busy = "import time\nwhile time.process_time() < 1: pass"
    found = json.loads(command("--json", "--seconds", 300, "--", sys.executable, "-c", busy).stdout)
    assert found["status"] == 0 and not any("weir run" in words for words in found["commands"])
    assert found["answer"] in ("cannot help", "unclear") and found["threads"]["most"] == 1


def test_a_program_that_is_over_at_once_is_too_short():
    done = command("--", "true")
    # On a busy machine even this program may last long enough.
    assert (done.returncode == 1) == ("too short to judge" in done.stderr)
    assert "The program ended with status 0" in done.stderr and not done.stdout


def test_a_program_of_go_or_without_a_linker_is_known_by_its_file(tmp_path: Path):
    (tmp_path / "s.c").write_text("int main(void) { for (volatile long i = 0; i < 2000000000; i++); }")
    words = ["gcc", "-static", "-O1", tmp_path / "s.c", "-o", tmp_path / "s"]
    subprocess.run(words, check=True)
    assert "statically linked" in command("--seconds", 1, "--", tmp_path / "s").stderr
    (tmp_path / "info").write_text("x")
    add = ["objcopy", "--add-section", f".go.buildinfo={tmp_path / 'info'}", tmp_path / "s"]
    subprocess.run(add, check=True)
    assert "is a program of Go" in command("--seconds", 1, "--", tmp_path / "s").stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "watch what?"),
        (["99999999"], "there is no process 99999999"),
        (["9" * 30], "there is no process"),
        (["0"], "there is no process 0"),
        (["1", "2"], "one process at a time"),
        (["--", "/no/such/program"], "no such program"),
        (["--", "/tmp"], "is a folder"),
        (["--seconds", "0", "1"], "--seconds takes a number from 0.1"),
    ],
)
def test_bad_words_are_refused(words: list[str], says: str):
    status, said, complaint = doctor(*words)
    assert status == 2 and says in complaint and not said.replace(complaint, ""), complaint


def test_a_thread_of_the_kernel_is_refused(monkeypatch: pytest.MonkeyPatch):
    process = subprocess.Popen(["sleep", "60"])
    try:
        monkeypatch.setattr(proc, "mapped", lambda _: iter(()))  # the kernel maps no files
        status, _, complaint = doctor(process.pid)
    finally:
        process.kill()
        process.wait()
    assert status == 2 and "thread of the kernel" in complaint


def test_a_process_that_ends_while_it_is_watched_is_told(monkeypatch: pytest.MonkeyPatch):
    ending = subprocess.Popen(["sleep", "600"])
    look = Watch.look

    def look_and_end(watch: Watch) -> None:
        look(watch)
        ending.kill()
        ending.wait()

    monkeypatch.setattr(Watch, "look", look_and_end)
    status, _, complaint = doctor("--seconds", 30, ending.pid)
    assert status == 2 and f"process {ending.pid} ended while it was watched" in complaint


def test_a_process_of_another_user_is_refused(monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object) -> None:
        raise proc.Denied(os.geteuid() + 1)

    monkeypatch.setattr(proc.Proc, "process", refuse)
    status, _, complaint = doctor(os.getpid())
    assert status == 2 and "belongs to another user" in complaint


def test_a_system_without_proc_is_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(proc.Proc, "there", lambda _: False)
    status, _, complaint = doctor("1")
    assert status == 2 and "/proc of Linux" in complaint
