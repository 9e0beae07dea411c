"""What went wrong in a session, each reason once."""

from collections.abc import Iterator

MOST_NAMED = 3


class Complaints:
    """Lines in the order in which their reasons were first met: whom it befell, the first few by name, and why."""

    def __init__(self) -> None:
        self._whom: dict[str, dict[str, None]] = {}

    def add(self, reason: str, whom: str = "") -> None:
        self._whom.setdefault(reason, {})[whom] = None

    def __iter__(self) -> Iterator[str]:
        for reason, befallen in self._whom.items():
            known = [whom for whom in befallen if whom]
            more = f" and {len(known) - MOST_NAMED} more" if len(known) > MOST_NAMED else ""
            yield f"{'; '.join(known[:MOST_NAMED])}{more}: {reason}" if known else reason

    def __len__(self) -> int:
        return len(self._whom)
