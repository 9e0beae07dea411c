"""`weir build mpi` says all that it needs at once, and what it builds with what is there."""

import os
import re
import stat
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weir.base import driver, native
from weir.building import local_mpi
from weir.cli import app


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine on which nothing is but what a test puts there."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.delenv("WEIR_NATIVE", raising=False)
    return tmp_path


def put(machine: Path, name: str, says: str = "") -> None:
    (machine / name).write_text(f"#!/bin/sh\necho '{says}'\n")
    (machine / name).chmod(0o755)


def test_all_that_is_missing_is_said_at_once(machine: Path):
    done = CliRunner().invoke(app, ["build", "mpi"])
    assert done.exit_code == 2
    text = done.output.replace("\n", " ")
    for word in ("CMake 3.25", "C++20 compiler", "ninja", "mpicc.mpich", "libopenmpi-dev", "smpicxx"):
        assert word in text
    assert not (machine / "data").exists()


def test_an_old_cmake_is_as_good_as_none(machine: Path):
    put(machine, "cmake", "cmake version 3.22.1")
    with pytest.raises(local_mpi.CannotBuild, match=r"CMake 3\.25 or later, instead of 3\.22 at "):
        local_mpi.tools()


@pytest.mark.parametrize(
    ("shown", "there", "missing"),
    [
        ("gcc -I/usr/include/x86_64-linux-gnu/mpich -lmpich", "barriers over MPICH", "mpicc.openmpi"),
        ("gcc -I/opt/openmpi/include -L/opt/openmpi/lib -lmpi", "barriers over Open MPI", "mpicc.mpich"),
    ],
)
def test_an_mpi_by_its_plain_name_is_recognized(machine: Path, shown: str, there: str, missing: str):
    put(machine, "cmake", "cmake version 3.31.0")
    for name in ("g++", "make"):
        put(machine, name)
    put(machine, "mpicc", shown)
    found = local_mpi.tools()
    assert [word for word in found.words if there in word] == list(found.words)
    assert any(missing in word for word in found.missing) and any("smpicxx" in word for word in found.missing)


def test_what_it_builds_is_found_afterwards(machine: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(native, "in_tree", lambda: False)
    folder = native.built_here()
    assert str(folder).startswith(str(machine / "data"))
    assert "weir build mpi" in native.how_to_get("weir-mpi-scale")
    assert native.find("weir-mpi-measure-none") is None
    folder.mkdir(parents=True)
    put(folder, "weir-mpi-measure-none")
    (folder / "libweir-mpi-none.so").touch()
    assert native.find("weir-mpi-measure-none") == folder / "weir-mpi-measure-none"
    assert native.library("libweir-mpi-none.so") == folder / "libweir-mpi-none.so"


def test_what_is_looked_for_as_a_program_can_be_executed(tmp_path: Path):
    source = Path(__file__).parents[3]
    subprocess.run(["cmake", "-S", source, "-B", tmp_path, "-DWEIR_MPI_ONLY=ON"], check=True, capture_output=True)
    text = (tmp_path / "cmake_install.cmake").read_text()
    installed = re.findall(r"file\(INSTALL [^()]*/weir-mpi-scale\"[^()]*\)", text)
    assert installed and all(" OWNER_EXECUTE " in words for words in installed)


def test_a_failure_of_the_build_is_told_in_its_own_words(machine: Path, capfd: pytest.CaptureFixture[str]):
    version = "[ $1 != --version ] || { echo cmake version 3.31.0; exit; }"
    put(machine, "cmake")
    (machine / "cmake").write_text(f"#!/bin/sh\n{version}\necho no room; exit 1\n")
    for name in ("g++", "make", "mpicc.mpich"):
        put(machine, name)
    done = CliRunner().invoke(app, ["build", "mpi"])
    assert done.exit_code == 2 and "configuring failed" in done.output
    assert "no room" in capfd.readouterr().out


def test_a_peer_whose_runtime_is_not_here_is_left_out_with_a_word(native_folder: Path, tmp_path: Path):
    """By the dynamic loader's own words, of a library that is taken away."""
    (tmp_path / "empty.c").write_text("int weir_there(void) { return 0; }\n")
    (tmp_path / "main.c").write_text("int weir_there(void); int main(void) { return weir_there(); }\n")
    library = tmp_path / "libweir-not-there.so.1"
    shared = ["cc", "-shared", "-fPIC", f"-Wl,-soname,{library.name}"]
    subprocess.run([*shared, tmp_path / "empty.c", "-o", library], check=True)
    program = native_folder / "weir-measure-libgomp"
    subprocess.run(["cc", tmp_path / "main.c", library, "-o", program], check=True)
    library.unlink()
    assert os.stat(program).st_mode & stat.S_IXUSR
    found, missing = driver.subjects()
    assert found and all(subject.program == "weir-measure" for subject in found)
    says = f"weir-measure-libgomp needs {library.name}, which is not on this machine: its runtime is left out"
    assert says in missing
