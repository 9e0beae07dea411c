"""The three sentences, and what a reader must know to judge them."""

from collections.abc import Sequence

from weir.advising import advice
from weir.advising.advice import Best
from weir.advising.results import Session
from weir.advising.sizes import Size, counted
from weir.base.screen import nanoseconds, times, two_digits
from weir.base.statistics import FEWEST
from weir.run.measuring import OWN, WEIR

MUCH_MORE = 1.5  # of a cost that is spoken of


def seconds(value: float) -> str:
    return nanoseconds(1e9 * value)


def sentences(session: Session) -> list[str]:
    """How much it can use; what to give it; what to set. One alone where nothing was measured."""
    found = advice.bests(session)
    if not found:
        return [f"{session.program}: no run came to its end, so nothing is known of it."]
    return [_use(session, found), _give(session, found), _set(session, found)]


def finding(sessions: Sequence[Session]) -> str:
    return " ".join(sentence for one in sessions for sentence in sentences(one))


def _use(session: Session, found: list[Best]) -> str:
    most, whole = max(one.size.processors for one in found), session.processors
    said = [f"on {session.sides[one.side]} {_takes(one)}" for one in found]
    one = advice.smallest(session)
    if one and all(best.size != one[0] for best in found):
        said.append(f"and {one[0].words()} {seconds(one[1])}")
    if whole == 1:
        uses = "has one processor here"
    elif not _agree(found):
        uses = "can use " + " and ".join(f"{one.size.processors} on {session.sides[one.side]}" for one in found)
        uses += f", of {counted(whole, 'processor')} here"
    elif most == whole:
        uses = f"can use {'both' if whole == 2 else f'all {whole}'} processors here (fewer take over 5 % longer)"
    else:
        uses = f"can use {most} of {whole} processors here (more gain less than 5 %)"
    return f"{session.program} {uses}: {', '.join(said)}."


def _agree(found: list[Best]) -> bool:
    return len({one.size.processors for one in found}) == 1


def _takes(one: Best) -> str:
    several = (one.size.threads or one.size.processors) != 1
    predicted = "" if one.measured else f"{'are' if several else 'is'} predicted to "
    verb = "take" if several or predicted else "takes"
    return f"{one.size.words()} {predicted}{verb} {seconds(one.seconds)}"


def _give(session: Session, found: list[Best]) -> str:
    first, *others = found
    said = f"Give a container --cpus={first.size.processors}, a Slurm task --cpus-per-task={first.size.processors}"
    if not _agree(found):
        said += f", on {session.sides[first.side]}"
        said += "".join(f", and {one.size.processors} on {session.sides[one.side]}" for one in others)
    ahead = next((one for one in advice.farther(session)), None)
    if ahead is None:
        return f"{said}; what more processors would gain is not known from so few sizes."
    here = min(s for s, _ in advice.candidates(session, ahead.side).values())
    gains = "" if ahead.seconds < here / advice.AS_GOOD else ", which is no gain"
    return (
        f"{said}; {counted(ahead.size.processors, 'processor')} like these are predicted to take "
        f"{seconds(ahead.seconds)} ({seconds(ahead.low)} … {seconds(ahead.high)}) on "
        f"{session.sides[ahead.side]}{gains}."
    )


def _set(session: Session, found: list[Best]) -> str:
    own = next((one for one in found if one.side == OWN), found[0])
    if not session.has_openmp:
        return (
            "It calls nothing of OpenMP that could be counted, so OpenMP's variables change nothing: set the number of "
            "its threads by its own options."
        )
    if not session.obeys:
        team = "OMP_NUM_THREADS changes nothing, since the program sets the size of its teams by itself"
    else:
        team = f"set OMP_NUM_THREADS={own.size.threads}"
    return f"On {session.sides[own.side]} {team}{_variables(session)}."


def _variables(session: Session) -> str:
    tried = advice.settings(session, Size(session.processors, session.processors))
    if gain := [one for one in tried if one.gains]:
        return f", and {gain[0].name}: the time is {times(gain[0].ratio)} of that without it"
    if not tried:
        return ""
    if all(one.ratio.known for one in tried):
        return f"; none of {counted(len(tried), 'other variable')} tried gains 3 %"
    return f"; what other variables gain cannot be told from fewer than {FEWEST} rounds"


def notes(session: Session) -> list[str]:
    """What was not tried, what fewer processors cost, and what the trace says."""
    made = [str(note)[:1].upper() + str(note)[1:] for note in session.setting("notes") or []]
    for side in (OWN, WEIR):
        if side not in session.sides:
            continue
        title, cost = session.sides[side], advice.cost_of_fewer(session, side)
        if cost and cost > MUCH_MORE:
            made.append(
                f"On {title} threads for {counted(session.processors, 'processor')} take {two_digits(cost)} times as "
                "long on half of these as half as many threads: tell the program of its container or allocation."
            )
        cost = advice.cost_of_quota(session, side)
        if cost and cost > MUCH_MORE:
            made.append(
                f"On {title} a quota of {session.processors / 2:g} takes {two_digits(cost)} times as long as so many "
                "processors: bind the container to processors (--cpuset-cpus) instead."
            )
    return made


def of_trace(session: Session) -> str:
    """One sentence; empty where there is no trace."""
    trace = session.trace
    if trace is None:
        return ""
    most, share = advice.useful(trace), trace.share(trace.threads)
    said = (
        f"By its own trace {counted(trace.threads, 'thread')} on {trace.threads} processors compute for "
        f"{two_digits(share)} of the time that one processor takes"
    )
    return f"{said}; {most} processors do as well." if most < trace.threads else f"{said}; with fewer it is longer."
