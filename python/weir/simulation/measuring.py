"""Measures the floor and some barriers of this machine, fits a machine file, and simulates the same barriers on it."""

from collections.abc import Callable
from pathlib import Path

from weir.barriers.comparison import Figure, figures
from weir.barriers.measuring import Bench
from weir.base import driver, native
from weir.base.records import Writer
from weir.simulation import calibrate, scenario
from weir.simulation.running import Simulation

Tell = Callable[[str, int], None]  # what is being done, and how many steps have ended


class Interrupted(Exception):
    """Before there was anything to fit to."""


class Calibration:
    """`machine` is the file that is fitted, beside the records. Raises native.NativeError, OSError."""

    def __init__(self, target: Path, quick: bool) -> None:
        self.host = native.ask("weir-info")
        found, _ = driver.subjects()
        self.plan = calibrate.session(found, self.host["affinity"], quick)
        self.machine = target.with_suffix(".toml")
        self.writer = Writer(target)
        self.fits: list[calibrate.Fit] = []

    def run(self, begin: Callable[[str, int], Tell]) -> None:
        """`begin(name, steps)` is called for each part of the work, and what it returns as its steps end. Raises
        Interrupted, native.NativeError, scenario.BadScenario, OSError."""
        self._measure(begin("measuring", self.plan.steps()))
        measured = figures(self.writer.rows)
        self.fits = calibrate.fit(self.machine, self.host, measured)
        scenarios = calibrate.scenarios(self.machine.parent, self.machine.name, self.plan)
        for one in [scenario.plan(path) for path in scenarios]:
            Simulation(one, self.writer, begin(one.name, one.steps())).run()
        for row in calibrate.predicted(self.plan, calibrate.switch_ns(measured)):
            self.writer.write(row)

    def _measure(self, tell: Tell) -> None:
        bench = Bench(self.plan, self.writer, lambda p: tell(p.doing, p.steps))
        bench.run(self.host)
        if bench.interrupted:
            raise Interrupted

    def pairs(self) -> list[tuple[Figure, Figure]]:
        """Each measured figure with the simulated one."""
        return calibrate.against(figures(self.writer.rows))
