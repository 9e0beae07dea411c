"""What the command says of itself, and how it writes where little can be written."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from weir.base import console
from weir.cli import app

from ..conftest import INFO


def said(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, list(words), prog_name="weir", env={"COLUMNS": "200"})
    return done.exit_code, done.output


def test_the_version_is_of_the_package_and_of_its_libraries(native_folder: Path):
    status, text = said("--version")
    assert status == 0
    assert text == f"weir {INFO['version']}\nprograms and libraries {INFO['version']}: {native_folder}\n"
    (native_folder / "weir-info").unlink()
    status, text = said("--version")
    assert status == 0 and "weir-info was not found" in text, text


def test_a_wrong_option_of_the_program_itself_names_its_help():
    assert said("--no-such") == (2, "weir: No such option: --no-such; weir --help lists what there is\n")


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_is_written_to_terminals_alone(monkeypatch: pytest.MonkeyPatch, terminal: bool):
    monkeypatch.setattr(console, "err", Console(file=io.StringIO(), force_terminal=terminal))
    with console.bar() as progress:
        progress.add_task("doing")
    assert ("doing" in console.err.file.getvalue()) is terminal
    assert terminal or not console.err.file.getvalue()


@pytest.mark.parametrize(
    "words",
    [
        ["predict", "processors", "--threads", "16", "--available", "15"],
        ["simulate"],
        ["simulate", "000-processors", "--dry-run"],
        ["info", "--all"],
    ],
)
def test_an_ascii_locale_has_the_nearest_characters(tmp_path: Path, words: list[str]):
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-m", "weir", *words], cwd=tmp_path, env=os.environ | ascii_only, capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"?" not in done.stdout, done.stdout.decode()


@pytest.mark.parametrize("width", [50, 80])
@pytest.mark.parametrize("command", [[], ["run"], ["bench", "threads"], ["bench", "workloads"], ["scale"]])
def test_help_is_whole_on_narrow_screens(command: list[str], width: int):
    done = CliRunner().invoke(app, [*command, "--help"], env={"COLUMNS": str(width)})
    assert done.exit_code == 0 and "…" not in done.output, done.output
    words = "".join(c for c in done.output if not c.isspace() and c != "│")
    assert command != ["scale"] or "omni-path-fat-tree,slingshot-dragonfly,taurus-ethernet,held-out-tcp" in words


@pytest.mark.parametrize("width", [50, 80])
@pytest.mark.parametrize("words", [["simulate", "000-blocking", "--dry-run"], ["info", "--all"]])
def test_answers_are_whole_on_narrow_screens(words: list[str], width: int):
    # In a process of its own: the width is asked for once.
    done = subprocess.run(
        [sys.executable, "-m", "weir", *words],
        env=os.environ | {"COLUMNS": str(width)},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0 and "…" not in done.stdout, done.stdout
    lines = [line for line in done.stdout.splitlines() if line.startswith(("│", "┃"))]
    assert lines and all(len(line) <= width for line in lines), done.stdout
