"""What luck decides: which tests try again, why, and how often they have done so.

A test tries again only what the machine decides, or a program that is not ours; what Weir decides holds at once.
Python: `for _ in retries.tries("stays"):`, which ends by `break` or `return` where it holds. C++:
`retries::holds()` of tests/retries.hpp. Each try after the first is a line of the file `retries` in the build
directory. `tries_again()` of tests/openmp/programs/check.h says it, since such a program lies elsewhere. `make test`
deletes the file first, and prints at the end what this prints: retries.py FOLDER...
"""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

BUILD = Path(__file__).resolve().parents[2] / "build"
NOTES = "retries"  # the file
SAYS = "tries again: "

REASONS = {
    # Python
    "alone": "other programs must run when this one begins, and the kernel may let them wait then",
    "all drive": "a member that blocks, as by a page that comes late, has a stand-in, which is one thread more",
    "broken pipe": "MPICH's launcher may die of SIGPIPE where its program ends at once, and passes on no word",
    "reference": "the speed of the processor may change after the program has measured its delay",
    "seated": "a processor whose thread the kernel starts late finds its members stolen",
    "stays": "the kernel may migrate the program between its start and its look",
    # C++
    "openmp: overtaken": "a thread that the kernel starts late may have the lock before the one that is woken",
    "openmp: sleeps again": "a member that the kernel starts late may find no task, and sleep again",
    "child: ended first": "the kernel may start the one that waits for the child later than the child lives",
    "identity: migrated": "the kernel may migrate the thread between two questions for its processor",
    "locks: overtaken": "a thread that the kernel starts late may have the mutex before the one that is woken",
    "tick: first places": "where the first ticks find the loop decides how soon the others are few",
    "tick: none": "a processor of an earlier crowd may have stolen one of the two members",
    "tick: stolen": "a processor of an earlier crowd may have stolen one of the two members",
    "waiting: migrated": "the kernel may migrate the thread as soon as it has come home",
    "waiting: stolen time": "time for which a hypervisor takes the processor counts as the thread's",
    "yields: beside others": "another program may have the processor for a slice meanwhile",
}


def tries(name: str, most: int = 10) -> Iterator[int]:
    """One number for each try; whoever is content leaves the loop."""
    assert name in REASONS, f"tests/python/retries.py has no reason for {name!r}"
    for number in range(most):
        if number > 0:
            note(name)
        yield number


def note(name: str) -> None:
    with (BUILD / NOTES).open("a") as file:
        file.write(f"{name}\n")


def note_said(said: str) -> None:
    """By a program, to its standard error stream."""
    for line in said.splitlines():
        if line.startswith(SAYS):
            note(line.removeprefix(SAYS))


def noted(folders: Iterable[Path]) -> Counter[str]:
    files = [folder / NOTES for folder in folders]
    return Counter(line for file in files if file.exists() for line in file.read_text().splitlines())


def report(found: Counter[str]) -> str:
    lines = [f"Retries: {found.total()}"]
    for name, count in found.most_common():
        lines.append(f"  {count} of {name!r}: {REASONS.get(name, 'no reason of tests/python/retries.py')}")
    return "\n".join(lines)


if __name__ == "__main__":
    found = noted(map(Path, sys.argv[1:]))
    print(report(found))
    sys.exit(any(name not in REASONS for name in found))
