"""The measuring scripts begin without the project's environment: they take it by themselves."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from weir.openmp.situation import PROCESSORS

from ..conftest import alive, eventually

SCRIPTS = Path(__file__).parents[3] / "scripts"


@pytest.mark.parametrize(
    "name",
    [
        "share-processors",
        "compare-copies",
        "compare-phases",
        "follow-shares",
        "compare-with-epcc",
        "compare-startup",
        "compare-blocking",
        "measure-hosts",
        "random-programs",
        "every-level",
        "fault-threads",
        "compare-servers",
        "compare-python-suites",
        "prove-newest-clang",
    ],
)
def test_each_begins_and_says_how_it_is_used(name: str):
    done = subprocess.run(["/usr/bin/python3", SCRIPTS / name, "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "usage" in done.stdout, done.stderr


def test_what_the_user_has_set_is_left_out_in_one_place():
    """starting.without_settings(): a list of prefixes in each script would miss some."""
    files = [script for script in SCRIPTS.iterdir() if script.is_file()]
    assert not [script.name for script in files if 'startswith(("OMP_' in script.read_text()]


@pytest.mark.parametrize("words", [["share-processors"], ["share-processors", "--share"], ["compare-startup"]])
def test_runtimes_that_are_not_there_are_named(words: list[str]):
    name, *options = words
    done = subprocess.run([SCRIPTS / name, *options, "--runtimes", "nonsense"], capture_output=True, text=True)
    assert done.returncode == 2 and "nonsense" in done.stderr and "Traceback" not in done.stderr, done.stderr


def test_copies_are_compared_as_they_are_and_on_weir(tmp_path: Path):
    words = ["--programs", "pool-queue", "--copies", "2", "--rounds", "1", "-o", tmp_path / "table.md"]
    done = subprocess.run([SCRIPTS / "compare-copies", *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    head, _, row = (tmp_path / "table.md").read_text().splitlines()
    assert len(head.split("|")) == len(row.split("|")) == 6 and row.startswith("| pool-queue | "), row
    assert all(float(cell.split()[0]) > 0 for cell in row.split("|")[2:-1])


def test_copies_that_take_too_long_end_and_have_no_figure(tmp_path: Path):
    words = ["--programs", "pool-queue", "--copies", "2", "--rounds", "1", "--limit-s", "0.01"]
    done = subprocess.run([SCRIPTS / "compare-copies", *words], capture_output=True, text=True)
    assert done.returncode == 1 and "one copy of pool-queue takes longer than 0.01 s" in done.stderr


INTERPRETER = """#!/bin/sh
# As `python -m test --junit-xml=FILE SUITE`.
echo "$WEIR_THREADS $OMP_NUM_THREADS" >>"$0.ran"
its=
[ "$WEIR_THREADS" != all ] || its='<failure/>'
cat >"${3#*=}" <<END
<testsuites><testcase name="one" status="run">$its</testcase>
<testcase name="two" status="run"><system-out>said</system-out></testcase>
<testcase name="three" status="run"><skipped>no</skipped></testcase></testsuites>
END
"""


def test_suites_of_python_are_counted_for_each_kind_of_threads(tmp_path: Path):
    python, library, table = tmp_path / "python", tmp_path / "library.so", tmp_path / "table.md"
    python.write_text(INTERPRETER)
    python.chmod(0o755)
    library.touch()
    words = ["--python", python, "--library", library, "--runs", "1", "--threads", "all,auto", "-o", table, "a_suite"]
    environment = os.environ | {"WEIR_THREADS": "user", "OMP_NUM_THREADS": "7", "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run([SCRIPTS / "compare-python-suites", *words], capture_output=True, text=True, env=environment)
    assert (tmp_path / "python.ran").read_text() == " \nall \nauto \n", "what the user has set is left out"
    assert table.read_text().splitlines()[-1] == "| `a_suite` | 2 / 0 / 1 | 1 / 1 / 1 | 2 / 0 / 1 |", done.stderr
    assert done.returncode == 1 and "    one: failed\n" in done.stdout


SYNCBENCH = r"""
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  const char *names[] = {"BARRIER", "PARALLEL", "CRITICAL", "FOR", "PARALLEL FOR", "SINGLE"}, *policy = getenv("OMP_WAIT_POLICY");
  FILE *said = fopen(getenv("SAID"), "a");
  fprintf(said, "theirs %s %s\n", getenv("OMP_NUM_THREADS"), policy ? policy : "");
  for (int i = 0; i < 6; ++i) printf("%s   median_ovrhd = 1.0 microseconds\n", names[i]);
  return fclose(said);
}
"""  # noqa: E501
OURS = """#!/bin/sh
echo "ours $OMP_NUM_THREADS $OMP_WAIT_POLICY" >>"$SAID"
while read -r asked; do
  [ "$asked" != quit ] || exit 0
  echo '{"overhead_ns": 1000}'
done
"""


def test_neither_suite_hears_what_the_user_has_set(tmp_path: Path):
    for name, text in (("common.c", ""), ("common.h", ""), ("syncbench.c", SYNCBENCH), ("weir-openmp-c-gcc", OURS)):
        (tmp_path / name).write_text(text)
    (tmp_path / "weir-openmp-c-gcc").chmod(0o755)
    set_by_user = {"OMP_WAIT_POLICY": "active", "OMP_NUM_THREADS": "7", "WEIR_NATIVE": str(tmp_path)}
    environment = os.environ | set_by_user | {"SAID": str(tmp_path / "said")}
    words = [tmp_path, "--rounds", "1", "--threads", "2"]
    done = subprocess.run([SCRIPTS / "compare-with-epcc", *words], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "said").read_text() == "ours 2 \ntheirs 2 \n"


PHASES = [SCRIPTS / "compare-phases", "--choices", "one", "--rounds", "1", "--threads", "2"]


def test_each_choice_goes_through_each_phase(tmp_path: Path):
    words = [*PHASES, "--seconds", "0.1", "-o", tmp_path / "table.md"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    head, _, auto, one = [line.split("|")[1:-1] for line in (tmp_path / "table.md").read_text().splitlines()]
    phases = 3 if "no quota" in done.stderr else 4
    assert len(head) == phases + 3 and [row[0].strip() for row in (auto, one)] == ["auto", "one"]
    assert all(float(cell) > 0 for row in (auto, one) for cell in row[1 : phases + 2])
    total, others = (float(row[phases + 1]) for row in (auto, one))
    assert float(one[-1].split()[0]) == pytest.approx(total / others, rel=0.05)


@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGTERM])
def test_phases_that_are_interrupted_leave_nothing_behind(asked: signal.Signals):
    """While the first choice is beside others: the program, two busy processes and a control group are there."""
    script = subprocess.Popen([*PHASES, "--seconds", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    children = Path(f"/proc/{script.pid}/task/{script.pid}/children")
    eventually(lambda: len(children.read_text().split()) > len(PROCESSORS))
    started = [int(child) for child in children.read_text().split()]
    script.send_signal(asked)
    said, complaints = script.communicate(timeout=300)
    assert (script.returncode, said) == (130, "") and "Traceback" not in complaints, complaints
    assert not any(map(alive, started))
    assert not list(Path("/sys/fs/cgroup").rglob(f"weir-{script.pid}-*"))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--choices", "best"], "no choice is called"),
        (["--work-us", "1,x"], "could not convert"),
        (["--rounds", "0"], "a round"),
    ],
)
def test_wrong_phases_are_refused(words: list[str], says: str):
    done = subprocess.run([SCRIPTS / "compare-phases", *words], capture_output=True, text=True)
    assert done.returncode == 2 and says in done.stderr, done.stderr
