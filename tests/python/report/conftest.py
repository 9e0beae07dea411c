import fcntl
import json
import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from weir.base import exports, records
from weir.cli import app

from ..advising import made_up as advised
from ..run.made_up_session import HOST, session, trials
from ..simulation.made_up import SMALL
from ..threads.made_up import programs
from ..threads.made_up import rows as threads_rows
from ..workloads.made_up_runs import session_rows
from .browser import Browser

MEASURED = Path(__file__).parents[3] / "docs" / "measurements"
CONSTRUCTS = {
    "synchronisation": ("parallel", "for", "parallel-for", "barrier", "single", "reduction"),
    "exclusion": ("critical", "lock", "atomic", "ordered"),
    "schedule": ("schedule-static", *(f"schedule-nonmonotonic-dynamic-n:{n}" for n in (1, 16, 1024)),
                 *(f"schedule-dynamic-n:{n}" for n in (1, 16, 1024))),
}  # fmt: skip
RUNTIMES = {"libgomp": 3.0, "libomp-19": 2.0, "libiomp5": 1.9, "weir": 1.0}
SCENARIO = SMALL.replace("A small one", "Two barriers (Markatos et al. 1991, figure 1)").replace(
    "[system]", "seeds = 3\n[system]"
)


def openmp_row(
    runtime: str, group: str, name: str, members: int, overhead: list[float], compiler: str = "", language: str = "C"
) -> dict:
    what = {"family": "openmp", "id": f"{language}:{runtime}:{name}", "algorithm": name, "waiting": "own"}
    what |= {"group": group, "language": language, "runtime": runtime, "version": "1", "compiler": compiler}
    where = {"members": members, "processors": 2, "pinned": False, "load": "none", "delay_ns": 100}
    samples = {"overhead_ns": overhead, "episode_ns": [o + 100 for o in overhead]}
    samples |= {"reference_ns": [100.0] * len(overhead), "cpu_ns": [200.0] * len(overhead)}
    how = {"run": 0, "rejected": None}
    return {"kind": "overhead", "what": what, "where": where, "how": how, "samples": samples, "cycles_per_ns": 2.5}


def openmp_rows() -> list[dict]:
    """Four runtimes, one of them with programs of two compilers; some figures are in the noise."""
    dice = random.Random(3)
    rows = []
    for group, names in CONSTRUCTS.items():
        for number, name in enumerate(names):
            for members in (1, 2, 4):
                for runtime, cost in RUNTIMES.items():
                    for compiler in ("gcc", "clang") if runtime == "weir" else ("gcc",):
                        middle = 80.0 * cost * members * (number + 1)
                        spread = 3.0 if number == 2 and members == 1 else 0.05  # of these an interval holds zero
                        ns = [middle * (1 + spread * dice.uniform(-1, 1)) for _ in range(15)]
                        rows.append(openmp_row(runtime, group, name, members, ns, compiler))
    return rows


def scale_rows() -> list[dict]:
    barriers = (("Weir", "auto", 1.0), ("Weir", "mcs", 1.5), ("SMPI", "ompi_bruck", 2.0))
    rows = []
    for cluster in ("omni-path-fat-tree", "slingshot-dragonfly"):
        for per_node in (1, 16):
            for ranks in (16, 64, 1024):
                for family, algorithm, cost in barriers:
                    time = 1000.0 * cost * ranks.bit_length()
                    row = {"kind": "scale", "source": "simulated", "cluster": cluster, "nodes": ranks // per_node}
                    row |= {"ranks": ranks, "per_node": per_node, "family": family, "algorithm": algorithm}
                    row |= {"within": "", "name": algorithm, "stopped": None, "time_ns": time, "alone_ns": time}
                    rows.append(row | {"node_ns": 0.0, "kept": True})
    return rows


def command(*words: object) -> None:
    done = CliRunner().invoke(app, list(map(str, words)))
    assert done.exit_code == 0, done.output


def write(path: Path, rows: list[dict]) -> Path:
    with records.Writer(path) as writer:
        for row in rows:
            writer.write(row)
    return path


@pytest.fixture(scope="session")
def browser(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    one = Browser(chromium, tmp_path_factory.mktemp("profile"))
    yield one
    one.close()


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A page of each kind. pytest-xdist's workers make them once: that takes longer than most files of tests."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "pages"
    folder.mkdir(exist_ok=True)
    known = folder / "made.json"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not known.exists():
            known.write_text(json.dumps({name: str(page) for name, page in made_pages(folder).items()}))
    return {name: Path(page) for name, page in json.loads(known.read_text()).items()}


def made_pages(folder: Path) -> dict[str, Path]:
    """From real records where there are some."""
    scenario = folder / "small.toml"
    scenario.write_text(SCENARIO)
    simulated = folder / "simulation.jsonl"
    command("simulate", scenario, "-o", simulated)
    command("simulate", scenario, "--history", folder / "history")
    command("predict", "spinning", "--compute-ms", "0:40:4", "--page", folder / "prediction.html")
    made = {name: folder / f"{name}.html" for name in ("history", "prediction")}
    command("simulate", "002-power3", "-o", folder / "paper.jsonl")
    for name, held in {
        "barriers": MEASURED / "2026-11-21-two-processors.jsonl",
        "mpi": MEASURED / "2026-11-21-mpi.jsonl",
        "openmp": write(folder / "openmp.jsonl", openmp_rows()),
        "scale": write(folder / "scale.jsonl", scale_rows()),
        "advice": write(folder / "advice.jsonl", advised.of(advised.divided, trace=advised.trace())),
        "simulation": simulated,
        "paper": folder / "paper.jsonl",
        "threads": write(folder / "threads.jsonl", threads_rows(programs(), had=0.9)),
        "workloads": write(folder / "workloads.jsonl", session_rows()),
    }.items():
        made[name] = folder / f"{name}.html"
        command("report", held, "-o", made[name])
    before, after = (MEASURED / f"2026-11-21-{name}.jsonl" for name in ("calibrated", "two-processors"))
    command("compare", before, after, "--export", folder / "compared.html")
    changed = [r | {"samples": {n: [v * 2 ** (i % 3 - 1) for v in values] for n, values in r["samples"].items()}}
               for i, r in enumerate(openmp_rows())]  # fmt: skip
    after = write(folder / "changed.jsonl", changed)
    command("compare", folder / "openmp.jsonl", after, "--export", folder / "changed.html")
    exports.write(session(trials()).export(HOST), [folder / "runs.html"])
    return made | {name: folder / f"{name}.html" for name in ("compared", "changed", "runs")}
