"""weir run: how a program is started, and what it is said to need."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weir.cli import app
from weir.openmp.runtimes import OPENMPS, runtimes
from weir.run import elf, left_out, needs, starting

from ..openmp_programs import CLANG

PROGRAM = """
#include <omp.h>
#include <stdio.h>
int main(int count, char **words) {
  int members = 0;
#pragma omp parallel reduction(+ : members)
  members += omp_get_num_threads() > 0;
  printf("%d members, %d words\\n", members, count);
  return count;
}
"""
# A runtime that has a little: versions as libgomp's, one symbol without.
LITTLE = """
void GOMP_parallel(void (*work)(void *), void *data, unsigned threads, unsigned flags) { work(data); }
int omp_get_num_threads(void) { return 1; }
int unversioned(void) { return 1; }
void GOMP_barrier(void) {}
void weir_lacks_GOMP_barrier(void) {}
"""
VERSIONS = "GOMP_1.0 { GOMP_barrier; };\nGOMP_4.0 { GOMP_parallel; };\nOMP_1.0 { omp_get_num_threads; };\n"


def compiled(text: str, to: Path, *options: object, compiler: str = "gcc") -> Path:
    source = to.with_suffix(".c")
    source.write_text(text)
    subprocess.run([compiler, "-O1", "-w", source, "-o", to, *options], check=True)
    return to


@pytest.fixture
def program(tmp_path: Path) -> Path:
    return compiled(PROGRAM, tmp_path / "program", "-fopenmp")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where Weir's runtime is looked for; nothing is there."""
    (tmp_path / "bench").mkdir()
    (tmp_path / "src").mkdir()
    monkeypatch.setenv("WEIR_NATIVE", str(tmp_path / "bench"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("LD_PRELOAD", "LD_LIBRARY_PATH", "WEIR_BARRIER"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "src"


@pytest.fixture
def little(folder: Path) -> Path:
    (folder / "versions").write_text(VERSIONS)
    return compiled(
        LITTLE, folder / starting.LIBRARY, "-shared", "-fPIC", f"-Wl,--version-script={folder / 'versions'}"
    )


@pytest.fixture
def whole(folder: Path) -> Path:
    """In the place of Weir's runtime: libgomp, which has all that the program wants."""
    own = next(r for r in runtimes() if r.name == "libgomp").library
    return Path(shutil.copy(own, folder / starting.LIBRARY))


def weir_run(*words: object, **how) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "weir", "run", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **how)


def said(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["run", *map(str, words)], env={"COLUMNS": "400"})
    return done.exit_code, " ".join(done.output.split())


def test_a_program_keeps_its_words_output_and_status(whole: Path, program: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    done = weir_run("--", program, "--barrier", "-x")
    assert (done.returncode, done.stdout, done.stderr) == (3, "3 members, 3 words\n", "")
    done = weir_run(program, "--check")  # what follows the program is its own
    assert (done.returncode, done.stdout) == (2, "3 members, 2 words\n")


def test_input_and_signals_pass_through(whole: Path):
    assert weir_run("--", "cat", input="a word").stdout == "a word"
    assert weir_run("--", "sh", "-c", "kill -TERM $$").returncode == -signal.SIGTERM


def test_it_runs_on_the_runtime_and_so_does_what_it_opens(whole: Path, program: Path):
    # Also under the names of the others: nothing of theirs is mapped besides.
    maps = weir_run("--", "sh", "-c", f"LD_TRACE_LOADED_OBJECTS=1 {program}").stdout
    assert str(whole) in maps
    there = [Path(line.split()[2]).resolve() for line in maps.splitlines() if "libgomp.so.1 =>" in line]
    assert all(path == whole for path in there)
    names = starting.names(whole)
    assert {p.name for p in names.iterdir()} == set(OPENMPS)
    assert {p.resolve() for p in names.iterdir()} == {whole}


def test_a_program_has_its_own_onetbb(whole: Path):
    # Programs use both, and earlier versions gave Weir's library oneTBB's name, in a folder that is kept.
    (left := starting.names(whole) / "libtbb.so.12").symlink_to(whole)
    starting.names(whole)
    assert not left.is_symlink()


def test_what_the_user_has_set_can_be_left_out(monkeypatch: pytest.MonkeyPatch):
    for name in ("OMP_NUM_THREADS", "GOMP_SPINCOUNT", "KMP_AFFINITY", "WEIR_THREADS"):
        monkeypatch.setenv(name, "7")
    monkeypatch.setenv("HOME", "/here")
    plain = starting.without_settings()
    made = starting.environment(Path("/lib/x.so"), {}, plain | {"OMP_NUM_THREADS": "3"})
    assert plain["HOME"] == made["HOME"] == "/here" and not [
        n for n in plain if n.startswith(("OMP_", "GOMP_", "KMP_", "WEIR_"))
    ]
    assert made["OMP_NUM_THREADS"] == "3" and made["WEIR_THREADS"] == starting.BY_DEFAULT and "KMP_AFFINITY" not in made


def test_the_environment_is_what_was_asked_for(whole: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LD_LIBRARY_PATH", "/mine")
    seen = dict(line.split("=", 1) for line in weir_run("--barrier", "mcs", "--", "env").stdout.splitlines())
    assert seen["WEIR_BARRIER"] == "mcs"
    assert seen["LD_PRELOAD"] == str(whole)
    assert seen["LD_LIBRARY_PATH"] == f"{starting.names(whole)}:/mine"
    assert "WEIR_BARRIER" not in weir_run("--", "env").stdout


def test_sharing_is_asked_for(whole: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("WEIR_SHARE", raising=False)
    assert "WEIR_SHARE" not in weir_run("--", "env").stdout
    seen = weir_run("--share", "--weight", "3", "--", "env").stdout.splitlines()
    assert "WEIR_SHARE=node" in seen and "WEIR_WEIGHT=3" in seen
    assert "WEIR_WEIGHT" not in weir_run("--share", "--", "env").stdout
    assert said("--weight", "3", "--", "env") == (2, "weir: run: --weight goes with --share only")
    assert "--share does not go with" in said("--share", "--compare", "--", "env")[1]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "glibc.pthread.stack_cache_size=1073741825"),
        ("glibc.malloc.check=1", "glibc.pthread.stack_cache_size=1073741825:glibc.malloc.check=1"),
        ("glibc.pthread.stack_cache_size=0", "glibc.pthread.stack_cache_size=0"),
    ],
)
def test_stacks_of_ended_threads_are_kept(whole: Path, monkeypatch: pytest.MonkeyPatch, before: str, after: str):
    monkeypatch.setenv("GLIBC_TUNABLES", before)
    seen = dict(line.split("=", 1) for line in weir_run("--", "env").stdout.splitlines())
    assert seen["GLIBC_TUNABLES"] == after


def test_a_barrier_that_is_not_there_is_told_of(native_folder: Path, program: Path):
    shutil.copy(next(r for r in runtimes() if r.name == "libgomp").library, native_folder / starting.LIBRARY)
    status, text = said("--barrier", "mrs", "--", program)
    assert status == 2 and "no barrier is called 'mrs'" in text and "sense" in text


def test_what_is_not_there_fails_the_check(little: Path, tmp_path: Path):
    program = compiled(
        PROGRAM.replace("return count", "omp_set_num_threads(2); return count"), tmp_path / "p", "-fopenmp"
    )
    status, text = said("--check", program)
    assert status == 1
    assert "GOMP_parallel │ GOMP_4.0 │ p │ yes" in text
    assert "omp_get_num_threads │ OMP_1.0 │ p │ yes" in text
    assert "omp_set_num_threads │ OMP_1.0 │ p │ missing" in text
    assert "1 of 3 are missing" in text


OPENACC = """
#include <openacc.h>
int main(void) {
  int sum = acc_get_num_devices(acc_device_host);
#pragma acc parallel loop reduction(+ : sum)
  for (int i = 0; i < 10; ++i) sum += i;
  return sum;
}
"""


def test_openacc_is_said_to_be_left_out(little: Path, tmp_path: Path):
    status, text = said("--check", compiled(OPENACC, tmp_path / "p", "-fopenacc"))
    assert status == 1 and "2 of 2 are missing" in text and "newer Weir" not in text
    assert "GOACC_parallel_keyed │ GOACC_2.0.1 │ p │ missing: OpenACC" in text
    assert "This is OpenACC, which Weir does not implement: GOACC_parallel_keyed, acc_get_num_devices." in text


OF_6 = ["omp_init_mempartitioner", "omp_destroy_mempartition_", "omp_mempartition_set_part", "__kmpc_taskgraph_task"]


def test_routines_of_openmp_6_are_said_to_be_left_out(little: Path, tmp_path: Path):
    before_6 = ["omp_set_num_teams", "omp_is_initial_device", "omp_get_default_allocator", "omp_target_memcpy_async"]
    calls = "".join(f"void {name}(void);\n" for name in [*OF_6, *before_6])
    calls += f"void call(void) {{ {' '.join(f'{name}();' for name in [*OF_6, *before_6])} }}"
    program = compiled(calls, tmp_path / "p", "-shared", "-fPIC", "-Wl,--no-as-needed")
    seen = needs.needs(program, little)
    assert {n.symbol.name for n in seen.missing if n.left_out == "OpenMP 6.0"} == set(OF_6)
    assert {n.symbol.name for n in seen.missing if n.left_out is None} == set(before_6)
    status, text = said("--check", program)
    assert status == 1, text
    assert f"This is OpenMP 6.0, which Weir does not implement: {', '.join(sorted(OF_6))}." in text
    assert "or build a newer Weir" in text


def test_a_function_is_known_for_one_of_openmp_6_by_its_version():
    assert left_out.standard(elf.Symbol("omp_to_come", "OMP_6.0")) == left_out.OPENMP_6
    assert left_out.standard(elf.Symbol("omp_here", "OMP_5.2")) is None
    assert left_out.standard(elf.Symbol("acc_of_their_own", "")) is None


def test_a_stub_is_not_there(little: Path, tmp_path: Path):
    text = "int main(void) {\n#pragma omp parallel\n  {\n#pragma omp barrier\n  }\n  return 0;\n}\n"
    program = compiled(text, tmp_path / "p", "-fopenmp")
    status, text = said("--check", program)
    assert status == 1 and "1 of 2 are missing" in text
    assert "GOMP_barrier │ GOMP_1.0 │ p │ missing" in text


def test_all_there_passes_the_check(whole: Path, program: Path):
    status, text = said("--check", program)
    assert status == 0 and "missing" not in text and "All is there" in text
    assert "A filter of system calls (seccomp) should allow" in text and "membarrier" in text


def test_another_version_is_not_the_same(little: Path, program: Path, folder: Path):
    assert not needs.needs(program, little).missing
    (folder / "versions").write_text(VERSIONS.replace("GOMP_4.0", "GOMP_9.9"))
    other = compiled(LITTLE, folder / "other.so", "-shared", "-fPIC", f"-Wl,--version-script={folder / 'versions'}")
    assert [n.symbol.name for n in needs.needs(program, other).missing] == ["GOMP_parallel"]
    # A library without versions serves every asker.
    plain = compiled(LITTLE, folder / "plain.so", "-shared", "-fPIC")
    assert not needs.needs(program, plain).missing


@pytest.mark.parametrize("search", ["rpath", "runpath", "LD_LIBRARY_PATH"])
def test_libraries_are_asked_too(little: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, search: str):
    inner = "void wait_here(void) {\n#pragma omp barrier\n}\n"
    (tmp_path / "lib").mkdir()
    library = compiled(
        inner, tmp_path / "lib" / "libinner.so", "-fopenmp", "-shared", "-fPIC", "-Wl,-soname,libinner.so"
    )
    where = {"rpath": ["-Wl,--disable-new-dtags,-rpath,$ORIGIN/lib"], "runpath": ["-Wl,-rpath,$ORIGIN/lib"]}
    main = "void wait_here(void); int main(void) { wait_here(); return 0; }"
    program = compiled(main, tmp_path / "outer", library, *where.get(search, []))
    if search == "LD_LIBRARY_PATH":
        assert needs.needs(program, little).lost == ["libinner.so"]
        monkeypatch.setenv("LD_LIBRARY_PATH", str(library.parent))
    seen = needs.needs(program, little)
    assert [(n.symbol.name, n.by.name, n.there) for n in seen.found] == [("GOMP_barrier", "libinner.so", False)]
    assert not seen.lost


def test_who_asks_weakly_can_do_without(little: Path, tmp_path: Path):
    text = "__attribute__((weak)) int omp_in_final(void); int main(void) { return omp_in_final ? omp_in_final() : 0; }"
    program = compiled(text, tmp_path / "weak")
    seen = needs.needs(program, little)
    assert [n.symbol.name for n in seen.found] == ["omp_in_final"] and not seen.missing
    assert said("--check", program)[0] == 0


def test_what_needs_nothing_is_said_to(little: Path, tmp_path: Path):
    program = compiled("int main(void) { return 0; }", tmp_path / "nothing")
    status, text = said("--check", program, "x.py")
    assert status == 0 and "need nothing of OpenMP" in text
    assert f"weir doctor -- {program} x.py" in text


def test_programs_of_llvm_ask_by_its_names(little: Path, tmp_path: Path):
    program = compiled(PROGRAM, tmp_path / "program", "-fopenmp=libomp", compiler=f"clang-{CLANG}")
    seen = {n.symbol.name: n.there for n in needs.needs(program, little).found}
    assert seen["__kmpc_fork_call"] is False and "omp_get_num_threads" in seen


def test_the_dynamic_linker_agrees_with_what_is_read(program: Path):
    """The libraries, as it finds them itself."""
    traced = subprocess.run([program], env={"LD_TRACE_LOADED_OBJECTS": "1"}, capture_output=True, text=True).stdout
    linker = {Path(line.split()[2]).resolve() for line in traced.splitlines() if "=> /" in line}
    seen = needs.needs(program, next(r for r in runtimes() if r.name == "libgomp").library)
    found = {f.path.resolve() for f in seen.files[1:] if not f.path.name.startswith("ld-")}  # that has no arrow
    assert found == {p for p in linker if "libgomp" not in p.name}


def test_symbols_are_read_whichever_hash_there_is(tmp_path: Path):
    for style in ("gnu", "sysv", "both"):
        file = elf.read(compiled(LITTLE, tmp_path / f"{style}.so", "-shared", "-fPIC", f"-Wl,--hash-style={style}"))
        assert {"GOMP_parallel", "omp_get_num_threads", "unversioned"} <= {name for name, _ in file.has}


def _bad(folder: Path) -> dict[str, tuple[list, str, int]]:
    (folder / "script").write_text("#!/bin/sh\nexit 7\n")
    (folder / "text").write_text("a text")
    (folder / "short").write_bytes(b"\x7fELF\x02\x01\x01" + b"\xff" * 80)
    for name in ("script", "text", "short"):
        (folder / name).chmod(0o755)
    (folder / "plain").write_text("")
    (folder / "orphan").write_text("#!/no/such/interpreter\n")
    (folder / "orphan").chmod(0o755)
    static = compiled("int main(void) { return 0; }", folder / "static", "-static")
    return {
        "nothing": ([], "no program was named", 2),
        "missing": ([folder / "none"], "no such program", 127),
        "folder": ([folder], "is a folder", 126),
        "plain": ([folder / "plain"], "cannot be executed", 126),
        "text": ([folder / "text"], "is not an ELF file", 2),
        "damaged": ([folder / "short"], "is a damaged ELF file", 2),
        "static": ([static], "statically linked", 2),
        "script": (["--check", folder / "script"], "is a script", 2),
        "orphan": ([folder / "orphan"], "No such file", 127),
    }


BAD = ["nothing", "missing", "folder", "plain", "text", "damaged", "static", "script", "orphan"]


@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_told_of(little: Path, tmp_path: Path, what: str):
    words, expected, status = _bad(tmp_path)[what]
    told, text = said(*words)
    assert told == status and expected in text


def test_a_script_is_run_for_what_it_starts(whole: Path, tmp_path: Path):
    (tmp_path / "script").write_text("#!/bin/sh\necho $LD_PRELOAD\nexit 7\n")
    (tmp_path / "script").chmod(0o755)
    done = weir_run("--", tmp_path / "script")
    assert (done.returncode, done.stdout) == (7, f"{whole}\n") and "is a script" in " ".join(done.stderr.split())


def test_pthread_barriers_are_replaced_by_the_packages_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    source = Path(__file__).resolve().parents[2] / "pthread" / "unmodified.c"
    program = tmp_path / "unmodified"
    subprocess.run(["gcc", "-O1", "-w", "-D_GNU_SOURCE", "-pthread", source, "-o", program], check=True)
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    monkeypatch.chdir(tmp_path)
    assert weir_run("--pthread", "--", "./unmodified").stdout == "ok\n"
    assert starting.PTHREAD in weir_run("--pthread", "--", "./unmodified", "whose").stdout
    for options in (["--compare"], ["--mpi"], ["--check"], ["--barrier", "mcs"]):
        status, text = said("--pthread", *options, "--", program)
        assert status == 2 and "does not go with" in text, text


def test_a_library_that_is_not_built_is_told_of(folder: Path, program: Path):
    status, text = said("--", program)
    assert status == 2 and "make build" in text and starting.LIBRARY in text


def test_a_folder_of_names_that_cannot_be_made(whole: Path, program: Path, tmp_path: Path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    status, text = said("--", program)
    assert status == 2 and "XDG_CACHE_HOME" in text and os.path.exists(program)


def test_a_damaged_library_is_told_of(folder: Path, program: Path):
    (folder / starting.LIBRARY).write_text("a text")
    status, text = said("--check", program)
    assert status == 2 and f"{starting.LIBRARY} is not an ELF file" in text
    status, text = said("--compare", "--times", 1, program)
    assert status == 2 and "is not an ELF file" in text, text
