"""What `pip install .` puts where: CMake's part of it, configured anew, installs what the build has made."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from weir.base import driver, native
from weir.openmp import suite
from weir.run import starting
from weir.simulation import scenario

ROOT = Path(__file__).parents[3]
OF_OPENMP = {name for name, (*_, asks) in suite.PROGRAMS.items() if asks != "tbb"}  # oneTBB's stays with the source
OURS = {"weir-info", "weir-measure-threads", "weir-transfers", "weir-simulate", "weir-simulate-openmp", "weir-explore"}
PROGRAMS = {*driver.PROGRAMS, *OF_OPENMP, *OURS}
LIBRARIES = {starting.LIBRARY, "libweir-pthread.so", "libweir-profile.so", "libweir-trace.so"}


def run(*words: object) -> str:
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def configured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    data = folder / "data"
    run("cmake", "-S", ROOT, "-B", folder / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DWEIR_PYTHON=ON",
        "-DWEIR_TESTS=OFF", "-DWEIR_MPI=OFF", f"-DSKBUILD_DATA_DIR={data}")  # fmt: skip
    return folder


@pytest.fixture(scope="module")
def installed(configured: Path) -> Path:
    """The folders `platlib` and `data` of a wheel, with the programs and libraries of `make build`."""
    build = configured / "build"
    for name in (*PROGRAMS, *LIBRARIES, "libweir.a", "libweir-calls.a"):
        path = native.find(name) or native.library(name)
        assert path is not None, f"{name} is not built: make build"
        folder = "src" if name.startswith("lib") else "bench"
        shutil.copyfile(path, build / folder / name)
        (build / folder / name).chmod(0o755)
    run("cmake", "--install", build, "--prefix", configured / "platlib", "--component", "python")
    return configured


def test_every_program_and_library_that_commands_ask_for_is_there(installed: Path):
    native_folder = installed / "platlib" / "weir" / "native"
    assert {path.name for path in native_folder.iterdir()} == PROGRAMS | LIBRARIES
    assert all(os.access(native_folder / name, os.X_OK) for name in PROGRAMS)


def test_only_these_are_built_and_no_test(configured: Path):
    planned = run("ninja", "-C", configured / "build", "-t", "commands", "wheel")
    assert all(name in planned for name in PROGRAMS | LIBRARIES)
    assert "tests/" not in planned and "weir-delayed-switch" not in planned and "mpi/" not in planned


def test_machines_scenarios_and_licences_are_there(installed: Path):
    package = installed / "platlib" / "weir"
    for folder in ("machines", "machines/clusters", "scenarios"):
        expected = {path.name for path in (ROOT / folder).glob("*.toml")}
        assert expected and {path.name for path in (package / folder).glob("*.toml")} == expected
    assert list((package / "licences").iterdir()) and scenario.machines_folder().is_dir()


def test_the_library_is_found_in_the_environments_prefix(installed: Path):
    data = installed / "data"
    config = (data / "lib/cmake/weir/weir-targets.cmake").read_text()
    assert str(installed) not in config and str(ROOT) not in config
    assert (data / "include/weir/barrier.hpp").is_file()
    assert (data / "lib/pkgconfig/weir.pc").read_text().startswith("prefix=${pcfiledir}/../../\n")


def test_the_sources_with_it_are_all_that_building_for_an_mpi_needs(installed: Path):
    source, build = installed / "platlib/weir/source", installed / "mpi"
    run("cmake", "-S", source, "-B", build, "-G", "Ninja", "-DWEIR_MPI_ONLY=ON")
    planned = run("ninja", "-C", build, "-t", "commands", "weir-local-mpi")
    for name in ("libweir-mpi.so", "libweir-mpi-mpich.so", "weir-mpi-measure-openmpi", "weir-mpi-scale"):
        assert name in planned
    for other in ("weir-omp", "weir-simulate", "weir-profile", "tests/"):
        assert other not in planned
    used = subprocess.run(["grep", "-rl", str(ROOT), build / "build.ninja"], capture_output=True, text=True)
    assert used.returncode == 1, "it is built from the repository, not from the wheel's sources"
