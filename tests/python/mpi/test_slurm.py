"""Programs under srun: a Slurm of one node, made for the tests, in a folder of its own. Needs root and Slurm."""

import os
import random
import secrets
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from .. import skips
from ..conftest import eventually

PROGRAMS = Path(__file__).resolve().parents[3] / "build" / "tests" / "mpi"
# As many processes as the test wants, whatever processors there are; nothing of the system is touched.
CONFIGURATION = """ClusterName=weir
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
AuthInfo=socket={here}/munge.socket
StateSaveLocation={here}/state
SlurmdSpoolDir={here}/spool
SlurmctldPidFile={here}/slurmctld.pid
SlurmdPidFile={here}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SlurmdParameters=config_overrides
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=8
PartitionName=all Nodes=ALL Default=YES State=UP
"""


def free_ports(count: int) -> list[int]:
    """Not of those that the system gives to others meanwhile."""
    taken: list[socket.socket] = []
    while len(taken) < count:
        one = socket.socket()
        try:
            one.bind(("127.0.0.1", random.randrange(10_000, 32_000)))
        except OSError:
            one.close()
        else:
            taken.append(one)
    ports = [one.getsockname()[1] for one in taken]
    for one in taken:
        one.close()
    return ports


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment in which srun finds it."""
    skips.unless("root", "start slurmd")
    skips.unless("slurm", "apt-get install slurmctld slurmd slurm-client munge")
    here = tmp_path_factory.mktemp("slurm")
    for folder in ("state", "spool"):
        (here / folder).mkdir()
    key = here / "munge.key"
    key.touch(mode=0o400)
    key.write_bytes(secrets.token_bytes(128))
    host = socket.gethostname().split(".")[0]
    (here / "slurm.conf").write_text(CONFIGURATION.format(host=host, here=here, ports=free_ports(2)))
    environment = os.environ | {"PATH": skips.SBIN, "SLURM_CONF": str(here / "slurm.conf")}
    munge = ["munged", "--foreground", "--force", f"--socket={here}/munge.socket", f"--key-file={key}"]
    munge += [f"--pid-file={here}/munged.pid", f"--log-file={here}/munged.log", f"--seed-file={here}/munged.seed"]
    daemons = []
    try:
        for words in (munge, ["slurmctld", "-D", "-i"], ["slurmd", "-D"]):
            with (here / f"{words[0]}.out").open("w") as out:
                daemons.append(subprocess.Popen(words, env=environment, stdout=out, stderr=out))
            if words is munge:
                wait_for(lambda: (here / "munge.socket").exists(), here)
        asked = ["sinfo", "--noheader", "--format=%t"]
        wait_for(
            lambda: subprocess.run(asked, env=environment, capture_output=True, text=True).stdout == "idle\n", here
        )
        yield environment
    finally:
        for daemon in reversed(daemons):
            daemon.terminate()
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()


def wait_for(look, here: Path) -> None:
    try:
        eventually(look)
    except AssertionError:
        pytest.fail("Slurm does not begin:\n" + "".join(log.read_text()[-1000:] for log in here.glob("*.out")))


@pytest.mark.parametrize(("mpi", "interface"), [("openmpi", "pmix"), ("mpich", "pmi2")])
def test_the_contract_holds_under_srun(slurm: dict[str, str], mpi: str, interface: str) -> None:
    program = PROGRAMS / f"contract-{mpi}"
    assert program.exists(), f"the programs for {mpi} are not built"
    words = ["srun", f"--mpi={interface}", "--ntasks=3", program, "3", "mcs", "linear"]
    done = subprocess.run(words, env=slurm, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    # Once: all were one job. Where they do not understand each other, each is a job of one, and says it for itself.
    assert done.stdout == "kept\n", done.stdout + done.stderr
