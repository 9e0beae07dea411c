"""Weir's OpenMP runtime under objects of compilers newer than those that are here.

A library in place of the newer runtime has the functions under the symbol versions that programs ask for, as GCC's
libgomp.map of 2026 says them: programs are linked with it, and run on Weir's runtime alone.
"""

import subprocess
from pathlib import Path

import pytest

from weir.openmp.runtimes import runtimes
from weir.profile import counting
from weir.run import elf, needs

from .. import skips
from ..openmp_programs import CLANG, COMPILERS, OPENMP, SOURCES, runs_ok

pytestmark = skips.mark("own", "they have not got these yet")

NEWER = SOURCES.parent / "newer"
OF_GCC = {
    "OMP_5.2": ["omp_in_explicit_task", "omp_in_explicit_task_"],
    "OMP_6.0": ["omp_control_tool", "omp_control_tool_", "omp_control_tool_8_"],
    "OMP_6.1": [
        *(f"omp_get_{what}_dim" for what in ("num_teams", "num_threads", "team_num", "thread_limit", "thread_num")),
        *(f"omp_get_supported_active_{of}_dims{form}" for of in ("league", "team") for form in ("", "_")),
        *(f"omp_get_supported_{of}_dim" for of in ("teams", "threads")),
        "omp_get_device_distances",
    ],
    "GOMP_5.1.1": ["GOMP_taskwait_depend_nowait"],
    "GOMP_5.1.2": ["GOMP_add_alloc", "GOMP_is_alloc", "GOMP_target_map_indirect_ptr"],
    "GOMP_5.1.3": [
        "GOMP_interop",
        "omp_get_num_interop_properties",
        *(f"omp_get_interop_{what}" for what in ("int", "ptr")),
        *(f"omp_get_interop_{what}{form}" for what in ("str", "name", "type_desc", "rc_desc") for form in ("", "_")),
    ],
    "GOMP_6.0": [
        *(f"omp_get_device_from_uid{form}" for form in ("", "_")),
        *(f"omp_get_uid_from_device{form}" for form in ("", "_", "_8_")),
    ],
    "GOMP_6.0.1": ["omp_target_memset", "omp_target_memset_async"],
    "GOMP_6.0.2": [
        "GOMP_barrier_ext",
        "GOMP_barrier_cancel_ext",
        "GOMP_has_masked_thread_num",
        "GOMP_masked_end",
        *(f"GOMP_{of}_static_worksharing{part}" for of in ("loop", "distribute")
          for part in ("", "_start", "_dispatch", "_end")),
        "GOMP_reduction_start",
        "GOMP_reduction_end",
        "GOMP_single_start_with_end",
        "GOMP_single_end",
    ],
}  # fmt: skip
OF_DEVICES = ("device", "device_and_host", "devices", "devices_and_host", "devices_all")
OF_LLVM = {
    "VERSION": [
        *(f"__kmpc_push_num_threads_{what}" for what in ("list", "list_strict", "strict")),
        "omp_get_device_from_uid",
        "omp_get_uid_from_device",
        *(
            f"omp_{name}{form}"
            for name in (
                "is_free_agent", "ancestor_is_free_agent", "get_max_progress_width", "get_submemspace",
                *(f"{do}_device_{what}" for do in ("get", "set") for what in ("num_teams", "teams_thread_limit")),
                *(f"get_{of}_{what}" for of in OF_DEVICES for what in ("memspace", "allocator")),
                "get_memspace_num_resources", "get_memspace_pagesize",
            )
            for form in ("", "_")
        ),
    ]
}  # fmt: skip
OF_COMPILER = {"gcc": OF_GCC, "gfortran": OF_GCC, "clang": OF_LLVM}
SONAMES = {"gcc": "libgomp.so.1", "gfortran": "libgomp.so.1", "clang": "libomp.so.5"}
NAMES = [(compiler, version) for compiler in ("gcc", "clang") for version in OF_COMPILER[compiler]]


def stand_in(folder: Path, compiler: str) -> Path:
    """The newer runtime to link with: what the one here has, and more. None of its functions does anything."""
    here = "libgomp" if SONAMES[compiler] == "libgomp.so.1" else f"libomp-{CLANG}"
    has = elf.read(next(r.library for r in runtimes() if r.name == here)).has
    versions = dict(sorted(one for one in has if needs.OPENMP.match(one[0]) and one[1] and "." not in one[0]))
    versions |= {name: version for version, names in OF_COMPILER[compiler].items() for name in names}
    (folder / "stand_in.c").write_text("\n".join(f"void {name}(void) {{}}" for name in versions))
    nodes = dict.fromkeys(versions.values(), "")
    for name, version in versions.items():
        nodes[version] += f"{name}; "
    text = "".join(f"{version} {{ global: {names} }};\n" for version, names in nodes.items())
    (folder / "stand_in.map").write_text(text + "rest { local: *; };\n")
    library = folder / "stand_in.so"
    words = ["gcc", "-w", "-shared", "-fPIC", f"-Wl,-soname,{SONAMES[compiler]},--version-script={folder}/stand_in.map"]
    subprocess.run([*words, folder / "stand_in.c", "-o", library], check=True)
    return library


def linked(folder: Path, compiler: str, source: Path) -> Path:
    program = folder / source.stem
    sources = [SOURCES.parent / "checking.f90", source] if source.suffix == ".f90" else [source]
    words = [*COMPILERS[source.suffix][compiler], OPENMP[compiler], "-O1", f"-I{SOURCES}", *sources]
    subprocess.run([*words, stand_in(folder, compiler), "-o", program], check=True, cwd=folder)
    return program


@pytest.mark.parametrize(("compiler", "version"), NAMES)
def test_a_program_that_asks_for_a_version_starts(
    environment: dict[str, str], runtime: Path, tmp_path: Path, compiler: str, version: str
):
    names = OF_COMPILER[compiler][version]
    source = tmp_path / "all.c"
    declared = "".join(f"void {name}(void);\n" for name in names)
    listed = ", ".join(names)
    source.write_text(
        f"#include <stdio.h>\n{declared}void (*const all[])(void) = {{{listed}}};\n"
        "int main(void) {\n  for (unsigned i = 0; i < sizeof all / sizeof *all; i++)\n    if (!all[i]) return 1;\n"
        '  puts("ok");\n}\n'
    )
    program = linked(tmp_path, compiler, source)
    assert {(s.name, s.version) for s in elf.read(program).lacks} >= {(name, version) for name in names}
    assert not needs.needs(program, runtime).missing
    runs_ok(program, environment | {"LD_BIND_NOW": "1"}, 2)


PROGRAMS = [
    ("since_13.c", "gcc"),
    ("since_17.c", "gcc"),
    ("routines_6.c", "gcc"),
    ("routines_6.c", "clang"),
    ("routines_6.f90", "gfortran"),
    ("num_threads.c", "clang"),
]


@pytest.mark.parametrize(("name", "compiler"), PROGRAMS)
def test_program(environment: dict[str, str], tmp_path: Path, name: str, compiler: str):
    program = linked(tmp_path, compiler, NEWER / name)
    for size in (1, 2, 3, 8):
        runs_ok(program, environment, size)
    runs_ok(program, environment | {"OMP_CANCELLATION": "true"}, 4)
    runs_ok(program, environment | {"WEIR_THREADS": "user"}, 4)


COUNTED = """
#include <omp.h>
void GOMP_barrier_ext(int);
_Bool GOMP_barrier_cancel_ext(int);
_Bool GOMP_single_start_with_end(void);
void GOMP_reduction_start(void);
void GOMP_reduction_end(void);
int main(void) {
#pragma omp parallel num_threads(2)
  {
    for (int i = 0; i < 3; ++i) GOMP_barrier_ext(2);
    GOMP_barrier_cancel_ext(2);
    GOMP_single_start_with_end();
    GOMP_barrier_ext(1);
    GOMP_reduction_start();
    GOMP_reduction_end();
  }
  return 0;
}
"""


def test_what_they_call_is_profiled(environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "counted.c").write_text(COUNTED)
    program = linked(tmp_path, "gcc", tmp_path / "counted.c")
    monkeypatch.setenv("LD_LIBRARY_PATH", environment["LD_LIBRARY_PATH"])
    counts = {directive.name: count for directive, count in counting.run([str(program)]).counts.items()}
    assert counts == {"parallel": 1, "barrier": 4, "single": 1, "atomic": 2}
