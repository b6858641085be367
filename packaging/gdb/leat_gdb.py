"""What gdb shows of programs that use leat: printers of its types, and the command `leat workers` (also `info leat`).

gdb loads this by itself for a shared library of leat. For a static one: `source` this file. Page: docs/guide/hangs.md.
"""

import re

import gdb
import gdb.printing

_VERSION = re.compile(r"\b(leat::v\d+_\d+)::")
_LIBRARY = ("/include/leat/", "/src/leat/", "/include/c++/", "/sysdeps/", "/nptl/", "/signal/")
_WAITS = (
    "fork_join or a loop",
    "future::wait",
    "task_group::wait",
    "barrier",
    "leat::blocking",
    "runtime::run",
    "runtime::run of another runtime",
    "future::wait for another runtime's task",
    "a call of leat::channel",
)


def _number(value):
    """The number in an atomic, or in a plain word."""
    try:
        return int(value["_M_i"])
    except gdb.error:
        pass
    try:
        return int(value["_M_b"]["_M_p"])
    except gdb.error:
        return int(value)


class _Printer:
    """Children are those that `parts` yields."""

    def __init__(self, value):
        self.value = value

    def children(self):
        return iter(self.parts())

    def parts(self):
        return []


class Future(_Printer):
    """leat::future and leat::shared_future."""

    def to_string(self):
        task = self.value["task_"]
        if int(task) == 0:
            return "leat::future, empty"
        # future_task: of a one-shot channel, 1 is the message, 3 a message that was taken; future_record: a state and a worker.
        taken = _number(task["taken_"])
        try:
            word = _number(task["result_"]["word_"])
        except gdb.error:
            word = None
        if word == 1:
            return "leat::future, ready"
        if taken & 7 in (0, 6):
            return "leat::future, not begun"
        return f"leat::future, executed by worker {taken >> 3}"


class Group(_Printer):
    """leat::task_group."""

    def to_string(self):
        group = self.value["group_"]
        state = _number(group["state_"])
        marks = [text for bit, text in ((1, "cancelled"), (2, "failed")) if state & bit]
        owner = group["owner_"]
        return f"leat::task_group of worker {int(owner['id_'])}" + "".join(", " + m for m in marks)


class Channel(_Printer):
    """leat::channel."""

    def to_string(self):
        return "leat::channel"

    @staticmethod
    def _waits(line):
        count, wait = 0, line["first_"]
        while int(wait) != 0 and count < 1000:
            count, wait = count + 1, wait["next"]
        return count

    def parts(self):
        yield "senders that wait", self._waits(self.value["senders_"])
        yield "receivers that wait", self._waits(self.value["receivers_"])


class Deque(_Printer):
    """The deque of a worker."""

    def to_string(self):
        top, bottom = self.value["top_"], self.value["bottom_"]
        return f"deque of {int(top - bottom)} tasks"


class Worker(_Printer):
    """A worker."""

    def to_string(self):
        return f"worker {int(self.value['id_'])}: {_state(self.value)}"


def _state(worker):
    """Where a worker is, and what it waits in."""
    if _number(worker["presence"]["state_"]) != 0:
        return "in leat::blocking"
    where = _number(worker["monitor"]["where_"])
    wait, opened = worker["ancestry"]["wait_"], worker["ancestry"]["open_"]
    text = ("executes a task", "in the runtime", "no thread is the worker")[where]
    if where == 2:
        return text
    if int(wait) != 0:
        whom = wait["whom"]
        try:
            known = bool(whom["_M_payload"]["_M_engaged"])
            who = int(whom["_M_payload"]["_M_payload"]["_M_value"])
        except gdb.error:
            known, who = False, 0
        text += ", waits" if where == 1 else ", above a wait"
        if known:
            text += f" for what worker {who} executes"
    if int(opened) != 0 and int(opened["about"]) != 0:
        kind = int(opened["about"]["kind"])
        text += ("; waits in " if where == 1 else "; above a wait in ") + _WAITS[kind]
    return text


def _version():
    """The namespace of the library in this program, or None."""
    found = _VERSION.search(gdb.execute("info variables -q runtimes_for_debuggers", to_string=True))
    return found.group(1) if found else None


def _words(address, count):
    """So many words of memory, each of eight bytes."""
    memory = gdb.selected_inferior().read_memory(address, 8 * count).tobytes()
    return [int.from_bytes(memory[i : i + 8], "little") for i in range(0, 8 * count, 8)]


def _text(address):
    memory = gdb.selected_inferior().read_memory(address, 32).tobytes()
    return memory.split(b"\0")[0].decode(errors="replace")


def runtimes():
    """Yields for each runtime: number, kind, scheduler, addresses of its workers."""
    version = _version()
    if version is None:
        return
    node = _words(int(gdb.parse_and_eval(f"(long)&'{version}::runtimes_for_debuggers'")), 1)[0]
    while node != 0:
        # As struct listed_runtime in src/leat/describing.cpp.
        after, number, kind, name, workers, at = _words(node, 6)
        yield number, _text(kind), _text(name), [w for w in _words(at, workers) if w != 0]
        node = after


def _worker(address):
    """The worker there; None if the program has no debug information about workers."""
    version = _version()
    try:
        kind = gdb.lookup_type(f"{version}::scheduler::worker<{version}::platform::native>")
        return gdb.Value(address).cast(kind.pointer()).dereference()
    except gdb.error:
        return None


def _thread_of(worker):
    """gdb's thread that the worker is, or None."""
    try:
        handle = int(worker["thread"]["handle_"])
        if handle == 0:
            return None
        for thread in gdb.selected_inferior().threads():
            if int.from_bytes(thread.handle(), "little") == handle:
                return thread
    except (gdb.error, RuntimeError):
        pass
    return None


def _place(thread):
    """The innermost function of the program on that thread's stack."""
    before = gdb.selected_thread()
    try:
        thread.switch()
        frame = gdb.newest_frame()
        while frame is not None:
            sal, name = frame.find_sal(), frame.name() or ""
            file = sal.symtab.fullname() if sal.symtab else ""
            if file and not any(part in file for part in _LIBRARY) and not name.startswith(("std::", "__", "syscall")):
                return f"{sal.symtab.filename.rsplit('/', 1)[-1]}:{sal.line} in {name}"
            frame = frame.older()
    except gdb.error:
        pass
    finally:
        if before is not None:
            before.switch()
    return None


def print_workers():
    """A line for each worker, and one for the place where its thread is."""
    any_found = False
    for number, kind, name, workers in runtimes():
        any_found = True
        print(f"runtime {number} ({kind}, scheduler {name}), {len(workers)} workers:")
        for address in workers:
            worker = _worker(address)
            if worker is None:
                print(f"  a worker at {address:#x} (the program has no debug information about it)")
                continue
            thread = _thread_of(worker)
            label = f" [{thread.num}, {thread.name}]" if thread is not None else ""
            print(f"  worker {int(worker['id_'])}: {_state(worker)}{label}")
            place = _place(thread) if thread is not None else None
            if place is not None:
                print(f"    at {place}")
    if not any_found:
        print("no runtime of leat")


class _Leat(gdb.Command):
    """Commands about leat."""

    def __init__(self):
        super().__init__("leat", gdb.COMMAND_STATUS, prefix=True)


class _Workers(gdb.Command):
    """Lists the workers of all runtimes of leat: where each is, what it waits for, its thread, and where that is."""

    def __init__(self, name):
        super().__init__(name, gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        print_workers()


def _printers():
    all_of_them = gdb.printing.RegexpCollectionPrettyPrinter("leat")
    start = r"^leat::v\d+_\d+::"
    all_of_them.add_printer("future", start + r"task::(shared_)?future<", Future)
    all_of_them.add_printer("task_group", start + r"task::task_group<", Group)
    all_of_them.add_printer("channel", start + r"task::channel<", Channel)
    all_of_them.add_printer("deque", start + r"deque::private_deque<", Deque)
    all_of_them.add_printer("worker", start + r"scheduler::worker<", Worker)
    return all_of_them


gdb.printing.register_pretty_printer(gdb.current_objfile(), _printers(), replace=True)
_Leat()
_Workers("leat workers")
_Workers("info leat")
