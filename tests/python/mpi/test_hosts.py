"""Barriers between hosts, which scripts/hosts makes of this machine: root, /dev/net/tun, SSH and an MPI are needed."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from weir.base import native

from .. import skips
from ..conftest import alive, eventually

ROOT = Path(__file__).resolve().parents[3]
HOSTS = ROOT / "scripts" / "hosts"
PROGRAMS = ROOT / "build" / "tests" / "mpi"
COUNT, RANKS = 3, 2


@pytest.fixture(scope="module", autouse=True)
def state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of these hosts: they do not meet the hosts of a user, or of another run of the tests."""
    folder = tmp_path_factory.mktemp("hosts") / "up"
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("WEIR_HOSTS", str(folder))
        yield folder


def hosts(*words: str, seconds: float = 60) -> subprocess.CompletedProcess:
    return subprocess.run([HOSTS, *words], capture_output=True, text=True, timeout=seconds)


def processes(state: Path) -> list[int]:
    return [number for number, _ in json.loads((state / "state.json").read_text())["processes"].values()]


def mounts() -> str:
    return Path("/proc/self/mounts").read_text()


@pytest.fixture(scope="module", autouse=True)
def possible() -> None:
    skips.unless("root", "make network namespaces, which hosts are")
    skips.unless("tun")
    assert native.find("weir-delayed-switch"), "weir-delayed-switch is not built: make build"
    assert Path("/usr/sbin/sshd").exists(), "there is no sshd: scripts/setup installs it"


@pytest.fixture(scope="module")
def up(state: Path) -> Iterator[str]:
    made = hosts("up", str(COUNT), "--delay", "2ms", "--ranks", str(RANKS))
    assert made.returncode == 0, made.stderr
    yield made.stdout
    hosts("down")


@pytest.fixture(params=["openmpi", "mpich"])
def mpi(request: pytest.FixtureRequest, up: str) -> Iterator[str]:
    assert (PROGRAMS / f"contract-{request.param}").exists(), f"the programs for {request.param} are not built"
    yield request.param


def run(mpi: str, program: str, *arguments: str, until: str) -> list[str]:
    """What it says, up to the line that begins so. MPICH 4.0 may not come back from MPI_Finalize over TCP: end it."""
    words = ["timeout", "300", HOSTS, "run", "--mpi", mpi, PROGRAMS / f"{program}-{mpi}", *arguments]
    said = []
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as started:
        for line in started.stdout:
            said.append(line.rstrip())
            if line.startswith(until):
                break
        if mpi == "mpich":
            started.terminate()
        started.communicate()
    assert mpi == "mpich" or started.returncode == 0, "\n".join(said)
    assert said and said[-1].startswith(until), "\n".join(said)
    return said


def test_the_contract_holds_between_hosts(mpi: str) -> None:
    run(mpi, "contract", "2", "dissemination", "tournament-tree", "linear", until="kept")


def test_the_default_knows_the_hosts(mpi: str) -> None:
    said = run(mpi, "choice", until=f"weir-host-{COUNT}:")
    choice = next(line for line in said if "within a host" in line)
    assert choice.startswith("dissemination; within a host: linear; by messages")
    assert "between them" in choice  # the reason, where there is more than one host
    assert [line for line in said if line.startswith("weir-host")] == [
        f"weir-host-{i + 1}: {RANKS * i} {RANKS * i + 1}" for i in range(COUNT)
    ]


def test_hosts_share_no_memory_and_have_names(up: str, state: Path) -> None:
    assert hosts("run", "--on", "weir-host-2", "--", "hostname").stdout == "weir-host-2\n"
    assert hosts("run", "--on", "weir-host-2", "sh", "-c", "hostname; touch /dev/shm/mine").stdout == "weir-host-2\n"
    assert "mine" not in hosts("run", "ls", "/dev/shm").stdout
    assert hosts("run", str(state / "ssh"), "weir-host-2", "ls /dev/shm").stdout == "mine\n"
    assert not Path("/dev/shm/mine").exists()


def test_a_message_takes_the_delay(up: str) -> None:
    began = hosts("run", "python3", "-c", ROUND_TRIP)
    assert began.returncode == 0, began.stderr
    assert float(began.stdout) >= 4e-3


ROUND_TRIP = """
import socket, time
start = time.monotonic()
socket.create_connection(("weir-host-3", 22)).close()
print(time.monotonic() - start)
"""


def test_up_says_how_programs_are_started(up: str) -> None:
    assert f"-n {COUNT * RANKS} PROGRAM" in up
    listed = hosts("list").stdout.splitlines()
    assert [line.split()[0] for line in listed] == [f"weir-host-{i + 1}" for i in range(COUNT)]


def test_up_twice_says_what_to_do(up: str) -> None:
    again = hosts("up", "2")
    assert again.returncode == 1
    assert "scripts/hosts down" in again.stderr


@pytest.mark.parametrize("how", ["whole", "switch killed", "a host killed", "up killed", "a host not noted"])
def test_down_leaves_nothing_behind_and_up_works_again(how: str, state: Path) -> None:
    hosts("down")
    before = mounts()
    if how == "up killed":
        begun = subprocess.Popen([HOSTS, "up", "4"], stdout=subprocess.PIPE)
        while not (state / "state.json").exists() or len(processes(state)) < 3:
            assert begun.poll() is None
        begun.kill()
        begun.communicate()
    else:
        made = hosts("up", "2")
        assert made.returncode == 0, made.stderr
    started = processes(state)
    if how == "switch killed":
        os.kill(started[-1], signal.SIGKILL)
    if how == "a host killed":
        os.kill(started[1], signal.SIGKILL)
    if how == "a host not noted":
        kept = json.loads((state / "state.json").read_text())
        kept["processes"] = {r: process for r, process in kept["processes"].items() if not r.startswith("weir-host-2")}
        (state / "state.json").write_text(json.dumps(kept))
    ended = hosts("down")
    assert ended.returncode == 0, ended.stderr
    assert not state.exists()
    eventually(lambda: not any(alive(process) for process in started))
    assert mounts() == before
    assert hosts("down").returncode == 0  # and nothing to do
    assert hosts("run", "true").returncode == 1


@pytest.mark.parametrize(
    "words", [("up", "0"), ("up", "many"), ("up", "2", "--delay", "1 hour"), ("run",), ("sideways",)]
)
def test_mistakes_are_explained(words: tuple[str, ...]) -> None:
    failed = hosts(*words)
    assert failed.returncode == 2
    assert "usage" in failed.stderr and len(failed.stderr.splitlines()[-1]) > 10


@pytest.mark.parametrize("what", [["up", "2"], ["down"], ["list"], ["run", "hostname"]], ids=lambda words: words[0])
def test_only_root_can(what) -> None:
    skips.unless("readable")
    failed = subprocess.run([HOSTS, *what], user="nobody", capture_output=True, text=True)
    assert failed.returncode == 1 and "root" in failed.stderr
