"""Barriers over MPI, on one machine: every algorithm by every way, communicators, threads, processes that die."""

import os
import subprocess

import pytest

from .. import skips, thorough
from ..mpi_programs import MPIS, launcher, program, require_kept, run, said_between_nodes

mpis = pytest.mark.parametrize("mpi", MPIS)


# Every size up to 9, then powers of two and those beside them: mpi.routes has every plan of 1 to 40 processes.
@mpis
@pytest.mark.parametrize("processes", [1, 2, 3, 4, 9, *thorough.more(5, 6, 7, 8, 12, 16, 17, 33)])
def test_every_algorithm_keeps_the_contract(mpi, processes):
    require_kept(run("contract", mpi, processes, 20 if processes <= 4 else 5))


@mpis
@pytest.mark.parametrize("processes", [1, 2, 3, 4, *thorough.more(7)])
def test_communicators_and_the_program_s_own_messages(mpi, processes):
    require_kept(run("communicators", mpi, processes))


@mpis
@pytest.mark.parametrize("level", ["funneled", "serialized", "multiple"])
@pytest.mark.parametrize(("processes", "threads"), [(1, 3), (2, 2), *thorough.more((3, 2), (2, 4))])
def test_threads_and_processes_together(mpi, level, processes, threads):
    require_kept(run("team", mpi, processes, threads, level))


@mpis
def test_too_low_a_thread_level_is_refused_with_the_level_needed(mpi):
    result = run("team", mpi, 1, 2, "single")
    assert result.returncode == 3
    assert "needs MPI_THREAD_FUNNELED at least, and MPI was initialised with MPI_THREAD_SINGLE" in result.stderr


# Launchers end a job whose process dies; told not to, they show what the others do. MPICH's then loses its connections.
@pytest.mark.parametrize("errors", ["fatal", "return"])
@pytest.mark.parametrize(
    "way",
    [
        ("auto",),
        ("linear",),
        ("none",),
        ("none", "persistent"),
        ("none", "rma"),
        ("none", "rma", "mpi"),
        ("auto", "messages", "test"),
        ("none", "messages", "test"),
    ],
    ids="-".join,
)
def test_a_process_that_dies_is_named_and_not_waited_for_in_silence(way, errors):
    processes = 2 if "rma" in way else 3  # of three, one could signal another that has ended for the first one's sake
    result = run("dying", "openmpi", processes, way[0], errors, *way[1:], options=("--enable-recovery",))
    told = f"rank {processes - 1} has ended"
    assert f"{told} or given up" in result.stderr
    assert "passed" not in result.stdout
    if errors == "return":
        assert result.stdout.count(f"was told: weir: {told}") == processes - 1
        assert result.stdout.count("went on") == processes - 1
    else:
        assert "was told" not in result.stdout  # the handler has ended it


# What is chosen follows from the processors, which processes may have unequal; they must choose the same.
@skips.mark("processors")
def test_processes_with_unequal_processors_choose_the_same():
    first, second = sorted(os.sched_getaffinity(0))[:2]
    contract = str(program("contract", "openmpi"))
    bound = [["taskset", "-c", str(processor), contract, "5"] for processor in (first, second)]
    command = [*launcher("openmpi"), "-n", "2", *bound[0], ":", "-n", "1", *bound[1]]
    require_kept(subprocess.run(command, capture_output=True, text=True, timeout=300))


# All do without, whatever was asked for.
@skips.mark("root", "forbid shared memory")
@pytest.mark.parametrize("within", ["auto", "linear", "combination"])
def test_where_there_is_no_shared_memory_messages_are_used(within):
    command = [*launcher("openmpi"), "-n", "2", str(program("choice", "openmpi")), within]
    none = 'echo 0 >/proc/sys/kernel/shmmni && exec "$@"'
    words = ["unshare", "--ipc", "sh", "-c", none, "sh", *command]
    result = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    assert "within a host: none" in result.stdout and "No space left on device" in result.stdout


# The machine's profile would decide.
@mpis
@pytest.mark.parametrize("processes", [3, *thorough.more(4, 6)])
def test_barriers_that_try_others_keep_the_contract_and_choose_alike(mpi, processes):
    require_kept(run("learning", mpi, processes, WEIR_PROFILE="none"))


# What comes next is told by messages.
@skips.mark("root", "make name spaces")
@mpis
@pytest.mark.parametrize(("nodes", "each"), [(4, 1), (2, 3)])
def test_trials_between_nodes(mpi, nodes, each):
    said = said_between_nodes("learning", mpi, nodes, each, WEIR_PROFILE="none")
    assert said.endswith("kept\n"), said


@skips.mark("root", "make name spaces")
@mpis
def test_a_barrier_does_not_hear_what_another_has_told(mpi):
    assert said_between_nodes("learning", mpi, 3, 1, "again", WEIR_PROFILE="none") == "kept\n"


@mpis
def test_nothing_is_tried_if_one_process_does_not_want_it(mpi):
    require_kept(run("learning", mpi, 3, "off", WEIR_PROFILE="none"))
    require_kept(run("learning", mpi, 3, "none", WEIR_PROFILE="none", WEIR_ADAPT="off"))
