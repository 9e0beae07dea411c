"""Which MPIs there are, and how a program is started under each."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from weir.base import native
from weir.base.names import Unknown

# Each MPI's launcher if several MPIs are installed, and the words by which a plain mpirun shows whose it is.
NAMES = {
    "openmpi": (("mpirun.openmpi", "mpirun", "mpiexec"), "open-mpi.org"),
    "mpich": (("mpiexec.mpich", "mpiexec.hydra", "mpiexec", "mpirun"), "HYDRA"),
}


@dataclass(frozen=True)
class Mpi:
    name: str
    program: Path
    template: str | None = None  # of the user's; {processes} and {threads} are filled in
    launcher: str | None = None

    def command(self, processes: int, threads: int) -> list[str]:
        """The words before the measuring program's own arguments."""
        if self.template is not None:
            return [*shlex.split(self.template.format(processes=processes, threads=threads)), str(self.program)]
        processors = len(os.sched_getaffinity(0))
        # A rank bound to a processor has no second one for its threads; shared processors are the system's to give.
        bind = "core" if threads == 1 and 1 < processes <= processors else "none"
        words = [str(self.launcher), "-n", str(processes)]
        if self.name == "mpich":
            return [*words, "-bind-to", bind, str(self.program)]
        if os.geteuid() == 0:
            words.append("--allow-run-as-root")
        if processes > processors:
            words.append("--oversubscribe")
        return [*words, "--bind-to", bind, str(self.program)]


def _launcher(name: str) -> str | None:
    for word in NAMES[name][0]:
        path = shutil.which(word)
        if path is None:
            continue
        said = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20, check=False)
        if NAMES[name][1] in said.stdout + said.stderr:
            return path
    return None


def found(asked: Sequence[str] | None, template: str | None) -> tuple[list[Mpi], list[str]]:
    """The MPIs to measure, and a word on each that is missing. Raises Unknown."""
    mpis, missing = [], []
    for name in asked or NAMES:
        program = native.find(f"weir-mpi-measure-{name}")
        launcher = None if template else _launcher(name)
        if program is None:
            program_name = f"weir-mpi-measure-{name}"
            missing.append(f"{program_name} is not built: {name} is left out. {native.how_to_get(program_name)}")
        elif template is None and launcher is None:
            missing.append(
                f"{name} has no launcher here ({', '.join(NAMES[name][0])}): it is left out; or give --launcher"
            )
        else:
            mpis.append(Mpi(name, program, template, launcher))
    if template and len(mpis) > 1:
        raise Unknown(f"--launcher is for one MPI: name it by --mpi {' or --mpi '.join(m.name for m in mpis)}")
    if not mpis:
        raise Unknown("no MPI can be measured. " + "; ".join(missing))
    return mpis, missing


def check(template: str) -> None:
    """Raises ValueError for what is no launcher's command."""
    try:
        filled = shlex.split(template.format(processes=7, threads=3))
    except (KeyError, IndexError, ValueError, AttributeError, TypeError):
        filled = []
    if "{processes}" not in template or not filled:
        raise ValueError
