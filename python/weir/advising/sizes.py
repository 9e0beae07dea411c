"""Where the program runs: how many threads, on how many processors, and which of these are measured."""

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Size:
    """`threads`: what the program is asked to have, or has; None where nobody knows of a team. `quota`: CPU time of so
    many processors, as in a container with `--cpus`."""

    processors: int
    threads: int | None
    quota: float | None = None

    @property
    def members(self) -> int:
        """A program that has no team is taken for one that uses each processor."""
        return self.threads if self.threads is not None else self.processors

    @property
    def is_matched(self) -> bool:
        """A processor for each thread, and a thread for each processor."""
        return self.quota is None and self.members == self.processors

    def words(self) -> str:
        said = [] if self.threads is None else [counted(self.threads, "thread")]
        said += [counted(self.processors, "processor")]
        return " on ".join(said) + (f", a quota of {self.quota:g}" if self.quota is not None else "")


def counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def doubling(most: int) -> list[int]:
    """1, 2, 4, ... and the last itself."""
    return sorted({2**k for k in range(most.bit_length())} | {most})


def matched(most: int) -> list[Size]:
    return [Size(p, p) for p in doubling(most)]


def fewer(most: int) -> Size:
    """As many threads as the machine has processors, and at least two, on half of them: what a smaller container or
    allocation does to a program that is told of the whole machine."""
    return Size(max(1, most // 2), max(2, most))


def staircase(most: int) -> list[Size]:
    """More threads than processors [paper 000, figure 6]: some that can be dealt evenly, and some that cannot."""
    some = max(1, most // 2)
    whole = {Size(most, most + some), Size(most, 2 * most), Size(most, 2 * most + some), Size(most, 4 * most)}
    return sorted({fewer(most), Size(1, 2 * most), Size(1, 4 * most), *whole})


def limited(most: int) -> Size:
    """As many threads as processors under a quota of half of their time."""
    return Size(most, most, most / 2)


def of_team(threads: int | None, most: int) -> list[Size]:
    """For a program that sets the size of its team by itself: only the processors change."""
    return [Size(p, threads) for p in doubling(most)]
