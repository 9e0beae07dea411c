"""The three sentences, and what a reader must know to judge them."""

from weir.advising import advice
from weir.advising.advice import Best
from weir.advising.results import Session
from weir.advising.sizes import Size, counted
from weir.base.screen import nanoseconds, percent, two_digits
from weir.run.measuring import OWN, WEIR

MUCH_MORE = 1.5  # of a cost that is spoken of


def seconds(value: float) -> str:
    return nanoseconds(1e9 * value)


def sentences(its: Session) -> list[str]:
    """How much it can use; what to give it; what to set."""
    found = advice.bests(its)
    if not found:
        return [f"{its.program}: nothing was measured."]
    return [_use(its, found), _give(its, found), _set(its, found)]


def _use(its: Session, found: list[Best]) -> str:
    said = [f"{_on(its, one)} {one.size.words()} take{_s(one.size)} {seconds(one.seconds)}{_gain(one)}" for one in found]
    most = max(one.size.processors for one in found)
    whole = its.processors
    fewer = "fewer do not do as well" if most == whole else f"more of the {whole} here gain less than 5 %"
    return f"{its.program} can use {counted(most, 'processor')}, and {fewer}: {', '.join(said)}."


def _on(its: Session, one: Best) -> str:
    return f"on {its.sides[one.side]}"


def _s(size: Size) -> str:
    return "s" if (size.threads or size.processors) == 1 else ""


def _gain(one: Best) -> str:
    predicted = "" if one.measured else " as predicted"
    if one.gain is None or (one.size.processors == 1 == one.size.members):
        return predicted
    return f"{predicted} ({two_digits(one.gain)} times as fast as one)"


def _give(its: Session, found: list[Best]) -> str:
    p = max(one.size.processors for one in found)
    said = f"Give a container --cpus={p}, a Slurm task --cpus-per-task={p}"
    costs = [(its.sides[one.side], cost) for one in found if (cost := advice.cost_of_fewer(its, one.side))]
    dear = [f"{two_digits(cost)} on {title}" for title, cost in costs if cost > MUCH_MORE]
    if dear:
        said += f", and tell it so: threads for {counted(its.processors, 'processor')} on half of them take " \
                f"{' and '.join(dear)} times as long as half as many"  # fmt: skip
    ahead = advice.farther(its, found[0].side)
    if not ahead:
        return said + "; what more processors would give is not known from so few sizes."
    size, time, (low, high) = ahead[0]
    here = min(s for s, _ in advice.candidates(its, found[0].side).values())
    worth = "would take" if time < here / advice.AS_GOOD else "would gain little, with"
    return f"{said}; {counted(size.processors, 'processor')} {worth} {seconds(time)} ({seconds(low)} … {seconds(high)}) as predicted."


def _set(its: Session, found: list[Best]) -> str:
    own = next((one for one in found if one.side == OWN), found[0])
    title = its.sides[own.side]
    if not its.has_openmp:
        return "It calls nothing of OpenMP that could be seen, so no variable of OpenMP changes it."
    team = f"set OMP_NUM_THREADS={own.size.threads}" if its.obeys else "OMP_NUM_THREADS changes nothing, since the program sets its teams itself"
    tried = advice.settings(its, Size(its.processors, its.processors))
    gain = [one for one in tried if one.gains]
    if gain:
        also = f"and {gain[0].name}, which takes {two_digits(gain[0].ratio.value)} of the time"
    elif tried:
        also = "and nothing else: none of the other variables tried gains 3 %"
    else:
        also = ""
    return f"On {title} {team} {also}".rstrip() + "."


def notes(its: Session) -> list[str]:
    return [str(note) for note in its.setting("notes") or []]
