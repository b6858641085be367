"""Writes recordings of computations, as a profiled program leaves them (docs/internals/spans.md)."""

import struct

(STRAND, FORK, BRANCH, JOIN, ELSEWHERE, SEGMENT, END, SPAWN, WAIT, BARRIER, LOOP, BLOCK, OPEN_BLOCK, LOOP_END, FUTURE, AWAIT,
 BLOCKING, RUN, RUN_END, OUTSIDE, SUMS, SITE) = range(22)


def number(value):
    """In LEB128."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


class Stream:
    """The operations of one worker. IDs are numbered across all streams of a recording."""

    ids = 0

    def __init__(self):
        self.bytes = bytearray()

    def add(self, operation, *operands):
        self.bytes.append(operation)
        for operand in operands:
            self.bytes += number(operand)
        return self

    @classmethod
    def id(cls):
        cls.ids += 1
        return cls.ids

    def site(self, name):
        site = self.id()
        self.add(SITE, site, len(name))
        self.bytes += name.encode()
        return site

    def strand(self, ns):
        return self.add(STRAND, ns) if ns else self

    def fork(self, first, second, site):
        """Both callables write to the stream."""
        self.add(FORK, site, self.id())
        first()
        self.add(BRANCH)
        second()
        return self.add(JOIN)

    def run(self, root):
        self.add(RUN)
        root()
        return self.add(RUN_END)

    def loop(self, iterations, blocks, site):
        """blocks: pairs of a number of iterations, and the nanoseconds that these took."""
        loop = self.id()
        self.add(LOOP, loop, site, iterations)
        first = 0
        for count, ns in blocks:
            self.add(BLOCK, loop, first, count, ns)
            first += count
        return self.add(LOOP_END, loop)


def header(workers=1, sampled=1, program="synthetic"):
    return f"leat strands 1\nprogram {program}\nworkers {workers}\nclock_ns 20\nsampled {sampled}\n\n".encode()


def recorded(*streams, chunk=1 << 20, **how):
    """A recording of these streams, each in chunks of so many bytes."""
    out = bytearray(header(workers=len(streams), **how))
    for worker, stream in enumerate(streams):
        for first in range(0, len(stream.bytes), chunk):
            part = stream.bytes[first:first + chunk]
            out += struct.pack("<II", worker, len(part)) + part
    return bytes(out)


def fib(stream, n, ns, site):
    """A fork for each call, and `ns` in each."""
    stream.strand(ns)
    if n >= 2:
        stream.fork(lambda: fib(stream, n - 1, ns, site), lambda: fib(stream, n - 2, ns, site), site)
