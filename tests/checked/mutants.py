"""Weakens one thing at a time in a copy of leat's headers, and sees that the clients of the checked platform find it.

usage: mutants.py ROOT COMPILER LIBRARY [PART OF A NAME]
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# Of each header: the test that finds its mutants, and the mutants. One is a name, what stands in the header, and what
# stands there instead; the text is found at its first place after `after`, if that is given.
_MUTANTS = {
    ("channel/spsc.hpp", "spsc"): [
        ("S3 send relaxed", "tail_.store(tail + 1, platform::release)", "tail_.store(tail + 1, platform::relaxed)"),
        ("S3 receive relaxed", "tail_seen_ = tail_.load(platform::acquire)", "tail_seen_ = tail_.load(platform::relaxed)"),
        ("S3 cell returned relaxed", "head_.store(head + 1, platform::release)", "head_.store(head + 1, platform::relaxed)"),
        ("S3 cell taken relaxed", "head_seen_ = head_.load(platform::acquire)", "head_seen_ = head_.load(platform::relaxed)"),
        ("S5 close relaxed", "closed_.store(1, platform::release)", "closed_.store(1, platform::relaxed)"),
        ("S5 drained relaxed", "if (closed_.load(platform::acquire) == 0)", "if (closed_.load(platform::relaxed) == 0)"),
        ("S6 reopen relaxed", "closed_.store(0, platform::release)", "closed_.store(0, platform::relaxed)"),
        ("S6 send relaxed", "if (closed_.load(platform::acquire) != 0) return sent", "if (closed_.load(platform::relaxed) != 0) return sent"),
        ("S4 one cell too many", "if (tail - head_seen_ == capacity_) return", "if (tail - head_seen_ == capacity_ + 1) return"),
    ],
    ("channel/mpsc.hpp", "mpsc"): [
        ("M3 push acquires only", "+ 1), platform::acq_rel, platform::acquire", "+ 1), platform::acquire, platform::acquire"),
        ("M3 collect relaxed", "(word & closed_bit), platform::acquire)", "(word & closed_bit), platform::relaxed)"),
        ("M3 return relaxed", "returned, platform::release, platform::relaxed", "returned, platform::relaxed, platform::relaxed"),
        ("M3 take relaxed", "rest, platform::acquire, platform::acquire", "rest, platform::relaxed, platform::relaxed"),
        ("M4 no tag", "((word >> tag_shift) + 1) << tag_shift", "(word >> tag_shift) << tag_shift"),
        ("M6 closed bit lost", "inbox_.exchange(none | (word & closed_bit)", "inbox_.exchange(none"),
        ("M6 send goes on", "      if (word & closed_bit) {\n", "      if (false) {\n"),
        ("M6 reopen relaxed", "inbox_.fetch_and(~closed_bit, platform::release)", "inbox_.fetch_and(~closed_bit, platform::relaxed)"),
    ],
    ("channel/mpmc.hpp", "mpmc"): [
        ("Q2 fill relaxed", "s.stamp.store(ticket | full_bit, platform::release)", "s.stamp.store(ticket | full_bit, platform::relaxed)"),
        ("Q2 empty relaxed", "s.stamp.store(ticket + lap_, platform::release)", "s.stamp.store(ticket + lap_, platform::relaxed)"),
        ("Q2 send relaxed", "s.stamp.load(platform::acquire)", "s.stamp.load(platform::relaxed)"),
        ("Q2 receive relaxed", "s.stamp.load(platform::acquire)", "s.stamp.load(platform::relaxed)", "try_receive()"),
        ("Q6 close relaxed", "tail_.fetch_or(closed_bit, platform::release)", "tail_.fetch_or(closed_bit, platform::relaxed)"),
        ("Q6 drained relaxed", "tail = tail_.load(platform::acquire);  // acquire: pairs", "tail = tail_.load(platform::relaxed);  // acquire: pairs"),
        ("Q6 reopen relaxed", "tail_.fetch_and(~closed_bit, platform::release)", "tail_.fetch_and(~closed_bit, platform::relaxed)"),
    ],
    ("channel/one_shot.hpp", "one_shot"): [
        ("O3 send releases only", "word_.exchange(full, platform::acq_rel)", "word_.exchange(full, platform::release)"),
        ("O3 send acquires only", "word_.exchange(full, platform::acq_rel)", "word_.exchange(full, platform::acquire)"),
        ("O3 close acquires only", "word_.exchange(closed_for_good, platform::acq_rel)", "word_.exchange(closed_for_good, platform::acquire)"),
        ("O3 close releases only", "word_.exchange(closed_for_good, platform::acq_rel)", "word_.exchange(closed_for_good, platform::release)"),
        ("ready relaxed", "word_.load(platform::acquire) == full", "word_.load(platform::relaxed) == full"),
        ("O4 announce acquires only", "found, waiter, platform::acq_rel", "found, waiter, platform::acquire"),
        ("O6 fill relaxed", "word_.store(full, platform::release)", "word_.store(full, platform::relaxed)"),
        ("O7 announce_among acquires only", "reinterpret_cast<std::uintptr_t>(waiter), platform::acq_rel", "reinterpret_cast<std::uintptr_t>(waiter), platform::acquire"),
    ],
    ("scheduler/parker.hpp", "parker"): [
        ("P1 no fence", "      P::fence();                              // pairs with the fence in notify\n      if (ready()) break;", "      if (ready()) break;"),
        ("P1 no second look", "      if (ready()) break;\n      slept = true;", "      slept = true;"),
        ("P2 no fence", "    P::fence();  // P2", "    // P2"),
        ("no wake-up", "    P::wake_one(word_);\n", ""),
        ("trust in a wake-up", "      P::wait(word_, asleep);\n      if (ready()) break;\n", "      P::wait(word_, asleep);\n      break;\n"),
    ],
    ("deque/private.hpp", "private_deque"): [
        ("D2 raise relaxed", "limit_.exchange(raised, platform::acq_rel)", "limit_.exchange(raised, platform::relaxed)"),
        ("D2 lower relaxed", "limit_.exchange(lowered_, platform::acq_rel)", "limit_.exchange(lowered_, platform::relaxed)"),
        ("D2 settle forgets", "    limit_.compare_exchange_strong(expected, at_rest(), platform::relaxed, platform::relaxed);\n  }\n\n  /// Asks", "    limit_.store(at_rest(), platform::relaxed);\n  }\n\n  /// Asks"),
        ("D3 give_back relaxed", "returned_.fetch_add(1, platform::release)", "returned_.fetch_add(1, platform::relaxed)"),
        ("D3 all_returned relaxed", "returned_.load(platform::acquire) == lent_", "returned_.load(platform::relaxed) == lent_"),
        ("D3 rewind in a loan", "bottom_ == base_ || !all_returned()) return", "bottom_ == base_) return"),
    ],
    ("deque/private.hpp", "public_part"): [
        ("D5 publish relaxed", "end_public_.store(top_, platform::release)", "end_public_.store(top_, platform::relaxed)"),
        ("D5 lower end relaxed", "end_public_.store(newest, platform::release)", "end_public_.store(newest, platform::relaxed)"),
        ("D5 steal relaxed", "end_public_.load(platform::acquire)", "end_public_.load(platform::relaxed)"),
        ("E3 owner without fence", "    P::fence();  // E3; pairs", "    // E3; pairs"),
        ("D5 taken slots not lent", "    lent_ += static_cast<std::uint32_t>(public_.taken());\n", ""),
    ],
    ("deque/public_part.hpp", "public_part"): [
        ("E1 open relaxed", "head_.store(position_ << 1, platform::release)", "head_.store(position_ << 1, platform::relaxed)"),
        ("E1 take relaxed", "head_.load(platform::acquire);  // pairs with open", "head_.load(platform::relaxed);  // pairs with open"),
        ("E2 positions come back", "    ++position_;  // E2\n", "    position_ = 1;\n"),
        ("E3 thief without fence", "    P::fence();  // E3\n", ""),
        ("close without exchange", "position_ = head_.exchange(closed, platform::acq_rel) >> 1;", "position_ = head_.load(platform::acquire) >> 1, head_.store(closed, platform::release);"),
    ],
    ("deque/fork_stack.hpp", "fork_stack"): [
        ("E3 owner without fence", "    P::fence();  // pairs with the fence in public_part::take\n", ""),
    ],
    ("deque/public_part.hpp", "fork_stack"): [
        ("E1 open relaxed", "head_.store(position_ << 1, platform::release)", "head_.store(position_ << 1, platform::relaxed)"),
        ("E3 thief without fence", "    P::fence();  // E3\n", ""),
    ],
    ("task/fork_join.hpp", "fork_stack"): [
        ("K3 fork puts", "P::publish(P::template own<words>().top, s + 1)", "P::put(P::template own<words>().top, s + 1)"),
        ("K3 join puts", "P::republish(mine.top, s)", "P::put(mine.top, s)"),
    ],
    ("task/future_task.hpp", "future"): [
        ("F3 record relaxed", "(found & ~state_mask), platform::acq_rel)", "(found & ~state_mask), platform::relaxed)"),
        ("F3 holder relaxed", "taken_.exchange(holders_gone, platform::acq_rel)", "taken_.exchange(holders_gone, platform::relaxed)"),
        ("F3 let_go relaxed", "taken_.load(platform::acquire) & state_mask", "taken_.load(platform::relaxed) & state_mask"),
        ("F6 told relaxed", "here.told.load(platform::acquire)", "here.told.load(platform::relaxed)"),
        ("F6 tell relaxed", "w->told.store(1, platform::release)", "w->told.store(1, platform::relaxed)"),
        ("F6 last holder relaxed", "holders_.fetch_sub(1, platform::acq_rel) == 1", "holders_.fetch_sub(1, platform::relaxed) == 1"),
        ("F6 only holder relaxed", "holders_.load(platform::acquire) == 1", "holders_.load(platform::relaxed) == 1"),
        ("F6 next read late", "      w->told.store(1, platform::release);  // pairs with wait\n      who->notify();\n      w = next;", "      w->told.store(1, platform::release);\n      who->notify();\n      w->told.load(platform::relaxed);\n      w = next;"),
        ("F2 no free", "if (s.result == channel::sent::closed) this->free();", "if (s.result == channel::sent::closed) return;"),
    ],
    ("scheduler/block_cache.hpp", "block_cache"): [
        ("B3 push relaxed", "+ blocks), platform::release,", "+ blocks), platform::relaxed,"),
        ("B3 take relaxed", "returned_[size].exchange(0, platform::acquire)", "returned_[size].exchange(0, platform::relaxed)"),
        ("B4 owner relaxed", "balance_.fetch_add(out, platform::acq_rel)", "balance_.fetch_add(out, platform::relaxed)"),
        ("B4 wrong balance", "      out -= static_cast<std::size_t>(all >> address_bits);\n    }", "    }"),
    ],
    ("scheduler/attended_manager.hpp", "manager"): [
        ("A1 enter relaxed", "attended_.exchange(1, platform::acq_rel)", "attended_.exchange(1, platform::relaxed)"),
        ("A2 leave relaxed", "attended_.exchange(0, platform::acq_rel)", "attended_.exchange(0, platform::relaxed)"),
        ("A2 no look", "if (inbox_.size() == 0) return;", "return;"),
        ("A1 not alone", "while (attended_.exchange(1, platform::acq_rel) == 0)", "while (attended_.exchange(1, platform::acq_rel) <= 1)"),
        ("A4 waiter without fence", "    P::fence();  // A4: the look", "    // A4: the look"),
        ("A4 publisher without fence", "if (rested_before != 0 && resting != 0) P::fence();", ""),
    ],
}


def _mutated(text, old, new, after=""):
    start = text.index(after)
    at = text.index(old, start)
    return text[:at] + new + text[at + len(old) :]


def _outcome(root, compiler, library, header, test, mutant):
    """What the test makes of the mutant: how Relacy calls what it finds, or None."""
    with tempfile.TemporaryDirectory() as place:
        copy = pathlib.Path(place, "leat", header)
        copy.parent.mkdir(parents=True)
        copy.write_text(_mutated((root / "src/leat" / header).read_text(), *mutant[1:]))
        program = pathlib.Path(place, "test")
        command = [*os.environ.get("CXX_LAUNCHER", "").split(), compiler, "-std=c++20", "-O1", "-DNDEBUG", "-w"]
        command += [f"-I{place}", f"-I{root / 'src'}", f"-I{root / 'include'}", f"-I{root / 'tests/checked'}"]
        command += [root / f"tests/checked/{test}_test.cpp", library, "-lgtest_main", "-lgtest", "-pthread", "-o", program]
        subprocess.run(command, check=True)
        arguments = [program, "--gtest_filter=-*_long", "--gtest_fail_fast"]
        ran = subprocess.run(arguments, capture_output=True, text=True, errors="replace", timeout=600)
    if ran.returncode == 0:
        return None
    found = re.search(r"^([A-Z][A-Z /]+[A-Z])(?: \(.*)?\niteration: (\d+)", ran.stdout, re.MULTILINE)
    return f"{found[1].lower()}, execution {found[2]}" if found else "ends the program"


def main(root, compiler, library, part=""):
    root = pathlib.Path(root)
    jobs = [(h, t, m) for (h, t), mutants in _MUTANTS.items() for m in mutants if part in f"{h} {t} {m[0]}"]
    survivors = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = pool.map(lambda job: _outcome(root, compiler, library, *job), jobs)
        for (header, test, mutant), outcome in zip(jobs, outcomes):
            survivors += outcome is None
            print(f"| `{header}` | {mutant[0]} | `{test}` | {outcome or 'SURVIVES'} |", flush=True)
    print(f"{len(jobs)} mutants, {survivors} survive")
    return survivors != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
