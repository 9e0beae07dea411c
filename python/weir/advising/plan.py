"""What is tried: ways to run the program (runtimes, and variables of its own one), each at a few sizes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from weir.advising import sizes
from weir.advising.sizes import Size
from weir.run.measuring import Side
from weir.run.sides import Sides

# Variables of a program's own runtime that change how it waits, and where its threads sit.
SETTINGS: dict[str, tuple[dict[str, str], ...]] = {
    "libgomp": (
        {"OMP_WAIT_POLICY": "passive"},
        {"OMP_WAIT_POLICY": "active"},
        {"GOMP_SPINCOUNT": "10000"},
        {"OMP_PROC_BIND": "true"},
    ),
    "libomp": (
        {"OMP_WAIT_POLICY": "passive"},
        {"OMP_WAIT_POLICY": "active"},
        {"KMP_BLOCKTIME": "0"},
        {"OMP_PROC_BIND": "true"},
    ),
}
SETTINGS["libiomp5"] = SETTINGS["libomp"]
OTHERS = ({"OMP_WAIT_POLICY": "passive"}, {"OMP_WAIT_POLICY": "active"}, {"OMP_PROC_BIND": "true"})


@dataclass(frozen=True)
class Try:
    side: Side
    size: Size

    @property
    def key(self) -> tuple[str, Size]:
        return self.side.name, self.size


def with_variables(own: Side, variables: dict[str, str]) -> Side:
    name = " ".join(f"{name}={value}" for name, value in variables.items())
    return replace(own, name=name, changed=own.changed | variables, title=f"{own.title}, {name}")


def plan(sides: Sides, most: int, quota: bool) -> list[Try]:
    """Of a program whose team has as many threads as it is asked for. First what matters most: a long program gets no
    further. `most`: processors that may be used; `quota`: whether one can be set."""
    (own,) = sides.others
    first = [Try(side, size) for size in reversed(sizes.matched(most)) for side in (own, sides.weir)]
    steps = [Try(sides.weir, size) for size in sizes.staircase(most)]
    whole, fewer = Size(most, most), sizes.fewer(most)
    settings = [Try(with_variables(own, one), whole) for one in SETTINGS.get(own.title, OTHERS)] if most > 1 else []
    shared = [Try(own, fewer), Try(with_variables(own, {"OMP_WAIT_POLICY": "passive"}), fewer)]
    limited = [Try(side, sizes.limited(most)) for side in (own, sides.weir)] if quota and most > 1 else []
    return [*first, *steps, *settings, *shared, *limited]


def plan_of_team(sides: Sequence[Side], threads: int | None, most: int) -> list[Try]:
    """Of a program whose team nobody can change, or that has none."""
    return [Try(side, size) for size in reversed(sizes.of_team(threads, most)) for side in sides]
