import json
import shutil
import signal
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
INFO = {
    "version": "0.1.0",
    "compiler": "none",
    "cpu_model": "A <made-up> processor",
    "kernel": "Linux",
    "online": 2,
    "affinity": [0, 1],
    "quota": {"processors": 1.5, "source": "/sys/fs/cgroup/cpu.max"},
    "usable": 1.5,
    "caches": [{"level": 1, "kind": "data", "bytes": 32768, "line": 64, "processors": [0]}],
    "numa_nodes": [{"node": 0, "bytes": 2**30, "processors": [0, 1]}],
    "topology_text": "Machine\n  Core 0\n",
    "cycles_per_ns": 2.5,
    "choices": [
        {"members": 2, "placed": True, "algorithm": "distributed", "waiting": "auto", "reason": "because", "bytes": 999}
    ],
    "algorithms": [{"name": "sense", "about": "a flag", "bytes": {"2": 1, "64": 2048}}],
    "waitings": [{"name": "spin", "about": "polls"}],
}


def heeding_interrupts() -> None:
    """For a child before it begins: whoever is started in the background inherits that SIGINT is ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def native_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of native programs: one that measures (made-up figures), and weir-info."""
    folder = tmp_path / "native"
    folder.mkdir()
    script = (HERE / "fake_measure.py").read_text().replace("/usr/bin/env python3", sys.executable)
    (folder / "weir-measure").write_text(script)
    (folder / "info.json").write_text(json.dumps(INFO))
    (folder / "weir-info").write_text(f"#!/bin/sh\ncat {folder}/info.json\n")
    for program in ("weir-measure", "weir-info"):
        (folder / program).chmod(0o755)
    monkeypatch.setenv("WEIR_NATIVE", str(folder))
    return folder


@pytest.fixture(scope="session")
def chromium() -> str:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert path, "Chromium is needed to look at the page: scripts/setup installs it"
    return path
