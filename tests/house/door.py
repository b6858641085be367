"""One door to the machine: outside src/leat/platform nothing names an atomic, a thread, a lock, a clock, a futex or a signal."""

import re

import inspection

_NAMES = re.compile(
    r"""
      \bstd\s*::\s*(?:atomic|thread|jthread|this_thread|mutex|(?:recursive|shared|timed)_\w*mutex|condition_variable
                     |memory_order|chrono|counting_semaphore|binary_semaphore|latch|barrier|stop_token)\w*
    | \bpthread_\w*
    | \w*futex\w*
    | \bsigaction\b
    | ^[ \t]*\#[ \t]*include[ \t]*<(?:atomic|thread|mutex|shared_mutex|condition_variable|semaphore|latch|barrier|stop_token
                     |chrono|csignal|signal\.h|pthread\.h|stdatomic\.h|time\.h|ctime|linux/futex\.h)>
    | \b__atomic_\w+ | \b__sync_\w+
    """,
    re.VERBOSE | re.MULTILINE,
)


def check(root):
    for path in inspection.cpp_files(root, "include/leat", "src/leat"):
        if path.is_relative_to(root / "src/leat/platform"):
            continue
        text = inspection.without_comments(inspection.read(path))
        for match in _NAMES.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{inspection.at(root, path, line)}: names {match.group(0).strip()}, which only the platform may"


def _task(line):
    return {"src/leat/task/a.hpp": f"#pragma once\n{line}\n"}


PLANTS = [
    ("the platform may", {"src/leat/platform/a.hpp": "#include <atomic>\nstd::atomic<int> a; pthread_t t;\n"}, 0, ""),
    ("through the platform", _task("typename P::template atomic<int> a; P::thread t; P::now_ns();"), 0, ""),
    ("own words", _task("void barrier(); struct thread_count {}; int atomic_size = 1'000; leat::barrier();"), 0, ""),
    ("a comment", _task("// std::atomic\n/* std::mutex\n <chrono> */ int a;"), 0, ""),
    ("a string", _task('const char* a = "no std::thread \\" here";'), 0, ""),
    ("atomic", _task("int b; std::atomic<int> a;"), 1, "a.hpp:2: names std::atomic"),
    ("after a comment", _task('const char* a = "//"; std::atomic<int> b;'), 1, "names std::atomic"),
    ("after a separator", _task("int a = 1'000; std::mutex b; char c = 'c';"), 1, "names std::mutex"),
    ("fence", _task("std::atomic_thread_fence(std::memory_order_seq_cst);"), 2, "std::atomic_thread_fence"),
    ("thread", _task("std :: thread t;"), 1, "names std :: thread"),
    ("this_thread", _task("std::this_thread::yield();"), 1, "std::this_thread"),
    ("condition variable", {"include/leat/a.hpp": "std::condition_variable c;\n"}, 1, "include/leat/a.hpp:1"),
    ("clock", _task("#include <chrono>"), 1, "<chrono>"),
    ("header", _task("# include  <mutex>"), 1, "<mutex>"),
    ("pthread", _task("pthread_kill(a, 1);"), 1, "pthread_kill"),
    ("futex", _task("syscall(SYS_futex, 0);"), 1, "SYS_futex"),
    ("signal", _task("struct sigaction a;"), 1, "sigaction"),
    ("builtin", _task("__atomic_load_n(&a, 0);"), 1, "__atomic_load_n"),
]

if __name__ == "__main__":
    inspection.main(check, PLANTS)
