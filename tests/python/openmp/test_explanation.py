"""WEIR_EXPLAIN: at its end, a program says on how many processors the regions of each place computed, and why."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from .. import skips
from ..openmp_programs import C_COMPILERS, COMPILERS, OPENMP, say

pytestmark = skips.mark("own", "other runtimes choose nothing")

PROGRAM = """
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
long sum;
static int often(int times, double seconds) {
  int i = 0;
  for (const double end = omp_get_wtime() + seconds; i < times || omp_get_wtime() < end; ++i) {
#pragma omp parallel num_threads(4) /* often */
#pragma omp atomic
    ++sum;
  }
  return i;
}
static void *thread(void *unused) {
  often(3000, 0);
  return unused;
}
int main(void) {
  pthread_t other;
  pthread_create(&other, 0, thread, 0);
  pthread_join(other, 0);
  const int many = often(atoi(getenv("OFTEN")), atof(getenv("SECONDS")));
  printf("%d\\n", many);
  if (getenv("WITHOUT_ONCE")) return sum != 4 * (many + 3000L);
#pragma omp parallel num_threads(3) /* once */
#pragma omp atomic
  ++sum;
  return sum != 4 * (many + 3000L) + 3;
}
"""
TIME = r"[\d.]+ us \([\d.]+ to [\d.]+\)"
NUMBER = r"(?:all processors|one processor|\d+ processors)"
TRIED = rf", {TIME} from one region to the next; on {NUMBER} {TIME}"
PARTS = r"[\d.]+ \([\d.]+ to [\d.]+\)"
SAVED = rf"; takes {PARTS} of the time on all processors; num_threads\(\d\) here would do as well"
HOW = {
    "all": rf"all processors(?:; not tried yet|{TRIED})",
    "fewer": rf"(?:one processor|\d processors){TRIED}{SAVED}",
    "once": "all processors; one region: nothing to try",
}
# Where other programs happen to run.
BEGUN = re.compile(r"weir:   it has begun on \d+ processors?, because threads of other programs ran")
COST = re.compile(r"weir:   trials have taken ([\d.]+) % of the time")


@pytest.fixture(scope="module", params=C_COMPILERS)
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("explanation")
    (folder / "many.c").write_text(PROGRAM)
    words = [*COMPILERS[".c"][request.param], OPENMP[request.param], "-O1", "-g", "-pthread"]
    subprocess.run([*words, folder / "many.c", "-o", folder / "many"], check=True, capture_output=True)
    return folder / "many"


AS_USUAL = {"WEIR_THREADS": "auto", "OFTEN": "400000", "SECONDS": "0"}


def explained(program: Path, environment: dict[str, str], **more: str) -> tuple[int, list[str]]:
    """How often it has had the region, and what is told."""
    status, said, _ = say(program, environment | AS_USUAL | {"WEIR_EXPLAIN": "true"} | more, 4, seconds=600)
    assert status == 0, said
    many, *lines = said.splitlines()
    return int(many), [line for line in lines if BEGUN.fullmatch(line) is None]


def line_of(word: str) -> int:
    return 1 + PROGRAM.split(f"/* {word} */")[0].count("\n")


# For so many seconds. Beside other programs, as other tests are, 4 s and more may pass before a trial.
LONGER = ("3", "8", "40", "160")


def test_each_place_is_told(environment: dict[str, str], program: Path):
    place_is_told(*explained(program, environment))


def test_each_place_is_told_with_its_trial(environment: dict[str, str], program: Path):
    for seconds in LONGER:
        many, lines = explained(program, environment, SECONDS=seconds)
        place_is_told(many, lines)
        if any("from one region to the next" in line for line in lines):
            return
    raise AssertionError(lines)


def place_is_told(often: int, said: list[str]) -> None:
    head, *lines = said
    assert head.startswith("weir: the processors of the parallel regions of many, by place")
    costs = [COST.fullmatch(line) for line in lines]
    places = [line for line, cost in zip(lines, costs, strict=True) if cost is None]
    assert all(float(cost[1]) < 100 for cost in costs if cost is not None)
    # The compilers name the directive's line, or that of the code in it.
    seen = {}
    for place in places:
        found = re.fullmatch(r"weir:   many\.c:(\d+) \(.*\), (\d) threads, (\d+) regions?: on (.*)", place)
        assert found, place
        line, size, regions, how = found.groups()
        name = "often" if size == "4" else "once"
        assert line_of(name) <= int(line) <= line_of(name) + 2
        seen[name] = seen.get(name, 0) + int(regions)
        form = "once" if name == "once" else "all" if how.startswith("all") else "fewer"
        assert re.fullmatch(HOW[form], how), place
    # Those of the thread that has ended, too.
    assert seen == {"often": often + 3000, "once": 1}


def test_a_number_for_the_whole_program_is_told(environment: dict[str, str], program: Path):
    """If all places have come to the same number; what they come to is the machine's to say."""
    _, (_, *lines) = explained(program, environment, SECONDS="8", WITHOUT_ONCE="1")
    places = [line for line in lines if ", 4 threads, " in line]
    chosen = {re.search(r"regions: on (one|all|\d+) processors?", place)[1].replace("one", "1") for place in places}
    hints = [found[1] for line in lines if (found := re.match(r"weir:   OMP_NUM_THREADS=(\d+) for the whole", line))]
    assert hints == (list(chosen) if len(chosen) == 1 and chosen != {"all"} else []), lines


@pytest.mark.parametrize(
    ("variables", "why"),
    [
        ({"WEIR_THREADS": "kernel"}, "teams are threads of the kernel"),
        ({"WEIR_ADAPT": "false"}, "WEIR_ADAPT is false"),
        ({"OMP_PROC_BIND": "true"}, "threads are bound"),
    ],
)
def test_nothing_is_chosen(environment: dict[str, str], program: Path, variables: dict[str, str], why: str):
    _, (line,) = explained(program, environment, OFTEN="1000", **variables)
    assert line.startswith("weir: nothing has been chosen for the parallel regions of many: ") and why in line


def test_threads_of_any_library_are_told(environment: dict[str, str], runtime: Path):
    code = "from threading import Thread; [Thread(target=sum, args=[range(10**7)]).start() for _ in range(5)]"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment | {"WEIR_THREADS": "all", "WEIR_EXPLAIN": "1", "LD_PRELOAD": str(runtime)},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    line, *lines = done.stderr.splitlines()
    assert re.search(r"has had 6 threads, at most \d+ at once, on \d+ processors: ", line), line
    # Beside other tests, this line may follow: the threads wait for one that holds Python's lock and has no processor.
    fewer = re.compile(r"have taken fewer processors, \d+ at least: they waited for each other while other programs")
    assert len(lines) <= 1 and all(fewer.search(other) for other in lines), lines


ENDS = r"""
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static int members;
static void *thread(void *unused) { return unused; }
int main(int argc, char **argv) {
  pthread_t other;
  for (int i = 1; i < argc; ++i) {
    const char *how = argv[i];
    if (!strcmp(how, "thread") && (pthread_create(&other, 0, thread, 0) || pthread_join(other, 0))) return 1;
    if (!strcmp(how, "region")) {
#pragma omp parallel num_threads(2)
#pragma omp atomic
      ++members;
    }
    if (!strcmp(how, "forks") && fork() == 0) _exit(0);
    if (!strcmp(how, "vforks") && vfork() == 0) _exit(0);
    if (!strcmp(how, "close")) close(2);
    if (!strcmp(how, "replace") && (close(2), dup2(1, 2) != 2)) return 1;
    if (!strcmp(how, "_exit")) _exit(0);
    if (!strcmp(how, "_Exit")) _Exit(0);
    if (!strcmp(how, "quick_exit")) quick_exit(0);
  }
  while (wait(0) > 0) continue;
}
"""
NO_THREADS = "weir: ends has created no threads\n"
IDLE = "weir: ends has had 2 threads, at most 2 at once, on \\d+ processors: .*\n"
NOT_TOLD = "weir: what was chosen for the parallel regions of ends is not told: it ended by _exit() or quick_exit()\n"


@pytest.fixture(scope="module")
def ends(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ends")
    (folder / "ends.c").write_text(ENDS)
    words = [*COMPILERS[".c"]["gcc"], OPENMP["gcc"], "-O1", "-w", "-D_GNU_SOURCE", "-pthread"]
    subprocess.run([*words, folder / "ends.c", "-o", folder / "ends"], check=True, capture_output=True)
    return folder / "ends"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("", re.escape(NO_THREADS)),
        ("close", re.escape(NO_THREADS)),
        ("replace", re.escape(NO_THREADS)),
        ("_exit", re.escape(NO_THREADS)),
        ("_Exit", re.escape(NO_THREADS)),
        ("quick_exit", re.escape(NO_THREADS)),
        ("forks vforks", re.escape(NO_THREADS)),
        ("thread", IDLE),
        ("thread close _exit", IDLE),
        ("region _exit", re.escape(NOT_TOLD)),
        ("region quick_exit", re.escape(NOT_TOLD)),
    ],
)
def test_a_line_is_said_whatever_ends_the_program(environment: dict, ends: Path, runtime: Path, words: str, line: str):
    done = subprocess.run(
        [ends, *words.split()],
        env=environment | {"WEIR_THREADS": "auto", "WEIR_EXPLAIN": "1", "LD_PRELOAD": str(runtime)},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert re.fullmatch(line, done.stderr) and done.stdout == "", done


def test_without_members_the_threads_are_not_counted(environment: dict[str, str], ends: Path, runtime: Path):
    for threads in ("kernel", "user"):
        more = {"WEIR_THREADS": threads, "WEIR_EXPLAIN": "1", "LD_PRELOAD": str(runtime)}
        done = subprocess.run([ends, "thread"], env=environment | more, capture_output=True, text=True, check=True)
        assert done.stderr == (
            "weir: ends has begun no parallel region, and the kernel schedules its threads (WEIR_THREADS)\n"
        )


def test_nothing_is_said_unless_asked(environment: dict[str, str], program: Path):
    assert re.fullmatch(r"\d+\n", say(program, environment | AS_USUAL, 4)[1])
