"""A /proc and a /sys of files, with processes, threads, quotas and libraries as a test wants them."""

from collections.abc import Sequence
from pathlib import Path

V1 = "30 1 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct"
V2 = "30 1 0:29 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw"


class Machine:
    """Of two processors."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.put("proc/self/mountinfo", V2)
        self.busy((0, 0), (0, 0))

    def put(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def busy(self, *processors: tuple[int, int]) -> None:
        """Ticks of each: of programs, and those that the hypervisor took."""
        lines = [f"cpu{i} {ran} 0 0 5 0 0 0 {stolen} 0 0" for i, (ran, stolen) in enumerate(processors)]
        self.put("proc/stat", "cpu  0 0 0 0 0 0 0 0 0 0\n" + "\n".join(lines) + "\nintr 1\n")

    def process(
        self, number: int, words: Sequence[str] = ("./team",), parent: int = 1, files: Sequence[str] = (),
        state: str = "S", environment: str = "", group: str = "0::/\n",
    ) -> None:  # fmt: skip
        folder = f"proc/{number}"
        self.put(f"{folder}/stat", stat(number, "team", state, parent, 0, 100))
        self.put(f"{folder}/status", f"Name:\tteam\nTgid:\t{number}\n")
        self.put(f"{folder}/cmdline", "".join(f"{word}\0" for word in words))
        self.put(f"{folder}/environ", environment)
        self.put(f"{folder}/cgroup", group)
        mapped = "".join(f"7f00-7f01 r-xp 00000000 08:01 {i}    {file}\n" for i, file in enumerate(files))
        self.put(f"{folder}/maps", f"{mapped}7fff-8000 rw-p 00000000 00:00 0   [stack]\n")

    def thread(
        self, process: int, number: int, name: str = "team", ticks: int = 0, ran: tuple[int, int, int] | None = None,
        switches: tuple[int, int] = (0, 0), processors: str = "0-1",
    ) -> None:  # fmt: skip
        """`ran`: nanoseconds with a processor and without one, and slices; None of a kernel that does not count."""
        folder = f"proc/{process}/task/{number}"
        self.put(f"{folder}/stat", stat(number, name, "R", 1, ticks, 100))
        said = f"voluntary_ctxt_switches:\t{switches[0]}\nnonvoluntary_ctxt_switches:\t{switches[1]}\n"
        self.put(f"{folder}/status", f"Name:\t{name}\nCpus_allowed_list:\t{processors}\n{said}")
        if ran is not None:
            self.put(f"{folder}/schedstat", " ".join(map(str, ran)))


def stat(number: int, name: str, state: str, parent: int, ticks: int, begun: int) -> str:
    fields = [state, str(parent), *["0"] * 9, str(ticks), "0", *["0"] * 6, str(begun), "0"]
    return f"{number} ({name}) {' '.join(fields)}\n"
