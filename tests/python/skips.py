"""The reasons for which a test may be skipped. Any other reason, or more tests than expected, fails the whole run.

What scripts/setup installs is never a reason: tests fail where it is missing, since nobody notices a test that is
always skipped. A test takes its reason from here: `@skips.mark("root")`, or `skips.unless("root")` within a fixture.
For C++ tests, which say their reason to GTEST_SKIP: `python tests/python/skips.py CTEST_JUNIT_FILE`.
"""

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest

SLURM = ("slurmctld", "slurmd", "munged", "srun", "sinfo")
SET_UP = Path(__file__).resolve().parents[2] / ".venv-workloads"
SBIN = f"{os.environ.get('PATH', '')}:/usr/sbin"


@dataclass(frozen=True)
class Reason:
    says: str
    holds: Callable[[], bool]
    most: int  # tests that it may take in one run

    def covers(self, said: str) -> bool:
        return said == self.says or said.startswith(f"{self.says}: ")


def _others_may_read() -> bool:
    return all(folder.stat().st_mode & 0o001 for folder in Path(__file__).resolve().parents)


def _snap_is_missing() -> bool:
    """Ubuntu's package is a script that asks for a snap."""
    own = shutil.which("chromium") or shutil.which("google-chrome")
    return own is None and shutil.which("chromium-browser") is not None and not os.access("/snap/bin/chromium", os.X_OK)


REASONS = {
    "root": Reason("only root can", lambda: os.geteuid() != 0, 40),
    "processors": Reason("only one processor", lambda: len(os.sched_getaffinity(0)) < 2, 20),
    "tun": Reason("no /dev/net/tun, over which hosts talk", lambda: not os.access("/dev/net/tun", os.W_OK), 22),
    "quota": Reason("no cgroup v1 to set a quota", lambda: not os.access("/sys/fs/cgroup/cpu", os.W_OK), 4),
    "slurm": Reason("no Slurm", lambda: any(shutil.which(name, path=SBIN) is None for name in SLURM), 2),
    "snap": Reason("no snap of Chromium, which Ubuntu has as nothing else", _snap_is_missing, 7),
    "readable": Reason("other users may not read this folder", lambda: not _others_may_read(), 4),
    # Set-up goes on where it cannot install it.
    "onetbb": Reason("no oneTBB", lambda: not list(Path("/usr/lib").glob("*/libtbb.so")), 3),
    # Set-up for programs of others, which no test needs, builds or installs them.
    "rust": Reason("no rustc", lambda: shutil.which("rustc") is None, 1),
    "rayon": Reason("no program on rayon", lambda: not (SET_UP / "pool-rayon").is_file(), 4),
    "states": Reason("too large", lambda: True, 4),  # three members under store buffering: over 20 million states
    # Asked by the C++ tests themselves.
    "sanitizer": Reason("under a sanitizer", lambda: True, 3),
    "membarrier": Reason("this kernel has no membarrier", lambda: True, 2),
    "filters": Reason("this system takes no filter of system calls", lambda: True, 1),
    "ucx": Reason("MPICH over UCX", lambda: True, 3),
    # Asked for by who runs the tests on those, never in continuous integration.
    "own": Reason("the compilers' own runtimes", lambda: os.environ.get("WEIR_TEST_RUNTIME") == "own", 1000),
}


def mark(name: str, why: str = "") -> pytest.MarkDecorator:
    """For tests that cannot run where the reason holds."""
    return pytest.mark.skipif(REASONS[name].holds(), reason=_said(name, why))


def unless(name: str, why: str = "") -> None:
    """Skips what runs now where the reason holds."""
    if REASONS[name].holds():
        pytest.skip(_said(name, why))


def _said(name: str, why: str) -> str:
    return f"{REASONS[name].says}: {why}" if why else REASONS[name].says


def complaints(skipped: Iterable[tuple[str, str]]) -> list[str]:
    """Of tests and what they said: which should not have been skipped, and why not."""
    found = []
    taken: dict[str, list[str]] = {}
    for test, said in skipped:
        name = next((name for name, reason in REASONS.items() if reason.covers(said)), None)
        if name is None:
            found.append(f'{test}: "{said}" is no reason of tests/python/skips.py')
        elif not REASONS[name].holds():
            found.append(f'{test}: "{said}" does not hold here')
        else:
            taken.setdefault(name, []).append(test)
    for name, tests in taken.items():
        if len(tests) > (most := REASONS[name].most):
            found.append(f'"{REASONS[name].says}" skips {len(tests)} tests, at most {most} may be: {", ".join(tests)}')
    return found


class Plugin:
    """Fails a run of pytest where a test was skipped that may not be. It is for the process that hears all reports."""

    def __init__(self) -> None:
        self.skipped: list[tuple[str, str]] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._note(report)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._note(report)

    def _note(self, report: pytest.CollectReport | pytest.TestReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            _, _, said = report.longrepr
            self.skipped.append((report.nodeid, said.removeprefix("Skipped: ")))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if complaints(self.skipped) and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for complaint in complaints(self.skipped):
            terminalreporter.write_line(f"skipped, and may not be: {complaint}", red=True)


def of_junit(file: Path) -> list[tuple[str, str]]:
    """The skipped tests that ctest has noted, and what they said to GTEST_SKIP."""
    found = []
    for case in ElementTree.parse(file).iter("testcase"):
        if case.find("skipped") is not None:
            said = re.search(r": Skipped\n(.*)\n", case.findtext("system-out") or "")
            found.append((case.get("name") or "", said.group(1).strip() if said else "nothing"))
    return found


if __name__ == "__main__":
    wrong = [complaint for file in sys.argv[1:] for complaint in complaints(of_junit(Path(file)))]
    print("\n".join(f"skipped, and may not be: {complaint}" for complaint in wrong), end="\n" if wrong else "")
    sys.exit(bool(wrong))
