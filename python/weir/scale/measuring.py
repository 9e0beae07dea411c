"""Barriers on clusters that are not here, in SimGrid's simulated time: what runs there are, and running them."""

import json
import os
import queue
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from weir.base import native
from weir.base.names import Unknown, chosen
from weir.scale.clusters import Cluster, find, hosts, platform
from weir.simulation.scenario import machines_folder

MOST_RANKS = 4096  # all live in one process, and each pair of switches has its way in the platform's file
EPISODES = 10
PATIENCE_S = 600.0
SMPI_BARRIERS = (
    "default", "ompi", "ompi_basic_linear", "ompi_tree", "ompi_bruck", "ompi_recursivedoubling", "ompi_doublering",
    "mpich", "mpich_smp", "mvapich2", "mvapich2_pair", "impi",
)  # fmt: skip


@dataclass(frozen=True)
class Barrier:
    """Weir's by messages among all, Weir's in levels (`within` a node by shared memory), or one of SMPI's."""

    family: str
    algorithm: str
    radix: int = 2
    fan_in: int = 2
    fan_out: int = 2
    within: str = "none"

    @property
    def name(self) -> str:
        shape = {"dissemination": f" {self.radix}", "tree": f" {self.fan_in}/{self.fan_out}"}.get(self.algorithm, "")
        levels = f", {self.within} within" if self.within != "none" else ""
        return f"{'MPI_Barrier ' if self.family == 'SMPI' else ''}{self.algorithm}{shape}{levels}"


AUTO = Barrier("Weir", "auto")
SHAPES = {
    "dissemination": [{"radix": r} for r in (2, 3, 4, 8)],
    "tree": [{"fan_in": f, "fan_out": f} for f in (2, 4, 8)],
}


def plans() -> tuple[Barrier, ...]:
    """Each plan of the library, in the shapes that are compared."""
    names = native.barriers("by_messages")
    return tuple(Barrier("Weir", name, **shape) for name in names for shape in SHAPES.get(name, [{}]))


def within(per_node: int) -> str:
    """What the library takes within a node of so many; a run whose library takes another is refused."""
    return "none" if per_node == 1 else "linear" if per_node <= 8 else "tournament"


def algorithms() -> list[str]:
    return list(dict.fromkeys([AUTO.algorithm, *native.barriers("by_messages"), *SMPI_BARRIERS]))


@dataclass(frozen=True)
class Run:
    cluster: Cluster
    ranks: int
    per_node: int
    barrier: Barrier

    @property
    def nodes(self) -> int:
        return self.ranks // self.per_node

    @property
    def levels(self) -> bool:
        return self.barrier.within != "none"


@dataclass(frozen=True)
class Outcome:
    run: Run
    time_ns: float
    alone_ns: float
    node_ns: float
    kept: bool
    chosen: str


class Refused(RuntimeError):
    """A run gave no figure; the message says why."""


def runs(
    clusters: Sequence[Cluster], ranks: Sequence[int], per_node: Sequence[int], only: Sequence[str] | None
) -> list[Run]:
    """Small ones first. Among the processes of nodes that hold several also by levels."""
    ours, smpi = plans(), [Barrier("SMPI", name) for name in SMPI_BARRIERS]
    found = []
    for count in sorted(ranks):
        for cluster in clusters:
            for each in per_node:
                if count % each or count // each < 2 or each > cluster.most_processes:
                    continue
                barriers = [*ours, *smpi] + (
                    [AUTO] if each == 1 else [replace(b, within=within(each)) for b in (AUTO, *ours)]
                )
                found += [Run(cluster, count, each, b) for b in barriers if only is None or b.algorithm in only]
    return found


def planned(
    names: Sequence[str], ranks: Sequence[int], per_node: Sequence[int], only: Sequence[str] | None
) -> list[Run]:
    """The runs on the clusters of these names or files. Raises Unknown, BadCluster, NativeError, OSError."""
    clusters = [find(name) for name in names]
    native.require("weir-mpi-scale")
    chosen(only, algorithms(), "scale: --algorithms", "barrier")
    plan = runs(clusters, ranks, per_node, only)
    if not plan:
        words = [",".join(map(str, several)) for several in (ranks, per_node)]
        most = min(cluster.most_processes for cluster in clusters)
        raise Unknown(
            f"nothing to run: --ranks {words[0]} must fill at least two nodes of --per-node {words[1]}, which has at "
            f"most {most} there"
        )
    return plan


def node_ns(cluster: Cluster, processes: int, algorithm: str) -> float:
    """The time of one of consecutive barriers of a node's processes, by shared memory, on a simulated machine."""
    scenario = (
        f'about = "a node of {cluster.name}"\nmachine = "{cluster.machine}"\nprocessors = {processes}\n'
        f'[[application]]\nmembers = {processes}\nbarrier = "{algorithm}"\nwaiting = "spin"\nbarriers = 200\n'
        "warmup = 20\ncompute_us = 0\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "node.toml"
        path.write_text(scenario, encoding="utf-8")
        words = [native.require("weir-simulate"), "serve", path, machines_folder()]
        done = subprocess.run(words, input="run 0 1\nquit\n", capture_output=True, text=True, timeout=PATIENCE_S)
    answer = json.loads(done.stdout.splitlines()[0]) if done.stdout else {"error": done.stderr.strip()}
    if "error" in answer:
        raise Refused(f"a node of {cluster.name}: {answer['error']}")
    return float(_mean(answer["applications"][0]["episode_ns"]))


def _mean(values: float | list[float]) -> float:
    return sum(values) / len(values) if isinstance(values, list) else values


def _options(run: Run) -> Iterator[str]:
    cluster = run.cluster
    for name, time in (("os", cluster.send), ("ois", cluster.send), ("or", cluster.receive)):
        yield f"smpi/{name}:0:{time * 1e-6:.12f}:0"
    yield from ("smpi/lat-factor:0:1", "smpi/bw-factor:0:1")  # latencies and bandwidths are as the cluster's file says
    yield from ("smpi/async-small-thresh:65536", "smpi/send-is-detached-thresh:65536")  # small messages travel at once
    # The computing on this machine, and readings of clocks, take no simulated time.
    yield from (
        "smpi/simulate-computation:no",
        "smpi/wtime:0",
        "smpi/test:0",
        "smpi/iprobe:0",
        "smpi/grow-injected-times:no",
    )
    # Making a barrier waits by testing, which must take time, or no other rank would proceed. Barriers do not test.
    yield "smpi/test:1e-5"
    yield "smpi/privatization:no"  # the program has no variables of its own outside functions
    yield from ("smpi/allgather:bruck", "network/crosstraffic:no")  # the first is for setting up, which is not measured
    if run.barrier.family == "SMPI":
        yield f"smpi/barrier:{run.barrier.algorithm}"


def words(run: Run, folder: Path, node: float) -> list[str]:
    """The command, with its files in the folder. In levels a rank is a node's leader."""
    here = replace(run, ranks=run.nodes, per_node=1) if run.levels else run
    (folder / "platform.xml").write_text(platform(run.cluster, run.nodes), encoding="utf-8")
    (folder / "hosts").write_text(hosts(here.nodes, here.per_node), encoding="utf-8")
    b = run.barrier
    program = native.require("weir-mpi-scale")
    return [
        _smpirun(), "-platform", str(folder / "platform.xml"), "-hostfile", str(folder / "hosts"),
        "-np", str(here.ranks),
        *(f"--cfg={option}" for option in _options(run)), "--log=root.thres:error", str(program),
        "MPI_Barrier" if b.family == "SMPI" else b.algorithm, str(b.radix), str(b.fan_in), str(b.fan_out),
        str(EPISODES), str(run.per_node if run.levels else 1), b.within, f"{node:.3f}",
    ]  # fmt: skip


def _smpirun() -> str:
    found = shutil.which("smpirun")
    if found is None:
        raise native.NativeError("smpirun was not found: apt-get install libsimgrid-dev, and build again")
    return found


class Scale:
    """`tell(outcome or complaint, run)` is called as runs end, by the thread that has called run()."""

    def __init__(self, plan: Sequence[Run], tell: Callable[[Run, Outcome | str], None]) -> None:
        self.plan, self.tell = plan, tell
        self.interrupted = self._over = False
        self._node_ns: dict[tuple[str, int, str], float] = {}
        self._jobs: queue.Queue[Run | None] = queue.Queue()
        self._answers: queue.Queue[tuple[Run, Outcome | str]] = queue.Queue()
        self._running: set[subprocess.Popen[str]] = set()
        self._starting = threading.Lock()  # a process is started and noted, or run() has ended: nothing in between

    def run(self, jobs: int | None = None) -> None:
        """Runs as many simulations at a time as there are processors. Ctrl-C ends them all."""
        for run in self.plan:
            self._jobs.put(run)
        count = min(len(self.plan), jobs or len(os.sched_getaffinity(0)))
        workers = [threading.Thread(target=self._work, daemon=True) for _ in range(count)]
        for _ in workers:
            self._jobs.put(None)
        try:
            for run in self.plan:
                if run.levels:
                    self._node(run)
            for worker in workers:
                worker.start()
            for _ in self.plan:
                self.tell(*self._answers.get())
        except KeyboardInterrupt:
            self.interrupted = True
        finally:
            with self._starting:
                self._over = True
                for process in list(self._running):
                    _end(process)

    def _node(self, run: Run) -> float:
        key = (run.cluster.name, run.per_node, run.barrier.within)
        if key not in self._node_ns:
            self._node_ns[key] = node_ns(run.cluster, run.per_node, run.barrier.within)
        return self._node_ns[key]

    def _work(self) -> None:
        while (run := self._jobs.get()) is not None and not self._over:
            try:
                self._answers.put((run, self._one(run)))
            except Exception as error:  # without an answer `run` would wait for ever
                self._answers.put((run, str(error) or type(error).__name__))

    def _one(self, run: Run) -> Outcome:
        node = self._node(run) if run.levels else 0.0
        with tempfile.TemporaryDirectory() as folder:
            with self._starting:
                if self._over:
                    raise Refused("stopped")
                process = subprocess.Popen(
                    words(run, Path(folder), node),
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                    start_new_session=True,
                )
                self._running.add(process)
            try:
                said, complaint = process.communicate(timeout=PATIENCE_S)
            except subprocess.TimeoutExpired:
                _end(process)
                raise Refused(f"no end after {PATIENCE_S:.0f} s") from None
            finally:
                self._running.discard(process)
        lines = [line for line in said.splitlines() if line.startswith("{")]
        if process.returncode != 0 or not lines:
            raise Refused(next(iter((complaint.strip() or said.strip()).splitlines()), "it said nothing"))
        answer = json.loads(lines[-1])
        return Outcome(run, answer["time_ns"], answer["alone_ns"], node, answer["kept"], answer["chosen"])


def _end(process: subprocess.Popen[str]) -> None:
    # smpirun is a script; the simulator is in the session that was begun for it.
    with suppress(ProcessLookupError):
        os.killpg(process.pid, 9)
