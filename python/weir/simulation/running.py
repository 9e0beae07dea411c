"""Runs a plan: as many simulators at a time as there are processors."""

import os
import queue
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import product
from typing import Any

from weir.base import native
from weir.base.driver import Lost, Process
from weir.base.records import Writer
from weir.simulation import rows
from weir.simulation.scenario import Plan

PATIENCE_S = 7 * 24 * 3600.0


class Simulation:
    """Writes the rows of each run in the order of points and seeds, so that the same scenario and seed give the same
    file. `tell(doing, steps)` is called as runs end."""

    def __init__(self, plan: Plan, writer: Writer, tell: Callable[[str, int], None] = lambda *_: None) -> None:
        self.plan, self.writer, self.tell = plan, writer, tell
        self.id = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ") + "-" + plan.name
        self.failures: list[tuple[dict[str, Any], int, str]] = []
        self.interrupted = False
        self._jobs: queue.Queue[tuple[int, dict[str, Any], int] | None] = queue.Queue()
        self._answers: queue.Queue[tuple[int, dict[str, Any] | str]] = queue.Queue()
        self._processes: list[Process] = []

    def run(self, workers: int | None = None) -> None:
        """Ctrl-C ends it early: what was simulated until then is kept."""
        self._write_head()
        work = list(enumerate(product(self.plan.points, self.plan.seeds)))
        for number, (point, seed) in work:
            self._jobs.put((number, point, seed))
        count = min(len(work), workers or len(os.sched_getaffinity(0)))
        threads = [threading.Thread(target=self._work, daemon=True) for _ in range(count)]
        for _ in threads:
            self._jobs.put(None)
        for t in threads:
            t.start()
        held: dict[int, dict[str, Any] | str] = {}
        due = 0
        try:
            while due < len(work):
                number, answer = self._answers.get()
                held[number] = answer
                self.tell(_words(work[number][1][0]), 1)
                while due in held:
                    self._write(*work[due][1], held.pop(due))
                    due += 1
        except KeyboardInterrupt:
            self.interrupted = True
            for number in sorted(held):
                self._write(*work[number][1], held[number])
        finally:
            for process in self._processes:
                process.kill() if self.interrupted else process.quit()

    def _work(self) -> None:
        arguments = [str(self.plan.path), str(self.plan.machines)]
        process: Process | None = None
        while (job := self._jobs.get()) is not None:
            number, point, seed = job
            try:
                if process is None:
                    process = Process("weir-simulate", arguments)
                    self._processes.append(process)
                answer = process.ask(f"run {point['point']} {seed}", PATIENCE_S)
                self._answers.put((number, answer.get("error", answer)))
            except (Lost, native.NativeError) as error:
                process = None
                self._answers.put((number, str(error)))

    def _common(self, machine: str) -> dict[str, Any]:
        return {"session": f"{self.id}/{machine}", "source": "simulated", "scenario": self.id}

    def _write_head(self) -> None:
        plan = self.plan
        self.writer.write(
            {
                "kind": "scenario",
                "id": self.id,
                "name": plan.name,
                "about": plan.about,
                "charts": plan.charts,
                "swept": plan.swept,
                "points": len(plan.points),
                "seeds": plan.seeds,
            }
        )
        for machine, processors in dict.fromkeys((p["machine"], p["machine_processors"]) for p in plan.points):
            self.writer.write(
                {
                    "kind": "machine",
                    "id": f"{self.id}/{machine}",
                    "time": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()),
                    "host": {"cpu_model": machine, "online": processors, "simulated": True},
                    "settings": {"scenario": plan.name},
                }
            )

    def _write(self, point: dict[str, Any], seed: int, answer: dict[str, Any] | str) -> None:
        common = self._common(point["machine"])
        if isinstance(answer, str):
            self.failures.append((point, seed, answer))
            for row in rows.failure(point, seed, answer, common):
                self.writer.write(row)
            return
        answer |= {k: point[k] for k in ("chosen", "quantum_ns")}
        self.writer.write(rows.simulation(answer, common))
        for index, application in enumerate(answer["applications"]):
            if application["episode_ns"]:
                self.writer.write(rows.overhead(answer, application, index, common))


def _words(point: dict[str, Any]) -> str:
    return ", ".join(f"{k.rpartition('.')[2]} {v}" for k, v in point["chosen"].items()) or "running"
