"""Runs a plan: as many simulators at a time as there are processors."""

import os
import queue
import threading
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime

from weir.base import native
from weir.base.driver import Lost, Process
from weir.base.records import Row, Writer
from weir.openmp import fields as openmp
from weir.simulation.openmp import fields
from weir.simulation.openmp.plan import PROGRAM, Machine, Plan, Point

PATIENCE_S = 24 * 3600.0


class Measuring:
    """Writes a row for each point, in the order of the plan. `tell(doing, steps)` is called as runs end."""

    def __init__(self, plan: Plan, writer: Writer, tell: Callable[[str, int], None] = lambda *_: None) -> None:
        self.plan, self.writer, self.tell = plan, writer, tell
        self.id = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ") + "-simulate-openmp"
        self.failures: list[tuple[Point, str]] = []
        self.interrupted = False
        self._todo = deque(enumerate(plan.points))
        self._answers: queue.Queue[tuple[int, Row | str]] = queue.Queue()
        self._processes: list[Process] = []

    def run(self, workers: int | None = None) -> None:
        """Ctrl-C ends it early: what was simulated until then is kept."""
        self._write_machines()
        count = min(len(self.plan.points), workers or len(os.sched_getaffinity(0)))
        for _ in range(count):
            threading.Thread(target=self._work, daemon=True).start()
        held: dict[int, Row | str] = {}
        due = 0
        try:
            while due < len(self.plan.points):
                number, answer = self._answers.get()
                held[number] = answer
                self.tell(self.plan.points[number].words, 1)
                while due in held:
                    self._write(self.plan.points[due], held.pop(due))
                    due += 1
        except KeyboardInterrupt:
            self.interrupted = True
            self._todo.clear()
            for number in sorted(held):
                self._write(self.plan.points[number], held[number])
        finally:
            for process in self._processes:
                process.kill() if self.interrupted else process.quit()

    def _work(self) -> None:
        process: Process | None = None
        machine: Machine | None = None
        while self._todo:
            try:
                number, point = self._todo.popleft()
            except IndexError:  # another worker has taken the last
                return
            try:
                if process is not None and machine != point.machine:
                    process.quit()
                    process = None
                if process is None:
                    process, machine = Process(PROGRAM, [str(point.machine.path)]), point.machine
                    self._processes.append(process)
                asked = f"run {point.construct} {point.runtime} {point.members} {point.seed} {self.plan.delay_ns:g} "
                answer = process.ask(asked + self.plan.homes, PATIENCE_S)
                self._answers.put((number, answer.get("error", answer)))
            except (Lost, native.NativeError) as error:
                process = None
                self._answers.put((number, str(error)))

    def _session(self, machine: Machine) -> str:
        return f"{self.id}/{machine.path.stem}"

    def _write_machines(self) -> None:
        for machine in self.plan.machines:
            self.writer.write(
                {
                    "kind": "machine",
                    "id": self._session(machine),
                    "time": datetime.now(UTC).isoformat(timespec="seconds"),
                    "host": {"cpu_model": machine.name, "online": machine.processors, "simulated": True},
                    "settings": {"homes": self.plan.homes, "distances": machine.distances},
                }
            )

    def _write(self, point: Point, answer: Row | str) -> None:
        self.writer.write(row(point, answer, self.plan, self._session(point.machine)))
        if isinstance(answer, str):
            self.failures.append((point, answer))


LINES = ("moved", "critical_path", "busiest_line", "read_line", "busiest_member")
COUNTS = (*LINES, "atomics", "failed", "calls", "woken")


def row(point: Point, answer: Row | str, plan: Plan, session: str) -> fields.Row:
    """As `weir bench openmp` writes it, with what was counted for one directive."""
    stopped = answer if isinstance(answer, str) else None
    made: fields.Row = {
        "kind": "failure" if stopped else "overhead",
        "session": session,
        "source": "simulated",
        "what": {
            "family": openmp.FAMILY,
            "id": f"openmp:{point.runtime}:simulated:{point.construct}",
            "algorithm": point.construct,
            "waiting": "own",
            "version": "a model" if point.is_model else "simulated",
            "group": point.group,
            "language": "simulated",
            "compiler": "",
            "runtime": point.label,
            "environment": {},
        },
        "where": {
            "members": point.members,
            "processors": point.members,
            "capacity": point.members,
            "pinned": True,
            "load": "none",
            "delay_ns": plan.delay_ns,
            "homes": plan.homes,
        },
        "how": {
            "method": "simulation",
            "run": point.seed,
            "rejected": None,
            "complete": not stopped,
            "stopped": stopped,
        },
    }
    if isinstance(answer, str):
        return made
    episodes = answer["episode_ns"]
    made["how"] |= {"samples": len(episodes), "inner": answer["inner"]}
    made["samples"] = {
        "episode_ns": episodes,
        "reference_ns": [answer["reference_ns"]] * len(episodes),
        "overhead_ns": [e - answer["reference_ns"] for e in episodes],
        "cpu_ns": [e * point.members for e in episodes],  # members wait awake
    }
    made["counts"] = {name: answer[name] for name in COUNTS}
    made["floor_ns"] = answer["floor_ns"] or None
    made["cost"] = {name: answer[name] for name in ("accesses", "host_s")}
    return made
