"""libweir-mpi.so, preloaded into unmodified programs, under each MPI."""

import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from .. import skips, thorough
from .preloading import LIBRARIES, MPICH, OPENMPI, PRELOADED, Mpi, kept, run

KNOWN = (
    "known are auto, dissemination, mcs, tournament, tournament-tree, tournament-nodes, exchange-nodes, tree, "
    "butterfly, linear"
)


def test_the_barrier_is_weirs_after_the_first_passes(mpi: Mpi, unmodified: Path):
    assert "weir: barrier of 2 processes: " in kept(run(mpi, 2, unmodified, "holds", WEIR_MPI_VERBOSE="1"))
    assert "weir" not in kept(run(mpi, 2, unmodified, "once", WEIR_MPI_VERBOSE="1"))
    assert "weir" not in kept(run(mpi, 2, unmodified, "holds"))
    assert "weir" not in kept(run(mpi, 2, unmodified, "holds", preload=None, WEIR_MPI_VERBOSE="1"))


CASES = {  # with so many processes
    "holds": 4,
    "communicators": 4,
    "many": 2,
    "inter": 3,
    "messages": 3,
    "duplicates": 2,
    "threads": 2,
    "errors": 2,
    "handlers": 2,
    "rendezvous": 2,
    "at_exit": 2,
    "callback": 2,
}


@pytest.mark.parametrize("case", CASES)
def test_it_goes_as_with_mpis_own(mpi: Mpi, unmodified: Path, case: str):
    assert kept(run(mpi, CASES[case], unmodified, case)) == ""


@pytest.mark.parametrize("case", ["communicators", "threads", *thorough.more("messages", "rendezvous")])
@pytest.mark.parametrize("transport", ["messages", "persistent", "rma"])
def test_it_goes_without_shared_memory_too(mpi: Mpi, unmodified: Path, case: str, transport: str):
    how = {"WEIR_MPI_BARRIER": "dissemination", "WEIR_MPI_TRANSPORT": transport, "WEIR_MPI_VERBOSE": "1"}
    said = kept(run(mpi, CASES[case], unmodified, case, **how))
    # Open MPI before 5.0 mixes up windows of communicators that are not of all processes.
    by = "messages" if (mpi, case, transport) == (OPENMPI, "communicators", "rma") else transport
    assert f"within a node: none; by {by}" in said


# Open MPI 4.1 mixes up its own nonblocking operations with a duplication that is pending.
def test_barriers_go_on_while_duplications_are_pending(mpi: Mpi, compiled: Callable[..., Path]):
    program = compiled(mpi, "cxx", "pending_duplicate.cpp", "-std=c++20", "-O1", "-pthread")
    ranks, rounds = (4, 5) if mpi is OPENMPI else (2, 2)  # MPICH's own spin where processes share processors
    said = kept(run(mpi, ranks, program, 3, rounds, WEIR_MPI_VERBOSE="1"))
    assert f"weir: barrier of {ranks} processes" in said


def test_spawned_processes_have_barriers_too(compiled: Callable[..., Path]):
    # Open MPI alone: Debian's MPICH 4.0.2 cannot spawn. What -x names its launcher hands on to spawned processes too.
    program = compiled(OPENMPI, "cxx", "spawning.cpp", "-std=c++20", "-O1")
    handed_on = {"LD_PRELOAD": PRELOADED, "WEIR_MPI_PRICE": 0, "WEIR_MPI_VERBOSE": 1}
    options = [word for name, value in handed_on.items() for word in ("-x", f"{name}={value}")]
    command = [*OPENMPI.launcher, *options, "-n", "2", program]
    said = kept(subprocess.run(command, capture_output=True, text=True, timeout=300))
    assert [said.count(f"weir: barrier of {n} processes") for n in (2, 4)] == [2, 1]


# Each MPI barrier before is counted, and what they have taken is weighed against the price.
def test_a_communicator_with_few_barriers_gets_none(mpi: Mpi, unmodified: Path):
    assert "weir" not in kept(run(mpi, 2, unmodified, "few", WEIR_MPI_VERBOSE="1"))
    dear = "1e9"
    assert "weir" not in kept(run(mpi, 2, unmodified, "holds", WEIR_MPI_VERBOSE="1", WEIR_MPI_PRICE=dear))
    one, other = (["-n", "1", "env", f"WEIR_MPI_PRICE={price}", "WEIR_MPI_VERBOSE=1", f"LD_PRELOAD={PRELOADED}",
                   str(unmodified), "holds"] for price in ("0", dear))  # fmt: skip
    assert "weir" not in kept(subprocess.run([*mpi.launcher, *one, ":", *other], capture_output=True, text=True))


def test_communicators_made_again_and_again_leave_nothing(mpi: Mpi, unmodified: Path):
    # Each collective of MPICH's takes a time slice where another program runs: fewer turns.
    turns = 300 if mpi is MPICH else 1000
    assert kept(run(mpi, 2, unmodified, "remade", turns)) == ""


@pytest.mark.parametrize("binding", ["mpif.h", "use mpi", "use mpi_f08"])
def test_fortrans_bindings(mpi: Mpi, compiled: Callable[..., Path], binding: str):
    number = ["mpif.h", "use mpi", "use mpi_f08"].index(binding) + 1
    program = compiled(mpi, "fort", "passes.F90", f"-DBINDING={number}", name=f"passes{number}")
    said = kept(run(mpi, 4, program, WEIR_MPI_VERBOSE="1"))
    # The halves of four processes, and all of them.
    assert re.findall(r"weir: barrier of (\d) processes", said).count("2") == 2
    assert re.findall(r"weir: barrier of (\d) processes", said).count("4") == 1


def test_an_mpi_in_no_global_scope(mpi: Mpi, compiled: Callable[..., Path]):
    library = compiled(mpi, "cc", "plugin.c", "-shared", "-fPIC", name="libplugin")
    host = compiled(mpi, "cc", "plugin.c", "-DHOST", "-ldl", "-Wl,--as-needed", name="host")
    needed = subprocess.run(["readelf", "-d", host], capture_output=True, text=True, check=True).stdout
    assert "libmpi" not in needed
    assert "weir: barrier of 2 processes" in kept(run(mpi, 2, host, library, WEIR_MPI_VERBOSE="1"))


def test_nothing_is_opened_without_a_barrier(mpi: Mpi, unmodified: Path):
    done = run(mpi, 1, unmodified, "never")
    assert (done.returncode, done.stdout, done.stderr) == (0, "not opened\n", "")


def test_a_program_without_mpi_is_left_alone():
    done = subprocess.run(["/bin/true"], env={"LD_PRELOAD": str(PRELOADED)}, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_barrier_before_the_beginning_is_mpis_own_affair(mpi: Mpi, unmodified: Path):
    done = run(mpi, 1, unmodified, "early")
    assert done.returncode != 0
    assert re.search("before (initializing|MPI_INIT)", done.stderr)


def test_the_options_are_variables_too(mpi: Mpi, unmodified: Path):
    how = {"WEIR_MPI_WITHIN": "linear", "WEIR_MPI_WAITING": "mpi", "WEIR_MPI_VERBOSE": "1"}
    assert "within a node: linear" in kept(run(mpi, 2, unmodified, "holds", **how))


def test_a_wrong_policy_of_waiting_is_told_of(mpi: Mpi, unmodified: Path):
    said = kept(run(mpi, 2, unmodified, "holds", WEIR_MPI_WAITING="nonsense", WEIR_MPI_VERBOSE="1"))
    assert '"nonsense"' in said and said.count("WEIR_MPI_* variables are ignored") == 1


def test_a_wrong_name_is_told_of_once_and_the_default_used(mpi: Mpi, unmodified: Path):
    said = kept(run(mpi, 3, unmodified, "holds", WEIR_MPI_BARRIER="nonsense", WEIR_MPI_VERBOSE="1"))
    assert said.count(f'"nonsense"; {KNOWN}') == 1
    assert said.count("WEIR_MPI_* variables are ignored") == 1
    assert "weir: barrier of 3 processes" in said


def test_different_environments_are_told_of(mpi: Mpi, unmodified: Path):
    preload = [f"LD_PRELOAD={PRELOADED}", "WEIR_MPI_VERBOSE=1"]
    one, other = (["-n", "1", "env", *preload, f"WEIR_MPI_BARRIER={name}", str(unmodified), "holds"]
                  for name in ("mcs", "butterfly"))  # fmt: skip
    environment = os.environ | {"WEIR_MPI_PRICE": "0"}
    command = [*mpi.launcher, *one, ":", *other]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    said = kept(done)
    assert said.count("processes have different WEIR_MPI_*") == 1
    assert "weir: barrier of 2 processes" in said


def test_the_death_of_a_process_is_reported_by_the_handler_of_the_day(mpi: Mpi, unmodified: Path):
    done = run(mpi, 3, unmodified, "death", options=mpi.enduring)
    assert done.stdout.count("an error, the same, handled 2\n") == 2, done.stdout + done.stderr


@pytest.mark.parametrize("how", [{}, {"WEIR_MPI_BARRIER": "dissemination"}], ids=["memory", "messages"])
def test_who_waits_long_is_asleep(mpi: Mpi, unmodified: Path, how: dict[str, str]):
    kept(run(mpi, 2, unmodified, "late", **how))


@skips.mark("root", "make a name space of processes")
def test_nobody_is_taken_for_dead_where_proc_shows_others(mpi: Mpi, unmodified: Path, tmp_path: Path):
    turns = Path(tempfile.gettempdir()) / "weir-test-name-space"
    # The other one ends, and is not asked about until this is over.
    with turns.open("w") as turn, subprocess.Popen(["sleep", "3"]) as other:
        # Both MPIs find processes by their numbers, which are the same in another name space: one at a time.
        fcntl.flock(turn, fcntl.LOCK_EX)
        # In its own name space rank 1 has the number that the other one has here; /proc shows this one.
        start = tmp_path / "start"
        start.write_text(
            f'#!/bin/sh\n[ "${{PMI_RANK:-$OMPI_COMM_WORLD_RANK}}" = 1 ] && '
            f'echo {other.pid - 1} >/proc/sys/kernel/ns_last_pid\nLD_PRELOAD={PRELOADED} "$@" &\nwait $!\n'
        )
        start.chmod(0o755)
        apart = replace(mpi, launcher=("unshare", "--pid", "--fork", "--kill-child", *mpi.launcher))
        try:
            kept(run(apart, 2, start, unmodified, "late", preload=None, limit_s=60, UCX_TLS="tcp,self"))
        except subprocess.TimeoutExpired as hung:  # over UCX's TCP, rarely: in MPI_Finalize, after the barrier
            assert hung.stdout == b"kept\n"


def test_without_its_library_barriers_stay_mpis_own(mpi: Mpi, unmodified: Path, tmp_path: Path):
    alone = Path(shutil.copy(PRELOADED, tmp_path))
    said = kept(run(mpi, 2, unmodified, "holds", preload=alone))
    assert said.count("weir: MPI_Barrier stays MPI's own: ") == 2  # once for each process
    assert f"libweir-mpi-{mpi.name}.so" in said and f"build Weir where mpicc.{mpi.name} is installed" in said


def test_a_library_for_another_mpi_is_not_used(mpi: Mpi, unmodified: Path, tmp_path: Path):
    preload = Path(shutil.copy(PRELOADED, tmp_path))
    other = LIBRARIES / f"libweir-mpi-{OPENMPI.name if mpi is MPICH else MPICH.name}.so"
    shutil.copy(other, tmp_path / f"libweir-mpi-{mpi.name}.so")
    said = kept(run(mpi, 2, unmodified, "holds", preload=preload))
    assert said.count("was built for another MPI than this program's") == 2


@pytest.mark.parametrize("what", ["files", "address_space"])
def test_a_process_that_cannot_open_the_library_leaves_nobody_waiting(mpi: Mpi, failing: Path, what: str):
    said = kept(run(mpi, 2, failing, what, WEIR_MPI_VERBOSE="1"))
    assert said.count("weir: MPI_Barrier stays MPI's own: ") == 1
    assert "weir: barrier of" not in said


def test_a_process_that_waits_for_long_takes_no_memory(mpi: Mpi, failing: Path):
    assert "weir: barrier of 2 processes" in kept(run(mpi, 2, failing, "late", WEIR_MPI_VERBOSE="1"))


def test_a_process_without_its_library_counts_as_the_others_do(mpi: Mpi, unmodified: Path, tmp_path: Path):
    alone = Path(shutil.copy(PRELOADED, tmp_path))
    one, other = (["-n", "1", "env", f"LD_PRELOAD={preload}", str(unmodified), "communicators"]
                  for preload in (PRELOADED, alone))  # fmt: skip
    command = [*mpi.launcher, *one, ":", *other, ":", *one, ":", *other]
    done = subprocess.run(
        command, env=os.environ | {"WEIR_MPI_PRICE": "0"}, capture_output=True, text=True, timeout=300
    )
    assert kept(done).count("weir: MPI_Barrier stays MPI's own: ") == 2


WAYS = {
    "memory": ({}, ["allocation", "shmget", "shmat", "PMPI_Get_processor_name", "PMPI_Comm_get_errhandler"]),
    "messages": ({"WEIR_MPI_BARRIER": "mcs"}, ["PMPI_Comm_split"]),
    "persistent": ({"WEIR_MPI_BARRIER": "mcs", "WEIR_MPI_TRANSPORT": "persistent"}, ["PMPI_Send_init"]),
    "rma": ({"WEIR_MPI_BARRIER": "mcs", "WEIR_MPI_TRANSPORT": "rma"}, ["PMPI_Win_create", "PMPI_Win_lock_all"]),
}


# In each of them, one after the other: the others, and it, go on with MPI's own barriers, or by messages.
@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize("way", WAYS)
def test_whatever_fails_in_one_process_all_go_on(mpi: Mpi, failing: Path, way: str, rank: int):
    asked, points = WAYS[way]
    if (mpi, way) == (MPICH, "rma"):
        skips.unless("ucx", "all go on, but it ends the job in MPI_Finalize where a window is left")
    done = run(mpi, 2, failing, "each", rank, *points, **asked)
    kept(done)
    if way == "memory":
        assert int(re.search(r"allocation: (\d+)", done.stdout)[1]) > 20  # they were met at all


def test_a_limit_on_files_does_not_matter(mpi: Mpi, failing: Path):
    said = kept(run(mpi, 2, failing, "file_size", WEIR_MPI_VERBOSE="1"))
    assert "weir: barrier of 2 processes" in said and "cannot share memory" not in said


KEYS = range(0x57454952, 0x57454952 + 4096)  # as in src/mpi/near_memory.cpp


# In name spaces of their own, which no other process uses.
@skips.mark("root", "make name spaces")
@pytest.mark.parametrize("rank, point, call", [(1, "reduce", 2), (0, "gather", 1), (0, "shmat", 0)])
def test_a_job_that_is_killed_leaves_nothing_to_the_next(mpi: Mpi, failing: Path, rank: int, point: str, call: int):
    if mpi is MPICH and point == "shmat":
        skips.unless("ucx", "it takes shmat over")
    start = " ".join([*mpi.launcher, "-n", "2", "env", f"LD_PRELOAD={PRELOADED}", str(failing)])
    script = (
        "mount -t tmpfs none /dev/shm; "
        f"{start} killed {rank} {point} {call} >&2 && echo lived; "
        "cut -c1-11 /proc/sysvipc/shm | tail -n +2 | sed s/^/killed:/; "
        f"{start} none; ls /dev/shm; cut -c1-11 /proc/sysvipc/shm | tail -n +2 | sed s/^/left:/"
    )
    done = subprocess.run(
        ["unshare", "--mount", "--ipc", "sh", "-c", script],
        env=os.environ | {"WEIR_MPI_PRICE": "0"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert "kept" in done.stdout and "lived" not in done.stdout, done.stdout + done.stderr
    assert "weir" not in done.stdout

    def keys(when: str) -> list[int]:
        found = [int(key) for key in re.findall(rf"^{when}: *(\d+)", done.stdout, re.MULTILINE)]
        return [key for key in found if key in KEYS]

    assert len(keys("killed")) == (point == "shmat")  # between two calls
    assert keys("left") == []


def test_the_libraries_show_weirs_own_names_alone(mpi: Mpi):
    def shown(library: Path) -> set[str]:
        listed = subprocess.run(["nm", "-DC", "--defined-only", library], capture_output=True, text=True, check=True)
        return {line.split(maxsplit=2)[2] for line in listed.stdout.splitlines()}

    own = re.compile(r"weir_mpi_\w+$|(typeinfo (name )?for |vtable for )?weir::mpi::")
    names = shown(LIBRARIES / f"libweir-mpi-{mpi.name}.so")
    assert {"weir_mpi_barrier", "weir_mpi_barrier_f", "weir::mpi::barrier::arrive_and_wait()"} <= names
    assert not [name for name in names if not own.match(name)]
    fortran = {"mpi_barrier", "mpi_barrier_", "mpi_barrier__", "MPI_BARRIER", "mpi_barrier_f08_"}
    assert shown(PRELOADED) == {"MPI_Barrier"} | fortran


def weir_run(*words: object, **asked: str) -> subprocess.CompletedProcess[str]:
    plain = {n: v for n, v in os.environ.items() if not n.startswith("WEIR_") and n != "LD_PRELOAD"}
    command = [sys.executable, "-m", "weir", "run", "--mpi", *map(str, words)]
    return subprocess.run(command, env=plain | asked, capture_output=True, text=True, timeout=300)


def test_weir_run_starts_it_by_either_launcher(mpi: Mpi, unmodified: Path):
    command = [*mpi.launcher, "-n", "2", unmodified, "holds"]
    said = kept(
        weir_run(
            "--barrier", "mcs", "--", *command, WEIR_NATIVE=str(LIBRARIES), WEIR_MPI_VERBOSE="1", WEIR_MPI_PRICE="0"
        )
    )
    assert "weir: barrier of 2 processes: mcs" in said


@pytest.mark.parametrize(
    "name, version, handed_on",
    [
        ("mpirun", "mpirun (Open MPI) 5.0.3", "-x LD_PRELOAD -x WEIR_MPI_BARRIER "),
        ("orterun", "orterun (OpenRTE) 4.1.4", "-x LD_PRELOAD -x WEIR_MPI_BARRIER "),
        ("mpiexec.hydra", "HYDRA build details:", ""),
        ("program", "not asked", ""),
    ],
)
def test_a_launcher_is_told_what_to_hand_on(tmp_path: Path, name: str, version: str, handed_on: str):
    (tmp_path / "libweir-mpi.so").write_text("")
    launcher = tmp_path / name
    launcher.write_text(
        f"#!/bin/sh\n[ $1 = --version ] && echo '{version}' && exit\nenv -u LD_PRELOAD echo $LD_PRELOAD $*\n"
    )
    launcher.chmod(0o755)
    done = weir_run("--barrier", "mcs", "--", launcher, "-n", "2", "it", WEIR_NATIVE=str(tmp_path))
    assert done.stdout == f"{tmp_path}/libweir-mpi.so {handed_on}-n 2 it\n"


def test_weir_run_says_what_is_missing(tmp_path: Path):
    done = weir_run("--", "true", WEIR_NATIVE=str(tmp_path))
    assert done.returncode == 2 and "libweir-mpi.so was not found" in " ".join(done.stderr.split())
    for options in ([], ["--compare"]):
        done = weir_run(*options, "--barrier", "nosuch", "--", "true")
        said = " ".join(done.stderr.split())
        assert done.returncode == 2 and "no barrier is called 'nosuch'" in said and "condvar" not in said, said
    done = weir_run("--check", "--", "true")
    assert done.returncode == 2 and "does not go with --mpi" in " ".join(done.stderr.split())
    done = weir_run("--")
    assert done.returncode == 2 and "weir run --mpi -- mpirun -n 4 PROGRAM" in " ".join(done.stderr.split())
    (tmp_path / "libweir-mpi.so").write_text("")
    done = weir_run("--", "/bin/true", "-x", "LD_PRELOAD=mine.so", WEIR_NATIVE=str(tmp_path))
    assert "takes the place of Weir's" in " ".join(done.stderr.split())
