"""The workers of a thread that has ended serve another one, if they are as that thread would create them."""

import subprocess
from pathlib import Path

import pytest

from weir.base import native
from weir.run import starting

SOURCE = Path(__file__).resolve().parents[2] / "openmp" / "kept_crews.c"
WORKERS = 7
STATES = ["signals", "nice", "affinity", "name", "rounding", "slack", "folder"]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = tmp_path_factory.mktemp("kept") / "kept_crews"
    subprocess.run(["gcc", "-std=gnu11", "-O1", "-fopenmp", "-pthread", SOURCE, "-o", built, "-lm"], check=True)
    return built


def again(program: Path, *words: str, threads: str = "user") -> int:
    """How many workers of an earlier thread the last one had."""
    runtime = native.library(starting.LIBRARY)
    assert runtime is not None, "libgomp-weir.so is not built: make build"
    environment = starting.environment(runtime, {"WEIR_THREADS": threads, "WEIR_PROFILE": "none"})
    done = subprocess.run([program, *words], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.mark.parametrize("threads", ["user", "auto", "all"])
def test_a_later_thread_has_the_workers_of_an_earlier_one(program: Path, threads: str):
    assert again(program, "again", threads=threads) == WORKERS


def test_kernel_threads_end_with_their_thread(program: Path):
    assert again(program, "again", threads="kernel") == 0


@pytest.mark.parametrize("what", STATES)
def test_a_thread_that_differs_has_workers_of_its_own(program: Path, what: str):
    assert again(program, "caller", what) == 0


@pytest.mark.parametrize("what", STATES)
def test_workers_that_differ_serve_no_other_thread(program: Path, what: str):
    assert again(program, "worker", what) == 0


def test_a_hard_pause_ends_them(program: Path):
    assert again(program, "pause") == 0


def test_their_number_is_bounded(program: Path):
    assert again(program, "many") == 0


def test_those_that_fit_no_thread_end(program: Path):
    assert again(program, "misfits") == 0


def test_a_child_of_a_fork_has_none_of_its_parent(program: Path):
    assert again(program, "fork") == WORKERS


def test_the_process_ends_with_its_last_thread(program: Path):
    assert again(program, "ends") == 0
