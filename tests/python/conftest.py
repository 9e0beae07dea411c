import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import settings

from weir.base import records, shapes
from weir.base.driver import Answer, Process
from weir.openmp.runtimes import Runtime, Stage
from weir.run import starting

from . import skips
from .openmp_programs import LIBRARY, OWN, Builds, Program

HERE = Path(__file__).parent
# On a busy machine one example may take any time.
settings.register_profile("weir", deadline=None)
settings.load_profile("weir")
INFO = {
    "version": "0.1.0",
    "compiler": "none",
    "cpu_model": "A <made-up> processor",
    "kernel": "Linux",
    "online": 2,
    "affinity": [0, 1],
    "quota": {"processors": 1.5, "source": "/sys/fs/cgroup/cpu.max"},
    "usable": 1.5,
    "heard": 2,
    "sharing": [],
    "caches": [{"level": 1, "kind": "data", "bytes": 32768, "line": 64, "processors": [0]}],
    "numa_nodes": [{"node": 0, "bytes": 2**30, "processors": [0, 1]}],
    "topology_text": "Machine\n  Core 0\n",
    "cycles_per_ns": 2.5,
    "choices": [
        {"members": 2, "placed": True, "algorithm": "distributed", "waiting": "auto", "reason": "because", "bytes": 999}
    ],
    "algorithms": [
        {
            "name": "sense",
            "about": "a flag",
            "halves": True,
            "logarithmic": False,
            "by_messages": False,
            "critical_path": None,
            "bytes": {"2": 1, "64": 2048},
        }
    ],  # fmt: skip
    "waitings": [{"name": "spin", "about": "polls"}],
}


SOURCES = Path(records.__file__).parents[1]


@pytest.fixture(autouse=True)
def _all_that_is_written_is_declared() -> Iterator[None]:
    """Each row that Weir writes in a test has the fields and types that its subject declares (fields.py). Rows that a
    test writes itself may have others."""
    found: list[str] = []
    plain = records.as_line

    def as_line(row: Mapping[str, Any]) -> str:
        frame = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename in (records.__file__, __file__):
            frame = frame.f_back
        if frame is not None and SOURCES in Path(frame.f_code.co_filename).parents:
            shape = records.shape_of(dict(row))
            found.extend(shapes.undeclared(dict(row), shape) if shape else [f"kind {row.get('kind')}"])
        return plain(row)

    with patch.object(records, "as_line", as_line):
        yield
    assert not found, f"rows have what no fields.py declares: {', '.join(dict.fromkeys(found))}"


UNPROFILED = {"WEIR_PROFILE": "none"}  # what is chosen shall not depend on the profile of this machine


def pytest_configure(config: pytest.Config) -> None:
    os.environ.update(UNPROFILED)
    if not hasattr(config, "workerinput"):  # the process to which all others report
        config.pluginmanager.register(skips.Plugin())
        config.pluginmanager.register(Seconds(config))


# A file is one process's: the one that begins last may keep a process busy while the others have nothing to do. What
# takes 15 s or more goes first, the longest at the front (.pytest_cache/v/weir/seconds).
FIRST = (
    "threads/test_tools", "openmp/test_runtime", "mpi/test_preload", "mpi/test_barriers",
    "openmp/test_threadsanitizer", "report/test_looks", "threads/test_as_threads", "workloads/test_workloads",
    "openmp/test_real_programs", "advising/test_advise", "mpi/test_hosts", "rooms/test_additions",
    "openmp/test_deadlocks", "threads/test_openmp_members", "mpi/test_measuring", "openmp/test_explanation",
    "openmp/test_bench", "tuning/test_tune", "prediction/test_predict", "workloads/test_others",
    "threads/test_random_programs", "scripts/test_scripts", "base/test_options", "threads/test_threads",
    "openmp/test_environment", "workloads/test_pools", "doctor/test_doctor", "threads/test_process",
)  # fmt: skip
RANKS = {f"tests/python/{name}.py": rank for rank, name in enumerate(FIRST)}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: RANKS.get(item.nodeid.partition("::")[0], len(RANKS)))


class Seconds:
    """Keeps how long each file of tests took when it ran last, in full or in part: scripts/check chooses by it."""

    def __init__(self, config: pytest.Config) -> None:
        self.cache = config.cache
        self.seconds: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        file = report.nodeid.partition("::")[0]
        self.seconds[file] = self.seconds.get(file, 0) + report.duration

    def pytest_sessionfinish(self) -> None:
        if self.cache is not None:
            self.cache.set("weir/seconds", self.cache.get("weir/seconds", {}) | self.seconds)


def heeding_interrupts() -> None:
    """For a child before it begins: processes started in the background inherit ignored signals."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # as nohup has it


def no_patience_with(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Whoever asks a program for a sample of this waits for a moment, and else for long: any answer may come late."""
    patient = Process.ask

    def ask(self: Process, command: str, timeout_s: float) -> Answer:
        return patient(self, command, 0.5 if name in command else 300)

    monkeypatch.setattr(Process, "ask", ask)


def put_fake(script: str, program: Path) -> None:
    program.write_text((HERE / script).read_text().replace("/usr/bin/env python3", sys.executable))
    program.chmod(0o755)


@pytest.fixture
def native_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of native programs: one that measures (made-up figures), weir-transfers, and weir-info."""
    folder = tmp_path / "native"
    folder.mkdir()
    put_fake("fake_measure.py", folder / "weir-measure")
    put_fake("fake_transfers.py", folder / "weir-transfers")
    (folder / "info.json").write_text(json.dumps(INFO))
    (folder / "weir-info").write_text(f"#!/bin/sh\ncat {folder}/info.json\n")
    (folder / "weir-info").chmod(0o755)
    monkeypatch.setenv("WEIR_NATIVE", str(folder))
    return folder


@pytest.fixture(scope="session")
def chromium() -> str:
    skips.unless("snap")
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert path, "Chromium is needed to look at the page: scripts/setup installs it"
    return path


@pytest.fixture(scope="session")
def builds(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Builds]:
    base = tmp_path_factory.getbasetemp()
    builds = Builds((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "openmp-programs")
    for item in request.session.items:
        wanted = getattr(getattr(item, "callspec", None), "params", {}).get("program")
        if (OWN or LIBRARY) and isinstance(wanted, Program) and not item.get_closest_marker("skip"):
            builds.begin(wanted)
    yield builds
    builds.close()


@pytest.fixture(scope="session")
def runtime() -> Path | None:
    """None: each compiler's own."""
    assert OWN or LIBRARY, f"{starting.LIBRARY} is not built: make build"
    return None if OWN else LIBRARY


@pytest.fixture(scope="session")
def own_environment() -> dict[str, str]:
    """The compilers' own runtimes', and nothing of the user's that says how."""
    # They spin for long, and would take the processors from each other.
    return starting.without_settings() | {"OMP_WAIT_POLICY": "passive", **UNPROFILED}


@pytest.fixture(scope="session")
def environment(runtime: Path | None, own_environment: dict[str, str]) -> Iterator[dict[str, str]]:
    """What makes programs run on the runtime under test."""
    if runtime is None:
        yield own_environment
        return
    stage = Stage()
    plain = {n: v for n, v in own_environment.items() if n != "OMP_WAIT_POLICY"}
    asked = os.environ.get("WEIR_TEST_THREADS")
    threads = {} if asked is None else {"WEIR_THREADS": asked}
    yield plain | threads | stage.environment(Runtime("weir", "", runtime, ("gomp", "kmp")))
    stage.close()


def alive(process: int) -> bool:
    """Not a process that has ended and was not waited for yet."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def eventually(holds: Callable[[], object], patience_s: float = 300) -> None:
    end = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < end, f"not within {patience_s:g} s"
        time.sleep(0.02)
