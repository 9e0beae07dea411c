"""Members on virtual processors, for gdb (x86-64 and AArch64, live processes and core files):

    (gdb) source gdb.py
    (gdb) weir threads          all members, and what each does
    (gdb) weir backtrace 12     the stack of the member whose own thread is gdb's thread 12; of all: weir backtrace

A member's own thread sleeps in park() while a virtual processor drives the member. Both have the member's thread
pointer, by which this_body is found. Of a member that is suspended, the registers lie where body::at points
(switch.cpp): an unwinder goes on there from where the thread sleeps. So nothing is written. It needs the symbols of
Weir's library.
"""

import gdb
import gdb.unwinder

# Offsets in a saved context, its size, and the registers of the thread pointer, the stack and the code.
CONTEXTS = {
    "i386:x86-64": (
        {"r15": 8, "r14": 16, "r13": 24, "r12": 32, "rbx": 40, "rbp": 48, "rip": 56},
        64,
        ("fs_base", "rsp", "rip"),
    ),
    "aarch64": (
        {f"x{19 + i}": 8 * i for i in range(11)} | {"pc": 88} | {f"d{8 + i}": 96 + 8 * i for i in range(8)},
        176,
        ("tpidr", "sp", "pc"),
    ),
}


def context():
    name = gdb.selected_inferior().architecture().name()
    if name not in CONTEXTS:
        raise gdb.GdbError(f"Weir has no virtual processors on {name}")
    return CONTEXTS[name]


def word(address):
    return int.from_bytes(bytes(gdb.selected_inferior().read_memory(address, 8)), "little")


def layout():
    try:
        address = int(gdb.parse_and_eval("(long)&weir_for_debuggers"))
    except gdb.error:
        raise gdb.GdbError("this program has no members of Weir's, or the library no symbols") from None
    signed = [word(address + 8 * i) for i in range(5)]
    return [value - (1 << 64) if value >> 63 else value for value in signed]


class Member:
    """A body, its own thread, and the one that drives it, if it runs."""

    def __init__(self, address, offsets):
        self.address = address
        self.own = self.driver = None
        _, at, on, awaits, _ = offsets
        self.at, self.on, self.awaits = (word(address + offset) for offset in (at, on, awaits))

    @property
    def state(self):
        if self.driver is not None:
            return f"runs on thread {self.driver.num}"
        return f"sleeps on {self.awaits:#x}" if self.awaits else "is ready"


def in_park(frame):
    """Does the thread sleep while its body is lent?"""
    for _ in range(4):
        if frame is None:
            return False
        if "weir_lend" in (frame.name() or ""):
            return True
        frame = frame.older()
    return False


def each_thread():
    before, frame = gdb.selected_thread(), gdb.selected_frame()
    try:
        for thread in sorted(gdb.selected_inferior().threads(), key=lambda t: t.num):
            thread.switch()
            yield thread
    finally:
        before.switch()
        frame.select()


def members():
    """In the order of their own threads' numbers."""
    offsets, (_, _, (thread_pointer, _, _)) = layout(), context()
    found = {}
    for thread in each_thread():
        frame = gdb.newest_frame()
        body = word(int(frame.read_register(thread_pointer)) + offsets[0])
        if body == 0 or word(body + offsets[4]) == 0:
            continue  # the kernel's alone, or a virtual processor that drives nothing
        member = found.setdefault(body, Member(body, offsets))
        if in_park(frame):
            member.own = thread
        else:
            member.driver = thread
    return sorted((m for m in found.values() if m.own is not None), key=lambda m: m.own.num)


class Suspended(gdb.unwinder.Unwinder):
    """From where a member's own thread sleeps to where the member has stopped. It begins at the newest frame: gdb takes
    the member's stack, which is below the one on which the thread sleeps, for corrupt if it comes after another."""

    def __init__(self):
        super().__init__("weir-suspended")
        self.at = self.asleep = None

    def __call__(self, pending):
        registers, size, (_, stack, code) = context()
        sp, pc = pending.read_register(stack), pending.read_register(code)
        if self.at is None or (int(sp), int(pc)) != self.asleep:
            return None
        whole = gdb.lookup_type("unsigned long")
        found = pending.create_unwind_info(FrameId(gdb.Value(self.at).cast(whole), pc))
        for name, offset in registers.items():
            found.add_saved_register(name, gdb.Value(word(self.at + offset)).cast(whole))
        found.add_saved_register(stack, gdb.Value(self.at + size).cast(whole))
        return found


class FrameId:
    def __init__(self, sp, pc):
        self.sp, self.pc = sp, pc


SUSPENDED = Suspended()
gdb.unwinder.register_unwinder(None, SUSPENDED, replace=True)


def goes_on_at(at):
    """The selected thread does, if it is the newest frame that is asked. None: no thread."""
    _, _, (_, stack, code) = context()
    SUSPENDED.at = None
    gdb.invalidate_cached_frames()
    if at is not None:
        newest = gdb.newest_frame()
        SUSPENDED.asleep = tuple(int(newest.read_register(name)) for name in (stack, code))
        gdb.invalidate_cached_frames()
    SUSPENDED.at = at


class Weir(gdb.Command):
    """Members on virtual processors."""

    def __init__(self):
        super().__init__("weir", gdb.COMMAND_STACK, prefix=True)


class Threads(gdb.Command):
    """weir threads: all members of Weir's, by the numbers of their own threads, and what each does."""

    def __init__(self):
        super().__init__("weir threads", gdb.COMMAND_STACK)

    def invoke(self, _words, _from_terminal):
        for member in members():
            print(f"{member.own.num:>5}  body {member.address:#x} of virtual processor {member.on:#x} {member.state}")


class Backtrace(gdb.Command):
    """weir backtrace [NUMBER]...: the stacks of the members whose own threads have these numbers; of all members."""

    def __init__(self):
        super().__init__("weir backtrace", gdb.COMMAND_STACK)

    def invoke(self, words, _from_terminal):
        wanted = {int(number) for number in words.split()}
        chosen = [m for m in members() if not wanted or m.own.num in wanted]
        if missing := wanted - {m.own.num for m in chosen}:
            raise gdb.GdbError(f"not a member's own thread: {', '.join(map(str, sorted(missing)))}")
        before, frame_before = gdb.selected_thread(), gdb.selected_frame().level()
        for member in chosen:
            print(f"\nMember {member.own.num} {member.state}")
            try:
                (member.driver or member.own).switch()
                goes_on_at(None if member.driver else member.at)
                gdb.execute("backtrace")
            finally:
                goes_on_at(None)
                before.switch()
        gdb.execute(f"frame {frame_before}", to_string=True)


Weir()
Threads()
Backtrace()
