"""weir bench --mine: barriers of a user's own, in C and C++, right and wrong."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weir.barriers import custom
from weir.base import native, records
from weir.cli import app

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "mine.c"
# By the standard library, under the names that the header gives.
CPP = """
#include <barrier>
#include <weir/mine.h>
void* barrier_create(unsigned members) { return new std::barrier<>(members); }
void barrier_wait(void* barrier, unsigned) { static_cast<std::barrier<>*>(barrier)->arrive_and_wait(); }
void barrier_destroy(void* barrier) { delete static_cast<std::barrier<>*>(barrier); }
"""
WRONG = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static pthread_barrier_t one;
static int measured(void) {
  char words[4096] = "";
  FILE *file = fopen("/proc/self/cmdline", "r");
  size_t n = fread(words, 1, sizeof words, file);
  fclose(file);
  return memmem(words, n, "serve", 5) != NULL;
}
void *barrier_create(unsigned members) { pthread_barrier_init(&one, NULL, members); CREATE return &one; }
void barrier_wait(void *barrier, unsigned member) { (void)member; WAIT; pthread_barrier_wait(barrier); }
void barrier_destroy(void *barrier) { pthread_barrier_destroy(barrier); }
int (*const used)(void) = measured;
"""
SHORT = ["--algorithms", "sense", "--waiting", "auto", "--no-peers", "--rounds", "1", "--samples", "4"]

PROCESSORS = sorted(os.sched_getaffinity(0))[:2]


def wrong(folder: Path, name: str, wait: str = "", create: str = "") -> Path:
    path = folder / name
    path.write_text("#define _GNU_SOURCE\n" + WRONG.replace("CREATE", create).replace("WAIT", wait))
    return path


def bench(*files: Path, members: str = "2", output: Path) -> tuple[int, str, list[dict]]:
    words = [word for file in files for word in ("--mine", str(file))]
    command = ["bench", *words, *SHORT, "--members", members, "-o", str(output)]
    done = CliRunner().invoke(app, command, env={"COLUMNS": "300"})
    rows, complaints = records.read([output]) if output.exists() else ([], [])
    assert complaints == []
    return done.exit_code, " ".join(done.output.split()), rows


def of(rows: list[dict], kind: str, family: str = "mine") -> list[dict]:
    return [r for r in rows if r["kind"] == kind and r["what"]["family"] == family]


def test_a_barrier_in_c_and_one_in_cpp_are_ranked_among_all(tmp_path: Path):
    (tmp_path / "standard.cpp").write_text(CPP)
    processors = len(os.sched_getaffinity(0))
    status, said, rows = bench(EXAMPLE, tmp_path / "standard.cpp", members="2,3", output=tmp_path / "r.jsonl")
    assert status == 0, said
    made = of(rows, "overhead")
    assert {(r["what"]["id"], r["where"]["members"]) for r in made} == {
        (i, n) for i in ("mine:mine.c", "mine:standard.cpp") for n in (2, 3)
    }
    assert all(min(r["samples"]["episode_ns"]) > 0 for r in made)
    assert of(rows, "overhead", "weir") and of(rows, "overhead", "floor")
    assert said.count("Weir's default") >= 4 and f"mine.c with 3 threads on {processors} processors" in said
    page = CliRunner().invoke(app, ["report", str(tmp_path / "r.jsonl"), "-o", str(tmp_path / "r.html")])
    assert page.exit_code == 0 and "standard.cpp" in (tmp_path / "r.html").read_text()


def test_a_library_will_do(tmp_path: Path):
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", EXAMPLE, "-o", tmp_path / "built.so"], check=True)
    status, said, rows = bench(tmp_path / "built.so", output=tmp_path / "r.jsonl")
    assert status == 0 and {r["what"]["algorithm"] for r in of(rows, "overhead")} == {"built"}, said


def test_one_that_lets_a_member_through_early_is_not_measured_and_the_others_are(tmp_path: Path):
    early = wrong(tmp_path, "early.c", "return")
    status, said, rows = bench(early, EXAMPLE, members="4", output=tmp_path / "r.jsonl")
    assert status == 1
    assert "early.c: it let member" in said and "(team of 4, episode 1): it is left out" in said, said
    assert "had arrived" in said and "early.c: not measured" in said
    (failed,) = of(rows, "failure")
    assert failed["what"]["id"] == "mine:early.c" and "had arrived" in failed["how"]["stopped"]
    assert {r["what"]["id"] for r in of(rows, "overhead")} == {"mine:mine.c"} and of(rows, "overhead", "weir")


def test_one_that_is_right_at_first_is_found_out(tmp_path: Path):
    """A counter that is never set back: the second episode does not wait."""
    (tmp_path / "once.c").write_text(
        EXAMPLE.read_text()
        .replace("atomic_store_explicit(&b->arrived, 0, memory_order_relaxed);", "")
        .replace("+ 1 == b->members", "+ 1 >= b->members")
    )
    with custom.prepared([tmp_path / "once.c"]) as (subject,):
        why = custom.broken_promise(subject, 3, PROCESSORS, True)
    assert why and why.startswith("once.c: it let member") and "episode 1)" not in why


def test_one_that_hangs_is_told_of_and_left_out(tmp_path: Path):
    hangs = wrong(tmp_path, "hangs.c", "if (member == 1) for (;;) pause()")
    with custom.prepared([hangs]) as (subject,):
        why = custom.broken_promise(subject, 3, PROCESSORS, False)
    assert why == "hangs.c: it hangs: 3 of 3 members did not leave within 5 s (team of 3, episode 1)"


def test_one_that_crashes_is_told_of(tmp_path: Path):
    with custom.prepared([wrong(tmp_path, "crash.c", "if (member == 1) abort()")]) as (subject,):
        assert custom.broken_promise(subject, 2, PROCESSORS, True) == "crash.c: it crashed (SIGABRT) (team of 2)"


def test_a_crash_while_it_is_measured_costs_its_own_rows_alone(tmp_path: Path):
    later = wrong(tmp_path, "later.c", "if (measured()) abort()")
    status, said, rows = bench(later, output=tmp_path / "r.jsonl")
    assert status == 0 and "mine:later.c, 2 threads, run 1: weir-measure ended with status -6" in said, said
    assert [r["what"]["id"] for r in of(rows, "failure")] == ["mine:later.c"]
    assert {r["how"]["starts"] for r in of(rows, "overhead", "weir")} == {1}, "the others' process was not hit"


def test_one_that_is_not_for_every_team_is_measured_with_the_others(tmp_path: Path):
    even = wrong(tmp_path, "even.c", create="if (members % 2) return NULL;")
    status, said, rows = bench(even, members="2,3", output=tmp_path / "r.jsonl")
    assert status == 0 and "barrier_create(3) returned NULL" in said, said
    assert [r["where"]["members"] for r in of(rows, "overhead")] == [2]
    assert [r["where"]["members"] for r in of(rows, "failure")] == [3]


def _bad(folder: Path) -> dict[str, tuple[list[Path], str]]:
    (folder / "typo.c").write_text("int f(void) { return one; }\nint g(void) { return two; }\n")
    (folder / "mangled.cpp").write_text(CPP.replace("#include <weir/mine.h>", ""))
    (folder / "text.so").write_text("no library")
    (folder / "other").mkdir()
    shutil.copy(EXAMPLE, folder / "other" / "mine.c")
    (folder / "plain.txt").write_text("")
    prints = (
        wrong(folder, "prints.c").read_text() + '\n__attribute__((constructor)) static void say(void) { puts("hi"); }'
    )
    (folder / "prints.c").write_text(prints)
    return {
        "typo": ([folder / "typo.c"], "typo.c does not compile"),
        "mangled": ([folder / "mangled.cpp"], 'it has no function barrier_create (in C++ it must be extern "C"'),
        "text": ([folder / "text.so"], "text.so: file too short"),
        "twice": ([EXAMPLE, folder / "other" / "mine.c"], "two files are called mine.c"),
        "suffix": ([folder / "plain.txt"], "--mine takes a C or C++ file, or a shared library (.so)"),
        "prints": ([folder / "prints.c"], "it prints to stdout"),
    }


@pytest.mark.parametrize("what", ["typo", "mangled", "text", "twice", "suffix", "prints"])
def test_what_cannot_be_measured_is_told_of_before_anything_is(tmp_path: Path, what: str):
    files, expected = _bad(tmp_path)[what]
    status, said, rows = bench(*files, output=tmp_path / "r.jsonl")
    assert status == 2 and expected in said and not rows, said
    if what == "typo":
        assert said.count("error:") == 2 and "cc -std=gnu11" in said, "all that the compiler says"


def test_without_a_compiler_it_is_said_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CC", "no-such-compiler -O3")
    status, said, _ = bench(EXAMPLE, output=tmp_path / "r.jsonl")
    assert status == 2 and "there is no compiler no-such-compiler: install one" in said and "CC" in said


def test_the_users_compiler_and_flags_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CC", "gcc -DONE=1")
    monkeypatch.setenv("CFLAGS", "-DTWO=2 -Werror")
    (tmp_path / "mine.c").write_text('_Static_assert(ONE + TWO == 3, "flags");\n' + EXAMPLE.read_text())
    with custom.prepared([tmp_path / "mine.c"]) as (subject,):
        assert subject.id == "mine:mine.c"


def test_another_text_under_the_same_name_is_another_barrier(tmp_path: Path):
    (tmp_path / "mine.c").write_text(EXAMPLE.read_text() + "\n")
    with custom.prepared([tmp_path / "mine.c"]) as (changed,), custom.prepared([EXAMPLE]) as (before,):
        assert changed.id == before.id and changed.version != before.version


def test_the_check_is_the_measuring_programs_own(tmp_path: Path):
    with custom.prepared([EXAMPLE]) as (subject,):
        words = [native.require("weir-measure"), "check", *subject.options, "--members", "3"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and '"episodes":' in done.stdout
