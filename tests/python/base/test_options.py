"""Every option of every command, as the commands themselves tell them, with values that suit it and values that do not.

No work is begun: what would measure, simulate or draw says only that it was reached.
"""

import contextlib
import io
import json
import math
import os
import shutil
import subprocess
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_command

from weir.advising import measuring as advising
from weir.barriers import measuring as bench
from weir.base import native, options, records
from weir.building import local_mpi
from weir.cli import COMMANDS, app
from weir.doctor import watching
from weir.mpi import launchers
from weir.mpi import measuring as over_mpi
from weir.openmp import cli as openmp_cli
from weir.openmp import measuring as of_openmp
from weir.openmp import suite
from weir.openmp.runtimes import Runtime
from weir.prediction import charts as predictions
from weir.profile import counting
from weir.report import page
from weir.run import measuring as run_measuring
from weir.run import sides as run_sides
from weir.scale import measuring as scale
from weir.simulation import history, running, scenario
from weir.simulation.openmp import measuring as of_simulated_openmp
from weir.threads import measuring as of_threads
from weir.tuning import measuring as tuning
from weir.tuning import simulating as tuning_elsewhere
from weir.workloads import measuring as of_workloads

from ..conftest import INFO
from ..report.test_report import rows

WEIR = get_command(app)
LONG = "a" * 5000
# Of these no option takes more than a few; which, its kind says.
TRIALS = (
    *("", " ", "x", "nan", "inf", "-inf", "-1", "0", "1", "1.5", "1e30", "-1e30", "1e-30", "0x10", "1_0", "9" * 25),
    *("2,,4", ",", "2,", "none", "[bold]%s{}\n\x1b", "\udcff", LONG, "/no/such/folder/x", "/dev/zero", "/", "."),
)
# What a command needs beside the option that is tried, so that work would begin.
NEEDS = {
    "simulate": ["000-blocking"],
    "report": ["records.jsonl"],
    "compare": ["records.jsonl", "records.jsonl"],
    "profile": ["--", "true"],
    "trace": ["--", "true"],
    "doctor": ["--", "true"],
    "advise": ["--", "/bin/true"],
    "run": ["--", "/bin/true"],
}
WITH = {
    **{
        ("run", option): ["--compare"]
        for option in ("--times", "--against", "--team", "--quota", "--beside", "--copies", "--export")
    },
    ("simulate", "--point"): ["--history", "h"],
    **{
        (f"predict {p}", o): ["--compute-ms", "1,2"]
        for p in ("spinning", "tree", "blocking")
        for o in ("--svg", "--page")
    },
}
# Whose options are those of a native program, which is asked below.
NATIVE = {"explore"}


class Begun(BaseException):
    """Work would begin."""


WORK = (
    (bench.Bench, "run"), (of_openmp.Measuring, "run"), (over_mpi.Measuring, "run"),
    (of_threads.Session, "run"), (of_workloads.Session, "run"), (scale.Scale, "run"),
    (running.Simulation, "run"), (of_simulated_openmp.Measuring, "run"), (history, "take"), (page, "write"),
    (counting, "run"), (counting, "execute"),
    (os, "execve"),
    (predictions, "write_svg"), (predictions, "write_page"), (run_measuring, "bound_to"),
    (local_mpi, "tools"), (watching, "program"), (advising.Measuring, "count"),
    (tuning.Measured, "run"), (tuning_elsewhere.Simulated, "run"),
)  # fmt: skip
CONSTRUCTS = {"constructs": [{"name": name, "group": "g", "parameter": ""} for name in suite.UNDER_LOAD]}
SIMULATED = CONSTRUCTS | {"modelled": [], "runtimes": [{"name": "weir", "about": "", "model": False}]}
POINT = {"point": 0, "chosen": {}, "machine": "m", "machine_processors": 2, "processors": 2, "quantum_ns": 1.0}
CHECKED = {"about": "", "seeds": 1, "seed": 1, "points": [POINT | {"applications": []}]}
MACHINE = {"machine": "m", "processors": 2, "signature": "2 processors", "choices": []}
SUBJECT = {"id": "weir:auto/auto", "family": "weir", "algorithm": "auto", "waiting": "auto", "version": "1"}


def answered(words: list, **_: object) -> subprocess.CompletedProcess:
    """What native programs say when they are asked and nothing is begun."""
    name, asked = Path(words[0]).name, str(words[1]) if len(words) > 1 else ""
    listed = SIMULATED if "openmp" in name else [SUBJECT]
    said = {"": INFO, "--members": INFO, "list": listed, "check": CHECKED, "machine": MACHINE}.get(asked)
    assert said is not None and name.startswith("weir-"), f"{words} was started"
    return subprocess.CompletedProcess(words, 0, json.dumps(said), "")


@pytest.fixture(autouse=True)
def nothing_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def begin(*_: object, **__: object) -> None:
        raise Begun

    for owner, name in WORK:
        monkeypatch.setattr(owner, name, begin)
    monkeypatch.setattr(subprocess, "run", answered)
    monkeypatch.setattr(subprocess, "Popen", lambda words, **_: pytest.fail(f"{words} was started"))
    monkeypatch.setattr(native, "find", lambda name: Path("/native") / name)
    monkeypatch.setattr(native, "library", lambda name: Path("/bin/true"))
    monkeypatch.setattr(launchers, "_launcher", lambda name: f"/native/{name}")
    monkeypatch.setattr(scenario, "_charts", lambda *_: [])
    one = Runtime("libgomp", "1", Path("/native/libgomp.so.1"), ("gomp",))
    monkeypatch.setattr(openmp_cli, "runtimes", lambda: [one])
    monkeypatch.setattr(run_sides, "runtimes", lambda: [one])
    monkeypatch.setattr(openmp_cli, "task_libraries", list)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    Path("mine.c").touch()
    with records.Writer(Path("records.jsonl")) as writer:
        for row in rows()[:3]:
            writer.write(row)


@dataclass
class Outcome:
    status: int | None  # None: work was begun
    said: str
    complaint: str


def weir(*words: str) -> Outcome:
    # As a terminal and a pipe are: what is not text is refused by them.
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    begin = time.process_time()
    status: int | None = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            WEIR.main(args=list(words), prog_name="weir")
        except SystemExit as end:
            status = int(end.code or 0)
        except Begun:
            status = None
        except Exception:
            pytest.fail(f"weir {words}: {traceback.format_exc()}")
    assert time.process_time() - begin < 10, words
    return Outcome(status, *(stream.buffer.getvalue().decode() for stream in (out, err)))


def commands(command: Any = WEIR, words: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    if command.callback is not None and words and words[0] not in NATIVE:
        yield " ".join(words), command
    for name, below in getattr(command, "commands", {}).items():
        yield from commands(below, (*words, name))


def kind_of(parameter: Any) -> Any:
    """What reads its words, in any version of Typer."""
    described = getattr(parameter, "type_descriptor", None)
    return described.parameter_info.parser if described else getattr(parameter.type, "func", None)


def parameters() -> list[Any]:
    found = []
    for name, command in commands():
        for p in command.params:
            if p.param_type_name == "argument" or not p.is_flag:
                found.append(pytest.param(name, p, id=f"{name} {p.opts[-1]}"))
    return found


def files() -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in Path().rglob("*")}


def tried(command: str, parameter: Any, text: str) -> Outcome:
    needed, option = NEEDS.get(command, []), parameter.opts[-1]
    if parameter.param_type_name == "argument":
        return weir(*command.split(), "--", text)
    return weir(*command.split(), option, text, *WITH.get((command, option), []), *needed)


def check_refusal(outcome: Outcome, named: tuple[str, ...], before: dict[str, int]) -> None:
    assert outcome.status == 2, outcome
    lines = outcome.complaint.splitlines()
    assert 1 <= len(lines) <= 2 and not outcome.said, outcome
    assert lines[0].startswith("weir: ") and "Traceback" not in outcome.complaint, outcome
    assert any(name in outcome.complaint for name in named) and len(outcome.complaint) < 6000, outcome
    assert files() == before, "a refusal leaves no file"


def plausible(kind: Any, text: str) -> bool:
    """Whether a kind of number may take it."""
    try:
        return math.isfinite(float(text)) and kind.least <= float(text) <= kind.most and text.strip() == text
    except ValueError:
        return False


@pytest.mark.parametrize("command", [name for name, _ in commands()])
def test_every_command_begins_with_no_more_than_it_needs(command: str):
    outcome = weir(*command.split(), *NEEDS.get(command, []))
    assert outcome.status in (None, 0), f"NEEDS lacks what {command} needs: {outcome}"


@pytest.mark.parametrize(("command", "parameter"), parameters())
def test_what_an_option_does_not_take_is_refused(command: str, parameter: Any):
    kind, option = kind_of(parameter), parameter.opts[-1]
    assert isinstance(kind, options.Kind), f"{command} {option} takes its words by no kind of weir.options"
    assert kind.takes, "a complaint says what is allowed"
    argument = parameter.param_type_name == "argument"
    for text in dict.fromkeys((*TRIALS, *kind.wrong)):
        before = files()
        outcome = tried(command, parameter, text)
        if outcome.status in (None, 0):
            assert text not in kind.wrong and text.strip(), (command, option, text)
            assert not hasattr(kind, "least") or plausible(kind, text), (command, option, text)
            assert text not in ("nan", "inf") or isinstance(kind, (options.OutputFile, options.OutputBase)), (
                option,
                text,
            )
        else:
            # A relation of several options is told by their names without dashes, and what is not there by its own.
            named = (
                option,
                option.strip("-").replace("-", " "),
                parameter.metavar or "-",
                *([text[:20]] if argument else []),
            )
            check_refusal(outcome, named, before)
        for made in set(files()) - set(before):
            shutil.rmtree(made) if os.path.isdir(made) else Path(made).unlink(missing_ok=True)


@pytest.mark.parametrize(("command", "parameter"), parameters())
def test_the_least_and_the_largest_are_taken(command: str, parameter: Any):
    kind, option = kind_of(parameter), parameter.opts[-1]
    for text in kind.right:
        before = files()
        outcome = tried(command, parameter, text)
        if outcome.status in (None, 0):
            continue
        check_refusal(outcome, (option, option.strip("-"), option.strip("-").partition("-")[0], text), before)
        assert f"{option} takes" not in outcome.complaint, "a kind refuses what it calls right"


def test_help_lists_the_commands_in_the_order_of_the_table():
    with contextlib.redirect_stdout(io.StringIO()) as said:
        WEIR.main(["--help"], prog_name="weir", standalone_mode=False)
    listed = [line.split()[1] for line in said.getvalue().splitlines() if line.startswith("│ ") and line[2].isalpha()]
    assert listed == [name for name, _ in COMMANDS if " " not in name]


def lost_options() -> list[Any]:
    """Each option of a group that has commands, before one of them."""
    group = WEIR.commands["bench"]
    flags = [(p.opts[-1],) for p in group.params if p.is_flag and p.name != "help"]
    suits = {"--mine": "mine.c"}
    valued = [
        (o, suits.get(o) or (kind_of(p).right or ("auto",))[0])
        for p in group.params
        if not p.is_flag
        for o in p.opts[-1:]
    ]
    return [pytest.param(words, to, id=f"{words[0]} {to}") for words in flags + valued for to in group.commands]


@pytest.mark.parametrize(("words", "to"), lost_options())
def test_an_option_before_a_subcommand_is_not_lost(words: tuple[str, ...], to: str):
    before = files()
    outcome = weir("bench", *words, to)
    check_refusal(outcome, (f"{words[0]} before {to} would have no effect",), before)


@pytest.mark.parametrize(
    "words, says",
    [
        ("bench --sedonds 3", "bench: No such option: --sedonds"),
        ("bench --seconds", "'--seconds' requires an argument"),
        ("bench opnemp", "known are openmp, mpi"),
        ("bench openmp 3", "extra argument"),
        ("simulate --point 3 000-blocking", "--point does not go with a run of all points"),
        ("simulate --quick 000-blocking", "--quick does not go with"),
        ("simulate --seeds 3", "--seeds does not go with nothing"),
        ("simulate --calibrate --dry-run", "--dry-run does not go with --calibrate"),
        ("simulate --machines . 000-blocking", "--machines: . holds no machine's file"),
        ("report records.jsonl -o x.md --png .", "--png does not go with a table"),
        ("report", "Missing argument 'FILES...'"),
        ("bench mpi --processes 1024 --threads 2", "by --launcher"),
        ("run --times 3 -- /bin/true", "--times goes with --compare only"),
        ("run --copies 2 -- /bin/true", "--copies goes with --compare only"),
        ("run --export x.csv -- /bin/true", "--export goes with --compare only"),
        ("compare records.jsonl", "takes two files of records, A and B, not 1: records.jsonl"),
        ("run --compare --threads 8 -- /bin/true", "a team's size is --team 8"),
        ("run --mpi --threads user -- /bin/true", "--threads is about OpenMP"),
        ("run --compare --check -- /bin/true", "--check does not run the program"),
        ("scale --ranks 3 --per-node 2", "--ranks 3 must fill at least two nodes"),
        ("predict spinning --barriers 100000 --compute-ms 0:1000:1", "--barriers"),
    ],
)
def test_what_goes_together_is_said(words: str, says: str):
    before = files()
    check_refusal(weir(*words.split()), (says,), before)


def test_the_usual_folder_is_made_and_no_other():
    assert weir("predict", "tree", "-o", "out/made.jsonl").status == 0 and Path("out/made.jsonl").is_file()
    assert weir("predict", "tree", "-o", "uot/made.jsonl").status == 2 and not Path("uot").exists()


def test_a_kind_says_what_it_takes_where_it_is_refused():
    with pytest.raises(typer.BadParameter, match="takes a number from 0 to 5 ms, not 'nan'"):
        options.Real(0, 5, "ms")("nan")
