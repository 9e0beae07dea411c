"""flow computes what is published and what is exact, with the same digits on each runtime and over each MPI."""

import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from weir.openmp.runtimes import Stage
from weir.profile import counting
from weir.run import starting

from .. import mpi_programs
from .test_workloads import FOLDER, environment

SMALL = ["--cells", "16", "--blocks", "2", "--steps", "2"]
CASES = ("cavity", "taylor-green")


@pytest.fixture(scope="module")
def on() -> Iterator[Callable[[str, int], dict[str, str]]]:
    """What makes a program run on a runtime, with a team of that size."""
    stage = Stage()
    yield lambda kind, size: environment(kind, stage, size)
    stage.close()


def program(suffix: str = "gfortran") -> Path:
    path = FOLDER / f"flow-{suffix}"
    assert path.is_file(), f"{path} is not built: scripts/setup, then ninja -C build workloads"
    return path


def run(words: list[str], env: dict[str, str], suffix: str = "gfortran", launcher: tuple[str, ...] = ()):
    command = [*launcher, program(suffix), *words]
    return subprocess.run(command, env=starting.without_settings() | env, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("case", CASES)
def test_the_digits_are_the_same_for_each_team_and_runtime(case: str, on):
    said = {}
    for kind in ("libgomp", "weir kernel", "weir user"):
        for size in (1, 2, 4):
            done = run(["--case", case, *SMALL], on(kind, size))
            assert done.returncode == 0, done.stderr
            said[kind, size] = done.stdout
    assert len(set(said.values())) == 1, said
    assert len(set(re.findall(r"digest (\w+)", done.stdout))) == (2 if case == "taylor-green" else 1)


@pytest.mark.parametrize("mpi", mpi_programs.MPIS)
def test_the_digits_are_the_same_over_mpi(mpi: str, on):
    """Two processes of one thread, and of two on Weir's runtime."""
    for case, env in (("cavity", on("weir kernel", 2)), ("taylor-green", on("libgomp", 1))):
        alone = run(["--case", case, *SMALL], on("libgomp", 1)).stdout
        done = run(["--case", case, *SMALL], env, mpi, (*mpi_programs.launcher(mpi), "-n", "2"))
        assert (done.returncode, done.stdout) == (0, alone), done.stderr
        assert "flow: processes 2 of threads " in done.stderr


@pytest.mark.parametrize("words", [["--blocks", "1"], ["--blocks", "1", "--overlap", "2"], ["--blocks", "8"]])
def test_the_flow_does_not_depend_on_the_blocks(words: list[str], on):
    """It does on the pressure's last digits."""
    env = on("weir kernel", 2)
    plain, other = (run([*SMALL, *more], env).stdout for more in ([], words))
    energy = [float(re.search(r"kinetic energy\s+([^,]+)", said).group(1)) for said in (plain, other)]
    assert energy[0] == pytest.approx(energy[1], rel=1e-8) and plain != other


def test_the_cavity_is_ghias(on):
    done = run([], on("weir kernel", 1))
    assert done.returncode == 0, done.stderr
    assert float(re.search(r"Ghia's by at most (\S+)", done.stdout).group(1)) < 0.01
    at = map(float, re.search(r"least v:\s+(\S+)\s+(\S+)\s+(\S+)", done.stdout).groups())
    assert list(at) == pytest.approx([-0.214, 0.180, -0.254], abs=0.006)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--reynolds", "105"], "the profiles are not those that Ghia and others have for Re 100"),
        (["--reynolds", "95"], "the extremes are not those that Botella and Peyret have for Re 100"),
        (["--cells", "16"], "the profiles are not those that Ghia and others have for Re 100"),
        (["--case", "taylor-green", "--cells", "8", "--blocks", "2"], "the errors are not of second order"),
    ],
)
def test_another_reynolds_number_and_a_coarse_mesh_are_found(words: list[str], complaint: str, on):
    done = run(words, on("weir kernel", 1))
    assert done.returncode == 1 and f"flow: wrong: {complaint}\n" in done.stderr


def test_vortices_decay_as_they_should(on):
    done = run(["--case", "taylor-green", "--cells", "16"], on("weir kernel", 2))
    assert done.returncode == 0, done.stderr
    orders = map(float, re.search(r"order of the energy and of the velocity: (\S+) (\S+)", done.stdout).groups())
    assert list(orders) == pytest.approx([2, 2], abs=0.1)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--cells", "17"], "--cells 17 is odd, and no face of a cell would be on the centre line"),
        (["--cells", "6"], '--cells takes a whole number from 8 to 1024, not "6"'),
        (["--cells", "99999999999"], '--cells takes a whole number from 8 to 1024, not "99999999999"'),
        (["--cells", "3e1"], '--cells takes a whole number from 8 to 1024, not "3e1"'),
        (["--cells", ""], '--cells takes a whole number from 8 to 1024, not ""'),
        (["--blocks", "5"], "--cells 32 is no multiple of --blocks 5"),
        (["--blocks", "16", "--overlap", "2"],
         "blocks of 2 cells are too small for --overlap 2; they need twice as many: --blocks at most 8"),
        (["--case", "square"], '--case takes cavity or taylor-green, not "square"'),
        (["--steps"], "--steps takes a whole number from 0 to 1000000"),
        (["-s", "12"], 'no option is called "-s"; --help lists them'),
    ],
)  # fmt: skip
def test_a_wrong_option_is_refused_in_one_line(words: list[str], complaint: str):
    done = run(words, {})
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"flow: {complaint}\n")


@pytest.mark.parametrize("mpi", mpi_programs.MPIS)
def test_more_processes_than_blocks_are_refused(mpi: str):
    done = run(["--blocks", "1"], {"OMP_NUM_THREADS": "1"}, mpi, (*mpi_programs.launcher(mpi), "-n", "2"))
    assert done.returncode == 2 and "flow: --blocks 1 makes 1 blocks, fewer than the processes: 2\n" in done.stderr


def test_help_lists_the_options():
    done = run(["--help"], {})
    assert done.returncode == 0 and done.stdout.startswith("flow: ") and "--overlap" in done.stdout


def test_a_step_of_the_cavity_waits_at_21_barriers_and_an_iteration_at_15(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    monkeypatch.setenv("OMP_WAIT_POLICY", "passive")
    barriers, iterations = [], []
    for steps in ("1", "3"):
        counts = counting.run([str(program()), *SMALL[:-1], steps]).counts
        barriers.append(sum(count for directive, count in counts.items() if directive.name == "barrier"))
        iterations.append(int(re.search(r"iterations (\d+)", capfd.readouterr().out).group(1)))
    assert barriers[1] - barriers[0] == 2 * 21 + 15 * (iterations[1] - iterations[0])
