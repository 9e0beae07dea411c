"""How the program is run: on its own runtime, and on Weir's where that is possible."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from weir.openmp.runtimes import Stage
from weir.run import sides, starting
from weir.run.measuring import OWN, Side
from weir.run.sides import Sides
from weir.run.starting import CannotRun


@dataclass(frozen=True)
class Ways:
    """`notes`: why there is not all that there could be."""

    own: Side
    on_weir: Side | None
    notes: tuple[str, ...] = ()

    def on(self, runtime: str | None) -> "Ways":
        """With the name of the runtime that was seen at work, where the program's file does not tell it."""
        if runtime is None or self.own.title != sides.UNKNOWN:
            return self
        return replace(self, own=replace(self.own, title=runtime))

    @property
    def all(self) -> Sides | None:
        return Sides((self.own,), self.on_weir, self.own.words[0]) if self.on_weir else None


def ways(words: Sequence[str], stage: Stage) -> Ways:
    """Raises CannotRun where there is no such program."""
    program = starting.program(list(words), of="weir advise")
    try:
        made = sides.preloaded(list(words), None, None, (), stage, calls=False)
    except CannotRun as error:  # it cannot run on Weir's runtime, and still be run
        return Ways(Side(OWN, program, tuple(words), {}, sides.UNKNOWN), None, (str(error),))
    (own,) = made.others
    return Ways(own, made.weir, made.complaints)
