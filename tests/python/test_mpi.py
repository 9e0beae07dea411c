"""Barriers over MPI, on one machine: every algorithm by every way, communicators, threads, processes that die."""

import pytest

from .mpi_programs import MPIS, require_kept, run

mpis = pytest.mark.parametrize("mpi", MPIS)


@mpis
@pytest.mark.parametrize("processes", range(1, 34))
def test_every_algorithm_keeps_the_contract(mpi, processes):
    require_kept(run("contract", mpi, processes, 20 if processes <= 4 else 5))


@mpis
@pytest.mark.parametrize("processes", [1, 2, 3, 4, 7])
def test_communicators_and_the_program_s_own_messages(mpi, processes):
    require_kept(run("communicators", mpi, processes))


@mpis
@pytest.mark.parametrize("level", ["funneled", "serialized", "multiple"])
@pytest.mark.parametrize(("processes", "threads"), [(1, 3), (2, 2), (3, 2), (2, 4)])
def test_threads_and_processes_together(mpi, level, processes, threads):
    require_kept(run("team", mpi, processes, threads, level))


@mpis
def test_too_low_a_thread_level_is_refused_with_the_level_needed(mpi):
    result = run("team", mpi, 1, 2, "single")
    assert result.returncode == 3
    assert "needs MPI_THREAD_FUNNELED at least, and MPI was begun with MPI_THREAD_SINGLE" in result.stderr


# Launchers end a job whose process dies; told not to, they show what the others do. MPICH's then loses its connections.
@pytest.mark.parametrize("within", ["auto", "linear", "none"])
@pytest.mark.parametrize("errors", ["fatal", "return"])
def test_a_process_that_dies_is_named_and_not_waited_for_in_silence(within, errors):
    result = run("dying", "openmpi", 3, within, errors, options=("--enable-recovery",))
    assert "rank 2 has ended or given up" in result.stderr
    assert "passed" not in result.stdout
    if errors == "return":
        assert result.stdout.count("was told: weir: rank 2 has ended") == 2
    else:
        assert "MPI_ERRORS_ARE_FATAL" in result.stderr
