"""The workload aspcg: it solves Laplace's equation alike by threads and processes, and its checks find faults."""

import math
import re
import subprocess

import pytest

from weir.run import starting

from ..mpi_programs import MPIS, launcher
from .test_workloads import program

SMALL = ["--cells", "16", "--block", "4", "--overlap", "2"]
mpis = pytest.mark.parametrize("mpi", MPIS)


def run(*words: object, threads: int = 1, mpi: str = "", processes: int = 1) -> subprocess.CompletedProcess:
    """By the compiler's own runtime: test_workloads.py tries all runtimes."""
    own = {"OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "passive"}
    before = [*launcher(mpi), "-n", str(processes)] if mpi else []
    command = [*before, program("aspcg", mpi or "gcc"), *map(str, words)]
    return subprocess.run(command, env=starting.without_settings() | own, capture_output=True, text=True, timeout=300)


def right(*words: object, **how) -> subprocess.CompletedProcess:
    done = run(*words, **how)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def iterations(done: subprocess.CompletedProcess) -> int:
    return int(re.search(r"^(\d+) iterations", done.stdout, re.MULTILINE).group(1))


def barriers(done: subprocess.CompletedProcess) -> int:
    return int(re.search(r"(\d+) barriers", done.stderr).group(1))


def test_the_error_is_of_second_order():
    errors = []
    for cells in (12, 24, 48):
        said = right("--cells", cells).stdout
        errors.append(float(re.search(r"largest error (\S+),", said).group(1)))
    for coarse, fine in zip(errors, errors[1:], strict=False):
        assert math.log2(coarse / fine) == pytest.approx(2, abs=0.1), errors


def test_the_preconditioner_and_its_overlap_reduce_the_iterations():
    alone = iterations(right("--cells", 32, "--schwarz", 0))
    overlapping = [iterations(right("--cells", 32, "--overlap", overlap)) for overlap in (0, 1, 2)]
    assert alone > 2 * overlapping[0] and overlapping == sorted(set(overlapping), reverse=True), (alone, overlapping)


def test_one_block_that_is_the_whole_box_is_solved_at_once():
    assert iterations(right("--cells", 16, "--block", 15)) == 1


@pytest.mark.parametrize(
    ("mpi", "processes", "threads", "words"),
    [
        ("mpich", 2, 2, SMALL),
        ("openmpi", 2, 2, SMALL),
        ("mpich", 2, 1, [*SMALL, "--schwarz", "0"]),
        ("openmpi", 3, 1, [*SMALL, "--schwarz", "0"]),
        # The last process has one plane, and the one below overlaps by two.
        ("openmpi", 4, 1, [*SMALL, "--height", "14"]),
    ],
)
def test_processes_and_threads_have_the_result_of_one_thread(mpi: str, processes: int, threads: int, words: list[str]):
    assert right(*words, mpi=mpi, processes=processes, threads=threads).stdout == right(*words).stdout


def test_weak_scaling_gives_each_thread_of_each_process_its_height():
    small = ["--cells", "12", "--block", "4"]
    for how in ({"threads": 3}, {"mpi": "openmpi", "processes": 2, "threads": 2}):
        workers = how["threads"] * how.get("processes", 1)
        weak = right(*small, "--height", 8, "--weak", 1, **how)
        assert weak.stdout == right(*small, "--height", 8 * workers).stdout


def test_an_iteration_has_the_barriers_that_the_readme_tells():
    for words, how, expected in (
        (SMALL, {}, 8),
        ([*SMALL, "--schwarz", "0"], {}, 5),
        (SMALL, {"mpi": "openmpi", "processes": 2}, 9),
    ):
        done = right(*words, threads=2, **how)
        assert barriers(done) == 2 + expected * iterations(done), done.stderr


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--spoil", "1"], "the residual is not what the iteration says"),
        (["--spoil", "2"], "the solution is further from Laplace's than the mesh explains"),
        (["--iterations", "3"], "the iteration has not converged"),
    ],
)
def test_the_checks_reject_what_is_wrong(words: list[str], complaint: str):
    done = run(*SMALL, *words, threads=2)
    assert (done.returncode, re.findall("wrong: (.*)", done.stderr)) == (1, [complaint])


@mpis
def test_the_checks_reject_what_is_wrong_over_mpi(mpi: str):
    done = run(*SMALL, "--spoil", 1, mpi=mpi, processes=2)
    assert done.returncode == 1 and done.stderr.count("wrong: the residual is not what the iteration says") == 1


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--cells", "1"], '--cells takes a whole number from 2 to 1024, not "1"'),
        (["--height", "1"], "the mesh is 1 cells high, and may be 2 to 1000000; change --height"),
        (["--cells", "16", "--block", "16"], "--block 16 is more than the 15 points between the sides of the box"),
        (["--overlap", "9"], "--overlap 9 reaches through a neighbour: it may be up to --block 8"),
        (["--cells", "8", "--block", "7"],
         "a process has fewer blocks than threads: 1 layer of 1 block for 1 process with 2 threads in all"),
        (["--cells", "1024", "--height", "100000", "--weak", "1"],
         "a process needs 13363 GB, more than its machine has; make --cells or --height smaller"),
    ],
)  # fmt: skip
def test_sizes_that_make_no_sense_are_refused_in_one_line(words: list[str], complaint: str):
    done = run(*words, threads=2)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"aspcg: {complaint}\n")


@mpis
def test_one_process_complains_for_all(mpi: str):
    done = run("--cells", 8, "--block", 4, mpi=mpi, processes=3)
    assert done.returncode == 2
    said = "aspcg: a height of 8 cells has 2 layers of blocks, fewer than the 3 processes"
    assert [line for line in done.stderr.splitlines() if line.startswith("aspcg:")] == [said]
