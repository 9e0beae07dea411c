"""The profile's file: what becomes of what is there, and of those who write it at once."""

import errno
import fcntl
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

from weir.tuning import profile_file
from weir.tuning.judging import Finding
from weir.tuning.plan import Team
from weir.tuning.profile_file import NoProfile, Section

TEAM = Team(4, False)


def section(*findings: Finding) -> Section:
    return Section("2 processors", 2, "2026-11-25", False, "a processor", findings)


def test_a_damaged_profile_gives_way_and_other_files_do_not(tmp_path: Path):
    path = tmp_path / "profile"
    for text in ("", "weir profile 9\nmachine 2 processors\n", "weir profile 1\nmachine 4 processors\nproc"):
        path.write_text(text)
        profile_file.write(path, section(Finding(TEAM, "sense", 1.0)))
        lines = path.read_text().splitlines()
        assert lines.count("machine 2 processors") == 1 and "machine 4 processors" not in lines
    path.write_text("# notes\n")
    with pytest.raises(NoProfile):
        profile_file.write(path, section())
    assert [p.name for p in tmp_path.iterdir()] == ["profile"], "nothing else is left"


def test_the_version_is_the_first_that_has_what_the_file_says(tmp_path: Path):
    path, other = tmp_path / "profile", Section("4 processors", 4, "2026-11-25", False, "another", [])
    made = Finding(Team(4, True), "dissemination", 2.0, "levels:2by2flag-pairs", 1.0)
    for findings, first in (([], "weir profile 1"), ([made], "weir profile 2")):
        profile_file.write(path, section(*findings))
        profile_file.write(path, other)
        lines = path.read_text().splitlines()
        assert lines[0] == first and "machine 2 processors" in lines and "machine 4 processors" in lines
    profile_file.write(path, section())
    assert path.read_text().startswith("weir profile 1\n"), "no plan is left"


def test_a_profile_takes_the_place_of_no_device(tmp_path: Path):
    os.mkfifo(pipe := tmp_path / "pipe")
    for path in (pipe, Path("/dev/null"), tmp_path):
        with pytest.raises(NoProfile):
            profile_file.write(path, section())
    assert pipe.is_fifo() and Path("/dev/null").is_char_device()


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "profile"
    profile_file.write(path, section())
    before = path.read_text()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        profile_file.write(path, section(Finding(TEAM, "sense", 1.0)))
    assert path.read_text() == before and [p.name for p in tmp_path.iterdir()] == ["profile"]


def section_of(signature: str) -> Section:
    return Section(signature, 2, "2026-11-25", False, "a processor", [])


def test_two_that_write_at_once_lose_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path, merged = tmp_path / "profile", profile_file.merged
    first_has_read, second_has_written = threading.Event(), threading.Event()

    def slow(old: str, new: Section) -> str:
        if new.signature == "4 processors":
            first_has_read.set()
            second_has_written.wait(0.5)  # in vain, where it waits for its turn
        return merged(old, new)

    def second() -> None:
        first_has_read.wait()
        profile_file.write(path, section_of("8 processors"), pytest.fail)
        second_has_written.set()

    monkeypatch.setattr(profile_file, "merged", slow)
    with ThreadPoolExecutor() as pool:
        done = pool.submit(second)
        profile_file.write(path, section_of("4 processors"), pytest.fail)
        done.result()
    assert {"machine 4 processors", "machine 8 processors"} <= set(path.read_text().splitlines())
    assert [p.name for p in tmp_path.iterdir()] == ["profile"], "nothing else is left"


def test_many_processes_that_write_at_once_lose_nothing(tmp_path: Path):
    path = tmp_path / "profile"
    with ProcessPoolExecutor(4) as pool:
        list(pool.map(write_section, [path] * 40, range(2, 42)))
    assert len([line for line in path.read_text().splitlines() if line.startswith("machine ")]) == 40


def write_section(path: Path, processors: int) -> None:
    profile_file.write(path, section_of(f"{processors} processors"), pytest.fail)


def test_a_writer_that_is_stopped_delays_no_other_for_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path, complaints = tmp_path / "profile", []
    hold = "import fcntl, sys; f = open(sys.argv[1], 'w'); fcntl.flock(f, fcntl.LOCK_EX); print(flush=True); input()"
    words = [sys.executable, "-c", hold, tmp_path / ".profile.lock"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        holder.stdout.readline()
        holder.send_signal(signal.SIGSTOP)
        monkeypatch.setattr(profile_file, "PATIENCE_S", 0.1)
        profile_file.write(path, section_of("4 processors"), complaints.append)
        holder.kill()
    assert "machine 4 processors" in path.read_text() and "may be stopped" in complaints[0]
    profile_file.write(path, section_of("8 processors"), pytest.fail)


def test_where_there_are_no_locks_a_profile_is_written_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def none(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", none)
    profile_file.write(tmp_path / "profile", section_of("4 processors"), pytest.fail)
    assert "machine 4 processors" in (tmp_path / "profile").read_text()


def test_a_relative_configuration_folder_is_none(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", "/home/somebody")
    monkeypatch.setenv("XDG_CONFIG_HOME", "config")
    assert profile_file.usual_place() == Path("/home/somebody/.config/weir/profile")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/config")
    assert profile_file.usual_place() == Path("/config/weir/profile")
