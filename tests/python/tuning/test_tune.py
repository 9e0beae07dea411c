"""weir tune: what it decides, what it writes, and what becomes of that in the library."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from weir.barriers.measuring import Bench
from weir.base import driver, native, others, records, transfers
from weir.base.driver import Subject
from weir.base.statistics import Interval
from weir.cli import app
from weir.simulation import machine_plan
from weir.tuning import judging, plan, profile_file
from weir.tuning.judging import Finding
from weir.tuning.measuring import without_profile
from weir.tuning.plan import Team
from weir.tuning.profile_file import Section
from weir.tuning.simulating import Simulated

from ..conftest import HERE, INFO

SENSE = '("weir", "sense", "auto", {})'
SIZES = (2,)
PLAN = "levels:2by2flag-pairs"


def tuned(*words: object, **environment: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["tune", *map(str, words)], env={"COLUMNS": "200", **environment})
    return done.exit_code, " ".join(done.output.split())


def choices(taken: str) -> list[dict[str, Any]]:
    return [
        {"members": n, "placed": placed, "algorithm": taken, "waiting": "auto", "reason": "because", "bytes": 1}
        for n in SIZES
        for placed in (True, False)
    ]


@pytest.fixture
def made_up(native_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two processors, on which `distributed` is usual and takes 50 ns, and `sense` is the only other barrier."""
    info = INFO | {"quota": None, "usable": 2, "signature": "2 processors", "choices": choices("distributed")}
    (native_folder / "info.json").write_text(json.dumps(info))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("XDG_CONFIG_HOME", "WEIR_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(plan, "MOST_ROUNDS", judging.FEWEST_RUNS)
    for name in ("SCREENING_S", "SERIES_S"):  # a machine may be as slow as it is
        monkeypatch.setattr(plan, name, 1000.0)
    monkeypatch.setattr(plan, "sizes", lambda _: list(SIZES))
    monkeypatch.setattr(others, "disturbed", lambda _: None)
    return native_folder


def let_sense_take(folder: Path, ns: float) -> None:
    text = (HERE / "fake_measure.py").read_text()
    assert SENSE.format("60.0") in text
    script = text.replace(SENSE.format("60.0"), SENSE.format(ns)).replace("/usr/bin/env python3", sys.executable)
    (folder / "weir-measure").write_text(script)


def test_a_faster_barrier_is_written_for_each_size(made_up: Path, tmp_path: Path):
    let_sense_take(made_up, 30.0)
    status, said = tuned()
    assert status == 0, said
    assert "2 of 2 team sizes have another barrier" in said
    lines = (tmp_path / "home/.config/weir/profile").read_text().splitlines()
    assert lines[:2] == ["weir profile 1", "machine 2 processors"] and lines[-1] == "end"
    assert "processors 2" in lines and "sizes unbound 2" in lines and "sizes bound 2" in lines
    found = [line.split() for line in lines if line.startswith("barrier ")]
    assert [(f[1], f[2], f[3], f[5]) for f in found] == [
        (bound, str(n), "sense", "distributed") for n in SIZES for bound in ("unbound", "bound")
    ]
    assert all(27 < float(f[4]) < 33 and 45 < float(f[6]) < 55 for f in found)
    rows, complaints = records.read([tmp_path / "out/tune.jsonl"])
    assert complaints == [] and any(row["kind"] == "overhead" for row in rows)


@pytest.mark.parametrize("ns", [60.0, 50.0, 200.0], ids=["slower", "within the noise", "not even close"])
def test_where_nothing_is_faster_sizes_are_written_and_no_barrier(made_up: Path, tmp_path: Path, ns: float):
    let_sense_take(made_up, ns)
    status, said = tuned("-o", "mine.profile")
    assert status == 0 and "Weir's usual choice is as good as any" in said, said
    text = (tmp_path / "mine.profile").read_text()
    assert "sizes bound 2\n" in text and "barrier " not in text
    assert "WEIR_PROFILE=mine.profile" in said


def test_the_usual_choice_is_not_that_of_an_earlier_profile(made_up: Path, tmp_path: Path):
    info = json.loads((made_up / "info.json").read_text())
    (made_up / "profiled.json").write_text(json.dumps(info | {"choices": choices("sense")}))
    which = f'f=profiled; [ "$WEIR_PROFILE" = none ] && f=info; cat {made_up}/$f.json'
    (made_up / "weir-info").write_text(f"#!/bin/sh\n{which}\n")
    let_sense_take(made_up, 30.0)
    status, said = tuned("-o", "mine.profile", WEIR_PROFILE="/some/file")
    assert status == 0 and " sense " in (tmp_path / "mine.profile").read_text(), said
    with without_profile():
        assert os.environ["WEIR_PROFILE"] == "none"
    assert "WEIR_PROFILE" not in os.environ


def test_a_plan_that_was_simulated_stands_against_what_is_measured(made_up: Path, tmp_path: Path):
    sizes = [{"members": 2, "placed": True, "barrier": PLAN}, {"members": 2, "placed": False, "barrier": "sense"}]
    info = json.loads((made_up / "info.json").read_text()) | {"profile": {"sizes": sizes}}
    (made_up / "info.json").write_text(json.dumps(info))
    let_sense_take(made_up, 60.0)
    measure = made_up / "weir-measure"
    hangs = '"weir:hang/auto": ("weir", "hang", "auto", 1.0),'
    takes = f'"weir:{PLAN}/auto": ("weir", "{PLAN}", "auto", 30.0),'
    assert hangs in (script := measure.read_text())
    measure.write_text(script.replace(hangs, takes))
    status, said = tuned("-o", "mine.profile")
    assert status == 0 and "1 of 2 team sizes has another barrier" in said, said
    lines = (tmp_path / "mine.profile").read_text().splitlines()
    assert lines[0] == "weir profile 2", "an older Weir shall say that it reads no such version"
    (found,) = [line.split() for line in lines if line.startswith("barrier ")]
    assert found[1:4] == ["bound", "2", PLAN], "neighbours are near each other only if it is known who runs where"


def test_the_usual_barrier_does_not_stand_against_itself(made_up: Path, tmp_path: Path):
    info = json.loads((made_up / "info.json").read_text()) | {"choices": choices("sense")}
    (made_up / "info.json").write_text(json.dumps(info))
    let_sense_take(made_up, 30.0)
    status, said = tuned("-o", "mine.profile")
    assert status == 1 and "there is no result" in said, said


def test_other_machines_of_a_file_stay(made_up: Path, tmp_path: Path):
    (tmp_path / "mine.profile").write_text(
        "weir profile 1\nmachine 2 processors\nprocessors 2\nmeasured 2020-01-01\n"
        "machine 64 processors\n# kept\nprocessors 64\nmeasured 2020-01-02\nsizes bound 2\nend\n"
    )
    assert tuned("-o", "mine.profile")[0] == 0
    text = (tmp_path / "mine.profile").read_text()
    assert text.count("machine 2 processors\n") == 1 and "2020-01-01" not in text
    assert "machine 64 processors\n# kept\nprocessors 64\nmeasured 2020-01-02\nsizes bound 2\n" in text


def test_a_quota_is_not_measured(made_up: Path, tmp_path: Path):
    (made_up / "info.json").write_text(json.dumps(INFO | {"signature": "2 processors", "choices": choices("sense")}))
    status, said = tuned()
    assert status == 2 and "a CPU quota of 1.5 processors would be measured" in said
    assert not (tmp_path / "home").exists()


def test_a_file_that_is_no_profile_is_not_lost(made_up: Path, tmp_path: Path):
    (tmp_path / "notes.txt").write_text("remember the milk\n")
    status, said = tuned("-o", "notes.txt")
    assert status == 2 and "notes.txt is no profile, and would be lost" in said, said
    assert (tmp_path / "notes.txt").read_text() == "remember the milk\n"


def test_a_dry_run_does_nothing(made_up: Path, tmp_path: Path):
    status, said = tuned("--dry-run")
    assert status == 0 and "What would be measured" in said and "sense" in said and "/weir/profile" in said
    assert not (tmp_path / "home").exists() and not (tmp_path / "out").exists()


def test_ctrl_c_keeps_what_is_known(made_up: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    let_sense_take(made_up, 30.0)
    monkeypatch.setattr(plan, "MOST_ROUNDS", judging.FEWEST_RUNS + 1)
    sample = Bench._sample

    left = 2 * (
        judging.FEWEST_RUNS * 2 * len(SIZES) * plan.SAMPLES + 1
    )  # of both barriers, and the next round has begun

    def interrupted(bench: Bench, *words: Any) -> None:
        nonlocal left
        left -= bench.session.parts[0].rounds > 1  # not in the screening
        if left == 0:
            raise KeyboardInterrupt
        sample(bench, *words)

    monkeypatch.setattr(Bench, "_sample", interrupted)
    status, said = tuned("-o", "mine.profile")
    assert status == 130 and "what is known until then is kept" in said, said
    assert "barrier unbound 2 sense" in (tmp_path / "mine.profile").read_text()


def test_no_profile_is_made_beside_other_programs(made_up: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(others, "disturbed", lambda _: 0.5)
    status, said = tuned("-o", "mine.profile")
    assert status == 1 and "other programs had 50% of the processors" in said, said
    assert not (tmp_path / "mine.profile").exists() and (tmp_path / "out/tune.jsonl").exists()


def test_too_little_time_is_said(made_up: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(plan, "MOST_ROUNDS", judging.FEWEST_RUNS - 1)
    let_sense_take(made_up, 30.0)
    status, said = tuned("-o", "mine.profile")
    assert status == 1 and not (tmp_path / "mine.profile").exists()


TEAM = Team(4, False)


def measured(usual: Sequence[float], other: Sequence[float], runs: int, transfer_ns: float, first: int) -> list[dict]:
    """Rows of `sense`, which is usual, and `mcs`: so many runs in one state of the machine."""
    rows = []
    for run in range(first, first + runs):
        for algorithm, name, overheads in (("auto", "weir:auto/auto", usual), ("mcs", "weir:mcs/auto", other)):
            lists = {n: [v + 100 for v in overheads] for n in ("episode_ns", "cpu_ns")}
            lists |= {"overhead_ns": list(overheads), "reference_ns": [100.0] * len(overheads)}
            lists |= {n: [transfer_ns] * len(overheads) for n in records.PROBES}
            what = {"family": "weir", "id": name, "algorithm": algorithm, "waiting": "auto", "version": "1"}
            where = {"members": 4, "processors": 2, "pinned": False, "load": "none", "delay_ns": 100.0}
            row = {"kind": "overhead", "session": "s", "source": "measured", "what": what, "where": where}
            rows.append(row | {"how": {"method": "overhead", "run": run}, "samples": lists, "cycles_per_ns": 1.0})
    return [{"kind": "machine", "id": "s", "host": {"cpu_model": "m", "online": 2}, "settings": {}}, *rows]


FAST, SLOW = [50 + i % 5 for i in range(20)], [100 + i % 5 for i in range(20)]


def test_what_is_taken_is_faster_in_each_state_of_the_machine():
    near = measured(SLOW, FAST, 6, 50.0, 0)
    assert judging.judge(near, TEAM, "sense").barrier == "mcs"
    assert judging.judge([*near, *measured(SLOW, FAST, 6, 200.0, 6)[1:]], TEAM, "sense").barrier == "mcs"
    both = [*near, *measured(FAST, SLOW, 6, 200.0, 6)[1:]]
    assert judging.judge(both, TEAM, "sense") == Finding(TEAM, "sense", 77.0), "slower where a line is far"
    seldom = [*near, *measured(FAST, SLOW, judging.FEWEST_RUNS - 1, 200.0, 6)[1:]]
    assert judging.judge(seldom, TEAM, "sense").barrier == "mcs", "seen too seldom to be judged"
    assert judging.judge(measured(SLOW, FAST, 2, 50.0, 0), TEAM, "sense").undecided == "too little time"
    failed = [
        row for row in near if row["kind"] != "overhead" or row["what"]["algorithm"] == "auto" or row["how"]["run"] < 2
    ]
    assert judging.judge(failed, TEAM, "sense").barrier is None, "it has ended in most runs"


def test_faster_is_by_more_than_the_noise_and_worth_it():
    usual = Interval(100, 98, 102)
    assert judging.is_faster(Interval(90, 88, 97), usual)
    assert not judging.is_faster(Interval(90, 80, 98), usual), "the intervals touch"
    assert not judging.is_faster(Interval(96, 95, 97), usual), "less than 5 %"
    assert not judging.is_faster(Interval(90), usual), "unknown"


def test_a_simulation_is_judged_by_its_seeds():
    found = {"usual": Interval(100, 99, 101), "a": Interval(80, 79, 81), "b": Interval(70, 60, 110)}
    finding = judging.of_intervals(TEAM, "usual", found)
    assert (finding.barrier, finding.ns) == ("a", 80), "the seeds of b differ too much"
    assert judging.of_intervals(TEAM, "usual", {"usual": Interval(1, 1, 1)}).undecided
    assert judging.of_intervals(TEAM, "other", found).undecided


def test_sizes_are_two_the_processors_and_powers_of_two():
    assert plan.sizes(1) == [2, 4] and plan.sizes(6) == [2, 4, 6, 8, 16] and plan.sizes(2) == [2, 4, 8]


def test_barriers_that_go_by_processors_are_for_bound_teams_only():
    def named(name: str) -> Subject:
        return Subject(f"weir:{name}/auto", "weir", name, "auto", "1", "weir-measure")

    known = plan.Barriers(
        named("auto"), (named("sense"), named("mcs"), named("combination")), frozenset({"combination"})
    )
    names = [[s.algorithm for s in known.against(Team(4, bound), "mcs")] for bound in (False, True)]
    assert names == [["sense"], ["sense", "combination"]]
    host = {"algorithms": [{"name": "sense", "placed": False}, {"name": "combination", "placed": True}]}
    others = [
        named("weir::barrier"),
        named("sense"),
        named("combination"),
        Subject("p", "peer", "sense", "auto", "", ""),
    ]
    assert plan.barriers(others, host) is None, "there is no usual one"
    found = plan.barriers([named("auto"), *others], host)
    assert [s.algorithm for s in found.others] == ["sense", "combination"] and found.placed == {"combination"}


def info_with(profile: Path | str, *words: str) -> tuple[dict[str, Any], str]:
    """What the library makes of it, and what it says."""
    done = subprocess.run(
        [native.require("weir-info"), *words], capture_output=True, text=True, check=True,
        env=os.environ | {"WEIR_PROFILE": str(profile)},
    )  # fmt: skip
    return json.loads(done.stdout), done.stderr


@pytest.fixture(scope="module")
def here() -> dict[str, Any]:
    return info_with("none")[0]


def joined(text: str) -> str:
    """Without the breaks of lines, which depend on the terminal's width when the first test ran."""
    return "".join(text.split())


def test_the_library_reads_what_is_written(tmp_path: Path, here: dict[str, Any]):
    path, whole = tmp_path / "profile", len(here["affinity"])
    taken = next(c["algorithm"] for c in here["choices"] if c["members"] == 4 and not c["placed"])
    other = "mcs" if taken != "mcs" else "sense"
    section = Section(here["signature"], whole, "2026-11-25", False, "it", [Finding(TEAM, taken, 50.0, other, 40.0)])
    profile_file.write(path, section)
    info, said = info_with(path, "--members", "4")
    assert said == "" and info["profile"]["words"].startswith(f"{path}, measured on 2026-11-25")
    if here["usable"] < whole:
        assert info["choices"] == [c for c in here["choices"] if c["members"] == 4], "not under a quota"
        return
    free = next(c for c in info["choices"] if not c["placed"])
    assert free["algorithm"] == other and "measured on this machine on 2026-11-25: 40 ns" in free["reason"]
    bound = next(c for c in info["choices"] if c["placed"])
    assert "measured" not in bound["reason"]
    shown = CliRunner().invoke(app, ["info"], env={"WEIR_PROFILE": str(path), "COLUMNS": "300"})
    assert joined(f"{path}, measured on 2026-11-25") in joined(shown.output)


def test_a_profile_of_another_machine_is_said(tmp_path: Path, here: dict[str, Any]):
    path = tmp_path / "profile"
    profile_file.write(
        path, Section("3 processors in 2 groups", 3, "2026-11-25", False, "it", [Finding(TEAM, "sense")])
    )
    info, said = info_with(path)
    why = f"it is of a machine with 3 processors in 2 groups, and this one has {here['signature']}"
    assert said == f"weir: the profile {path} is not used: {why}; weir tune measures this one\n"
    assert info["choices"] == here["choices"]
    shown = CliRunner().invoke(app, ["info"], env={"WEIR_PROFILE": str(path), "COLUMNS": "300"})
    assert joined(f"{path} is not used") in joined(shown.output)


def test_this_machine_is_tuned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: dict[str, Any]):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(plan, "teams", lambda _: [Team(2, False), Team(2, True)])
    monkeypatch.setattr(plan, "MOST_ROUNDS", judging.FEWEST_RUNS)
    monkeypatch.setattr(others, "disturbed", lambda _: None)
    monkeypatch.setattr(transfers, "PROGRAM", "none")  # no states of the machine, of which each may have too few runs
    status, said = tuned("--seconds", 600, "-o", "mine.profile")
    if here["usable"] < len(here["affinity"]):
        assert status == 2 and "a CPU quota" in said
        return
    assert status == 0, said
    info, complaints = info_with(tmp_path / "mine.profile")
    assert complaints == "" and info["profile"]["date"], info["profile"]


def test_a_machine_that_is_not_here_is_simulated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    status, said = tuned("--machine", "power3-16", "--seconds", 60)
    assert status == 0 and "16 processors" in said, said
    text = (tmp_path / "out/power3-16.profile").read_text()
    asked = native.ask("weir-simulate", "machine", str(native.data("machines") / "power3-16.toml"))
    assert f"machine {asked['signature']}\n" in text and "simulated 20" in text and "sizes bound 2 4 8 16\n" in text
    for line in (line.split() for line in text.splitlines() if line.startswith("barrier ")):
        assert float(line[4]) < 0.95 * float(line[6])
    _, complaints = info_with(tmp_path / "out/power3-16.profile")
    assert "it is of a machine with" in complaints and "line" not in complaints


def test_a_plan_made_for_the_machine_is_taken_where_it_wins(tmp_path: Path):
    work = Simulated(machine_plan.machine_file("thunderx2-2s"))
    work.sizes, work.barriers = [64], ["tournament-nodes"]
    with records.Writer(tmp_path / "tune.jsonl") as writer:
        free, bound = work.run(600.0, writer, lambda *_: None)
    assert (free.team, free.usual, free.barrier) == (Team(64, False), "exchange-nodes", None)
    assert bound.barrier.startswith("levels:") and bound.ns < 0.95 * bound.usual_ns, bound
    about = work.about
    path = tmp_path / "mine.profile"
    profile_file.write(path, Section(about["signature"], 64, "2026-11-26", True, "it", [free, bound]))
    assert path.read_text().startswith("weir profile 2\n") and f"barrier bound 64 {bound.barrier} " in path.read_text()
    _, said = info_with(path)
    assert "it is of a machine with 64 processors" in said and "line" not in said, "the library reads it"


def test_a_plan_by_levels_is_measured_by_its_name(tmp_path: Path):
    names = {s.id for s in driver.by_levels(["sense", PLAN])}
    assert f"weir:{PLAN}/auto" in names and f"weir:{PLAN}/spin" in names and "weir:sense/auto" not in names
    with pytest.raises(native.NativeError, match="expected a size that is a multiple of the one below, 4"):
        driver.by_levels(["levels:4by2down2-6by2down2-pairs"])


def test_an_unknown_machine_is_refused():
    status, said = tuned("--machine", "enigma")
    assert status == 2 and "no machine 'enigma'" in said
