"""Programs whose thread pools are not OpenMP's: those in C++ and Rust, sessions of them, and the best number of threads
by hand. No time decides a test."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from weir.base import native, records
from weir.workloads import measuring, programs, tables
from weir.workloads.measuring import TIME, Compared, Plan, Session
from weir.workloads.programs import POOLS, Program
from weir.workloads.results import Results
from weir.workloads.rows import ANY, AUTO, HAND, OWN, by_hand

from .. import skips
from .made_up_runs import MACHINE, cell, pair, runs, script

WORKLOADS = native.REPOSITORY / "workloads"
SMALL = {
    "pool-queue": ["--rounds", "20", "--tasks", "5", "--steps", "100"],
    "pool-barrier": ["--size", "9", "--steps", "60"],
    "pool-spin": ["--size", "9", "--steps", "12"],
    "pool-tbb": ["--rounds", "20", "--outer", "3", "--inner", "4", "--steps", "100"],
    "pool-rayon": ["--rounds", "20", "--numbers", "2000"],
}
NOT_EVERYWHERE = {"pool-tbb": [skips.mark("onetbb")], "pool-rayon": [skips.mark("rayon")]}
BUILT = {one.name: one.file for one in programs.programs() if one.group == POOLS and one.file.suffix != ".py"}


def run(program: Path, words: list[str], **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run([program, *words], env=os.environ | environment, capture_output=True, text=True, timeout=300)


def test_each_program_of_ours_is_tested():
    assert SMALL.keys() == BUILT.keys()


@pytest.mark.parametrize("name", [pytest.param(name, marks=NOT_EVERYWHERE.get(name, ())) for name in SMALL])
def test_the_result_is_the_same_for_each_number_of_threads_and_callers(name: str):
    said = {}
    for threads, callers in ((1, 1), (2, 1), (5, 1), (3, 2), (1, 9)):
        words = ["--threads", str(threads), "--callers", str(callers), "--jobs", "5"]
        done = run(BUILT[name], [*SMALL[name], *words])
        assert done.returncode == 0 and done.stderr.startswith(f"{name}: {threads} threads, "), done.stderr
        assert len(TIME.findall(done.stderr)) == 1
        assert (f", {callers} callers" in done.stderr) == (callers > 1)
        said[threads, callers] = done.stdout
    assert len(set(said.values())) == 1, said


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--threads", "0"], 'pool-spin: --threads takes a whole number from 1 to 1024, not "0"'),
        (["--spin", "1"], 'pool-spin: no option is called "--spin"; --help lists them'),
    ],
)
def test_a_wrong_option_is_refused_in_one_line(words: list[str], complaint: str):
    done = run(BUILT["pool-spin"], words)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", complaint + "\n")


def compiled(file: str, folder: Path, *how: str, spoilt: tuple[str, str] | None = None) -> Path:
    """From a copy of the sources, in which one place may be changed."""
    (folder / "pools").mkdir()
    for path in (WORKLOADS / "pools").iterdir():
        text = path.read_text()
        if spoilt and path.name == file:
            assert text.count(spoilt[0]) == 1
            text = text.replace(*spoilt)
        (folder / "pools" / path.name).write_text(text)
    made, source = folder / "program", folder / "pools" / file
    words = ["g++", "-std=c++20", "-O1", "-g1", "-pthread", *how, f"-I{folder}", f"-I{WORKLOADS}", source, "-o", made]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return made


@pytest.mark.parametrize(
    ("file", "spoilt", "complaint"),
    [
        # The barrier lets members through.
        ("spin.cpp", ("while (phase_.load(std::memory_order_acquire) == phase)", "if (phase < 0)"), "is off by"),
        # A task is executed twice.
        ("queue.cpp", ("      task();\n", "      task();\n      task();\n"), "was not computed once in each round"),
    ],
)  # fmt: skip
def test_a_wrong_result_is_told(file: str, spoilt: tuple[str, str], complaint: str, tmp_path: Path):
    program = compiled(file, tmp_path, spoilt=spoilt)
    size = ["--steps", "3000"] if file == "spin.cpp" else ["--rounds", "3"]
    done = run(program, [*size, "--threads", "3", "--jobs", "1"])
    assert done.returncode == 1 and ": wrong: " in done.stderr and complaint in done.stderr, done.stderr


@skips.mark("rayon")
def test_a_wrong_result_on_rayon_is_told(tmp_path: Path):
    sources = WORKLOADS / "pool_rayon"
    for path in sources.iterdir():
        shutil.copy(path, tmp_path / path.name)
    main, right = tmp_path / "main.rs", "*to = numbers[*from];"
    assert main.read_text().count(right) == 1
    main.write_text(main.read_text().replace(right, "*to = numbers[*from] ^ 1;"))
    subprocess.run([tmp_path / "build", tmp_path], check=True)
    done = run(tmp_path / "pool-rayon", [*SMALL["pool-rayon"], "--threads", "3", "--jobs", "1"])
    assert done.returncode == 1 and "wrong: round 0 of job 0 is not what one thread computes" in done.stderr, (
        done.stderr
    )


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("pool-queue", "`make build` makes it there"),
        ("pool-rayon", "`scripts/setup workloads` builds it"),
    ],
)
def test_a_program_that_is_not_built_is_left_out_with_a_word_on_what_builds_it(name: str, complaint: str):
    (one,) = programs.chosen([name], False)
    assert complaint in one.how_to_build()


@pytest.mark.parametrize("sanitizer", ["address,undefined", "thread"])
@pytest.mark.parametrize("name", ["pool-queue", "pool-barrier", "pool-spin"])
def test_sanitizers_find_nothing(name: str, sanitizer: str, tmp_path: Path):
    how = [f"-fsanitize={sanitizer}", "-fno-sanitize-recover=undefined"]
    program = compiled(f"{name.removeprefix('pool-')}.cpp", tmp_path, *how)
    done = run(
        program, [*SMALL[name], "--threads", "3", "--callers", "2", "--jobs", "3"], ASAN_OPTIONS="detect_leaks=0"
    )
    assert done.returncode == 0 and "Sanitizer" not in done.stderr and "runtime error" not in done.stderr, done


# ---- sessions

RIGHT = 'echo "the result"; echo "one: 2 threads, 0.25 s, 0.5 s of processors" >&2'


def measured(tmp_path: Path, program: Program, situations: tuple[str, ...], on: tuple[str, ...]) -> list[dict]:
    plan = Plan([program], (), None, 4, (), (), 1, 60.0, True, pools=Compared(situations, on))
    with records.Writer(tmp_path / "w.jsonl") as writer:
        made = Session(plan, writer)
        made.run(MACHINE["host"])
    assert list(made.complaints) == []
    return [row for row in records.read([tmp_path / "w.jsonl"])[0] if row["kind"] != "machine"]


def test_a_program_that_calls_nothing_of_openmp_is_measured_with_each_number_of_threads(tmp_path: Path):
    noted = f'echo "$* $WEIR_THREADS" >>"$0.ran"\n{RIGHT}'
    one = Program("one", script(tmp_path, "one", noted), POOLS, team="--threads")
    rows = measured(tmp_path, one, ("dedicated", "crowded"), (OWN, AUTO, HAND))
    ways = {(r["where"]["members"], r["what"]["runtime"], r["what"]["command"]) for r in rows}
    assert ways == {
        *((4, way, "--threads 4") for way in (OWN, AUTO, by_hand(1), by_hand(2))),
        *((16, way, "--threads 16") for way in (OWN, AUTO, by_hand(1), by_hand(2), by_hand(4))),
    }
    ran = (tmp_path / "one.ran").read_text().splitlines()[1:]  # the first is not measured
    each = [f"--threads {n} " for n in (1, 2, 1, 2, 4)]  # by hand
    assert sorted(ran) == sorted([*each, *(f"--threads {n} {way}" for n in (4, 16) for way in ("", AUTO))])


def test_more_threads_on_weir_alone_and_as_many_as_the_program_decides(tmp_path: Path):
    noted = f'echo "$* $OMP_NUM_THREADS $WEIR_THREADS" >>"$0.ran"\n{RIGHT}'
    one = Program("one", script(tmp_path, "one", noted), POOLS, team="--threads", long=("--long",))
    measured(tmp_path, one, ("crowded-long", "quota-defaults"), (OWN, AUTO, HAND))
    ran = (tmp_path / "one.ran").read_text().splitlines()[1:]
    long = [f"--long --threads {n} {n} " for n in (1, 2, 4, 4)]  # by hand, and on its own runtime
    assert sorted(ran) == sorted(
        [*long, f"--long --threads 16 16 {AUTO}", *(f"--threads {n} {n} " for n in (1, 2, 4)), "  ", f"  {AUTO}"]
    )


def test_callers_are_twice_as_many_as_processors(tmp_path: Path):
    text = f'[ "$1" != --help ] || exec echo "--callers N"\n{RIGHT}'
    one = Program("one", script(tmp_path, "one", text), POOLS, team="--threads", callers="--callers")
    rows = measured(tmp_path, one, ("crowded-callers",), (OWN,))
    assert [(r["what"]["command"], r["where"]["callers"]) for r in rows] == [("--threads 8 --callers 8", 8)]


def test_long_work_of_callers_is_held_against_one_thread_for_each(tmp_path: Path):
    text = f'[ "$1" != --help ] || exec echo "--callers N"\necho "$* $WEIR_THREADS" >>"$0.ran"\n{RIGHT}'
    one = Program("one", script(tmp_path, "one", text), POOLS, team="--threads", callers="--callers", long=("--long",))
    measured(tmp_path, one, ("callers-long",), (OWN, AUTO, HAND))
    ran = (tmp_path / "one.ran").read_text().splitlines()[1:]
    alone = [f"--long --threads {n} --callers 8 " for n in (1, 1, 2, 4)]  # by hand, and on its own runtime
    assert sorted(ran) == sorted([*alone, f"--long --threads 8 --callers 8 {AUTO}"])


def test_pools_are_compared_by_default_where_and_on_what_they_should_be(monkeypatch: pytest.MonkeyPatch):
    from weir.workloads import cli

    assert ANY in cli.ON_POOLS and cli.ON_POOLS[0] == OWN and HAND in cli.ON_POOLS
    plan = Plan([], ("copies-2",), None, 2, (OWN,), (), 1, 1.0, pools=Compared(("quota",), (HAND,)))
    assert plan.of(Program("one", Path("one"), POOLS)).situations == ("quota",)
    assert plan.of(Program("one", Path("one"), measuring.GCC)).situations == ("copies-2",)


# ---- what is said of records


def test_the_best_by_hand_is_held_against_weirs():
    where = cell("one", "crowded", 8)
    rows = [*pair(where, 4.0, 1.0), *runs(where, by_hand(1), 2.0), *runs(where, by_hand(2), 0.5)]
    other = cell("two", "crowded", 8)
    rows += [*pair(other, 4.0, 1.0), *runs(other, by_hand(1), 5.0)]
    third = pair(cell("three", "crowded", 8), 3.0, 1.0)
    shown = tables.of_situation(Results([*rows, *third]), "crowded")
    assert shown.heads[3:] == ["own / kernel threads", "best by hand / kernel threads"]
    last = {row[0]: row[4] for row in shown.rows}
    assert re.match(r"0\.50 \(", last["one"]) and last["one"].note == "threads: 2"
    assert re.match(r"4\.0 \(", last["two"]) and last["two"].note == "threads: 8"
    fits = tables.of_situation(
        Results(
            [*pair(cell("one", "crowded-long", 8), 4.0, 1.0), *runs(cell("one", "crowded-long", 8), by_hand(1), 5.0)]
        ),
        "crowded-long",
    )
    assert fits.rows[0][4].note == "threads: as many as processors"
    assert last["three"] == "–" and all(len(row) == len(shown.heads) for row in shown.rows)
    assert tables.of_situation(Results(third), "crowded").heads[3:] == ["own / kernel threads"]
