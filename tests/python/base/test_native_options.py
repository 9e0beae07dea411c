"""The options of the native programs, as their --help tells them, with values that none of them takes."""

import re
import subprocess
from pathlib import Path

import pytest

from weir.base import native

# What each needs beside the option that is tried, so that work would begin.
PROGRAMS = {
    "weir-measure": ["serve", "--members", "2"],
    "weir-measure-libgomp": ["serve", "--members", "2"],
    "weir-measure-libomp": ["serve", "--members", "2"],
    "weir-measure-threads": ["serve"],
    "weir-openmp-c-gcc": ["serve"],
    "weir-openmp-c-clang": ["serve"],
    "weir-mpi-measure-mpich": ["--subjects", "weir"],
    "weir-mpi-measure-openmpi": ["--subjects", "weir"],
    "weir-explore": ["sense"],
}
WORDS = ("", "x", "nan", "inf", "-1", "1e30", "0x10", " 1", "2,,4", "9" * 25)
OPTION = re.compile(r"(?<![\w-])(--?[a-z][a-z-]*) ([A-Z][\w.,|]*|\w+\|[\w|]+)")
FREE = {"-o", "--subjects", "--pretend-skew"}  # a file's name; any name, which is looked up later; any time


def ended(*words: str | Path) -> subprocess.CompletedProcess:
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)


@pytest.fixture(params=list(PROGRAMS))
def program(request: pytest.FixtureRequest) -> Path:
    path = native.find(request.param)
    assert path is not None, f"{request.param} is not built: make build"
    return path


def test_each_option_refuses_what_it_does_not_take(program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    helped = ended(program, "--help")
    assert helped.returncode == 0 and "usage" in helped.stdout and not helped.stderr
    found = {option for option, _ in OPTION.findall(helped.stdout)} - FREE
    assert len(found) > 2, helped.stdout
    for option in found:
        for word in WORDS:
            done = ended(program, *PROGRAMS[program.name], option, word)
            lines = done.stderr.splitlines()
            assert done.returncode == 2 and not done.stdout, (option, word, done)
            assert len(lines) <= 2 and (option in lines[0] or f'"{word}"' in lines[0]), (option, word, done.stderr)
        assert ended(program, *PROGRAMS[program.name], option).returncode == 2, f"{option} has no value"
    assert ended(program, *PROGRAMS[program.name], "--no-such", "1").returncode == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [
        ["weir-measure", "serve", "--members", "65537"],
        ["weir-measure", "serve", "--members", "0"],
        ["weir-measure", "serve", "--members", "2", "--delay-ns", "1000001"],
        ["weir-measure", "serve", "--members", "2", "--processors", "0,"],
        ["weir-measure-libgomp", "busy", "--processor", "0"],
        ["weir-measure-threads", "list"],
        ["weir-measure-threads", "serve", "--limit-ms", "0"],
        ["weir-openmp-c-gcc", "serve", "--delay-ns", "1000001"],
        ["weir-openmp-c-gcc", "work", "--capacity", "0"],
        ["weir-mpi-measure-mpich", "--subjects", "weir,,weir:mcs"],
        ["weir-mpi-measure-mpich", "--subjects", "weir", "--threads", "1025"],
        ["weir-simulate", "transfer", "x.toml", "-1", "2"],
        ["weir-simulate", "transfer", "x.toml", "1", "2x"],
        ["weir-info", "--json"],
    ],
)
def test_what_weir_refuses_they_refuse(words: list[str]):
    path = native.find(words[0])
    assert path is not None, f"{words[0]} is not built: make build"
    done = ended(path, *words[1:])
    assert done.returncode == 2 and done.stderr and not done.stdout


def test_what_the_explorer_says_is_in_the_name_of_weir():
    path = native.find("weir-explore")
    assert path is not None, "weir-explore is not built: make build"
    done = subprocess.run(["weir explore", "sense", "--members", "0"], executable=path, capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr.startswith("weir explore: --members takes a whole number from 1 to 128")
    assert "weir-explore" not in done.stderr
